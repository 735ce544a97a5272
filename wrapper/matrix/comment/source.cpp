// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/comment/source.hpp"

#include "wrapper/matrix/key.hpp"
#include "wrapper/matrix/planning.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

/// The number at the beginning of a text, which is removed from it; 0: there is none.
unsigned take_number(std::string_view& text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc())
    return 0;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// `:12`, `:12:3`, `(12)` or `(12,3)`.
bool take_position(std::string_view text, SourcePlace& place) {
  if (text.empty() || (text.front() != ':' && text.front() != '('))
    return false;
  const char between = text.front() == '(' ? ',' : ':';
  text.remove_prefix(1);
  place.line = take_number(text);
  if (place.line != 0 && !text.empty() && text.front() == between) {
    text.remove_prefix(1);
    place.column = take_number(text);
  }
  return place.line != 0;
}

/// The path below `directory`, in the repository; empty: outside.
std::string in_repository(std::string_view directory, std::string_view path) {
  const std::string inside = (fs::path(directory) / path).lexically_normal().generic_string();
  return inside.starts_with("../") || inside == ".." || inside == "." || inside.starts_with('/') ? ""
                                                                                                 : inside;
}

std::optional<SourcePlace> place_below(std::string_view directory, std::string_view text) {
  const std::size_t end = text.find_first_of(":(");
  SourcePlace place;
  if (end == std::string_view::npos || !take_position(text.substr(end), place))
    return std::nullopt;
  place.path = in_repository(directory, text.substr(0, end));
  if (place.path.ends_with('/'))
    return std::nullopt;
  return place.path.empty() ? std::nullopt : std::optional(place);
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// A hunk's first lines and numbers of lines, from `@@ -1,2 +3,4 @@`.
struct Hunk {
  unsigned first = 0, count = 1; ///< afterwards
  std::vector<std::string_view> removed, added;
};

bool take_count(std::string_view& text, char sign, unsigned& first, unsigned& count) {
  if (text.empty() || text.front() != sign)
    return false;
  text.remove_prefix(1);
  first = take_number(text);
  if (!text.empty() && text.front() == ',') {
    text.remove_prefix(1);
    count = take_number(text);
  }
  text.remove_prefix(std::min<std::size_t>(1, text.size())); // a space
  return true;
}

std::optional<Hunk> hunk_of(std::string_view line) {
  constexpr std::string_view mark = "@@ ";
  Hunk hunk;
  unsigned first = 0, count = 0;
  if (!line.starts_with(mark))
    return std::nullopt;
  line.remove_prefix(mark.size());
  return take_count(line, '-', first, count) && take_count(line, '+', hunk.first, hunk.count)
             ? std::optional(hunk)
             : std::nullopt;
}

std::vector<Hunk> hunks_of(std::string_view difference) {
  std::vector<Hunk> hunks;
  while (!difference.empty()) {
    const std::string_view line = take_line(difference);
    if (auto hunk = hunk_of(line))
      hunks.push_back(std::move(*hunk));
    else if (!hunks.empty() && line.starts_with('-'))
      hunks.back().removed.push_back(line.substr(1));
    else if (!hunks.empty() && line.starts_with('+'))
      hunks.back().added.push_back(line.substr(1));
  }
  return hunks;
}

unsigned distance(const Hunk& hunk, unsigned line) {
  const unsigned last = hunk.first + std::max(hunk.added.empty() ? 1U : hunk.count, 1U) - 1;
  return line < hunk.first ? hunk.first - line : line > last ? line - last : 0;
}

std::vector<std::string> some_lines(const std::vector<std::string_view>& lines, std::size_t from) {
  std::vector<std::string> some;
  for (std::size_t index = from; index < std::min(lines.size(), from + most_changed_lines); ++index)
    some.emplace_back(lines[index]);
  return some;
}

/// Finds what changed for the cells of one comparison.
class SourceSearch {
public:
  explicit SourceSearch(const Sources& sources) : sources_(sources) {}

  void add(CauseGroup& group) {
    const Project* const project = project_of(group.cells.front());
    if (project != nullptr && !group.text.empty())
      if (const std::string source = place_in_repository(project->source); !source.empty())
        group.place = place_in_line(group.text, source);
    if (sources_.repository == nullptr || group.change == Change::Kind::fixed)
      return;
    const auto broken = sources_.broken.find(group.cells.front().id);
    if (broken != sources_.broken.end())
      group.source = change_between(broken->second.good, broken->second.bad, group, true);
    else if (!sources_.from.empty())
      group.source = change_between(sources_.from, sources_.to, group, false);
  }

private:
  const Project* project_of(const Cell& cell) const {
    return sources_.plan == nullptr ? nullptr : sources_.plan->project(cell[Axis::project]);
  }

  /// The file of the error if it changed; else the one for which the plan runs a cell; else the only one.
  std::optional<ChangedLines> change_between(const std::string& from, const std::string& to,
                                             const CauseGroup& group, bool is_bisected) {
    const auto& changes = changes_between(from, to);
    const auto is_changed = [&](const std::string& path) {
      return std::ranges::find(changes, path, &TreeChange::path) != changes.end();
    };
    std::string path;
    unsigned line = 0;
    if (group.place && is_changed(group.place->path)) {
      path = group.place->path;
      line = group.place->line;
    } else if (const std::string read = read_path(group); is_changed(read)) {
      path = read;
    } else if (changes.size() == 1) {
      path = changes.front().path;
    }
    if (path.empty())
      return std::nullopt;
    auto lines = changed_lines(sources_.repository->difference(from, to, path).value_or(""), path, line);
    if (lines && is_bisected) {
      lines->commit = to;
      lines->subject = sources_.repository->subject(to);
    }
    return lines;
  }

  /// The path that the plan names as the reason why a cell runs.
  std::string read_path(const CauseGroup& group) const {
    constexpr std::string_view end = " changed";
    const PlannedCell* const planned =
        sources_.plan == nullptr ? nullptr : sources_.plan->cell(group.cells.front().id);
    return planned != nullptr && planned->why.ends_with(end)
               ? planned->why.substr(0, planned->why.size() - end.size())
               : "";
  }

  const std::vector<TreeChange>& changes_between(const std::string& from, const std::string& to) {
    const auto [known, is_new] = changes_.try_emplace({from, to});
    if (is_new)
      known->second = sources_.repository->changes(from, to).value_or(std::vector<TreeChange>());
    return known->second;
  }

  const Sources& sources_;
  std::map<std::pair<std::string, std::string>, std::vector<TreeChange>> changes_;
};

} // namespace

