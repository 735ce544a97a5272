// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/text_file.hpp"

#include "hooks/leak-check/fix/copy.hpp"
#include "hooks/leak-check/fix/text.hpp"
#include "hooks/leak-check/text/text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace hostpin {

namespace {

constexpr std::array kinds = {TextFacts::Kind::pkg_config, TextFacts::Kind::libtool, TextFacts::Kind::cmake};

struct Subject {
  TextFacts::Kind kind;
  UnwantedRows rows;
};

/// What findings say of the text, and are graded higher than a note.
std::optional<Subject> subject(const std::vector<const Finding*>& findings, const Unwanted& unwanted) {
  std::optional<Subject> result;
  for (const Finding* const finding : findings) {
    const auto* const kind = std::find_if(kinds.begin(), kinds.end(), [&](TextFacts::Kind one) {
      return to_string(one) == finding->where.section;
    });
    const bool is_path = finding->rule == Rule::forbidden_reference || finding->rule == Rule::build_directory;
    if (kind == kinds.end() || !is_path || finding->severity == Severity::note)
      continue;
    if (!result)
      result = Subject{*kind, {}};
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
  auto copy = FileCopy::beside(place);
  if (!copy)
    return tl::unexpected(copy.error());
  const auto copied = DiskFiles().read(copy->path(), longest_text);
  if (!copied || *copied != before)
    return failure("it was written to meanwhile", "scan it again");
  if (auto written = copy->write(after); !written)
    return written;
  return copy->take_place();
}

} // namespace

Result<Fixes> fix_text_file(const FixPlace& place, const std::vector<const Finding*>& findings,
                            const World& world) {
  Fixes fixes;
  const auto what = subject(findings, world.unwanted);
  if (!what)
    return fixes;
  const auto text = DiskFiles().read(place.file, longest_text);
  if (!text)
    return tl::unexpected(text.error());
  MendedText mended = mended_text(what->kind, *text, world.unwanted, what->rows, world.files,
                                  place.path.substr(0, place.path.rfind('/')));
  if (!mended.changes.empty())
    if (auto replaced = replace(place, *text, mended.text, world); !replaced)
      return tl::unexpected(replaced.error());
  for (LineChange& change : mended.changes)
    fixes.done.push_back(
        {{}, "line " + std::to_string(change.line), std::move(change.before), std::move(change.after)});
  for (LineLeft& left : mended.left)
    fixes.left.push_back(
        {{}, "line " + std::to_string(left.line) + ": " + left.word, std::move(left.reason)});
  return fixes;
}

} // namespace hostpin
