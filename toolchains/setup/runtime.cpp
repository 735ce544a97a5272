// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/runtime.hpp"

#include "toolchains/setup/search_path.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 10> of_gcc{"libstdc++", "libgcc_s",    "libgomp", "libatomic",
                                                  "libitm",    "libquadmath", "libasan", "liblsan",
                                                  "libtsan",   "libubsan"};

/// Whether a file is named as programs name one of these libraries: `libgomp.so.1`, not `libgomp.so.1.0.0`.
bool is_of_gcc(std::string_view name) {
  constexpr std::string_view between = ".so.";
  const std::size_t at = name.find(between);
  if (at == std::string_view::npos || std::ranges::find(of_gcc, name.substr(0, at)) == of_gcc.end())
    return false;
  const std::string_view version = name.substr(at + between.size());
  return !version.empty() && version.find_first_not_of("0123456789") == std::string_view::npos;
}

bool can_replace(const binary::Image& here, const binary::Image& wanted) {
  return here.kind == wanted.kind && std::ranges::all_of(wanted.version_definitions, [&](const auto& each) {
           return std::ranges::find(here.version_definitions, each) != here.version_definitions.end();
         });
}

} // namespace

std::string machine_library(const std::string& name, const std::string& triplet, const std::string& machine) {
  std::vector<std::string> directories;
  if (!triplet.empty())
    directories = {"/lib/" + triplet, "/usr/lib/" + triplet};
  directories.insert(directories.end(), {"/lib64", "/usr/lib64", "/lib", "/usr/lib"});
  for (const std::string& each : directories) {
    std::error_code error;
    const fs::path real = fs::canonical(machine + each + '/' + name, error);
    if (!error)
      return real.string();
  }
  return {};
}

std::vector<std::string> lacking_libraries(const std::string& root, const RootLayout& layout,
                                           const std::string& machine) {
  std::vector<std::string> lacking;
  std::error_code error;
  for (fs::directory_iterator each(root + '/' + layout.libraries, error), end; !error && each != end;
       each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (!is_of_gcc(name))
      continue;
    const auto wanted = image_of(each->path().string());
    const auto here = image_of(machine_library(name, layout.triplet, machine));
    if (wanted && !(here && can_replace(*here, *wanted)))
      lacking.push_back(name);
  }
  std::ranges::sort(lacking);
  return lacking;
}

std::vector<std::string> runtime_libraries(const std::string& root) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator each(root + '/' + runtime_name, error), end; !error && each != end;
       each.increment(error))
    names.push_back(each->path().filename().string());
  std::ranges::sort(names);
  return names;
}

Result<void> add_runtime(const std::string& root, const RootLayout& layout,
                         const std::vector<std::string>& libraries) {
  if (libraries.empty())
    return {};
  const std::string runtime = root + '/' + runtime_name;
  std::error_code error;
  fs::create_directories(runtime, error);
  for (const std::string& each : libraries) {
    const std::string copy = runtime + '/' + each;
    fs::copy_file(root + '/' + layout.libraries + '/' + each, copy, error);
    if (error)
      return failure("cannot create " + copy + ": " + error.message());
    if (const auto image = image_of(copy); image && needs_others(*image))
      TRY(set_search_path(copy, "$ORIGIN", {}));
  }
  return {};
}

} // namespace hostpin::setup
