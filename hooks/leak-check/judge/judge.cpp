// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/judge.hpp"

#include "hooks/leak-check/judge/loaded.hpp"
#include "hooks/leak-check/judge/references.hpp"
#include "hooks/leak-check/judge/run_path.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace hostpin {

namespace {

void judge_driver_file(const TreeElf& elf, const Tell& tell) {
  if (elf.facts.type != ElfFacts::Type::library)
    return;
  const std::string& path = elf.where.member.empty() ? elf.where.path : elf.where.member.back();
  // stubs have no version behind .so
  const std::string_view name = file_name(path);
  if (!is_of_driver(name) || name.find(".so.") == std::string_view::npos)
    return;
  const bool compat = path.find("compat/") != std::string::npos;
  tell({Rule::vendored_driver,
        compat ? Severity::note : limited(Severity::error, elf.vendor, Severity::warning),
        elf.at({}),
        elf.facts.image ? elf.facts.image->soname : std::string(),
        {},
        compat ? "It is of cuda_compat, which is made to be shipped." : "",
        {}});
}

/// By where its symlinks lead; the path as it stands is a needle like any other.
void judge_interpreter(const TreeElf& elf, const World& world, const Tell& tell) {
  if (!elf.facts.image || elf.facts.image->interpreter.empty())
    return;
  const std::string& loader = elf.facts.image->interpreter;
  const auto real = world.files.real_path(loader);
  const UnwantedPath* const row = real ? world.unwanted.covering(*real) : nullptr;
  if (row == nullptr || world.unwanted.covering(lexically_normal(loader)) != nullptr)
    return;
  tell({Rule::forbidden_reference, limited(Severity::error, elf.vendor, Severity::warning), elf.at(".interp"),
        loader, *real,
        "It is the program's loader, and leads into " + std::string(to_string(row->kind)) + " directory " +
            row->path + '.',
        cure_where(!elf.where.member.empty(), "Link it with -dynamic-linker as it should be, or use "
                                              "patchelf --set-interpreter.")});
}

/// The major releases of GCC in a .comment: of `GCC: (Debian 11.3.0-12) 11.3.0` that is 11.
std::vector<int> gcc_releases(const ElfFacts& elf) {
  std::vector<int> releases;
  for (const std::string& comment : elf.comment) {
    if (!comment.starts_with("GCC: "))
      continue;
    const std::string_view version = std::string_view(comment).substr(comment.find(')') + 1);
    int release = 0;
    for (const char c : version.substr(std::min(version.find_first_of("0123456789"), version.size()))) {
      if (c < '0' || c > '9' || release > 99)
        break;
      release = release * 10 + (c - '0');
    }
    releases.push_back(release);
  }
  return releases;
}

void judge_static_library(const TreeElf& elf, const Policy& policy, const Tell& tell) {
  const bool linked = elf.facts.type == ElfFacts::Type::program || elf.facts.type == ElfFacts::Type::library;
  const bool is_library = elf.facts.image && elf.facts.image->soname.starts_with("libstdc++.so");
  if (!linked || !elf.facts.has_libstdcxx || is_library || policy.libstdcxx_release == 0)
    return;
  std::string others;
  bool known = false;
  for (const int release : gcc_releases(elf.facts)) {
    known = true;
    if (release != policy.libstdcxx_release)
      others += (others.empty() ? "" : ", ") + std::to_string(release);
  }
  if (known && others.empty())
    return;
  tell({Rule::foreign_static_libstdcxx,
        limited(Severity::warning, elf.vendor, Severity::note),
        elf.at(".comment"),
        known ? "GCC " + others : "GCC ?",
        {},
        known ? "The stdenv's is of GCC " + std::to_string(policy.libstdcxx_release) + ", and code of GCC " +
                    others + " is in it."
              : "It does not say which GCC it is of.",
        {}});
}

/// Where a file lies, with symlinks above it resolved: one that is a symlink itself lies where it stands, and
/// not where it leads.
std::string place_of(const ScannedFile& file, const Files& files) {
  if (file.kind != ScannedFile::Kind::symlink)
    return files.real_path(file.file).value_or(file.file);
  const std::size_t slash = file.file.rfind('/');
  const std::string above = slash == std::string::npos ? "." : file.file.substr(0, slash + 1);
  const auto real = files.real_path(above);
  return real ? *real + '/' + std::string(file_name(file.file)) : file.file;
}

/// A store keeps alive what is mentioned anywhere, and what is mentioned in packed bytes, where it does not
/// see it, may be gone when it is needed. Files of debugging symbols, which are shipped apart, may keep what
/// they name.
void judge_as_dependency(Finding& finding) {
  if (finding.rule != Rule::forbidden_reference || store_hash(finding.reference).empty())
    return;
  const bool unstripped = finding.severity == Severity::note && is_for_debuggers(finding.where.section) &&
                          ('/' + finding.where.path).find("/lib/debug/") == std::string::npos;
  if (finding.severity == Severity::warning || unstripped)
    finding.severity = Severity::error;
}

std::uint64_t hash_of(const Finding& finding) {
  std::uint64_t sum =
      static_cast<std::uint64_t>(finding.rule) * 3 + static_cast<std::uint64_t>(finding.severity);
  const auto mix = [&](std::uint64_t value) {
    sum = (sum ^ value) * 0x9E3779B97F4A7C15U;
    sum ^= sum >> 29U;
  };
  for (const std::string* const text : {&finding.where.tree, &finding.where.path, &finding.where.section,
                                        &finding.reference, &finding.resolved, &finding.explanation})
    mix(std::hash<std::string>()(*text));
  for (const std::string& member : finding.where.member)
    mix(std::hash<std::string>()(member));
  mix(finding.where.offset ? *finding.where.offset + 1 : 0);
  return sum;
}

} // namespace

