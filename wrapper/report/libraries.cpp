// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/libraries.hpp"

#include "toolchains/library/library.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include <fmt/format.h>

namespace hostpin::report {

namespace {

namespace fs = std::filesystem;

constexpr const char* libstdcxx = "libstdc++.so.6";
/// Paths to one library that are shown for a file, the shortest first.
constexpr std::size_t chain_limit = 6;

/// Every regular file of a tree, sorted, by its real path.
std::vector<std::string> files_below(const std::string& path, const Files& files) {
  std::vector<std::string> all;
  const auto root = files.real_path(path);
  if (!root)
    return all;
  std::error_code ignored;
  if (!fs::is_directory(*root, ignored))
    return {*root};
  fs::recursive_directory_iterator entry(*root, fs::directory_options::skip_permission_denied, ignored);
  for (; !ignored && entry != fs::recursive_directory_iterator(); entry.increment(ignored)) {
    std::error_code vanished;
    if (entry->symlink_status(vanished).type() == fs::file_type::regular)
      all.push_back(entry->path().string());
  }
  return all;
}

class Following {
public:
  Following(const LoaderInUse& in_use, const Files& files)
      : in_use_(in_use), files_(files), right_(real(in_use.library)), loader_(real(in_use.loader)) {
    graph_.judged = !in_use.library.empty();
  }

  void follow(const std::string& path) {
    const std::optional<binary::Image>& image = read(path);
    if (!image)
      return;
    if (!image->interpreter.empty() && real(image->interpreter) != loader_) {
      ++graph_.elsewhere;
      return;
    }
    const loader::Closure closure =
        loader::load(path, *image, in_use_.places, [this](const std::string& one) { return read(one); });
    const loader::LoadedImage* const served = closure.serving(libstdcxx);
    if (served != nullptr)
      graph_.files.push_back(file(path, closure, *served));
    else if (std::any_of(closure.missing.begin(), closure.missing.end(),
                         [](const loader::MissingLibrary& one) { return one.name == libstdcxx; }))
      graph_.not_found.push_back(path);
    else
      ++(closure.missing.empty() ? graph_.without : graph_.incomplete);
  }

  ReportLibraries finish() { return std::move(graph_); }

private:
  const std::optional<binary::Image>& read(const std::string& path) {
    const auto [found, is_new] = images_.try_emplace(path);
    if (is_new)
      found->second = loader::image_on_disk(path);
    return found->second;
  }

  std::string real(const std::string& path) const {
    return path.empty() ? path : files_.real_path(path).value_or(path);
  }

  std::size_t library(const loader::LoadedImage& served) {
    const std::string path = real(served.path);
    const auto found = std::find_if(graph_.libraries.begin(), graph_.libraries.end(),
                                    [&](const ReportLibraries::Library& one) { return one.path == path; });
    if (found != graph_.libraries.end())
      return static_cast<std::size_t>(found - graph_.libraries.begin());
    const std::string version = highest_version(served.image, "GLIBCXX_");
    graph_.libraries.push_back({path, version.empty() ? version : "GLIBCXX_" + version, path == right_});
    return graph_.libraries.size() - 1;
  }

  std::vector<std::string> chain(const loader::Closure& closure, std::size_t image) const {
    std::vector<std::string> way;
    for (std::optional<std::size_t> at = image; at; at = closure.images[*at].loaded_by)
      way.push_back(real(closure.images[*at].path));
    std::reverse(way.begin(), way.end());
    return way;
  }

  ReportLibraries::File file(const std::string& path, const loader::Closure& closure,
                             const loader::LoadedImage& served) {
    ReportLibraries::File file{path, {}, library(served), {}};
    for (std::size_t i = 0; i < closure.images.size(); ++i) {
      const std::vector<std::string>& needed = closure.images[i].image.needed;
      if (std::find(needed.begin(), needed.end(), libstdcxx) != needed.end())
        file.chains.push_back(chain(closure, i));
    }
    std::stable_sort(file.chains.begin(), file.chains.end(),
                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
    file.chains.resize(std::min(file.chains.size(), chain_limit));
    for (const loader::UnmetNeed& need : loader::unmet_needs(closure))
      if (&closure.images[need.library] == &served)
        file.unmet.push_back(fmt::format("{} needs {}", closure.images[need.image].name, need.version));
    return file;
  }

  const LoaderInUse& in_use_;
  const Files& files_;
  std::string right_, loader_;
  std::map<std::string, std::optional<binary::Image>> images_; ///< nothing for any other file
  ReportLibraries graph_;
};

} // namespace

ReportLibraries library_graph(const std::vector<std::string>& paths, const LoaderInUse& in_use,
                              const Files& files) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    const std::vector<std::string> more = files_below(path, files);
    all.insert(all.end(), more.begin(), more.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  Following following(in_use, files);
  for (const std::string& path : all)
    following.follow(path);
  return following.finish();
}

} // namespace hostpin::report
