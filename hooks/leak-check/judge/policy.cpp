// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/policy.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/machine.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace hostpin::leak {

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
  TRY_ASSIGN(const auto text, files.read(path, forbidden_file_limit));
  std::string_view rest = text;
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
  TRY_ASSIGN(auto needles, NeedleSet::make(std::move(paths)));
  Unwanted unwanted;
  unwanted.rows_.reserve(needles.paths().size());
  for (const std::string& path : needles.paths())
    unwanted.rows_.push_back({path, UnwantedPath::Kind::build_directory});
  for (const UnwantedPath& row : all) { // if several kinds apply, the first of the enumeration
    UnwantedPath& known = unwanted.rows_[*needles.covering(row.path)];
    known.kind = std::min(known.kind, row.kind);
  }
  unwanted.needles_ = std::move(needles);
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

namespace {

std::string parent(std::string path) {
  path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  return path;
}

/// PREFIX of PREFIX/lib/gcc/TARGET/VERSION; empty for other paths.
std::string gcc_prefix(const std::string& install) {
  const std::string gcc = parent(parent(install));
  const std::string library = parent(gcc);
  const bool usual = gcc.ends_with("/gcc") && (library.ends_with("/lib") || library.ends_with("/lib64") ||
                                               library.ends_with("/libexec"));
  return usual ? parent(library) : std::string();
}

/// PREFIX of PREFIX/usr/lib/... or PREFIX/lib64/...; empty for the system's libraries.
std::string library_prefix(const std::string& library) {
  const std::string directory = parent(library);
  std::size_t end = directory.rfind("/usr/lib");
  if (end == std::string::npos)
    end = directory.rfind("/lib");
  const std::string prefix = directory.substr(0, end == std::string::npos ? 0 : end);
  return prefix == "/usr" ? std::string() : prefix;
}

/// Whether it is a directory that unrelated packages share.
bool is_shared(const std::string& path) {
  constexpr std::array<std::string_view, 9> shared = {
      "", "/usr", "/usr/local", "/usr/lib", "/usr/lib64", "/opt", "/usr/bin", "/lib", "/lib64"};
  return std::find(shared.begin(), shared.end(), path) != shared.end();
}

class Additions {
public:
  Additions(Policy& policy, const Files& files) : policy_(policy), files_(files) {}

  /// Never forbid this path or a directory above it.
  void mark_needed(const std::string& path) {
    if (path.empty())
      return;
    needed_.push_back(lexically_normal(path));
    if (auto real = files_.real_path(path))
      needed_.push_back(*std::move(real));
  }

  void add(const std::string& path, UnwantedPath::Kind kind) {
    if (path.empty() || path.front() != '/' || path.size() < NeedleSet::shortest)
      return;
    const std::string normal = lexically_normal(path);
    const std::string real = files_.real_path(path).value_or(normal);
    const bool is_needed = std::any_of(needed_.begin(), needed_.end(), [&](const std::string& one) {
      return is_below(one, {normal, real});
    });
    if (!is_needed && !is_shared(normal) && !is_shared(real))
      policy_.unwanted.push_back({normal, kind});
  }

private:
  Policy& policy_;
  const Files& files_;
  std::vector<std::string> needed_;
};

} // namespace

Result<void> add_binding(Policy& policy, const Files& files, const std::string& named) {
  const std::string directory = bound_room(files, named);
  const auto toml = read_bound(files, directory);
  TRY_ASSIGN(const auto bound, toml ? bound_tools(*toml, directory) : tl::unexpected(toml.error()));
  BoundFields{&*toml}["link"]("driver-path", policy.driver_path);
  const auto& [toolkit, host, stdenv, loader] = bound;

  Additions additions(policy, files);
  for (const std::string& path :
       {stdenv.gcc_install, stdenv.front_end, stdenv.library.path, toolkit.root + "/lib64"})
    additions.mark_needed(path);

  if (host.gcc_install != stdenv.gcc_install) {
    additions.add(host.gcc_install, UnwantedPath::Kind::host_compiler);
    additions.add(gcc_prefix(host.gcc_install), UnwantedPath::Kind::host_compiler);
  }
  if (host.front_end != stdenv.front_end) {
    if (host.family == Family::clang)
      additions.add(parent(parent(host.front_end)), UnwantedPath::Kind::host_compiler);
    if (!host.command.empty())
      additions.add(host.command.front(), UnwantedPath::Kind::host_compiler);
  }
  for (const std::string& root : {toolkit.root, parent(parent(toolkit.nvcc))})
    for (const std::string_view below : {"/bin", "/nvvm/bin"})
      additions.add(root.empty() ? root : root + std::string(below), UnwantedPath::Kind::toolkit_program);

  policy.libstdcxx = stdenv.library.path;
  for (const std::string& prefix : {library_prefix(policy.libstdcxx), gcc_prefix(host.gcc_install)})
    if (!prefix.empty() && !is_shared(prefix))
      policy.compiler_prefixes.push_back(prefix);
  if (const auto kind = binary::kind_of_triple(stdenv.target); kind && !binary::runs_here(*kind))
    policy.other_machine = kind;
  policy.loader = loader;
  policy.libstdcxx_release = std::min(stdenv.library.release, 999);
  // The binding may contain the name that links take, in another directory.
  const std::string libgcc = parent(files.real_path(policy.libstdcxx).value_or("")) + "/libgcc_s.so.1";
  if (!policy.libstdcxx.empty() && files.status(libgcc))
    policy.libgcc = libgcc;
  return {};
}

} // namespace hostpin::leak
