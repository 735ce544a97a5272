// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/references.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

struct Grade {
  Severity forbidden;
  Severity build;
  Severity toolkit; ///< nvcc's own path
  std::string_view explanation;
  std::string_view cure; ///< empty: the rule's own
};

/// By `Standing`.
constexpr std::array<Grade, 9> grades = {
    Grade{
        Severity::error, Severity::error, Severity::error, "The loader reads it.",
        "Link it again with -soname and -dynamic-linker as they should be, or use patchelf --replace-needed, "
        "--set-soname or --set-interpreter."},
    Grade{Severity::error, Severity::error, Severity::warning, "Whoever builds with this is led there.",
          "Configure the package with the right path; hostpin leak-check --fix takes out what is only a "
          "search directory, a run path or a file of libstdc++ or libgcc_s."},
    Grade{Severity::error, Severity::error, Severity::warning, "Whoever opens it is led there.",
          "Let the symlink lead to the right file, or leave it out."},
    Grade{Severity::error, Severity::error, Severity::error, "It is started by this interpreter.",
          "Put the right interpreter into its first line."},
    Grade{Severity::warning, Severity::warning, Severity::warning, "It is a word of a script.", ""},
    Grade{
        Severity::warning, Severity::warning, Severity::warning, "It is a constant of the code.",
        "Find the macro or the generated source that it comes from; -ffile-prefix-map changes what __FILE__ "
        "says."},
    Grade{Severity::warning, Severity::warning, Severity::note,
          "Nothing refers to it any more, but its bytes keep the other package alive in a store.",
          "Link it again without that path: a tool that changes the file leaves the old bytes."},
    Grade{Severity::warning, Severity::note, Severity::note, "", ""},
    Grade{Severity::note, Severity::note, Severity::note, "Only debuggers read it.",
          "Strip the section, or compile with -ffile-prefix-map."},
};

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

bool is_debug(std::string_view section) {
  return starts_with_any(section, {".debug", ".zdebug", ".comment", ".GCC.command.line", ".nv_debug", ".stab",
                                   ".gnu.debuglto", ".note", ".gnu_debug", ".strtab", ".symtab"});
}

const ElfFacts* elf_of(const ScannedFile& file, const std::vector<std::string>& member) {
  const auto part = std::find_if(file.parts.begin(), file.parts.end(),
                                 [&](const ScannedPart& one) { return one.member == member; });
  return part == file.parts.end() || !part->elf ? nullptr : &*part->elf;
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
  if (is_debug(section))
    return Standing::debug;
  if (section == ".interp")
    return Standing::dynamic;
  if (section == ".dynstr")
    return elf != nullptr && elf->image && is_needed(found, *elf->image) ? Standing::dynamic
                                                                         : Standing::leftover;
  return section.empty() ? Standing::other : Standing::constant;
}

void judge_references(const ScannedFile& file, bool vendor, const World& world, std::vector<Finding>& found) {
  for (const FoundNeedle& one : file.found) {
    const ElfFacts* const elf = elf_of(file, one.where.member);
    const bool in_dynamic = one.where.section == ".dynstr" || one.where.section.empty();
    if (elf != nullptr && in_dynamic && is_in_run_path(one, *elf))
      continue;
    if (is_said_of_wider(one, file.found, world))
      continue;
    const UnwantedPath& row = world.unwanted.row(one.needle);
    const Grade& grade = grades[static_cast<std::size_t>(standing_of(one, elf))];
    const bool build = row.kind == UnwantedPath::Kind::build_directory;
    const Severity severity =
        limited(graded(one, grade, row), vendor, build ? Severity::note : Severity::warning);
    std::string explanation(grade.explanation);
    explanation += places(one);
    if (one.how == Hit::How::hash)
      explanation += " Only the hash of its store path stands there, which is enough to keep it alive.";
    found.push_back({build ? Rule::build_directory : Rule::forbidden_reference,
                     severity,
                     one.where,
                     one.how == Hit::How::hash ? row.path : reference_of(one, row),
                     {},
                     std::move(explanation),
                     cure_where(!one.where.member.empty(), grade.cure)});
  }
}

