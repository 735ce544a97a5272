// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/loader.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/loader/cache.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace hostpin::loader {

namespace {

constexpr std::size_t most_images = 4096; // no program has so many; endless chains of files would

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

/// The directory of a file, every symlink resolved: the value of $ORIGIN.
std::string origin_of(const std::string& path, const LoaderPlaces& places) {
  const std::string whole = places.real_path ? places.real_path(path) : real_path(path);
  const std::size_t slash = whole.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : whole.substr(0, slash);
}

struct Token {
  std::string_view name;
  std::string value;
};

/// Replaces `$NAME` and `${NAME}` of the dynamic string tokens.
std::string expanded(std::string_view text, const std::array<Token, 3>& tokens) {
  std::string result;
  while (!text.empty()) {
    const std::size_t dollar = text.find('$');
    result += text.substr(0, dollar);
    if (dollar == std::string_view::npos)
      break;
    text.remove_prefix(dollar + 1);
    const bool braced = text.starts_with('{');
    const Token* known = nullptr;
    for (const Token& token : tokens) {
      const std::string_view rest = text.substr(braced ? 1 : 0);
      if (rest.starts_with(token.name) && (!braced || rest.substr(token.name.size()).starts_with('}')))
        known = &token;
    }
    if (known == nullptr) {
      result += '$';
      continue;
    }
    result += known->value;
    text.remove_prefix(known->name.size() + (braced ? 2 : 0));
  }
  return result;
}

std::string without_tokens(const std::string& text, const std::string& path, const LoaderPlaces& places) {
  if (text.find('$') == std::string::npos)
    return text;
  return expanded(text, {Token{"ORIGIN", origin_of(path, places)}, Token{"LIB", places.library_name},
                         Token{"PLATFORM", places.platform}});
}

class Loading {
public:
  Loading(const LoaderPlaces& places, const ReadImage& read) : places_(places), read_(read) {}

  Closure run(const std::string& path, binary::Image first) {
    closure_.images.push_back({path, path, std::move(first), std::nullopt, FoundBy::itself});
    for (std::size_t at = 0; at < closure_.images.size() && closure_.images.size() < most_images; ++at) {
      const std::vector<std::string> needed =
          closure_.images[at].image.needed; // the vector may reallocate as it grows
      for (const std::string& name : needed)
        if (closure_.serving(name) == nullptr && !find(name, at))
          note_missing(name, at);
    }
    return std::move(closure_);
  }

  std::optional<LoadedImage> found(const std::string& name, const std::string& path, binary::Image first) {
    closure_.images.push_back({path, path, std::move(first), std::nullopt, FoundBy::itself});
    return find(name, 0) ? std::optional(std::move(closure_.images.back())) : std::nullopt;
  }

private:
  void note_missing(const std::string& name, std::size_t by) {
    const auto known = std::find_if(closure_.missing.begin(), closure_.missing.end(),
                                    [&](const MissingLibrary& missing) { return missing.name == name; });
    if (known == closure_.missing.end())
      closure_.missing.push_back({name, by});
  }

  bool find(const std::string& name, std::size_t by) {
    if (name.find('/') != std::string::npos)
      return take(name, expand(name, by), by, FoundBy::itself);
    // Not only from this file: DT_RPATH also applies to what it loads, up to the program.
    if (!closure_.images[by].image.runpath)
      for (std::optional<std::size_t> at = by; at; at = closure_.images[*at].loaded_by)
        if (!closure_.images[*at].image.runpath &&
            in_list(name, closure_.images[*at].image.rpath, *at, by, FoundBy::rpath))
          return true;
    if (in_directories(name, places_.library_path, by, by, FoundBy::library_path) ||
        in_list(name, closure_.images[by].image.runpath, by, by, FoundBy::runpath))
      return true;
    if (closure_.images[by].image.no_default_libraries)
      return false;
    for (const std::string_view path : cached_libraries(places_.cache, name, places_.capabilities))
      if (take(name, std::string(path), by, FoundBy::cache))
        return true;
    return in_directories(name, places_.directories, by, by, FoundBy::directories);
  }

