// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/views.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "wrapper/hot/system.hpp"
#include "wrapper/plan/plan.hpp"
#include "wrapper/view/store.hpp"
#include "wrapper/view/view.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>

#include <fmt/format.h>

namespace hostpin {

namespace {

constexpr std::size_t longest_plan = std::size_t{1} << 20;

/// The first link that differs from the view's list.
std::string broken_link(const std::string& directory, const std::vector<ViewLink>& links) {
  for (const ViewLink& link : links) {
    std::error_code error;
    const std::filesystem::path place = directory + '/' + link.path;
    if (std::filesystem::read_symlink(place, error) != link.target || error)
      return fmt::format("{} is no longer the link that it was", link.path);
    if (!std::filesystem::exists(place, error))
      return fmt::format("{} leads nowhere", link.path);
  }
  return {};
}

/// What was added to or removed from the toolkit since the view was made.
std::string difference(const std::vector<ViewLink>& kept, const std::vector<ViewLink>& now) {
  for (const auto& [some, others, says] : {std::tuple(&now, &kept, "the toolkit has {} now"),
                                           std::tuple(&kept, &now, "the toolkit has no {} any more")})
    for (const ViewLink& link : *some)
      if (std::find(others->begin(), others->end(), link) == others->end())
        return fmt::format(fmt::runtime(says), link.path);
  return {};
}

std::string problem_of(const std::string& directory, std::optional<Plan> plan, const Files& files,
                       const std::vector<Toolkit>& toolkits) {
  if (!plan)
    return "its plan is missing, damaged or from another hostpin release";
  if (const PlanFile* const change = hot::first_new_content(plan->files))
    return fmt::format("{} {}", change->path, hot::change_of(*change));
  const auto links = links_of_view(files, directory);
  if (!links)
    return links.error().message;
  if (std::string broken = broken_link(directory, *links); !broken.empty())
    return broken;
  const auto real = [&](std::string_view nvcc) { return files.real_path(directory_of(nvcc)); };
  const auto toolkit = std::find_if(toolkits.begin(), toolkits.end(),
                                    [&](const Toolkit& each) { return real(each.nvcc) == real(plan->nvcc); });
  return toolkit == toolkits.end() ? std::string() : difference(*links, view_links(*toolkit, files));
}

KnownView examined(const std::string& directory, const std::string& origin, const Files& files,
                   const std::vector<Toolkit>& toolkits) {
  KnownView view{directory, origin, {}, {}};
  const auto bytes = files.read(fmt::format("{}/{}/plan", directory, view_room), longest_plan);
  const auto plan = bytes ? read_plan(*bytes) : std::nullopt;
  if (plan)
    view.toolkit = fmt::format("CUDA {} ({})", plan->toolkit, directory_of(directory_of(plan->nvcc)));
  view.problem = problem_of(directory, plan, files, toolkits);
  return view;
}

} // namespace

std::vector<KnownView> known_views(const Environment& environment, const Files& files,
                                   const std::vector<Toolkit>& toolkits) {
  std::vector<KnownView> views;
  const auto add = [&](const std::string& nvcc, const std::string& origin) {
    const std::string room = directory_of(files.real_path(nvcc).value_or(nvcc));
    if (base_name(room) != view_room || !files.status(room + "/links"))
      return;
    const std::string directory = directory_of(room);
    if (std::none_of(views.begin(), views.end(),
                     [&](const KnownView& each) { return each.directory == directory; }))
      views.push_back(examined(directory, origin, files, toolkits));
  };
  for (const char* const variable : {"CUDAToolkit_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (const auto root = environment[variable]; root && root->starts_with('/'))
      add(*root + "/bin/nvcc", std::string("$") + variable);
  for (const char* const variable : {"CUDACXX", "NVCC"})
    if (const auto nvcc = environment[variable]; nvcc && nvcc->starts_with('/'))
      add(*nvcc, std::string("$") + variable);
  for (const std::string& directory : path_directories(environment))
    add(directory + "/nvcc", "PATH");
  return views;
}

} // namespace hostpin
