// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of LoadedJudge that holds what a program would load against the rules.
#include "hooks/leak-check/elf/facts.hpp"
#include "hooks/leak-check/judge/loaded.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

constexpr std::string_view cudart_name = "libcudart.so.";

std::string by_what(const LoadedImage& image) {
  switch (image.found_by) {
  case FoundBy::rpath:
    return "by RPATH";
  case FoundBy::runpath:
    return "by RUNPATH";
  case FoundBy::library_path:
    return "by LD_LIBRARY_PATH";
  case FoundBy::cache:
    return "by ld.so.cache";
  case FoundBy::directories:
    return "in the loader's own directories";
  case FoundBy::itself:
    break;
  }
  return "by its path";
}

bool by_run_path(const LoadedImage& image) {
  return image.found_by == FoundBy::rpath || image.found_by == FoundBy::runpath ||
         image.found_by == FoundBy::itself;
}

/// The first version that `wanted` defines and `given` does not; empty when there is none.
std::string lacking(const Image& wanted, const Image& given) {
  const auto& defined = given.version_definitions;
  const auto lacked = std::find_if(
      wanted.version_definitions.begin(), wanted.version_definitions.end(), [&](const std::string& version) {
        return std::find(defined.begin(), defined.end(), version) == defined.end();
      });
  const bool base = lacked != wanted.version_definitions.end() && lacked->find(".so") != std::string::npos;
  return lacked == wanted.version_definitions.end() || base ? std::string() : *lacked;
}

} // namespace

void LoadedJudge::judge_missing(const Followed& one) {
  for (const MissingLibrary& missing : one.closure.missing) {
    const LoadedImage& by = one.closure.images[missing.needed_by];
    const TreeElf* const owner = in_tree(by.path);
    // Whoever follows that one itself tells it.
    if (owner != nullptr && owner != &one.elf && !one.is_program)
      continue;
    Severity severity = one.is_program ? Severity::error : Severity::warning;
    std::string explanation = "The loader looks for it on behalf of " + by.path + " and finds none.";
    if (is_of_driver(missing.name)) {
      severity = Severity::note;
      explanation += " It comes with the NVIDIA driver of the machine that runs this.";
    }
    const std::string staged = once_installed(by, missing.name, one.places);
    if (!staged.empty()) {
      severity = std::min(severity, one.is_program ? Severity::warning : Severity::note);
      explanation += " It would find " + staged + " once this is installed in its own place.";
    }
    severity = limited(unless_made_good(one, by, missing.name, severity),
                       one.elf.vendor || (owner != nullptr && owner->vendor), Severity::note);
    add(Rule::missing_library, severity, one.elf, ".dynamic", missing.name, {}, std::move(explanation));
  }
}

void LoadedJudge::judge_blocked(const Followed& one, const std::string& path) {
  const std::string name(file_name(path));
  const auto& missing = one.closure.missing;
  if (path.empty() || std::any_of(missing.begin(), missing.end(),
                                  [&](const MissingLibrary& other) { return other.name == name; }))
    return;
  add(Rule::missing_library,
      limited(one.is_program ? Severity::error : Severity::warning, one.elf.vendor, Severity::note), one.elf,
      ".dynamic", name, path,
      path + " comes first where the loader looks, and is no library: it gives up there.");
}

void LoadedJudge::judge_unmet(const Followed& one) {
  for (const UnmetNeed& unmet : unmet_needs(one.closure)) {
    const LoadedImage& by = one.closure.images[unmet.image];
    const LoadedImage& library = one.closure.images[unmet.library];
    const TreeElf* const owner = in_tree(by.path);
    if (owner != nullptr && owner != &one.elf && !one.is_program)
      continue;
    const bool certain = one.is_program || by_run_path(library);
    Severity severity = certain ? Severity::error : Severity::warning;
    if (!one.is_program && loaded_.contains(real(by.path)) && !certain)
      severity = Severity::note;
    add(Rule::unmet_version_need, limited(severity, one.elf.vendor, Severity::warning), one.elf,
        ".gnu.version_r", unmet.version, library.path,
        by.path + " needs " + unmet.version + " of " + unmet.needed_of + "; the loader would take " +
            library.path + ' ' + by_what(library) + ", which does not define it.");
  }
}