  bool in_list(const std::string& name, const std::optional<std::string>& list, std::size_t owner,
               std::size_t by, FoundBy how) {
    // glibc ignores a list that is empty, such as one that was erased, but not an empty entry in a longer
    // list.
    return list && !list->empty() && in_directories(name, split(*list, ":"), owner, by, how);
  }

  bool in_directories(const std::string& name, const std::vector<std::string>& directories, std::size_t owner,
                      std::size_t by, FoundBy how) {
    for (const std::string& directory : directories) {
      // An empty entry is the current directory.
      std::string expanded = directory.empty() ? "." : expand(directory, owner);
      expanded += expanded.ends_with('/') ? "" : "/";
      const bool in_root = directory.starts_with('/') && (how == FoundBy::rpath || how == FoundBy::runpath);
      if ((in_root && !places_.root.empty() && in_directory(name, places_.root + expanded, by, how)) ||
          in_directory(name, expanded, by, how))
        return true;
    }
    return false;
  }

  /// `directory` ends with a slash.
  bool in_directory(const std::string& name, const std::string& directory, std::size_t by, FoundBy how) {
    for (const std::string& capability : places_.capabilities)
      if (take(name, directory + "glibc-hwcaps/" + capability + '/' + name, by, how))
        return true;
    return take(name, directory + name, by, how);
  }

  std::string expand(const std::string& text, std::size_t owner) const {
    return without_tokens(text, closure_.images[owner].path, places_);
  }

  bool take(const std::string& name, const std::string& path, std::size_t by, FoundBy how) {
    auto image = read_(path);
    if (!image || image->kind != closure_.images.front().image.kind)
      return false;
    // One file under two names is loaded once.
    const auto same =
        std::find_if(closure_.images.begin(), closure_.images.end(), [&](const LoadedImage& other) {
          return other.path == path || (!image->soname.empty() && other.image.soname == image->soname);
        });
    if (same != closure_.images.end() && same != closure_.images.begin())
      return true;
    closure_.images.push_back({name, path, *std::move(image), by, how});
    return true;
  }

  const LoaderPlaces& places_;
  const ReadImage& read_;
  Closure closure_;
};

} // namespace

const LoadedImage* Closure::serving(std::string_view name) const {
  const auto found = std::find_if(images.begin(), images.end(), [&](const LoadedImage& image) {
    return image.name == name || image.image.soname == name;
  });
  return found == images.end() ? nullptr : &*found;
}

std::optional<binary::Image> image_on_disk(const std::string& path) {
  const auto file = binary::MappedFile::open(path);
  if (!file)
    return std::nullopt;
  auto image = binary::read_image(file->bytes());
  return image ? *std::move(image) : std::nullopt;
}

Closure load(const std::string& path, binary::Image first, const LoaderPlaces& places,
             const ReadImage& read) {
  return Loading(places, read).run(path, std::move(first));
}

std::optional<LoadedImage> found(const std::string& name, const std::string& by, const binary::Image& image,
                                 const LoaderPlaces& places, const ReadImage& read) {
  return Loading(places, read).found(name, by, image);
}

std::vector<RunPathEntry> run_path(const std::string& path, const binary::Image& image,
                                   const LoaderPlaces& places) {
  const std::optional<std::string>& list = image.runpath ? image.runpath : image.rpath;
  std::vector<RunPathEntry> entries;
  if (list && !list->empty())
    for (const std::string& text : split(*list, ":"))
      entries.push_back({text, without_tokens(text, path, places)});
  return entries;
}

std::vector<UnmetNeed> unmet_needs(const Closure& closure) {
  std::vector<UnmetNeed> unmet;
  for (std::size_t at = 0; at < closure.images.size(); ++at)
    for (const binary::VersionNeed& need : closure.images[at].image.version_needs) {
      const LoadedImage* const library = closure.serving(need.library);
      if (library == nullptr || library->image.version_definitions.empty())
        continue;
      const std::vector<std::string>& defined = library->image.version_definitions;
      for (const std::string& version : need.versions)
        if (std::find(defined.begin(), defined.end(), version) == defined.end())
          unmet.push_back(
              {at, static_cast<std::size_t>(library - closure.images.data()), need.library, version});
    }
  return unmet;
}

} // namespace hostpin::loader
