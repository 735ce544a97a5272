// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Paths that text files and symlinks hand on, read as whoever reads those files does.
#include "hooks/leak-check/judge/grades.hpp"
#include "hooks/leak-check/judge/references.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

/// Where it stands, as the beginning of a sentence: not every path of a CMake file has a name before it.
std::string standing(const TextReference& reference) {
  const std::string line = " in line " + std::to_string(reference.line);
  return reference.key.empty() ? "It stands" + line : "It is " + reference.key + line;
}

/// What is unwanted about a path that is not so as it is spelt, and leads there.
const UnwantedPath* led_to(const std::string& path, const std::optional<std::string>& real,
                           const World& world) {
  const UnwantedPath* const row = real ? world.unwanted.covering(*real) : nullptr;
  return row == nullptr || world.unwanted.covering(lexically_normal(path)) != nullptr ? nullptr : row;
}

Finding led(const std::string& path, std::string real, const UnwantedPath& row, Location where,
            const std::string& explanation, bool vendor) {
  const bool build = row.kind == UnwantedPath::Kind::build_directory;
  const Grade& grade = grade_of(where.section == "symlink" ? Standing::symlink : Standing::link);
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
                    const Tell& tell) {
  const auto real = world.files.real_path(file.file);
  const UnwantedPath* const row = led_to(target, real, world);
  if (row == nullptr)
    return;
  const std::size_t slash = file.file.rfind('/');
  const auto above = world.files.real_path(slash == std::string::npos ? "." : file.file.substr(0, slash + 1));
  // A tree that stands in such a directory leads to itself.
  if (!target.starts_with('/') && above && world.unwanted.covering(*above) == row)
    return;
  tell(led(target, *real, *row, {file.path, {}, "symlink", std::nullopt}, {}, vendor));
}

} // namespace

void judge_led_paths(const ScannedFile& file, bool vendor, const World& world, const Tell& tell) {
  for (const ScannedPart& part : file.parts) {
    if (!part.member.empty())
      continue; // where it will be unpacked is not known
    if (part.link_target)
      judge_led_link(file, *part.link_target, vendor, world, tell);
    if (!part.text || part.text->kind == TextFacts::Kind::script)
      continue;
    std::set<std::string_view> known;
    for (const TextReference& reference : part.text->references) {
      if (!known.insert(reference.path).second)
        continue;
      auto real = world.files.real_path(reference.path);
      if (const UnwantedPath* const row = led_to(reference.path, real, world))
        tell(led(reference.path, *std::move(real), *row,
                 {file.path, {}, std::string(to_string(part.text->kind)), reference.offset},
                 standing(reference) + ". ", vendor));
    }
  }
}

void judge_composed_paths(const ScannedFile& file, bool vendor, const World& world, const Tell& tell) {
  const Grade& grade = grade_of(Standing::link);
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
      tell({build ? Rule::build_directory : Rule::forbidden_reference,
            limited(program ? grade.toolkit : grade.forbidden, vendor,
                    build ? Severity::note : Severity::warning),
            {file.path, part.member, std::string(to_string(part.text->kind)), reference.offset},
            reference.path,
            {},
            standing(reference) + ", once the file's variables are replaced. " +
                std::string(grade.explanation),
            "Give the path, or the variables that it is made of, the right value."});
    }
  }
}

void judge_host_paths(const ScannedFile& file, bool vendor, const Tell& tell) {
  static const std::vector<std::string> everywhere = {"/usr/bin/env", "/bin/sh"};
  for (const ScannedPart& part : file.parts) {
    if (part.link_target && is_host_place(*part.link_target))
      tell({Rule::host_path_from_store,
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
        tell({Rule::host_path_from_store,
              limited(script ? Severity::warning : Severity::error, vendor, Severity::note),
              {file.path, part.member, std::string(to_string(part.text->kind)), reference.offset},
              reference.path,
              {},
              standing(reference) + '.',
              {}});
  }
}

} // namespace hostpin
