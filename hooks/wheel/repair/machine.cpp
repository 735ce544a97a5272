// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/repair/machine.hpp"

#include "toolchains/binary/machine.hpp"
#include "toolchains/loader/places.hpp"

#include <memory>
#include <utility>

namespace hostpin::wheel {

namespace {

/// The loader of this machine's own programs: that of this one, if it has one.
std::string own_loader() {
  const auto self = loader::image_on_disk("/proc/self/exe");
  if (self && !self->interpreter.empty())
    return self->interpreter;
  return binary::own_triple().starts_with("aarch64") ? "/lib/ld-linux-aarch64.so.1"
                                                     : "/lib64/ld-linux-x86-64.so.2";
}

} // namespace

FindLibrary libraries_here(std::vector<std::string> directories, const Files& files,
                           const Processes& processes) {
  // Queried when the first library is searched for: most wheels need none.
  auto places = std::make_shared<std::optional<loader::LoaderPlaces>>();
  return [directories = std::move(directories), places, &files,
          &processes](const binary::Image& by, const std::string& path,
                      const std::string& name) -> std::optional<std::string> {
    if (!*places) {
      *places = loader::loader_places(own_loader(), binary::own_triple(), files, processes);
      (*places)->library_path = directories;
    }
    binary::Image image = by;
    image.needed = {name};
    image.version_needs.clear();
    image.loaded_besides.clear();
    const loader::Closure closure = loader::load(path, std::move(image), **places);
    const loader::LoadedImage* const found = closure.serving(name);
    return found == nullptr ? std::nullopt : std::optional(found->path);
  };
}

} // namespace hostpin::wheel
