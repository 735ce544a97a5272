// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/proof.hpp"

#include "toolchains/base/demangle.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/loader/symbols.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <unistd.h>
#include <utility>

namespace hostpin::loader {

namespace {

constexpr std::size_t most_needs = 5; // in a message; the others have the same cause
constexpr std::size_t most_symbols = 3;

bool defines(const std::string& path, const std::string& version) {
  const auto image = image_on_disk(path);
  return image && std::find(image->version_definitions.begin(), image->version_definitions.end(), version) !=
                      image->version_definitions.end();
}

bool by_run_path(const LoadedImage& library) {
  return library.found_by == FoundBy::rpath || library.found_by == FoundBy::runpath;
}

bool is_program(const Closure& closure) {
  return !closure.images.front().image.interpreter.empty();
}

class Wording {
public:
  Wording(const LinkToProve& link, const Closure& closure, const std::vector<UnmetNeed>& unmet)
      : link_(link), closure_(closure), unmet_(unmet), library_(closure.images[unmet.front().library]) {}

  Proof proof() const {
    Proof result;
    const bool certain = (is_program(closure_) && !awaits_a_place() && !stands_in(library_)) ||
                         std::any_of(unmet_.begin(), unmet_.end(), [&](const UnmetNeed& unmet) {
                           return by_run_path(closure_.images[unmet.library]);
                         });
    result.outcome = certain ? Proof::Outcome::disproved : Proof::Outcome::doubtful;
    result.message = link_.output + (certain ? " would load " : " would, with its present run path, load ") +
                     library_.path + " (" + way() + "), which does not define these symbol versions of " +
                     library_.name + ':';
    for (std::size_t i = 0; i < unmet_.size() && i < most_needs; ++i)
      result.message += need(unmet_[i]);
    if (unmet_.size() > most_needs)
      result.message += "\n  and " + std::to_string(unmet_.size() - most_needs) + " more";
    result.hint = fix() + "; or set link-proof = \"warn\" or \"off\" in hostpin's configuration";
    return result;
  }

private:
  /// The image that needed the library.
  const LoadedImage& asker() const { return closure_.images[library_.loaded_by.value_or(0)]; }

  /// A run path leads to a directory that does not exist yet: one in the directory where this is going to be
  /// installed, which may have the right library.
  bool awaits_a_place() const {
    if (library_.found_by != FoundBy::cache && library_.found_by != FoundBy::directories)
      return false;
    for (const LoadedImage* const image : {&closure_.images.front(), &asker()})
      for (const auto& [text, directory] : run_path(image->path, image->image, link_.places))
        if (!directory.empty() && access(directory.c_str(), F_OK) != 0 && !is_in_root(directory))
          return true;
    return false;
  }

  bool is_in_root(const std::string& directory) const {
    return directory.starts_with('/') && !link_.places.root.empty() &&
           access((link_.places.root + directory).c_str(), F_OK) == 0;
  }

  /// Whether the file is only assumed to be on the machine that runs the output.
  bool stands_in(const LoadedImage& library) const {
    return link_.places.elsewhere && link_.places.root.empty() && library.found_by == FoundBy::directories;
  }

  std::string way() const {
    if (stands_in(library_))
      return "the cross compiler's, which is used instead of that of the machine that runs it";
    switch (library_.found_by) {
    case FoundBy::rpath:
      return "found by a DT_RPATH";
    case FoundBy::library_path:
      return "found by LD_LIBRARY_PATH";
    case FoundBy::runpath:
      return "found by the run path of " + asker().path;
    case FoundBy::cache:
      return "found by the loader's cache";
    case FoundBy::directories:
      return "found in the loader's own directories";
    case FoundBy::itself:
      break;
    }
    return "needed by its path";
  }

  std::string need(const UnmetNeed& unmet) const {
    const LoadedImage& image = closure_.images[unmet.image];
    const LoadedImage& library = closure_.images[unmet.library];
    std::string text = "\n  " + unmet.version;
    if (unmet.library != unmet_.front().library)
      text += " of " + library.path;
    if (unmet.image != 0)
      text += ", needed by " + image.path;
    const auto file = binary::MappedFile::open(image.path);
    const std::vector<std::string> symbols =
        file ? symbols_wanting(file->bytes(), unmet.needed_of, unmet.version) : std::vector<std::string>();
    for (std::size_t i = 0; i < symbols.size() && i < most_symbols; ++i)
      text += "\n    " + demangled(symbols[i]) + (unmet.image == 0 ? brought_by(symbols[i]) : "");
    if (symbols.size() > most_symbols)
      text += "\n    and " + std::to_string(symbols.size() - most_symbols) + " more symbols";
    return text;
  }

  std::string brought_by(const std::string& symbol) const {
    for (const std::string& input : link_.inputs())
      if (const auto file = binary::MappedFile::open(input))
        if (const std::string where = reference(input, file->bytes(), symbol); !where.empty())
          return ", from " + where;
    return {}; // the object of a source on the link line no longer exists
  }

