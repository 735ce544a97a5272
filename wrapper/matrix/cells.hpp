// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/matrix/description.hpp"

#include <functional>
#include <string>
#include <vector>

namespace hostpin::matrix {

/// One combination of values.
struct Cell {
  std::string
      id; ///< the values in the order of the axes, as a file name and a job's name; unique in a matrix
  Coordinates at;

  const std::string& operator[](Axis axis) const { return at[static_cast<std::size_t>(axis)]; }
};

/// Which of the combinations are cells.
enum class Cover {
  all,
  pairs, ///< so few that each two values of two axes are together in one, if any combination has them
  edges, ///< where `decision` changes along an axis, and both ends of the axis
};

/// What is decided for a combination before anything runs, as text that is equal for equal decisions.
using Decision = std::function<std::string(const Coordinates&)>;

/// The cells in the order of the axes' values. The same description and decisions give the same cells.
std::vector<Cell> cells_of(const Description& description, Cover cover, const Decision& decision);

/// The identifier of a combination.
std::string id_of(const Coordinates& at);

} // namespace hostpin::matrix
