// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/toolkit/toolkit.hpp"
#include "wrapper/bind/store.hpp"
#include "wrapper/plan/plan.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::view {

/// Directory below a toolkit view that holds the bound toolchain; `bin/nvcc` leads to the `nvcc` in it. Not
/// `bin`: that is put on PATH, where hostpin's `c++` must not hide the system's.
constexpr std::string_view view_room = "hostpin";

/// One symbolic link of a toolkit view.
struct ViewLink {
  std::string path;   ///< below the view's directory
  std::string target; ///< its target: absolute, except for links inside the view

  bool operator==(const ViewLink&) const = default;
};

/// The links that make a directory a whole toolkit tree in which `bin/nvcc` is hostpin's, sorted by path:
/// every entry of the toolkit and of its `bin`. If a distribution has spread a toolkit over directories that
/// hold other files too, its own are selected by name, and `include`, `lib64` and `nvvm` are assembled from
/// them. If the toolkit has a foreign target, `include`, `lib` and `lib64` are the target's.
std::vector<ViewLink> view_links(const Toolkit& toolkit, const Files& files);

using plan::tree_room;

/// The same links for that directory, where `bin/nvcc` leads to the `nvcc` above. `hostpin/toolkit` leads to
/// the toolkit, for discovery. For a foreign target there is no `targets`: no release of CMake knows all of
/// its names, and 3.25 then takes the directory itself.
std::vector<ViewLink> tree_links(const Toolkit& toolkit, const Files& files);

/// Why a view cannot be in that directory; nothing if it can. nvcc finds its parts by the path it is called
/// by, which it passes to a shell and puts into PATH.
std::optional<Error> unfit_for_view(const std::string& directory, const Toolkit& toolkit, const Files& files);

/// The list of its links that a view stores, `links` in its subdirectory: when the view is made again, only
/// the links in this list may be replaced or removed. Same links, same bytes.
std::string view_list(const std::vector<ViewLink>& links);
/// Nothing if it is not such a list, or if it would lead out of the view.
std::optional<std::vector<ViewLink>> read_view_list(std::string_view bytes);

/// The links that a view's directory stores; an error if it is not a view.
Result<std::vector<ViewLink>> links_of_view(const Files& files, const std::string& directory);

/// Writes a view. A new one appears whole or not at all. In an existing view links are replaced one by one
/// and obsolete ones removed; meanwhile every call of its nvcc is refused, because the plan is written last.
/// A directory with other content, and a file at the path of a link, are refused before anything is changed.
Result<void> write_view(const std::string& directory, const std::vector<ViewLink>& links,
                        const bind::Bundle& bundle, const Files& files);

/// Makes the tree of links inside a bound directory, where every link is hostpin's: others are removed, files
/// and real directories stay. Nothing is made on a file system without symbolic links. An error if something
/// else is in the way.
Result<void> write_tree(const std::string& tree, const std::vector<ViewLink>& links);

/// Subdirectory of a bound directory with stubs that hostpin made, to which links of a view or tree lead.
constexpr std::string_view stub_room = "stubs";

/// Writes what a toolkit needs in the bound directory that it is given: stubs, and that tree if `tree`.
std::function<Result<void>(const std::string& directory)> toolkit_writer(const Toolkit& toolkit, bool tree,
                                                                         const Files& files);

} // namespace hostpin::view