namespace {

/// What is unwanted about a path that is not so as it is spelt, and leads there.
const UnwantedPath* led_to(const std::string& path, const std::optional<std::string>& real,
                           const World& world) {
  const UnwantedPath* const row = real ? world.unwanted.covering(*real) : nullptr;
  return row == nullptr || world.unwanted.covering(lexically_normal(path)) != nullptr ? nullptr : row;
}

Finding led(const std::string& path, std::string real, const UnwantedPath& row, Location where,
            const std::string& explanation, bool vendor) {
  const bool build = row.kind == UnwantedPath::Kind::build_directory;
  const Standing standing = where.section == "symlink" ? Standing::symlink : Standing::link;
  const Grade& grade = grades[static_cast<std::size_t>(standing)];
  const bool program = row.kind == UnwantedPath::Kind::toolkit_program;
  return {
      build ? Rule::build_directory : Rule::forbidden_reference,
      limited(program ? grade.toolkit : grade.forbidden, vendor, build ? Severity::note : Severity::warning),
      std::move(where),
      path,
      std::move(real),
      explanation + "Symlinks lead from there into " + std::string(to_string(row.kind)) + " directory " +
          row.path + '.',
      std::string(grade.cure)};
}

void judge_led_link(const ScannedFile& file, const std::string& target, bool vendor, const World& world,
                    std::vector<Finding>& found) {
  const auto real = world.files.real_path(file.file);
  const UnwantedPath* const row = led_to(target, real, world);
  if (row == nullptr)
    return;
  const std::size_t slash = file.file.rfind('/');
  const auto above = world.files.real_path(slash == std::string::npos ? "." : file.file.substr(0, slash + 1));
  // A tree that stands in such a directory leads to itself.
  if (!target.starts_with('/') && above && world.unwanted.covering(*above) == row)
    return;
  found.push_back(led(target, *real, *row, {file.path, {}, "symlink", std::nullopt}, {}, vendor));
}

} // namespace

void judge_led_paths(const ScannedFile& file, bool vendor, const World& world, std::vector<Finding>& found) {
  for (const ScannedPart& part : file.parts) {
    if (!part.member.empty())
      continue; // where it will be unpacked is not known
    if (part.link_target)
      judge_led_link(file, *part.link_target, vendor, world, found);
    if (!part.text || part.text->kind == TextFacts::Kind::script)
      continue;
    std::set<std::string_view> known;
    for (const TextReference& reference : part.text->references) {
      if (!known.insert(reference.path).second)
        continue;
      auto real = world.files.real_path(reference.path);
      if (const UnwantedPath* const row = led_to(reference.path, real, world))
        found.push_back(led(reference.path, *std::move(real), *row,
                            {file.path, {}, std::string(to_string(part.text->kind)), reference.offset},
                            "It is " + reference.key + " in line " + std::to_string(reference.line) + ". ",
                            vendor));
    }
  }
}

void judge_composed_paths(const ScannedFile& file, bool vendor, const World& world,
                          std::vector<Finding>& found) {
  const Grade& grade = grades[static_cast<std::size_t>(Standing::link)];
  if (file.hard_link_of)
    return; // told under its first name
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
      const bool build = row->kind == UnwantedPath::Kind::build_directory;
      const bool program = row->kind == UnwantedPath::Kind::toolkit_program;
      found.push_back({build ? Rule::build_directory : Rule::forbidden_reference,
                       limited(program ? grade.toolkit : grade.forbidden, vendor,
                               build ? Severity::note : Severity::warning),
                       {file.path, part.member, std::string(to_string(part.text->kind)), reference.offset},
                       reference.path,
                       {},
                       "It is " + reference.key + " in line " + std::to_string(reference.line) +
                           ", once the file's variables are replaced. " + std::string(grade.explanation),
                       "Give the path, or the variables that it is made of, the right value."});
    }
  }
}

void judge_host_paths(const ScannedFile& file, bool vendor, std::vector<Finding>& found) {
  static const std::vector<std::string> everywhere = {"/usr/bin/env", "/bin/sh"};
  for (const ScannedPart& part : file.parts) {
    if (part.link_target && is_host_place(*part.link_target))
      found.push_back({Rule::host_path_from_store,
                       limited(Severity::error, vendor, Severity::warning),
                       {file.path, part.member, "symlink", std::nullopt},
                       *part.link_target,
                       {},
                       {},
                       {}});
    if (!part.text)
      continue;
    const bool script = part.text->kind == TextFacts::Kind::script;
    for (const TextReference& reference : part.text->references)
      if (is_host_place(reference.path) && !is_below(reference.path, everywhere))
        found.push_back({Rule::host_path_from_store,
                         limited(script ? Severity::warning : Severity::error, vendor, Severity::note),
                         {file.path, part.member, std::string(to_string(part.text->kind)), reference.offset},
                         reference.path,
                         {},
                         "It is " + reference.key + " in line " + std::to_string(reference.line) + '.',
                         {}});
  }
}

} // namespace hostpin
