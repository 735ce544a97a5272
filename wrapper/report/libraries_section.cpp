// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "wrapper/report/html.hpp"
#include "wrapper/report/sections.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace hostpin::report {

namespace {

using File = ReportLibraries::File;
using Library = ReportLibraries::Library;

/// A longer list is collapsed.
constexpr std::size_t open_limit = 20;
/// A list that is longer than this is truncated.
constexpr std::size_t list_limit = 1000;

Mark mark_of(const Library& library) {
  return library.right ? Mark{"good", "✓", "the binding's"} : Mark{"bad", "✕", "another one"};
}

std::string item(const File& file) {
  std::string ways;
  for (const auto& chain : file.chains)
    if (chain.size() > 1) {
      std::string way;
      for (std::size_t i = 1; i < chain.size(); ++i)
        way += (i > 1 ? ", then " : "") + path_span(chain[i]);
      ways += (ways.empty() ? " by way of " : "; also by way of ") + way;
    }
  for (const std::string& need : file.unmet)
    ways += fmt::format("<br>{} {}", marked("error"), html(need));
  return fmt::format("<li>{}{}</li>\n", path_span(file.path), ways);
}

/// `1 file leads`, `2 files lead`, and what follows.
std::string leading(std::size_t files, std::string_view to) {
  return fmt::format("{} lead{}{}", counted(files, "file"), files == 1 ? "s" : "", to);
}

/// A list of files, cut if it is too long, and collapsed if it is long.
std::string file_list(const std::vector<std::string>& items) {
  std::string shown;
  for (std::size_t i = 0; i < std::min(items.size(), list_limit); ++i)
    shown += items[i];
  if (items.size() > list_limit)
    shown += fmt::format("<li>and {} more</li>\n", counted(items.size() - list_limit));
  const std::string all = list("files", shown);
  return items.size() <= open_limit ? all
                                    : fmt::format("<details><summary>All {} files</summary>\n{}</details>\n",
                                                  counted(items.size()), all);
}

std::string library_list(const ReportLibraries& all, std::size_t index) {
  const Library& library = all.libraries[index];
  std::vector<std::string> items;
  for (const File& file : all.files)
    if (file.library == index)
      items.push_back(item(file));
  return fmt::format("<h3>{} {}</h3>\n<p>{}{}:</p>\n{}", path_span(library.path),
                     all.judged ? marked(mark_of(library)) : "",
                     library.version.empty() ? "" : fmt::format("Defines up to {}. ", html(library.version)),
                     leading(items.size(), " to it"), file_list(items));
}

std::string not_found(const ReportLibraries& all) {
  if (all.not_found.empty())
    return {};
  std::vector<std::string> items;
  for (const std::string& path : all.not_found)
    items.push_back(fmt::format("<li>{}</li>\n", path_span(path)));
  return fmt::format(
      "<h3>{} No libstdc++ for these files</h3>\n<p>They need one, and their loader finds none.</p>\n{}",
      marked("not-found"), file_list(items));
}

/// How many files of each kind there are.
std::string counts(const ReportLibraries& libraries) {
  const std::size_t different = libraries.libraries.size();
  std::string text =
      leading(libraries.files.size(),
              different == 1 ? " to one libstdc++" : fmt::format(" to {} different ones", different));
  text += fmt::format(", {} need none", counted(libraries.without));
  if (libraries.incomplete > 0)
    text += fmt::format(", {} cannot be determined because libraries that they need are not found",
                        counted(libraries.incomplete));
  if (libraries.elsewhere > 0)
    text += fmt::format(", {} with another loader omitted", counted(libraries.elsewhere, "program"));
  return text;
}

std::string figure(const ReportLibraries& libraries) {
  const LibraryPicture shown = library_picture(libraries);
  const std::string caption =
      shown.left_out == 0
          ? std::string()
          : fmt::format("<figcaption>The picture omits {} of files without problems; the lists contain "
                        "them.</figcaption>\n",
                        counted(shown.left_out, "group"));
  return fmt::format("<figure>\n{}{}</figure>\n",
                     scrolling("Graph of libraries", svg(shown.picture, Flow::right)), caption);
}

/// The most boxes at the left that are still readable.
constexpr std::size_t group_limit = 24;

/// Files that lead to the same library in the same way.
struct Group {
  std::size_t library = 0;
  bool troubled = false;
  std::vector<std::vector<std::string>> tails; ///< the part of each chain after the file itself
  std::vector<const File*> files;
};

std::vector<Group> groups(const ReportLibraries& libraries) {
  std::set<std::string_view> passed;
  for (const File& file : libraries.files)
    for (const auto& chain : file.chains)
      for (std::size_t i = 1; i < chain.size(); ++i)
        passed.insert(chain[i]);
  using Key = std::tuple<std::size_t, bool, std::vector<std::vector<std::string>>, std::string_view>;
  std::map<Key, Group> all;
  for (const File& file : libraries.files) {
    std::vector<std::vector<std::string>> tails;
    for (const auto& chain : file.chains)
      tails.emplace_back(chain.begin() + (chain.empty() ? 0 : 1), chain.end());
    // Another file depends on this one, so it has a box of its own.
    const std::string_view own =
        passed.contains(file.path) ? std::string_view(file.path) : std::string_view();
    Group& group = all[{file.library, !file.unmet.empty(), tails, own}];
    group.library = file.library;
    group.troubled = !file.unmet.empty() || (libraries.judged && !libraries.libraries[file.library].right);
    group.tails = std::move(tails);
    group.files.push_back(&file);
  }
  std::vector<Group> list;
  for (auto& [key, group] : all)
    list.push_back(std::move(group));
  std::stable_sort(list.begin(), list.end(), [](const Group& a, const Group& b) {
    return std::make_pair(!a.troubled, b.files.size()) < std::make_pair(!b.troubled, a.files.size());
  });
  return list;
}

class Drawing {
public:
  explicit Drawing(const ReportLibraries& libraries) : libraries_(libraries) {
    picture_.id = "libraries-graph";
    picture_.title = "Which file leads to which libstdc++";
    picture_.box_width = 250;
  }

