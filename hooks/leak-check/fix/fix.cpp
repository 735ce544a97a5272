// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/fix.hpp"

#include "hooks/leak-check/fix/copy.hpp"
#include "hooks/leak-check/fix/run_path.hpp"
#include "hooks/leak-check/fix/text.hpp"
#include "hooks/leak-check/scan/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace hostpin::leak {

namespace {

constexpr std::array kinds = {TextFacts::Kind::pkg_config, TextFacts::Kind::libtool, TextFacts::Kind::cmake};

struct TextFindings {
  TextFacts::Kind kind;
  UnwantedRows rows;
};

/// The kind of the text, and the unwanted paths of findings above a note.
std::optional<TextFindings> text_findings(const std::vector<const Finding*>& findings,
                                          const Unwanted& unwanted) {
  std::optional<TextFindings> result;
  for (const Finding* const finding : findings) {
    const auto* const kind = std::find_if(kinds.begin(), kinds.end(), [&](TextFacts::Kind one) {
      return to_string(one) == finding->where.section;
    });
    const bool is_path = finding->rule == Rule::forbidden_reference || finding->rule == Rule::build_directory;
    if (kind == kinds.end() || !is_path || finding->severity == Severity::note)
      continue;
    if (!result)
      result = TextFindings{*kind, {}};
    for (const std::string& path : {finding->reference, finding->resolved})
      if (const UnwantedPath* const row = unwanted.covering(lexically_normal(path)))
        result->rows.insert(row);
  }
  return result;
}

Result<void> replace(const FixPlace& place, const std::string& before, const std::string& after,
                     const World& world) {
  if (auto allowed = may_replace(place, world.policy.vendor); !allowed)
    return allowed;
  auto copy = FileCopy::next_to(place);
  if (!copy)
    return tl::unexpected(copy.error());
  const auto copied = DiskFiles().read(copy->path(), longest_text);
  if (!copied || *copied != before)
    return failure("it was modified meanwhile", "scan it again");
  if (auto written = copy->write(after); !written)
    return written;
  return copy->replace_original();
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
    if (const auto fixed = fix_text_file(path, *place, findings); !fixed)
      leave(path, fixed.error());
  }

  Fixes fixes() { return std::move(fixes_); }

private:
  /// Removes what findings object to from the linker options in a pkg-config, libtool or CMake file, and
  /// reports what was left, line by line; does nothing for other files. The file is replaced by a changed
  /// copy with its owner and permissions, but the current time, so that its dependents are rebuilt. An error
  /// says why nothing was changed.
  Result<void> fix_text_file(const std::string& path, const FixPlace& place, const FindingsOfFile& findings) {
    const auto what = text_findings(findings, world_.unwanted);
    if (!what)
      return {};
    const auto text = DiskFiles().read(place.file, longest_text);
    if (!text)
      return tl::unexpected(text.error());
    FixedText fixed = fixed_text(what->kind, *text, world_.unwanted, what->rows, world_.files,
                                 place.path.substr(0, place.path.rfind('/')));
    if (!fixed.changes.empty())
      if (auto replaced = replace(place, *text, fixed.text, world_); !replaced)
        return replaced;
    for (LineChange& change : fixed.changes)
      fixes_.done.push_back(
          {path, "line " + std::to_string(change.line), std::move(change.before), std::move(change.after)});
    for (LineLeft& left : fixed.left)
      fixes_.left.push_back(
          {path, "line " + std::to_string(left.line) + ": " + left.word, std::move(left.reason)});
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
  for (const Fixed& one : fixes.done)
    text += "fixed: " + plain(one.path) + ", " + one.place + "\n    - " + plain(one.before) + "\n    + " +
            plain(one.after) + '\n';
  for (const Unfixed& left : fixes.left)
    text += "left as it is: " + plain(left.path) + (left.place.empty() ? "" : ", " + plain(left.place)) +
            ": " + plain(left.reason) + '\n' +
            (left.hint.empty() ? "" : "    hint: " + plain(left.hint) + '\n');
  return text;
}

} // namespace hostpin::leak
