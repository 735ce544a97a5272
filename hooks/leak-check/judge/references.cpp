// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/judges.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace hostpin::leak {

namespace {

/// What a path in a file is used for, the most severe first.
enum class PathUse {
  dynamic,    ///< the loader reads it: NEEDED, filters and auditors, the interpreter
  link,       ///< the build that links against this reads it: .pc, .la, CMake files, linker scripts
  symlink,    ///< target of a symlink
  started,    ///< the kernel reads it: the first line of a script
  script,     ///< the rest of a script
  build_data, ///< options that builds take from Python or MPI
  constant,   ///< string constants of the code
  leftover,   ///< in a string table, no longer referred to
  other,      ///< any other bytes
  debug,      ///< read by debuggers only, not loaded
};

/// Severities of an unwanted path, its explanation, and what to do.
struct Grade {
  Severity forbidden;
  Severity build;
  Severity toolkit; ///< nvcc's own path
  std::string_view explanation;
  std::string_view fix; ///< empty: the rule's own
};

/// By `PathUse`.
constexpr std::array<Grade, 10> grades = {
    Grade{Severity::error, Severity::error, Severity::error, "The loader reads it.",
          "Link it again with the right -soname and -dynamic-linker, or use patchelf --replace-needed, "
          "--set-soname or --set-interpreter."},
    Grade{
        Severity::error, Severity::error, Severity::warning, "Builds that use this file use that path.",
        "Configure the package with the right path; hostpin leak-check --fix prints what the line should be "
        "if it is only a search directory, a run path or a file of libstdc++ or libgcc_s."},
    Grade{Severity::error, Severity::error, Severity::warning, "It is the target of the symlink.",
          "Point the symlink to the right file, or leave it out."},
    Grade{Severity::error, Severity::error, Severity::error, "It is the interpreter of the script.",
          "Name the right interpreter in the first line."},
    Grade{Severity::warning, Severity::warning, Severity::warning, "It occurs in a script.", ""},
    Grade{Severity::warning, Severity::warning, Severity::note,
          "Builds take options from this file; some of its paths only record how it was configured.",
          "Configure the package with the right path."},
    Grade{Severity::warning, Severity::warning, Severity::warning, "It is a string constant of the code.",
          "Find the macro or the generated source that it comes from; -ffile-prefix-map changes __FILE__."},
    Grade{Severity::warning, Severity::warning, Severity::note,
          "Nothing refers to it any more, but in a store its bytes keep the other package alive.",
          "Link it again without that path: tools that edit the file leave the old bytes in it."},
    Grade{Severity::warning, Severity::note, Severity::note, "", ""},
    Grade{Severity::note, Severity::note, Severity::note, "Only debuggers read it.",
          "Strip the section, or compile with -ffile-prefix-map."},
};

const Grade& grade_of(PathUse use) {
  return grades[static_cast<std::size_t>(use)];
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

/// By member: an archive may have a million of them.
std::map<std::vector<std::string>, const ScannedPart*> known_parts(const ScannedFile& file) {
  std::map<std::vector<std::string>, const ScannedPart*> parts;
  for (const ScannedPart& part : file.parts)
    if (part.elf || part.text)
      parts.emplace(part.member, &part);
  return parts;
}

bool holds(std::string_view text, std::string_view path) {
  return !text.empty() && text.find(path) != std::string_view::npos;
}
bool is_in_run_path(const FoundNeedle& found, const ElfFacts& elf) {
  return elf.image && (holds(elf.image->runpath.value_or(""), found.text) ||
                       (!elf.image->runpath && holds(elf.image->rpath.value_or(""), found.text)));
}
bool is_needed(const FoundNeedle& found, const binary::Image& image) {
  const auto any_holds = [&](const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return holds(name, found.text); });
  };
  return holds(image.soname, found.text) || any_holds(image.needed) || any_holds(image.loaded_besides);
}

std::string places(const FoundNeedle& found) {
  if (found.times < 2)
    return {};
  const std::string times = std::to_string(found.times) + " times";
  return found.common == found.text ? " It occurs " + times + '.'
                                    : " Paths below it occur " + times + "; the first is " + found.text + '.';
}

