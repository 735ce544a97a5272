// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/loaded.hpp"

#include "hooks/leak-check/bytes/blob.hpp"
#include "hooks/leak-check/elf/facts.hpp"
#include "hooks/leak-check/judge/run_path.hpp"
#include "toolchains/base/checksum.hpp"

#include <algorithm>
#include <string_view>

namespace hostpin {

namespace {

/// Of all that others are held against in it.
std::uint64_t digest_of(const std::string& path, const Image& image) {
  std::string text = path;
  const auto add = [&](char kind, const std::vector<std::string>& words) {
    for (const std::string& word : words)
      text.append(1, '\0').append(1, kind).append(word);
  };
  add('s', {image.soname, image.interpreter, image.rpath.value_or(""), image.runpath.value_or("")});
  add('n', image.needed);
  add('b', image.loaded_besides);
  add('d', image.version_definitions);
  for (const VersionNeed& need : image.version_needs) {
    add('l', {need.library});
    add('v', need.versions);
  }
  return checksum(text, image.kind.machine);
}

} // namespace

LoadedJudge::LoadedJudge(const std::deque<TreeElf>& elfs, const World& world, Tell tell)
    : elfs_(elfs), world_(world), tell_(std::move(tell)) {
  for (const TreeElf& elf : elfs_)
    if (!elf.file.empty() && elf.facts.image)
      by_file_.emplace(real(elf.file), &elf);
}

void LoadedJudge::run() {
  for (const bool programs : {true, false})
    for (const TreeElf& elf : elfs_)
      if (!elf.file.empty() && elf.facts.image && (elf.facts.type == ElfFacts::Type::program) == programs)
        follow(elf);
}

void LoadedJudge::follow(const TreeElf& elf) {
  const Image& image = *elf.facts.image;
  const LoaderPlaces* const places = world_.loader(image.interpreter, image.kind);
  if (places == nullptr) {
    if (!image.interpreter.empty())
      add(Rule::missing_library, Severity::note, elf, ".interp", image.interpreter, {},
          "Its loader is none of this machine's own or not glibc's, so what it would load is not known.");
    return;
  }
  std::string blocked;
  const ReadImage read_memoised = [&](const std::string& path) {
    auto found = read(path);
    if (!found && blocked.empty() && blocking_.contains(path))
      blocked = path;
    return found;
  };
  const Closure closure = load(elf.file, image, *places, read_memoised);
  const Followed one{elf, closure, elf.facts.type == ElfFacts::Type::program, *places};
  if (one.is_program)
    remember(closure);
  judge_missing(one);
  judge_blocked(one, blocked);
  judge_unmet(one);
  judge_pinned(one, "libstdc++.so.6", world_.policy.libstdcxx);
  judge_pinned(one, "libgcc_s.so.1", world_.policy.libgcc);
  judge_runtimes(one);
  judge_names(one);
}

void LoadedJudge::remember(const Closure& closure) {
  for (const LoadedImage& image : closure.images) {
    const std::string& file = real(image.path);
    if (!by_file_.contains(file))
      continue;
    loaded_.insert(file);
    for (const std::string& name : image.image.needed)
      if (closure.serving(name) != nullptr)
        made_good_.emplace(file, name);
  }
}

Severity LoadedJudge::unless_made_good(const Followed& one, const LoadedImage& by, const std::string& name,
                                       Severity otherwise) {
  return !one.is_program && made_good_.contains({real(by.path), name}) ? Severity::note : otherwise;
}

std::string LoadedJudge::once_installed(const LoadedImage& by, const std::string& name,
                                        const LoaderPlaces& places) {
  if (world_.root != nullptr)
    return {}; // it is looked at as installed already
  std::vector<std::string> directories = run_path(by, places);
  directories.insert(directories.end(), places.directories.begin(), places.directories.end());
  std::string root = real(by.path);
  for (std::size_t slash = root.rfind('/'); slash != std::string::npos && slash > 0;
       slash = root.rfind('/')) {
    root.resize(slash);
    for (const std::string& directory : directories) {
      if (!directory.starts_with('/'))
        continue; // it depends on where the program is started
      if (directory.starts_with("/lib"))
        continue; // every prefix has such a directory, and its programs need a run path
      std::string path = lexically_normal(root + directory + '/' + name);
      const TreeElf* const library = in_tree(path);
      if (library != nullptr && library->facts.image->kind == by.image.kind)
        return path;
    }
  }
  return {};
}

std::optional<Image> LoadedJudge::read(const std::string& path) {
  const auto known = images_.find(path);
  if (known != images_.end())
    return known->second;
  if (const TreeElf* const own = in_tree(path))
    return own->facts.image;
  const auto& image = images_.emplace(path, read_image_of(on_disk(path, world_))).first->second;
  if (!image && blocks(path))
    blocking_.insert(path);
  return image;
}

bool LoadedJudge::blocks(const std::string& path) const {
  const auto status = world_.files.status(path);
  // What the loader cannot open it passes over.
  return status && (status->kind == FileStatus::Kind::directory || open_blob(on_disk(path, world_)));
}

const std::string& LoadedJudge::real(const std::string& path) {
  const auto known = real_.find(path);
  if (known != real_.end())
    return known->second;
  return real_.emplace(path, world_.files.real_path(path).value_or(path)).first->second;
}

const TreeElf* LoadedJudge::in_tree(const std::string& path) {
  const auto found = by_file_.find(real(path));
  return found == by_file_.end() ? nullptr : found->second;
}

std::uint64_t LoadedJudge::surroundings() {
  std::uint64_t sum = 0; // in any order
  for (const auto& [path, image] : images_)
    if (image)
      sum += digest_of(path, *image);
  for (const std::string& path : blocking_)
    sum += checksum(path, 1);
  RunPathPlaces places(world_);
  for (const TreeElf& elf : elfs_) {
    if (elf.file.empty() || !elf.facts.image)
      continue;
    const std::string& loader = elf.facts.image->interpreter;
    const std::string text = std::to_string(static_cast<int>(elf.facts.type)) + elf.file + '\0';
    sum += digest_of(text + (loader.empty() ? loader : real(loader)), *elf.facts.image);
    places.add(elf);
  }
  return sum + places.digest();
}

void LoadedJudge::add(Rule rule, Severity severity, const TreeElf& elf, const char* section,
                      std::string reference, std::string resolved, std::string explanation) {
  if (elf.elsewhere)
    return;
  tell_({rule,
         severity,
         elf.at(section),
         std::move(reference),
         std::move(resolved),
         std::move(explanation),
         {}});
}

} // namespace hostpin
