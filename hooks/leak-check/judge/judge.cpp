// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/judge.hpp"

#include "hooks/leak-check/judge/judges.hpp"

#include <algorithm>
#include <utility>

namespace hostpin::leak {

namespace {

void judge_driver_file(const TreeElf& elf, const Report& report) {
  if (elf.facts.type != ElfFacts::Type::library)
    return;
  const std::string& path = elf.where.member.empty() ? elf.where.path : elf.where.member.back();
  // stubs have no version after .so
  const std::string_view name = file_name(path);
  if (!loader::is_of_driver(name) || name.find(".so.") == std::string_view::npos)
    return;
  const bool compat = path.find("compat/") != std::string::npos;
  report({Rule::vendored_driver,
          compat ? Severity::note : capped_for_vendor(Severity::error, elf.vendor, Severity::warning),
          elf.at({}),
          elf.facts.image ? elf.facts.image->soname : std::string(),
          {},
          compat ? "It belongs to cuda_compat, which is meant to be shipped." : "",
          {}});
}

/// Judges where the interpreter's symlinks lead; its path as written is a needle like any other.
void judge_interpreter(const TreeElf& elf, const World& world, const Report& report) {
  if (!elf.facts.image || elf.facts.image->interpreter.empty())
    return;
  const std::string& loader = elf.facts.image->interpreter;
  const auto real = world.files.real_path(loader);
  const UnwantedPath* const row = real ? world.unwanted.covering(*real) : nullptr;
  if (row == nullptr || world.unwanted.covering(lexically_normal(loader)) != nullptr)
    return;
  report({Rule::forbidden_reference, capped_for_vendor(Severity::error, elf.vendor, Severity::warning),
          elf.at(".interp"), loader, *real,
          "It is the program's loader, and leads into " + std::string(to_string(row->kind)) + " directory " +
              row->path + '.',
          fix_where(!elf.where.member.empty(), "Link it with the right -dynamic-linker, or use "
                                               "patchelf --set-interpreter.")});
}

/// The major releases of GCC in a .comment: 11 for `GCC: (Debian 11.3.0-12) 11.3.0`.
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

void judge_refusals(const TreeElf& elf, const Report& report) {
  if (!elf.facts.image)
    return;
  const loader::Use use =
      elf.facts.type == ElfFacts::Type::program ? loader::Use::program : loader::Use::installed;
  const std::string& path = elf.where.member.empty() ? elf.where.path : elf.where.member.back();
  for (const loader::Verdict& one : loader::verdicts(elf.facts.image->refusals, use)) {
    Finding finding = finding_of(one, elf.at({}), file_name(path));
    finding.severity = capped_for_vendor(finding.severity, elf.vendor, Severity::note);
    report(std::move(finding));
  }
}

void judge_static_library(const TreeElf& elf, const Policy& policy, const Report& report) {
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
  report({Rule::foreign_static_libstdcxx,
          capped_for_vendor(Severity::warning, elf.vendor, Severity::note),
          elf.at(".comment"),
          known ? "GCC " + others : "GCC ?",
          {},
          known ? "The stdenv's is from GCC " + std::to_string(policy.libstdcxx_release) +
                      ", and the file contains code from GCC " + others + '.'
                : "The file does not name its GCC.",
          {}});
}

/// The path of a file with the symlinks above it resolved; one that the file is itself is not followed.
std::string place_of(const ScannedFile& file, const Files& files) {
  if (file.kind != ScannedFile::Kind::symlink)
    return files.real_path(file.file).value_or(file.file);
  const std::size_t slash = file.file.rfind('/');
  const std::string above = slash == std::string::npos ? "." : file.file.substr(0, slash + 1);
  const auto real = files.real_path(above);
  return real ? *real + '/' + std::string(file_name(file.file)) : file.file;
}

/// The path of a member of a wheel after installation, with the wheel as site-packages; empty for members of
/// other archives and those that are installed outside site-packages: their paths are not known.
/// `archive`: real path of the outermost one.
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

/// In a store every mention of a path is a dependency, and one in compressed bytes, which the store does not
/// see, may be garbage-collected while it is needed. Separate files of debugging symbols may refer to other
/// packages.
void judge_as_dependency(Finding& finding) {
  if (finding.rule != Rule::forbidden_reference || store_hash(finding.reference).empty())
    return;
  const bool unstripped = finding.severity == Severity::note && is_for_debuggers(finding.where.section) &&
                          ('/' + finding.where.path).find("/lib/debug/") == std::string::npos;
  if (finding.severity == Severity::warning || unstripped)
    finding.severity = Severity::error;
}

} // namespace

bool Judge::judge_file(ScannedFile&& file) {
  const std::string tree = tree_of(file, world_);
  if (world_.root != nullptr)
    file.file = world_.root->installed_path(file.file).value_or(file.file);
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
  const Report report = [&](Finding&& finding) {
    if (in_store && !vendor)
      judge_as_dependency(finding);
    finding.where.tree = tree;
    add(std::move(finding));
  };
  judge_references(file, vendor, in_store, world_, report);
  judge_machine(file, vendor, world_, report);
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
    judge_elf(std::move(elf), [&](Finding&& finding) { add(std::move(finding)); });
  }
  if (unresolved > 0)
    add({Rule::missing_library,
         Severity::note,
         {file.path, {}, {}, std::nullopt, tree},
         std::string(file_name(file.path)),
         {},
         "What the loader would find for " + first +
             (unresolved == 1 ? "" : " and " + std::to_string(unresolved - 1) + " more in it") +
             " was not judged: where the archive will be extracted is not known.",
         "Extract it as it will be installed, and scan that tree."});
  return findings_.found.size() > known;
}

void Judge::judge_elf(TreeElf elf, const Report& report) {
  judge_run_path(elf, world_, report);
  judge_interpreter(elf, world_, report);
  judge_driver_file(elf, report);
  judge_refusals(elf, report);
  judge_static_library(elf, world_.policy, report);
  keep(std::move(elf));
}

void Judge::keep(TreeElf elf) {
  if (!elf.facts.image || elf.file.empty())
    return;
  elf.facts.comment = {}; // not needed later, and memory grows with every file
  elf.facts.notes = {};
  elfs_.push_back(std::move(elf));
}

void Judge::add(Finding&& finding) {
  if (!(accepted_ && accepted_(finding)))
    findings_.found.push_back(std::move(finding));
}

Findings Judge::finish() {
  judge_loaded(elfs_, world_, [this](Finding&& finding) { add(std::move(finding)); });
  findings_.sort();
  return std::move(findings_);
}

} // namespace hostpin::leak
