// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/fix.hpp"

#include "hooks/leak-check/fix/lines.hpp"
#include "hooks/leak-check/fix/run_path.hpp"
#include "hooks/leak-check/scan/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace hostpin::leak {

namespace {

constexpr std::array kinds = {TextFacts::Kind::pkg_config, TextFacts::Kind::libtool, TextFacts::Kind::cmake};

constexpr std::string_view not_known = "the right path is known only to the project that wrote this line";

using UnwantedRows = std::set<const UnwantedPath*>;

/// The unwanted paths of findings above a note in a text; nothing if it is no text of these kinds.
std::optional<UnwantedRows> text_findings(const std::vector<const Finding*>& findings,
                                          const Unwanted& unwanted) {
  std::optional<UnwantedRows> rows;
  for (const Finding* const finding : findings) {
    const bool is_text = std::ranges::any_of(
        kinds, [&](TextFacts::Kind one) { return to_string(one) == finding->where.section; });
    const bool is_path = finding->rule == Rule::forbidden_reference || finding->rule == Rule::build_directory;
    if (!is_text || !is_path || finding->severity == Severity::note)
      continue;
    if (!rows)
      rows.emplace();
    for (const std::string& path : {finding->reference, finding->resolved})
      if (const UnwantedPath* const row = unwanted.covering(lexically_normal(path)))
        rows->insert(row);
  }
  return rows;
}

/// Whether a path, or where its symlinks lead, is in one of those rows.
bool is_in(const UnwantedRows& rows, const World& world, std::string_view path) {
  if (!path.starts_with('/'))
    return false;
  const std::string normal = lexically_normal(path);
  if (const UnwantedPath* const row = world.unwanted.covering(normal))
    return rows.contains(row);
  const auto real = world.files.real_path(normal);
  return real && rows.contains(world.unwanted.covering(*real));
}

using FindingsOfFile = std::vector<const Finding*>;

class Fixer {
public:
  Fixer(const World& world, const Processes& processes) : world_(world), processes_(processes) {}

  /// `path`: as reported.
  void fix_file(const std::string& path, const std::string& file, const FindingsOfFile& findings) {
    const auto place = fix_place(file, world_);
    if (!place)
      return leave(path, place.error());
    if (auto fixed = fix_run_path(*place, findings, world_, processes_); !fixed) {
      leave(path, fixed.error());
    } else if (*fixed) {
      (*fixed)->path = path;
      fixes_.done.push_back(**std::move(fixed));
    }
    if (const auto proposed = propose_lines(path, *place, findings); !proposed)
      leave(path, proposed.error());
  }

  Fixes fixes() { return std::move(fixes_); }

private:
  /// Adds the lines of a pkg-config, libtool or CMake file that findings object to, and what they should be.
  Result<void> propose_lines(const std::string& path, const FixPlace& place, const FindingsOfFile& findings) {
    const auto what = text_findings(findings, world_.unwanted);
    if (!what)
      return {};
    if (is_below(place.path, world_.policy.vendor))
      return failure("it is a vendor file (--vendor)", "fix it by hand, or rebuild it");
    TRY_ASSIGN(const auto text, DiskFiles().read(place.file, longest_text));
    WrongLines wrong = wrong_lines(text, [&](std::string_view one) { return is_in(*what, world_, one); });
    for (WrongLine& line : wrong.lines) {
      std::string at = "line " + std::to_string(line.line);
      if (line.after == line.before)
        fixes_.left.push_back({path, at + ": " + line.before, std::string(not_known)});
      else
        fixes_.proposed.push_back({path, std::move(at), std::move(line.before), std::move(line.after)});
    }
    if (wrong.more_from != 0)
      fixes_.left.push_back({path, "line " + std::to_string(wrong.more_from) + " and those after it",
                             "no more lines are printed of one file",
                             "fix the lines above, and run it again"});
    return {};
  }

  void leave(const std::string& path, const Error& error) {
    fixes_.left.push_back({path, {}, error.message, error.hint});
  }

  const World& world_;
  const Processes& processes_;
  Fixes fixes_;
};

std::string plain(const std::string& text) {
  return shown({text, {}, {}, std::nullopt});
}

} // namespace

Fixes fix(const std::vector<Finding>& findings, const FixableFiles& files, const std::set<Rule>& left,
          const World& world, const Processes& processes) {
  std::map<std::string, FindingsOfFile> by_path;
  for (const Finding& one : findings)
    if (!left.contains(one.rule) && one.where.member.empty())
      if (const std::string path = whole_path(one.where); files.contains(path))
        by_path[path].push_back(&one);
  Fixer fixer(world, processes);
  for (const auto& [path, here] : by_path)
    fixer.fix_file(path, files.at(path), here);
  return fixer.fixes();
}

std::string fixes_text(const Fixes& fixes) {
  std::string text;
  const auto add = [&](const std::vector<Fixed>& all, const char* what) {
    for (const Fixed& one : all)
      text += what + plain(one.path) + ", " + one.place + "\n    - " + plain(one.before) + "\n    + " +
              plain(one.after) + '\n';
  };
  add(fixes.done, "fixed: ");
  add(fixes.proposed, "to change: ");
  for (const Unfixed& left : fixes.left)
    text += "left as it is: " + plain(left.path) + (left.place.empty() ? "" : ", " + plain(left.place)) +
            ": " + plain(left.reason) + '\n' +
            (left.hint.empty() ? "" : "    hint: " + plain(left.hint) + '\n');
  return text;
}

} // namespace hostpin::leak