std::optional<SourcePlace> place_in_line(std::string_view line, std::string_view source) {
  const std::pair<std::string, std::string_view> names[] = {{std::string(source_name) + '/', source},
                                                            {std::string(repository_name) + '/', "."},
                                                            {"CMake Error at ", source}};
  std::optional<SourcePlace> first;
  std::size_t where = std::string_view::npos;
  for (const auto& [name, directory] : names)
    if (const std::size_t at = line.find(name); at < where)
      if (auto place = place_below(directory, line.substr(at + name.size()))) {
        first = std::move(place);
        where = at;
      }
  return first;
}

std::optional<ChangedLines> changed_lines(std::string_view difference, const std::string& path,
                                          unsigned line) {
  const std::vector<Hunk> hunks = hunks_of(difference);
  if (hunks.empty())
    return std::nullopt;
  const Hunk& nearest =
      *std::ranges::min_element(hunks, {}, [&](const Hunk& hunk) { return distance(hunk, line); });
  const std::size_t inside =
      line > nearest.first && line - nearest.first < nearest.added.size() ? line - nearest.first : 0;
  ChangedLines lines;
  lines.place = {path, nearest.first + static_cast<unsigned>(inside), 0};
  lines.added = some_lines(nearest.added, inside);
  lines.removed = some_lines(nearest.removed, nearest.removed.size() == nearest.added.size() ? inside : 0);
  return lines;
}

void add_sources(Comparison& comparison, const Sources& sources) {
  SourceSearch search(sources);
  for (CauseGroup& group : comparison.groups)
    search.add(group);
}

} // namespace hostpin::matrix
