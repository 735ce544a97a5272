// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/elf.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::loader {

/// The loader's own search path, apart from what the files contain.
struct LoaderPlaces {
  std::vector<std::string> library_path; ///< LD_LIBRARY_PATH, split
  std::string cache;                     ///< bytes of ld.so.cache; empty for none
  std::vector<std::string> directories;  ///< its own, in order
  std::vector<std::string> capabilities; ///< of this processor, best first: subdirectories of glibc-hwcaps
  std::string library_name = "lib64";    ///< value of $LIB
  std::string platform = "x86_64";       ///< value of $PLATFORM
  /// The root directory of the machine that runs the files, as this machine has it (a sysroot): absolute run
  /// paths lead there first. Empty: this machine's own.
  std::string root = {};
  bool elsewhere = false; ///< another machine runs the files; `directories` have what it is assumed to have
  /// Resolves every symlink in a path, for $ORIGIN, if files are going to be moved; empty: as on disk.
  std::function<std::string(const std::string& path)> real_path = {};
};

/// Where the loader found a file.
enum class FoundBy { itself, rpath, library_path, runpath, cache, directories };

/// One file that the loader would map.
struct LoadedImage {
  std::string name; ///< as requested: a soname, or the path of the first one
  std::string path; ///< as found
  binary::Image image;
  std::optional<std::size_t> loaded_by; ///< index of the first that needs it; nothing for the first one
  FoundBy found_by = FoundBy::itself;   ///< `itself` for the first one and those that are needed by path
};

struct MissingLibrary {
  std::string name;
  std::size_t needed_by = 0; ///< index of the image
};

/// A program or a library with all it needs, in the order of loading.
struct Closure {
  std::vector<LoadedImage> images;
  std::vector<MissingLibrary> missing;

  /// The image that is loaded for a library's name; nothing if it was not found.
  const LoadedImage* serving(std::string_view name) const;
};

/// Reads a file: nothing if there is none that the loader could use.
using ReadImage = std::function<std::optional<binary::Image>(const std::string& path)>;

/// Reads images from disk.
std::optional<binary::Image> image_on_disk(const std::string& path);

/// Follows every NEEDED as glibc's loader does: DT_RPATH of the file and of those that loaded it if they have
/// no DT_RUNPATH, LD_LIBRARY_PATH, the file's own DT_RUNPATH, the cache, the loader's directories; files of
/// another class or machine are skipped. Preloaded, audited and later dlopened files are not followed, nor
/// are the processor directories of before glibc 2.33 (`haswell`, `tls`).
Closure load(const std::string& path, binary::Image first, const LoaderPlaces& places,
             const ReadImage& read = image_on_disk);

/// The file that is found for a name that a file needs, or opens while it runs, if a process has loaded
/// nothing before: neither a library of that name nor one whose DT_RPATH applies.
std::optional<LoadedImage> found(const std::string& name, const std::string& by, const binary::Image& image,
                                 const LoaderPlaces& places, const ReadImage& read = image_on_disk);

/// An entry of a run path.
struct RunPathEntry {
  std::string text;      ///< as written
  std::string directory; ///< tokens replaced
};

/// The run path of a file: DT_RUNPATH, or DT_RPATH without it. Empty for an empty list, which glibc ignores.
std::vector<RunPathEntry> run_path(const std::string& path, const binary::Image& image,
                                   const LoaderPlaces& places);

/// A version that an image needs and that the library loaded for it does not define.
struct UnmetNeed {
  std::size_t image = 0;   ///< index of the image that needs it
  std::size_t library = 0; ///< index of the image that lacks it
  std::string needed_of;   ///< that library's name in the image
  std::string version;     ///< such as `GLIBCXX_3.4.32`

  bool operator==(const UnmetNeed&) const = default;
};

/// In the order of loading. A library without any version definitions satisfies every need: the loader only
/// warns.
std::vector<UnmetNeed> unmet_needs(const Closure& closure);

} // namespace hostpin::loader