bool Judge::see(ScannedFile&& file) {
  if (file.elsewhere && file.parts.empty())
    return false;
  const std::string tree = tree_of(file, world_);
  if (world_.root != nullptr)
    file.file = world_.root->once_there(file.file).value_or(file.file);
  const std::string real = place_of(file, world_.files);
  const bool vendor = is_below(real, world_.policy.vendor);
  const bool in_store = is_below(real, world_.policy.stores);
  const auto elf_of = [&](ScannedPart& part) {
    return TreeElf{{file.path, part.member, {}, std::nullopt, tree},
                   part.member.empty() ? file.file : std::string(),
                   vendor,
                   in_store,
                   std::move(*part.elf),
                   file.elsewhere};
  };
  if (file.elsewhere) {
    for (ScannedPart& part : file.parts)
      keep(elf_of(part));
    return false;
  }
  const std::uint64_t known = findings_.found.count();
  told_.clear();
  const Tell tell = [&](Finding&& finding) {
    if (in_store && !vendor)
      judge_as_dependency(finding);
    finding.where.tree = tree;
    add(std::move(finding));
  };
  judge_references(file, vendor, world_, tell);
  judge_led_paths(file, vendor, world_, tell);
  judge_composed_paths(file, vendor, world_, tell);
  if (in_store)
    judge_host_paths(file, vendor, tell);
  ++findings_.files;
  if (!file.hard_link_of) {
    findings_.bytes += file.size;
    findings_.device_code.add(file.device_code);
  }
  for (Unseen& unseen : file.unseen) {
    unseen.where.tree = tree;
    findings_.unseen.push_back(unseen);
  }
  for (ScannedPart& part : file.parts)
    if (part.elf)
      see_elf(elf_of(part), [&](Finding&& finding) { add(std::move(finding)); });
  return findings_.found.count() > known;
}

void Judge::see_elf(TreeElf elf, const Tell& tell) {
  judge_run_path(elf, world_, tell);
  judge_interpreter(elf, world_, tell);
  judge_driver_file(elf, tell);
  judge_static_library(elf, world_.policy, tell);
  keep(std::move(elf));
}

void Judge::keep(TreeElf elf) {
  if (!elf.facts.image || elf.file.empty())
    return;
  elf.facts.comment = {}; // only what is needed later is kept of every file
  elf.facts.notes = {};
  elfs_.push_back(std::move(elf));
}

/// The same one twice is one, and has to be told as such before it is counted: what there is no room for is
/// held against nothing later.
void Judge::add(Finding&& finding) {
  constexpr std::size_t most_told = 10'000;
  if (told_.size() >= most_told)
    told_.clear();
  if (told_.insert(hash_of(finding)).second && !(accepted_ && accepted_(finding)))
    findings_.found.push_back(finding);
}

Findings Judge::finish(std::uint64_t* surroundings) {
  told_.clear();
  LoadedJudge loaded(elfs_, world_, [this](Finding&& finding) { add(std::move(finding)); });
  loaded.run();
  if (surroundings != nullptr)
    *surroundings = loaded.surroundings();
  findings_.sort();
  return std::move(findings_);
}

} // namespace hostpin
