// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/tree/contents.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/blob.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <unordered_set>
#include <utility>

namespace hostpin::redist {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_header = std::size_t{16} << 20U; ///< cuda.h of 12.4 has 1 MB
constexpr int most_links = 16;

TreeFile tree_file(const fs::directory_entry& entry, const std::string& path, const ContentFacts& facts) {
  TreeFile file{path, output_of(facts, path), 0, std::nullopt};
  std::error_code error;
  if (entry.is_symlink(error)) {
    file.link = fs::read_symlink(entry.path(), error).string();
    file.size = file.link->size();
  } else
    file.size = entry.file_size(error);
  return file;
}

Result<std::vector<TreeFile>> list(const std::string& directory, const ContentFacts& facts) {
  std::vector<TreeFile> files;
  std::error_code error;
  fs::recursive_directory_iterator at(directory, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error))
    if (at->is_symlink() || at->is_regular_file())
      files.push_back(tree_file(*at, at->path().lexically_relative(directory).string(), facts));
  if (error)
    return failure("cannot read the tree " + directory + ": " + error.message());
  std::ranges::sort(files, {}, &TreeFile::path);
  return files;
}

bool is_header(const TreeFile& file) {
  return file.output == "include" && !file.link && file.size <= longest_header;
}

/// Names that are looked up later: neither a system's nor that of a header next to this one.
void read_includes(Contents& contents, const std::string& header, std::string_view text,
                   const ContentFacts& facts) {
  HeaderNeeds needs{header, {}};
  for (const Include& include : includes_of(text)) {
    const fs::path next_to = fs::path(directory_of(header)) / include.name;
    if (!matches_any(facts.system_headers, include.name) &&
        !(include.quoted && contents.resolved(next_to.lexically_normal().string())))
      needs.names.push_back(include.name);
  }
  if (!needs.names.empty())
    contents.headers.push_back(std::move(needs));
}

/// Which include path a header is found by depends on the package, so a name is known if it is the end of any
/// header's path.
void remove_known(std::vector<HeaderNeeds>& headers, const std::vector<TreeFile>& files) {
  std::unordered_set<std::string_view> known;
  for (const TreeFile& file : files)
    if (file.output == "include")
      for (std::size_t at = file.path.find('/'); at != std::string::npos; at = file.path.find('/', at + 1))
        known.insert(std::string_view(file.path).substr(at + 1));
  for (HeaderNeeds& header : headers) {
    std::erase_if(header.names, [&](const std::string& name) { return known.contains(name); });
    const auto repeated = std::ranges::unique(header.names); // quoted and not
    header.names.erase(repeated.begin(), repeated.end());
  }
  std::erase_if(headers, [](const HeaderNeeds& header) { return header.names.empty(); });
}

void read_header(Contents& contents, const TreeFile& file, std::string_view text, const std::string& package,
                 const ContentFacts& facts) {
  read_includes(contents, file.path, text, facts);
  for (const VersionMacros& row : facts.version_macros) {
    if (row.package != package || !matches(row.header, file.path))
      continue;
    std::string version;
    for (const std::string& macro : row.macros)
      if (const auto value = macro_value(text, macro)) {
        if (!version.empty())
          version += '.';
        version += std::to_string(*value);
      }
    if (!version.empty())
      contents.macros.emplace(file.path, version);
  }
}

bool is_build_text(const TreeFile& file) {
  return file.path.ends_with(".pc") || file.path.ends_with(".cmake") || file.path.ends_with(".la");
}

void read_text(Contents& contents, const TreeFile& file, std::string_view text, const std::string& package,
               const ContentFacts& facts) {
  if (is_header(file))
    read_header(contents, file, text, package, facts);
  if (is_build_text(file) || (file.output == "bin" && text.starts_with("#!"))) {
    auto found = host_paths_in(text, facts.host_paths);
    if (!found.empty())
      contents.host_paths.push_back({file.path, std::move(found)});
  }
  if (auto name = pkgconfig_name(file.path))
    contents.pkgconfig.push_back(*std::move(name));
  if (auto name = cmake_name(file.path))
    contents.cmake.push_back(*std::move(name));
}

/// `12` and `11.0` below `lib`.
std::vector<std::string> cuda_directories(const std::vector<TreeFile>& files) {
  std::set<std::string> found;
  for (const TreeFile& file : files) {
    const std::vector<std::string> parts = split(file.path, "/");
    if (parts.size() > 2 && (parts[0] == "lib" || parts[0] == "lib64") &&
        parts[1].find_first_not_of("0123456789.") == std::string::npos)
      found.insert(parts[1]);
  }
  return {found.begin(), found.end()};
}

bool may_be_text(const TreeFile& file) {
  return is_header(file) || is_build_text(file) || file.output == "bin";
}

template <typename Rows>
auto by_path(const Rows& rows, const std::string& path) -> decltype(rows.data()) {
  const auto found = std::ranges::lower_bound(rows, path, {}, [](const auto& row) { return row.path; });
  return found == rows.end() || found->path != path ? nullptr : &*found;
}

} // namespace

const TreeFile* Contents::file(const std::string& path) const {
  return by_path(files, path);
}

const Binary* Contents::binary(const std::string& path) const {
  return by_path(binaries, path);
}

std::optional<std::string> Contents::resolved(const std::string& path) const {
  std::string at = path;
  for (int i = 0; i < most_links; ++i) {
    const TreeFile* const found = file(at);
    if (found == nullptr || !found->link)
      return found == nullptr ? std::nullopt : std::optional(at);
    if (found->link->starts_with('/'))
      return std::nullopt;
    at = (fs::path(directory_of(at)) / *found->link).lexically_normal().string();
  }
  return std::nullopt;
}

Result<Contents> inspect(const std::string& directory, const std::string& package,
                         const ContentFacts& facts) {
  auto files = list(directory, facts);
  if (!files)
    return tl::unexpected(files.error());
  Contents contents;
  contents.files = *std::move(files);
  for (TreeFile& file : contents.files) {
    if (file.link)
      continue;
    if (auto binary = read_binary(directory, file.path, facts, contents.damaged)) {
      if (binary->kind == Binary::Kind::objects && file.output == "lib")
        file.output = binary->output = "static"; // only its members distinguish it from an import library
      contents.binaries.push_back(*std::move(binary));
    } else if (may_be_text(file)) {
      const auto map = binary::MappedFile::or_empty(directory + '/' + file.path);
      read_text(contents, file, map.bytes(), package, facts);
    }
  }
  remove_known(contents.headers, contents.files);
  contents.cuda_directories = cuda_directories(contents.files);
  std::ranges::sort(contents.pkgconfig);
  std::ranges::sort(contents.cmake);
  return contents;
}

bool is_stub(const Binary& binary) {
  return binary.output == "stubs" && binary.kind == Binary::Kind::library;
}

} // namespace hostpin::redist
