// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/proof.hpp"

#include "toolchains/loader/mapped.hpp"
#include "toolchains/loader/symbols.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <utility>

namespace hostpin {

namespace {

constexpr std::size_t most_needs = 5; // of a message; all others have the same cause
constexpr std::size_t most_symbols = 3;

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : symbol;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

const char* way(FoundBy found_by) {
  switch (found_by) {
  case FoundBy::rpath:
    return "by a RPATH";
  case FoundBy::library_path:
    return "by LD_LIBRARY_PATH";
  case FoundBy::runpath:
    return "by a RUNPATH";
  case FoundBy::cache:
    return "by the loader's cache";
  case FoundBy::directories:
    return "in the loader's own directories";
  case FoundBy::itself:
    break;
  }
  return "by its path";
}

bool defines(const std::string& path, const std::string& version) {
  const auto image = image_on_disk(path);
  return image && std::find(image->version_definitions.begin(), image->version_definitions.end(), version) !=
                      image->version_definitions.end();
}

class Wording {
public:
  Wording(const LinkToProve& link, const Closure& closure, const std::vector<UnmetNeed>& unmet)
      : link_(link), closure_(closure), unmet_(unmet) {}

  Disproof disproof() const {
    const LoadedImage& library = closure_.images[unmet_.front().library];
    Disproof result;
    result.message = link_.output + " would load " + library.path + " (found " + way(library.found_by) +
                     "), which does not define what is needed of " + library.name + ':';
    for (std::size_t i = 0; i < unmet_.size() && i < most_needs; ++i)
      result.message += need(unmet_[i]);
    if (unmet_.size() > most_needs)
      result.message += "\n  and " + std::to_string(unmet_.size() - most_needs) + " more";
    result.hint = cure(library);
    result.certain = is_certain(library);
    return result;
  }

private:
  /// A library is loaded by some program, which may bring the right one along, unless its own run path
  /// decides.
  bool is_certain(const LoadedImage& library) const {
    const bool is_program = !closure_.images.front().image.interpreter.empty();
    return is_program || library.found_by == FoundBy::runpath;
  }

  std::string need(const UnmetNeed& unmet) const {
    const LoadedImage& image = closure_.images[unmet.image];
    const LoadedImage& library = closure_.images[unmet.library];
    std::string text = "\n  " + unmet.version;
    if (unmet.library != unmet_.front().library)
      text += " of " + library.path;
    if (unmet.image != 0)
      text += ", needed by " + image.path;
    const auto file = MappedFile::open(image.path);
    const std::vector<std::string> symbols =
        file ? symbols_wanting(file->bytes(), unmet.version) : std::vector<std::string>();
    for (std::size_t i = 0; i < symbols.size() && i < most_symbols; ++i)
      text += "\n    " + demangled(symbols[i]) + (unmet.image == 0 ? brought_by(symbols[i]) : "");
    if (symbols.size() > most_symbols)
      text += "\n    and " + std::to_string(symbols.size() - most_symbols) + " more symbols";
    return text;
  }

  std::string brought_by(const std::string& symbol) const {
    for (const std::string& input : link_.inputs ? link_.inputs() : std::vector<std::string>())
      if (const auto file = MappedFile::open(input))
        if (const std::string where = mention(input, file->bytes(), symbol); !where.empty())
          return ", from " + where;
    return {};
  }

  std::string cure(const LoadedImage& library) const {
    const std::string off = "; link-proof = \"off\" in hostpin's configuration leaves links unproven";
    const std::string& version = unmet_.front().version;
    const bool own_has_it =
        !link_.library.empty() && library.path != link_.library && defines(link_.library, version);
    if (own_has_it && library.found_by == FoundBy::library_path)
      return "take " + directory_of(library.path) + " out of LD_LIBRARY_PATH, or put " +
             directory_of(link_.library) + " in front of it" + off;
    if (own_has_it && (library.found_by == FoundBy::runpath || library.found_by == FoundBy::rpath))
      return "link without -rpath " + directory_of(library.path) + ", or with -Wl,-rpath," +
             directory_of(link_.library) + " before it" + off;
    if (own_has_it)
      return "add -Wl,-rpath," + directory_of(link_.library) +
             ", where the library is that this was linked with" + off;
    return "build what needs it with a compiler that is not newer than the one behind " + library.path +
           ", or link with a newer stdenv" + off;
  }

  const LinkToProve& link_;
  const Closure& closure_;
  const std::vector<UnmetNeed>& unmet_;
};

} // namespace

std::optional<Disproof> disprove(const LinkToProve& link) {
  auto first = image_on_disk(link.output);
  if (!first || (!first->interpreter.empty() && first->interpreter != link.loader))
    return std::nullopt;
  const Closure closure = load(link.output, *first, link.places);
  const std::vector<UnmetNeed> unmet = unmet_needs(closure);
  if (unmet.empty())
    return std::nullopt;
  Disproof disproof = Wording(link, closure, unmet).disproof();
  // What only the environment of this build breaks may start well elsewhere.
  if (disproof.certain && !link.places.library_path.empty()) {
    LoaderPlaces plain = link.places;
    plain.library_path.clear();
    disproof.certain = !unmet_needs(load(link.output, *std::move(first), plain)).empty();
  }
  return disproof;
}

} // namespace hostpin
