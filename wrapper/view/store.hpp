// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "wrapper/bind/store.hpp"
#include "wrapper/view/view.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The list of its links that a view keeps, `links` in its room: what is in it may be replaced or removed
/// when the view is made anew, and nothing else. Same links, same bytes.
std::string view_list(const std::vector<ViewLink>& links);
/// Nothing where that is no such list, or one that would lead out of the view.
std::optional<std::vector<ViewLink>> read_view_list(std::string_view bytes);

/// The links that a view's directory keeps; an error where it is none.
Result<std::vector<ViewLink>> links_of_view(const Files& files, const std::string& directory);

/// Writes a view. A new one appears whole or not at all. In one that is ours links are replaced one by one
/// and what vanished is removed; while they change no call of its nvcc passes, for the plan comes last. A
/// directory that holds something else, and a file where a link is to lie, are refused before anything is
/// changed.
Result<void> write_view(const std::string& directory, const std::vector<ViewLink>& links,
                        const Bundle& bundle, const Files& files);

/// Makes the tree of links inside a bound directory, where every link is hostpin's: others are removed, files
/// and directories that are no links stay. Nothing is made on a file system without symbolic links. An error
/// where something else is in the way.
Result<void> write_tree(const std::string& tree, const std::vector<ViewLink>& links);

} // namespace hostpin
