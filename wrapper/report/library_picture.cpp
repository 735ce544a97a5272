// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/library_picture.hpp"

#include "toolchains/base/path_text.hpp"
#include "wrapper/report/mark.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace hostpin {

namespace {

using File = ReportLibraries::File;

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
      text += fmt::format("{}{} to {}.", text.empty() ? "" : " ",
                          count == 1 ? std::string("One file leads") : counted(count) + " files lead",
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
      const char* const role = !libraries_.judged ? "" : one.right ? "✓ the binding's" : "✕ another one";
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

} // namespace hostpin
