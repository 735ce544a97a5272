// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/loader/loader.hpp"
#include "toolchains/loader/places.hpp"
#include "wrapper/pack/parts.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>

namespace hostpin::pack {

namespace {

constexpr std::string_view elf = "\177ELF";

std::string head(const std::string& path) {
  constexpr std::size_t longest = 256;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
  std::string text(file ? longest : 0, '\0');
  if (file)
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

/// `/bin/sh` for `#! /bin/sh -e`; empty if the text is not a script.
std::string interpreter(std::string_view text) {
  if (!text.starts_with("#!"))
    return {};
  text.remove_prefix(std::min(text.find_first_not_of(" \t", 2), text.size()));
  return std::string(text.substr(0, text.find_first_of(" \t\r\n")));
}

class Loading {
public:
  Loading(Contents& contents, std::string target, const Machine& machine)
      : contents_(contents), target_(std::move(target)), machine_(machine) {}

  void add_all() {
    // The loader lists indirect dependencies too, so one pass over programs and libraries finds everything;
    // interpreters of scripts may add more.
    for (std::set<std::string> seen, files = contents_.tree.files(); !files.empty();) {
      for (const std::string& file : files)
        look(file);
      seen.merge(files);
      files.clear();
      std::set_difference(contents_.tree.files().begin(), contents_.tree.files().end(), seen.begin(),
                          seen.end(), std::inserter(files, files.end()));
    }
  }

private:
  struct Loader {
    LoaderDescription description;
    LoaderPlaces places;
  };

  void look(const std::string& path) {
    const auto status = machine_.files.status(path);
    const bool is_library = base_name(path).find(".so") != std::string_view::npos;
    if (!status || (!status->executable && !is_library))
      return;
    const std::string start = head(path);
    if (start.starts_with(elf))
      add_closure(path);
    else if (const std::string program = interpreter(start); program.starts_with('/'))
      contents_.tree.add(program);
  }

  void add_closure(const std::string& path) {
    auto image = image_on_disk(path);
    if (!image)
      return; // linked statically, or for another machine
    const bool is_program = !image->interpreter.empty();
    const Loader& loader = loader_of(is_program ? image->interpreter : std::string());
    if (is_program && !contents_.tree.add(image->interpreter))
      contents_.notes.push_back(
          fmt::format("{} wants the loader {}, which is not there", path, image->interpreter));
    const Closure closure = load(path, *std::move(image), loader.places);
    for (const LoadedImage& loaded : closure.images)
      add_loaded(loaded, loader.description);
    if (is_program)
      for (const MissingLibrary& missing : closure.missing)
        contents_.notes.push_back(fmt::format("{} needs {}, which is not found", path, missing.name));
  }

  void add_loaded(const LoadedImage& loaded, const LoaderDescription& loader) {
    contents_.tree.add(loaded.path);
    const std::string directory = directory_of(loaded.path);
    const auto is_own = [&](const std::string& own) { return own == directory || own == directory + '/'; };
    if (loaded.found_by == FoundBy::cache &&
        std::none_of(loader.directories.begin(), loader.directories.end(), is_own))
      contents_.tree.add(loader.cache);
    // Built for this processor: another one needs the generic version.
    if (const std::size_t special = loaded.path.find("/glibc-hwcaps/"); special != std::string::npos)
      contents_.tree.add(fmt::format("{}/{}", loaded.path.substr(0, special), base_name(loaded.path)));
  }

  /// Without a name: the loader that most programs here use.
  const Loader& loader_of(std::string name) {
    if (name.empty())
      name = image_on_disk("/bin/sh").value_or(Image()).interpreter;
    const auto known = loaders_.find(name);
    if (known != loaders_.end())
      return known->second;
    Loader loader{describe_loader(name, target_, machine_.processes).value_or(LoaderDescription()),
                  loader_places(name, target_, machine_.files, machine_.processes)};
    return loaders_.emplace(name, std::move(loader)).first->second;
  }

  Contents& contents_;
  std::string target_;
  const Machine& machine_;
  std::map<std::string, Loader> loaders_;
};

} // namespace

void add_what_they_load(Contents& contents, const std::string& target, const Machine& machine) {
  Loading(contents, target, machine).add_all();
}

} // namespace hostpin::pack
