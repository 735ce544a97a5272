// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/remembered/loaded_files.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/loader/places.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

constexpr const char* system_cache = "/etc/ld.so.cache";
constexpr std::size_t cache_limit = std::size_t{64} << 20U;

/// The target of a loader's programs, by its name: ld-linux-aarch64.so.1.
std::string target_of(std::string_view loader) {
  return loader.find("aarch64") != std::string_view::npos ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
}

/// The directories of a list with colons; nothing if one of them depends on the current directory.
std::optional<std::vector<std::string>> absolute_directories(std::string_view list) {
  std::vector<std::string> directories;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end == begin || list[begin] != '/')
      return std::nullopt;
    directories.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return directories;
}

} // namespace

LoaderPlaces LoadedFiles::presumed(const std::string& loader) const {
  const LoaderDescription description = presumed_loader(loader, target_of(loader));
  LoaderPlaces places;
  places.directories = description.directories;
  places.library_name = description.library_name;
  places.platform = description.platform;
  if (!description.cache.empty())
    if (auto cache = files_.read(description.cache, cache_limit))
      places.cache = *std::move(cache);
  return places;
}

const LoaderPlaces* LoadedFiles::places(const std::string& loader, bool asked) const {
  const auto [known, is_new] = places_.try_emplace({loader, asked});
  if (!is_new)
    return known->second ? &*known->second : nullptr;
  LoaderPlaces found =
      asked ? loader_places(loader, target_of(loader), files_, processes_) : presumed(loader);
  if (const auto list = environment_["LD_LIBRARY_PATH"]) {
    auto directories = absolute_directories(*list);
    if (!directories)
      return nullptr;
    found.library_path = *std::move(directories);
  }
  known->second = std::move(found);
  return &*known->second;
}

/// Which of several files of a library is loaded may depend on the processor; only the loader can decide
/// that.
bool LoadedFiles::depends_on_processor(const Closure& closure) const {
  return std::any_of(closure.images.begin(), closure.images.end(), [&](const LoadedImage& loaded) {
    return files_.status(directory_of(loaded.path) + "/glibc-hwcaps").has_value();
  });
}

std::optional<std::vector<std::string>> LoadedFiles::of(const std::string& program) const {
  for (const char* const variable : {"LD_PRELOAD", "LD_AUDIT"})
    if (environment_[variable])
      return std::nullopt;
  const ReadImage read = [&](const std::string& path) {
    const auto [known, is_new] = images_.try_emplace(path);
    if (is_new)
      known->second = image_on_disk(path);
    return known->second;
  };
  const auto image = read(program);
  if (!image)
    return std::nullopt;
  if (image->interpreter.empty())
    return std::vector{program};
  // Running a loader takes as long as running a compiler, and is rarely necessary.
  for (const bool asked : {false, true}) {
    const LoaderPlaces* const where = places(image->interpreter, asked);
    if (where == nullptr)
      return std::nullopt;
    const Closure closure = load(program, *image, *where, read);
    if (closure.missing.empty() && (asked || !depends_on_processor(closure)))
      return parts(closure, *where);
  }
  return std::nullopt;
}

std::vector<std::string> LoadedFiles::parts(const Closure& closure, const LoaderPlaces& where) {
  const LoadedImage& program = closure.images.front();
  std::vector<std::string> paths = {program.image.interpreter, system_cache};
  paths.insert(paths.end(), where.library_path.begin(), where.library_path.end());
  for (const LoadedImage& loaded : closure.images) {
    paths.push_back(loaded.path);
    paths.push_back(directory_of(loaded.path) + "/glibc-hwcaps");
    for (std::string& directory : run_path(loaded, where))
      paths.push_back(std::move(directory));
  }
  return paths;
}

} // namespace hostpin
