// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/judge.hpp"

#include "hooks/leak-check/judge/loaded.hpp"
#include "hooks/leak-check/judge/references.hpp"

#include <algorithm>
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

/// Where a member of a wheel lies once that is installed, seen from the wheel as a directory; empty of one in
/// another archive, or that goes elsewhere than into site-packages: where that will be is not known.
/// `archive`: where the outermost one is.
std::string laid_out(const std::string& archive, const ScannedFile& file,
                     const std::vector<std::string>& member) {
  const std::size_t levels = member.size();
  if (levels == 0 || !(levels == 1 ? file.path : member[levels - 2]).ends_with(".whl"))
    return {};
  std::string place = archive;
  for (std::size_t i = 0; i + 1 < levels; ++i)
    place += '/' + member[i];
  std::string_view name = member.back();
  const std::string_view first = name.substr(0, name.find('/'));
  if (first.ends_with(".data")) { // NAME-VERSION.data/KIND/...
    name.remove_prefix(std::min(first.size() + 1, name.size()));
    if (!name.starts_with("purelib/") && !name.starts_with("platlib/"))
      return {};
    name.remove_prefix(name.find('/') + 1);
  }
  std::string path = lexically_normal(place + '/' + std::string(name));
  return path.starts_with(place + '/') ? path : std::string();
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

} // namespace

bool Judge::see(ScannedFile&& file) {
  const std::string tree = tree_of(file, world_);
  if (world_.root != nullptr)
    file.file = world_.root->once_there(file.file).value_or(file.file);
  const std::string real = place_of(file, world_.files);
  const bool vendor = is_below(real, world_.policy.vendor);
  const bool in_store = is_below(real, world_.policy.stores);
  const auto elf_of = [&](ScannedPart& part) {
    return TreeElf{{file.path, part.member, {}, std::nullopt, tree},
                   part.member.empty() ? file.file : laid_out(real, file, part.member),
                   vendor,
                   in_store,
                   std::move(*part.elf)};
  };
  const std::size_t known = findings_.found.size();
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
    findings_.unseen.push_back(std::move(unseen));
  }
  for (const ScannedPart& part : file.parts)
    if (const std::string path = laid_out(real, file, part.member); !path.empty())
      laid_out_.add(path, real);
  std::uint64_t unresolved = 0;
  std::string first;
  for (ScannedPart& part : file.parts) {
    if (!part.elf)
      continue;
    TreeElf elf = elf_of(part);
    if (elf.facts.image && elf.file.empty() && unresolved++ == 0)
      first = shown(elf.where);
    see_elf(std::move(elf), [&](Finding&& finding) { add(std::move(finding)); });
  }
  if (unresolved > 0)
    add({Rule::missing_library,
         Severity::note,
         {file.path, {}, {}, std::nullopt, tree},
         std::string(file_name(file.path)),
         {},
         "What the loader would find for " + first +
             (unresolved == 1 ? "" : " and " + std::to_string(unresolved - 1) + " more in it") +
             " was not judged: where the archive will be unpacked is not known.",
         "Unpack it as it will be installed, and scan that tree."});
  return findings_.found.size() > known;
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

void Judge::add(Finding&& finding) {
  if (!(accepted_ && accepted_(finding)))
    findings_.found.push_back(std::move(finding));
}

Findings Judge::finish() {
  LoadedJudge(elfs_, world_, [this](Finding&& finding) { add(std::move(finding)); }).run();
  findings_.sort();
  return std::move(findings_);
}

} // namespace hostpin