/// The common part of several paths, so that no exception for one of them hides
/// another.
const std::string& reference_of(const FoundNeedle& found, const UnwantedPath& row) {
  return found.common.size() < row.path.size() && found.common != found.text ? row.path : found.common;
}

/// Whether a path in two nested unwanted directories is reported for the outer one, which is found at least
/// as often. `found` is sorted, so needles at the same location are adjacent.
bool is_reported_for_wider(const FoundNeedle& one, const std::vector<FoundNeedle>& found,
                           const World& world) {
  const UnwantedPath& row = world.unwanted.row(one.needle);
  const auto is_wider = [&](const FoundNeedle& other) {
    const UnwantedPath& wider = world.unwanted.row(other.needle);
    return other.text == one.text && other.how == one.how && wider.kind == row.kind &&
           wider.path != row.path && is_below(row.path, {wider.path});
  };
  const auto at = static_cast<std::size_t>(&one - found.data());
  std::size_t first = at, last = at + 1;
  while (first > 0 && found[first - 1].where == one.where)
    --first;
  while (last < found.size() && found[last].where == one.where)
    ++last;
  const auto begin = found.begin();
  return std::any_of(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last),
                     is_wider);
}

Severity graded(const FoundNeedle& found, const Grade& grade, const UnwantedPath& row) {
  Severity severity = row.kind == UnwantedPath::Kind::build_directory   ? grade.build
                      : row.kind == UnwantedPath::Kind::toolkit_program ? grade.toolkit
                                                                        : grade.forbidden;
  // After other text it is usually the end of another path.
  if (found.attached && severity == Severity::warning)
    severity = Severity::note;
  // nvcc writes its own -L options into every fatbin; only a store keeps nvcc alive for them.
  if (row.kind == UnwantedPath::Kind::toolkit_program && found.where.section.starts_with(".nv") &&
      store_hash(row.path).empty())
    severity = Severity::note;
  return severity;
}

} // namespace

bool is_for_debuggers(std::string_view section) {
  return starts_with_any(section, {".debug", ".zdebug", ".comment", ".GCC.command.line", ".nv_debug", ".stab",
                                   ".gnu.debuglto", ".note", ".gnu_debug", ".strtab", ".symtab"});
}