  void add(const Group& group) {
    const Mood mood = group.troubled ? Mood::bad : Mood::plain;
    const std::size_t from = source(group, mood);
    for (const auto& tail : group.tails) {
      std::size_t at = from;
      for (const std::string& path : tail) {
        const std::size_t next = between(path);
        connect(at, next, mood);
        at = next;
      }
      connect(at, library(group.library), mood);
    }
  }

  Picture finish() {
    std::string& text = picture_.description;
    for (std::size_t i = 0; i < libraries_.libraries.size(); ++i) {
      const auto count =
          static_cast<std::size_t>(std::count_if(libraries_.files.begin(), libraries_.files.end(),
                                                 [&](const File& file) { return file.library == i; }));
      text += fmt::format("{}{} to {}.", text.empty() ? "" : " ", leading(count, ""),
                          libraries_.libraries[i].path);
    }
    text += " The lists below name each of them.";
    return std::move(picture_);
  }

private:
  std::size_t box(PictureBox box) {
    picture_.boxes.push_back(std::move(box));
    return picture_.boxes.size() - 1;
  }

  std::size_t source(const Group& group, Mood mood) {
    const File& first = *group.files.front();
    if (group.files.size() > 1) {
      std::string names;
      for (const File* const file : group.files) {
        names += (names.empty() ? "" : ", ") + std::string(base_name(file->path));
        if (names.size() > 400)
          break; // the lists contain all of them
      }
      return box({"", counted(group.files.size(), "file"), names, mood});
    }
    const std::size_t at = between(first.path);
    if (mood != Mood::plain)
      picture_.boxes[at].mood = mood;
    if (!first.unmet.empty())
      picture_.boxes[at].role = first.unmet.front();
    return at;
  }

  /// The box of one file, made on first use.
  std::size_t between(const std::string& path) {
    const auto [found, is_new] = boxes_.emplace(path, picture_.boxes.size());
    if (is_new)
      box({"", std::string(base_name(path)), path, Mood::plain});
    return found->second;
  }

  std::size_t library(std::size_t index) {
    const ReportLibraries::Library& one = libraries_.libraries[index];
    const auto [found, is_new] = boxes_.emplace(one.path, picture_.boxes.size());
    if (is_new) {
      const Mark verdict = mark_of(one);
      const std::string role = libraries_.judged ? fmt::format("{} {}", verdict.sign, verdict.word) : "";
      std::string name(base_name(one.path));
      if (!one.version.empty())
        name = one.version;
      box({role, name, one.path, !libraries_.judged ? Mood::accent : one.right ? Mood::good : Mood::bad});
    }
    return found->second;
  }

  void connect(std::size_t from, std::size_t to, Mood mood) {
    if (from == to)
      return;
    const auto [found, is_new] = arrows_.emplace(std::make_pair(from, to), picture_.arrows.size());
    if (is_new)
      picture_.arrows.push_back({from, to, {}, mood});
    else if (mood != Mood::plain)
      picture_.arrows[found->second].mood = mood;
  }

  const ReportLibraries& libraries_;
  Picture picture_;
  std::map<std::string, std::size_t> boxes_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> arrows_;
};

} // namespace

LibraryPicture library_picture(const ReportLibraries& libraries) {
  const std::vector<Group> all = groups(libraries);
  Drawing drawing(libraries);
  for (std::size_t i = 0; i < std::min(all.size(), group_limit); ++i)
    drawing.add(all[i]);
  return {drawing.finish(), all.size() > group_limit ? all.size() - group_limit : 0};
}

std::string libraries_section(const ReportLibraries& libraries) {
  std::string text = fmt::format(
      "<p>What the loader of linked programs would load, found without running anything: {}.</p>\n",
      counts(libraries));
  if (!libraries.files.empty())
    text += figure(libraries);
  for (std::size_t i = 0; i < libraries.libraries.size(); ++i)
    text += library_list(libraries, i);
  if (std::any_of(libraries.files.begin(), libraries.files.end(),
                  [](const File& file) { return !file.unmet.empty(); }))
    text += "<p>Which lines of a source need a version: hostpin stdlib-probe why SOURCE --against LIBRARY -- "
            "COMPILER FLAGS.</p>\n";
  return section("libraries", "Which file leads to which libstdc++", text + not_found(libraries));
}

} // namespace hostpin::report
