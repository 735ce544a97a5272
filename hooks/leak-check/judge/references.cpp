// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/references.hpp"

#include "hooks/leak-check/judge/grades.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

/// By member: an archive may have a million of them.
std::map<std::vector<std::string>, const ElfFacts*> elf_parts(const ScannedFile& file) {
  std::map<std::vector<std::string>, const ElfFacts*> parts;
  for (const ScannedPart& part : file.parts)
    if (part.elf)
      parts.emplace(part.member, &*part.elf);
  return parts;
}

bool holds(std::string_view text, std::string_view path) {
  return !text.empty() && text.find(path) != std::string_view::npos;
}
bool is_in_run_path(const FoundNeedle& found, const ElfFacts& elf) {
  return elf.image && (holds(elf.image->runpath.value_or(""), found.text) ||
                       (!elf.image->runpath && holds(elf.image->rpath.value_or(""), found.text)));
}
bool is_needed(const FoundNeedle& found, const Image& image) {
  const auto any_holds = [&](const std::vector<std::string>& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return holds(name, found.text); });
  };
  return holds(image.soname, found.text) || any_holds(image.needed) || any_holds(image.loaded_besides);
}

bool is_first_line(const FoundNeedle& found) {
  return found.where.offset && *found.where.offset < 128 && found.where.section == "script";
}

std::string places(const FoundNeedle& found) {
  if (found.times < 2)
    return {};
  const std::string times = std::to_string(found.times) + " times";
  return found.common == found.text
             ? " It stands there " + times + '.'
             : " Paths below it stand there " + times + ", the first is " + found.text + '.';
}

/// Of several different paths what they have in common, so that no exception that is meant for one hides
/// another.
const std::string& reference_of(const FoundNeedle& found, const UnwantedPath& row) {
  return found.common.size() < row.path.size() && found.common != found.text ? row.path : found.common;
}

/// One path may lie in two unwanted directories, of which one lies in the other: it is said of the outer one,
/// which is met at least as often. `found` is sorted, so that what stands at one place stands together.
bool is_said_of_wider(const FoundNeedle& one, const std::vector<FoundNeedle>& found, const World& world) {
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
  // A word before it makes another path of it, mostly.
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

Standing standing_of(const FoundNeedle& found, const ElfFacts* elf) {
  const std::string& section = found.where.section;
  if (section == "symlink")
    return Standing::symlink;
  if (section == "pkg-config" || section == "libtool" || section == "cmake" || section == "linker-script")
    return Standing::link;
  if (section == "script")
    return is_first_line(found) ? Standing::started : Standing::script;
  if (elf == nullptr && section.empty())
    return Standing::other;
  if (is_for_debuggers(section))
    return Standing::debug;
  if (section == ".interp")
    return Standing::dynamic;
  if (section == ".dynstr")
    return elf != nullptr && elf->image && is_needed(found, *elf->image) ? Standing::dynamic
                                                                         : Standing::leftover;
  return section.empty() ? Standing::other : Standing::constant;
}

void judge_references(const ScannedFile& file, bool vendor, const World& world, const Tell& tell) {
  const auto parts = elf_parts(file);
  for (const FoundNeedle& one : file.found) {
    const auto part = parts.find(one.where.member);
    const ElfFacts* const elf = part == parts.end() ? nullptr : part->second;
    const bool in_dynamic = one.where.section == ".dynstr" || one.where.section.empty();
    if (elf != nullptr && in_dynamic && is_in_run_path(one, *elf))
      continue;
    if (is_said_of_wider(one, file.found, world))
      continue;
    const UnwantedPath& row = world.unwanted.row(one.needle);
    const Grade& grade = grade_of(standing_of(one, elf));
    const bool build = row.kind == UnwantedPath::Kind::build_directory;
    const Severity severity =
        limited(graded(one, grade, row), vendor, build ? Severity::note : Severity::warning);
    std::string explanation(grade.explanation);
    explanation += places(one);
    if (one.how == Hit::How::hash)
      explanation += " Only the hash of its store path stands there, which is enough to keep it alive.";
    tell({build ? Rule::build_directory : Rule::forbidden_reference,
          severity,
          one.where,
          one.how == Hit::How::hash ? row.path : reference_of(one, row),
          {},
          std::move(explanation),
          cure_where(!one.where.member.empty(), grade.cure)});
  }
}

} // namespace hostpin