namespace {

/// nvcc passes the source's absolute path to its device compiler, whatever the options of the host compiler.
std::string_view fix_for(const FoundNeedle& found, const Grade& grade) {
  if (found.where.section.starts_with(".nv"))
    return "If -lineinfo or -G wrote it, compile without them, or in a directory of another name; "
           "-ffile-prefix-map changes __FILE__ only.";
  return grade.fix;
}

/// What Python's extensions and MPI's compiler wrappers take compile and link options from.
bool is_build_data(const Location& where) {
  const std::string_view path = where.member.empty() ? where.path : where.member.back();
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("_sysconfigdata") || name.ends_with("-wrapper-data.txt");
}

/// `part`: the facts of the file or member that the needle is in; nullptr: unknown.
PathUse use_of(const FoundNeedle& found, const ScannedPart* part) {
  const ElfFacts* const elf = part != nullptr && part->elf ? &*part->elf : nullptr;
  const std::string& section = found.where.section;
  if (section == "symlink")
    return PathUse::symlink;
  if (section == "pkg-config" || section == "libtool" || section == "cmake" || section == "linker-script")
    return PathUse::link;
  if (section == "script") {
    const bool known = part != nullptr && part->text && found.where.offset;
    return known && *found.where.offset < part->text->first_line ? PathUse::started : PathUse::script;
  }
  if (elf == nullptr && section.empty())
    return is_build_data(found.where) ? PathUse::build_data : PathUse::other;
  if (is_for_debuggers(section))
    return PathUse::debug;
  if (section == ".interp")
    return PathUse::dynamic;
  if (section == ".dynstr")
    return elf != nullptr && elf->image && is_needed(found, *elf->image) ? PathUse::dynamic
                                                                         : PathUse::leftover;
  return section.empty() ? PathUse::other : PathUse::constant;
}

/// forbidden-reference and build-directory, with a severity by use. Paths in a RUNPATH are left to
/// `judge_run_path`.
void judge_needles(const ScannedFile& file, bool vendor, const World& world, const Report& report) {
  const auto parts = known_parts(file);
  for (const FoundNeedle& one : file.found) {
    const auto found = parts.find(one.where.member);
    const ScannedPart* const part = found == parts.end() ? nullptr : found->second;
    const ElfFacts* const elf = part != nullptr && part->elf ? &*part->elf : nullptr;
    const bool in_dynamic = one.where.section == ".dynstr" || one.where.section.empty();
    if (elf != nullptr && in_dynamic && is_in_run_path(one, *elf))
      continue;
    if (is_reported_for_wider(one, file.found, world))
      continue;
    const UnwantedPath& row = world.unwanted.row(one.needle);
    const Grade& grade = grade_of(use_of(one, part));
    const bool build = row.kind == UnwantedPath::Kind::build_directory;
    const Severity severity =
        capped_for_vendor(graded(one, grade, row), vendor, build ? Severity::note : Severity::warning);
    std::string explanation(grade.explanation);
    explanation += places(one);
    if (one.how == Hit::How::hash)
      explanation += " Only the hash of its store path occurs, which is enough to keep it alive.";
    report({build ? Rule::build_directory : Rule::forbidden_reference,
            severity,
            one.where,
            one.how == Hit::How::hash ? row.path : reference_of(one, row),
            {},
            std::move(explanation),
            fix_where(!one.where.member.empty(),
                      row.kind == UnwantedPath::Kind::toolkit_program ? grade.fix : fix_for(one, grade))});
  }
}

/// Its location, as the beginning of a sentence: not every path of a CMake file has a name before it.
std::string position_text(const TextReference& reference) {
  const std::string line = " in line " + std::to_string(reference.line);
  return reference.key.empty() ? "It is" + line : "It is " + reference.key + line;
}

/// The unwanted path that a path leads to by symlinks; nullptr if it is unwanted as spelt, or not at all.
const UnwantedPath* led_to(const std::string& path, const std::optional<std::string>& real,
                           const World& world) {
  const UnwantedPath* const row = real ? world.unwanted.covering(*real) : nullptr;
  return row == nullptr || world.unwanted.covering(lexically_normal(path)) != nullptr ? nullptr : row;
}

/// About a path that is unwanted because of `row`.
Finding finding_about(const std::string& path, std::string real, const UnwantedPath& row, Location where,
                      const Grade& grade, bool vendor, std::string explanation, std::string_view fix) {
  const bool build = row.kind == UnwantedPath::Kind::build_directory;
  const bool program = row.kind == UnwantedPath::Kind::toolkit_program;
  return {build ? Rule::build_directory : Rule::forbidden_reference,
          capped_for_vendor(program ? grade.toolkit : grade.forbidden, vendor,
                            build ? Severity::note : Severity::warning),
          std::move(where),
          path,
          std::move(real),
          std::move(explanation),
          std::string(fix)};
}

Finding led(const std::string& path, std::string real, const UnwantedPath& row, Location where,
            const Grade& grade, const std::string& position, bool vendor) {
  return finding_about(path, std::move(real), row, std::move(where), grade, vendor,
                       position + "Symlinks lead from there into " + std::string(to_string(row.kind)) +
                           " directory " + row.path + '.',
                       grade.fix);
}

void judge_led_link(const ScannedFile& file, const ScannedPart& part, bool vendor, const World& world,
                    const Report& report) {
  const std::string& target = *part.link_target;
  if (!part.member.empty() && !target.starts_with('/'))
    return; // where it will be extracted is not known
  const auto real = world.files.real_path(part.member.empty() ? file.file : target);
  const UnwantedPath* const row = led_to(target, real, world);
  if (row == nullptr)
    return;
  const std::size_t slash = file.file.rfind('/');
  const auto above = world.files.real_path(slash == std::string::npos ? "." : file.file.substr(0, slash + 1));
  // A tree in such a directory refers to itself.
  if (!target.starts_with('/') && above && world.unwanted.covering(*above) == row)
    return;
  report(led(target, *real, *row, {file.path, part.member, "symlink", std::nullopt},
             grade_of(PathUse::symlink), {}, vendor));
}

/// The same for paths in text files and symlinks that only lead to an unwanted path through symlinks of this
/// machine.
void judge_led_paths(const ScannedFile& file, bool vendor, const World& world, const Report& report) {
  for (const ScannedPart& part : file.parts) {
    if (part.link_target)
      judge_led_link(file, part, vendor, world, report);
    if (!part.text)
      continue;
    const bool script = part.text->kind == TextFacts::Kind::script;
    std::set<std::string_view> known;
    for (const TextReference& reference : part.text->references) {
      if (!known.insert(reference.path).second)
        continue;
      auto real = world.files.real_path(reference.path);
      if (const UnwantedPath* const row = led_to(reference.path, real, world))
        report(led(reference.path, *std::move(real), *row,
                   {file.path, part.member, std::string(to_string(part.text->kind)), reference.offset},
                   grade_of(!script               ? PathUse::link
                            : reference.line == 1 ? PathUse::started
                                                  : PathUse::script),
                   position_text(reference) + ". ", vendor));
    }
  }
}

/// The same for paths that are composed of variables, so that no needle matches them.
void judge_composed_paths(const ScannedFile& file, bool vendor, const World& world, const Report& report) {
  const Grade& grade = grade_of(PathUse::link);
  if (file.hard_link_of)
    return; // reported for the first name of the file
  for (const ScannedPart& part : file.parts) {
    if (!part.text || part.text->kind == TextFacts::Kind::script)
      continue;
    std::set<std::string_view> known;
    for (const TextReference& reference : part.text->references) {
      const UnwantedPath* const row = world.unwanted.covering(lexically_normal(reference.path));
      const bool is_spelt =
          row == nullptr || std::any_of(file.found.begin(), file.found.end(), [&](const FoundNeedle& one) {
            return one.where.member == part.member &&
                   is_below(row->path, {world.unwanted.row(one.needle).path});
          });
      if (is_spelt || !known.insert(reference.path).second)
        continue;
      report(finding_about(
          reference.path, {}, *row,
          {file.path, part.member, std::string(to_string(part.text->kind)), reference.offset}, grade, vendor,
          position_text(reference) + ", after expanding the file's variables. " +
              std::string(grade.explanation),
          "Give the path, or its variables, the right value."));
    }
  }
}

/// host-path-from-store.
void judge_host_paths(const ScannedFile& file, bool vendor, const Report& report) {
  static const std::vector<std::string> everywhere = {"/usr/bin/env", "/bin/sh"};
  for (const ScannedPart& part : file.parts) {
    if (part.link_target && is_host_place(*part.link_target))
      report({Rule::host_path_from_store,
              capped_for_vendor(Severity::error, vendor, Severity::warning),
              {file.path, part.member, "symlink", std::nullopt},
              *part.link_target,
              {},
              {},
              {}});
    if (!part.text)
      continue;
    const bool script = part.text->kind == TextFacts::Kind::script;
    for (const TextReference& reference : part.text->references)
      if (script && reference.line > 1)
        break; // how a script uses a path is not known
      else if (is_host_place(reference.path) && !is_below(reference.path, everywhere))
        report({Rule::host_path_from_store,
                capped_for_vendor(script ? Severity::warning : Severity::error, vendor, Severity::note),
                {file.path, part.member, std::string(to_string(part.text->kind)), reference.offset},
                reference.path,
                {},
                position_text(reference) + '.',
                {}});
  }
}

} // namespace

void judge_references(const ScannedFile& file, bool vendor, bool in_store, const World& world,
                      const Report& report) {
  judge_needles(file, vendor, world, report);
  judge_led_paths(file, vendor, world, report);
  judge_composed_paths(file, vendor, world, report);
  if (in_store)
    judge_host_paths(file, vendor, report);
}

} // namespace hostpin::leak
