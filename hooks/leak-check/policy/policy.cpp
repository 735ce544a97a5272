// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/policy/policy.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace hostpin {

namespace {

constexpr std::size_t forbidden_file_limit = std::size_t{64} << 20U;

} // namespace

std::string_view to_string(UnwantedPath::Kind kind) {
  switch (kind) {
  case UnwantedPath::Kind::host_compiler:
    return "the host compiler's";
  case UnwantedPath::Kind::toolkit_program:
    return "the CUDA compiler's";
  case UnwantedPath::Kind::build_directory:
    return "the build's";
  case UnwantedPath::Kind::forbidden:
    break;
  }
  return "forbidden";
}

Result<void> add_forbidden_file(Policy& policy, const Files& files, const std::string& path) {
  const auto text = files.read(path, forbidden_file_limit);
  if (!text)
    return tl::unexpected(text.error());
  std::string_view rest = *text;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (!line.empty() && line.front() != '#')
      policy.unwanted.push_back({std::string(line), UnwantedPath::Kind::forbidden});
  }
  return {};
}

Result<Unwanted> Unwanted::make(const Policy& policy, const Files& files) {
  std::vector<UnwantedPath> all;
  std::vector<std::string> paths;
  all.reserve(policy.unwanted.size());
  paths.reserve(policy.unwanted.size());
  for (const UnwantedPath& row : policy.unwanted) {
    all.push_back({lexically_normal(row.path), row.kind});
    paths.push_back(row.path);
    if (auto real = files.real_path(row.path); real && *real != all.back().path) {
      all.push_back({*real, row.kind});
      paths.push_back(*std::move(real));
    }
  }
  auto needles = NeedleSet::make(std::move(paths));
  if (!needles)
    return tl::unexpected(needles.error());
  Unwanted unwanted;
  unwanted.rows_.reserve(needles->paths().size());
  for (const std::string& path : needles->paths())
    unwanted.rows_.push_back({path, UnwantedPath::Kind::build_directory});
  for (const UnwantedPath& row : all) { // of several kinds the first of the enumeration
    UnwantedPath& known = unwanted.rows_[*needles->covering(row.path)];
    known.kind = std::min(known.kind, row.kind);
  }
  unwanted.needles_ = *std::move(needles);
  return unwanted;
}

const UnwantedPath* Unwanted::covering(std::string_view normal_path) const {
  const auto needle = needles_.covering(normal_path);
  return needle ? &rows_[*needle] : nullptr;
}

bool is_below(std::string_view path, const std::vector<std::string>& directories) {
  return std::any_of(directories.begin(), directories.end(), [&](const std::string& directory) {
    return path.starts_with(directory) &&
           (path.size() == directory.size() || directory.ends_with('/') || path[directory.size()] == '/');
  });
}

} // namespace hostpin
