// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/relocate.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/setup/search_path.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view c_library = "libc.so.6";

/// Names of the entries of a directory, sorted; none if there is no such directory.
std::vector<std::string> entries(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator each(directory, error), end; !error && each != end; each.increment(error))
    names.push_back(each->path().filename().string());
  std::ranges::sort(names);
  return names;
}

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

class Relocation {
public:
  Relocation(const std::string& root, const std::string& place, const RootLayout& layout)
      : root_(root), place_(place), layout_(layout) {}

  Result<void> file(const std::string& path) const {
    const std::string inner = path.substr(root_.size() + 1);
    const auto found = image_of(path);
    if (!found)
      return {};
    // The C library names an interpreter as well, and is run by nobody.
    if (!found->interpreter.empty() && !base_name(inner).starts_with("lib"))
      return set_search_path(path, search_path(inner), place_ + '/' + layout_.loader);
    return is_in_libraries(inner) && needs_others(*found) ? set_search_path(path, search_path(inner), {})
                                                          : Result<void>();
  }

private:
  bool is_in_libraries(const std::string& inner) const {
    const std::string directory = directory_of(inner);
    return directory == layout_.libraries || std::ranges::find(layout_.llvm, directory) != layout_.llvm.end();
  }

  /// LLVM's programs and libraries find each other, too.
  std::string search_path(const std::string& inner) const {
    std::string path = place_ + '/' + layout_.libraries;
    for (const std::string& each : layout_.llvm)
      if (inner.starts_with(directory_of(each) + '/'))
        path += ':' + place_ + '/' + each;
    return path;
  }

  const std::string &root_, &place_;
  const RootLayout& layout_;
};

} // namespace

std::optional<binary::Image> image_of(const std::string& file) {
  const auto blob = binary::open_blob(file);
  if (!blob || !blob->beginning(4).starts_with("\x7f"
                                               "ELF"))
    return std::nullopt;
  const binary::BlobSource source(*blob);
  auto read = binary::read_image(source);
  return read && *read ? *std::move(read) : std::nullopt;
}

bool needs_others(const binary::Image& library) {
  return std::ranges::any_of(library.needed, [](const std::string& name) {
    return name != c_library && !name.starts_with("ld-linux");
  });
}

Result<RootLayout> root_layout(const std::string& root) {
  RootLayout layout;
  std::vector<std::string> directories{"usr/lib64", "usr/lib"};
  for (const std::string& name : entries(root + "/usr/lib"))
    if (name.ends_with("-linux-gnu"))
      directories.insert(directories.begin(), "usr/lib/" + name);
  for (const std::string& each : directories)
    if (layout.libraries.empty() && exists(root + '/' + each + '/' + std::string(c_library)))
      layout.libraries = each;
  if (layout.libraries.empty())
    return failure("the packages in " + root + " have no C library, " + std::string(c_library));
  const std::string_view last = base_name(layout.libraries);
  if (last.ends_with("-linux-gnu"))
    layout.triplet = last;
  for (const std::string& each : {std::string("usr/lib64"), layout.libraries, std::string("usr/lib")})
    for (const std::string& name : entries(root + '/' + each))
      if (layout.loader.empty() && name.starts_with("ld-linux") && name.find(".so.") != std::string::npos &&
          exists(root + '/' + each + '/' + name))
        layout.loader = each + '/' + name;
  if (layout.loader.empty())
    return failure("the packages in " + root + " have no dynamic loader, ld-linux*.so");
  for (const char* const parent : {"usr/lib", "usr/lib64"})
    for (const std::string& name : entries(root + '/' + parent))
      if (name.starts_with("llvm") && exists(root + '/' + parent + '/' + name + "/lib"))
        layout.llvm.push_back(std::string(parent) + '/' + name + "/lib");
  return layout;
}

Result<void> relocate(const std::string& root, const std::string& place, const RootLayout& layout) {
  const Relocation relocation(root, place, layout);
  std::vector<std::string> files; // first: they are replaced
  std::error_code error;
  for (fs::recursive_directory_iterator each(root, error), end; !error && each != end; each.increment(error))
    if (!each->is_symlink(error) && each->is_regular_file(error))
      files.push_back(each->path().string());
  if (error)
    return failure("cannot relocate " + root + ": " + error.message());
  for (const std::string& file : files)
    TRY(relocation.file(file));
  return {};
}

} // namespace hostpin::setup