void LoadedJudge::judge_pinned(const Followed& one, const std::string& name, const std::string& wanted) {
  const LoadedImage* const loaded = one.closure.serving(name);
  if (wanted.empty() || loaded == nullptr || loaded == &one.closure.images.front())
    return;
  const std::string& file = real(loaded->path);
  if (file == real(wanted))
    return;
  std::optional<Image> pinned = read(wanted);
  if (!pinned && world_.root != nullptr)
    pinned = read_image_of(wanted); // the stdenv builds for the tree, and need not be in it
  if (!pinned || pinned->kind != loaded->image.kind)
    return; // of a machine that the stdenv does not build for
  const UnwantedPath* const row = world_.unwanted.covering(file);
  const std::string lacked = lacking(*pinned, loaded->image);
  Severity severity = row != nullptr || !lacked.empty() ? Severity::error : Severity::note;
  if (severity == Severity::error && !by_run_path(*loaded)) {
    // Where nothing of its makers' leads there, the system's own does, and unmet-version-need tells if it is
    // too old.
    if (one.elf.vendor)
      severity = Severity::note;
    else if (!one.is_program)
      severity = loaded_.contains(real(one.elf.file)) ? Severity::note : Severity::warning;
  }
  std::string why =
      "It is found " + by_what(*loaded) + " of " + one.closure.images[loaded->loaded_by.value_or(0)].path;
  if (row != nullptr)
    why += ", and is " + std::string(to_string(row->kind)) + " (" + row->path + ')';
  why += lacked.empty() ? ". It defines all that the stdenv's does (" + wanted + ")."
                        : ". It is older than the stdenv's, " + wanted + ": it lacks " + lacked + '.';
  add(Rule::wrong_libstdcxx, limited(severity, one.elf.vendor, Severity::warning), one.elf, ".dynamic", name,
      file, std::move(why));
}

void LoadedJudge::judge_runtimes(const Followed& one) {
  std::vector<const LoadedImage*> shared;
  for (const LoadedImage& image : one.closure.images)
    if (image.image.soname.starts_with(cudart_name) || file_name(image.name).starts_with(cudart_name))
      shared.push_back(&image);
  const bool is_one_itself = !shared.empty() && shared.front() == &one.closure.images.front();
  for (std::size_t i = 1; i < shared.size(); ++i)
    add(Rule::two_cuda_runtimes, limited(Severity::error, one.elf.vendor, Severity::warning), one.elf,
        ".dynamic", shared[i]->name, shared[i]->path,
        shared.front()->name + " is loaded by " +
            one.closure.images[shared.front()->loaded_by.value_or(0)].path + ", " + shared[i]->name + " by " +
            one.closure.images[shared[i]->loaded_by.value_or(0)].path + '.');
  if (shared.empty() || is_one_itself)
    return;
  for (const LoadedImage& image : one.closure.images) {
    const TreeElf* const own = in_tree(image.path);
    if (own == nullptr || own->vendor || !own->facts.has_cudart ||
        own->facts.image->soname.starts_with(cudart_name))
      continue;
    add(Rule::own_static_and_shared_cudart, Severity::warning, *own, ".rodata", shared.front()->name,
        shared.front()->path,
        "It holds the static runtime, and " + one.closure.images[shared.front()->loaded_by.value_or(0)].path +
            " loads the shared one.");
  }
}

void LoadedJudge::judge_names(const Followed& one) {
  const Image& image = one.closure.images.front().image;
  for (const VersionNeed& need : image.version_needs) {
    if (std::find(image.needed.begin(), image.needed.end(), need.library) != image.needed.end())
      continue;
    const bool loaded = one.closure.serving(need.library) != nullptr;
    add(Rule::needed_and_version_names_differ,
        loaded ? Severity::note : limited(Severity::error, one.elf.vendor, Severity::warning), one.elf,
        ".gnu.version_r", need.library, {},
        loaded ? "Another library brings it along, so that the loader is content." : "");
  }
}

} // namespace hostpin