  std::string fix() const {
    const bool ours_has_it = base_name(link_.library) == library_.name && library_.path != link_.library &&
                             defines(link_.library, unmet_.front().version);
    if (ours_has_it)
      return lead_to(directory_of(link_.library));
    const LoadedImage& needing = closure_.images[unmet_.front().image];
    if (&needing == &closure_.images.front())
      return "link with libraries that are not newer than " + library_.path +
             ", or have the loader find the newer " + library_.name + " first (-Wl,-rpath)";
    return needing.path + " was built for a newer " + library_.name +
           ": build it with the stdenv, or use a stdenv that is not older than the compiler that built it";
  }

  /// How to make the loader find the right library, in `directory`.
  std::string lead_to(const std::string& directory) const {
    const std::string run_path = "-Wl,-rpath," + directory;
    const bool needed_directly = library_.loaded_by == std::size_t{0};
    if (library_.found_by == FoundBy::library_path)
      return "take " + directory_of(library_.path) + " out of LD_LIBRARY_PATH, or put " + directory +
             " in front of it";
    if (by_run_path(library_) && needed_directly)
      return "link with " + run_path + " before the run path to " + directory_of(library_.path) +
             ", or without that one";
    if (needed_directly)
      return "link with " + run_path + " (the directory of this link's own library)";
    // Run paths are not inherited, and a library that has a RUNPATH does not use the RPATHs of those that
    // need it.
    std::string text = "link " + asker().path + " again with " + run_path;
    if (!asker().image.runpath)
      text += ", or this with -Wl,--disable-new-dtags " + run_path;
    return text;
  }

  const LinkToProve& link_;
  const Closure& closure_;
  const std::vector<UnmetNeed>& unmet_;
  const LoadedImage& library_; ///< of the first need; others usually have the same cause
};

/// A program that finds no C or C++ library at all. Other libraries may be missing on purpose, such as
/// libcuda.so.1 without an NVIDIA driver.
Proof missing_runtime(const LinkToProve& link, const Closure& closure) {
  constexpr std::array<std::string_view, 4> runtimes = {"libstdc++.so.6", "libc++.so.1", "libgcc_s.so.1",
                                                        "libc.so.6"};
  Proof proof;
  if (!is_program(closure) || (link.places.directories.empty() && !link.places.elsewhere))
    return proof;
  for (const MissingLibrary& missing : closure.missing)
    if (std::find(runtimes.begin(), runtimes.end(), missing.name) != runtimes.end()) {
      proof.outcome = Proof::Outcome::doubtful;
      proof.message = link.output + " finds no " + missing.name + ", which " +
                      closure.images[missing.needed_by].path + " needs";
      if (link.places.elsewhere)
        proof.message += ", in " +
                         (link.places.root.empty() ? "the cross compiler's directories"
                                                   : "the sysroot " + link.places.root) +
                         ": whether the machine that runs it has one was not verified";
      else if (base_name(link.library) == missing.name)
        proof.hint = "link with -Wl,-rpath," + directory_of(link.library);
      return proof;
    }
  return proof;
}

} // namespace

Proof unproven(const std::string& output, const std::string& file, int reason) {
  return {Proof::Outcome::doubtful,
          output + " was linked, and not verified: cannot examine " + file + ": " + std::strerror(reason),
          "link again to have it verified"};
}

Proof prove(const LinkToProve& link) {
  std::string file; // that could not be read
  int reason = 0;
  const ReadImage read = [&](const std::string& path) {
    auto image = image_on_disk(path);
    // The loader cannot read this library either, unless the problem is temporary.
    if (!image && (is_trouble(errno) || (errno == EACCES && path == link.output))) {
      file = path;
      reason = errno;
    }
    return image;
  };
  const auto first = read(link.output);
  if (reason != 0)
    return unproven(link.output, file, reason);
  if (!first)
    return {Proof::Outcome::skipped, link.output + " is not a program or library that loads others", {}};
  if (!first->interpreter.empty() && first->interpreter != link.loader)
    return {Proof::Outcome::skipped,
            link.output + " is for the loader " + first->interpreter + ", not for " + link.loader,
            {}};
  const Closure closure = load(link.output, *first, link.places, read);
  if (reason != 0)
    return unproven(link.output, file, reason);
  const std::vector<UnmetNeed> unmet = unmet_needs(closure);
  if (unmet.empty())
    return missing_runtime(link, closure);
  Proof proof = Wording(link, closure, unmet).proof();
  if (proof.outcome == Proof::Outcome::disproved && !link.places.library_path.empty()) {
    LoaderPlaces plain = link.places;
    plain.library_path.clear();
    if (unmet_needs(load(link.output, *first, plain)).empty())
      proof.outcome = Proof::Outcome::doubtful;
  }
  return proof;
}

} // namespace hostpin::loader
