// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/matrix/inputs.hpp"
#include "wrapper/matrix/plan.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hostpin::matrix {

/// What is asked of a cell, apart from files: its values, all of its project but where the source is, the
/// decision about its binding, and the variables of its environment. 64 hexadecimal digits.
std::string question_of(const PlannedCell& cell, const Project& project,
                        const std::vector<std::pair<std::string, std::string>>& variables);

/// The key of a cell: 64 hexadecimal digits of its question and what it read. `lists`: digests of its lists
/// of inputs, in any order.
std::string key_of(std::string_view question, std::vector<std::string> lists);

/// Inputs by where they are: those in the source tree, in the toolkit, and all others. Cells share most of
/// these lists, which are therefore files of their own.
std::vector<std::vector<Input>> grouped(const std::vector<Input>& inputs, const std::string& toolkit);

/// The names by which inputs refer to the source tree of a project, and to the repository around it.
inline constexpr const char* source_name = "$SOURCE";
inline constexpr const char* repository_name = "$REPOSITORY";

/// Where those are for a project whose source is there.
std::vector<Place> places_of(const std::string& source);

} // namespace hostpin::matrix
