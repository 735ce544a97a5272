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

/// The list of its links that a view stores, `links` in its subdirectory: when the view is made again, only
/// the links in this list may be replaced or removed. Same links, same bytes.
std::string view_list(const std::vector<ViewLink>& links);
/// Nothing if it is not such a list, or one that would lead out of the view.
std::optional<std::vector<ViewLink>> read_view_list(std::string_view bytes);

/// The links that a view's directory stores; an error if it is not a view.
Result<std::vector<ViewLink>> links_of_view(const Files& files, const std::string& directory);

/// Writes a view. A new one appears whole or not at all. In an existing view links are replaced one by one
/// and obsolete ones removed; meanwhile every call of its nvcc is refused, because the plan is written last.
/// A directory with other content, and a file at the path of a link, are refused before anything is changed.
Result<void> write_view(const std::string& directory, const std::vector<ViewLink>& links,
                        const Bundle& bundle, const Files& files);

/// Makes the tree of links inside a bound directory, where every link is hostpin's: others are removed, files
/// and real directories stay. Nothing is made on a file system without symbolic links. An error if something
/// else is in the way.
Result<void> write_tree(const std::string& tree, const std::vector<ViewLink>& links);

} // namespace hostpin
