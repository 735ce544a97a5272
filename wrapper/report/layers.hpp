// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace hostpin {

struct Point {
  int x = 0, y = 0;
  bool operator==(const Point&) const = default;
};

/// Boxes and arrows between them; cycles are allowed.
struct LayerGraph {
  struct Size {
    int width = 0, height = 0;
  };
  std::vector<Size> boxes;
  std::vector<std::pair<std::size_t, std::size_t>> edges; ///< from, to: indices of boxes
};

/// The direction of the arrows.
enum class Flow { right, down };

struct Spacing {
  int between_layers = 60;
  int within_layer = 14;
};

/// All positions, in the units of the sizes; nothing is left of or above 0.
struct Layers {
  std::vector<Point> boxes;               ///< upper left corners, as the boxes came
  std::vector<std::vector<Point>> routes; ///< of each edge: from border to border, by way of each layer
  int width = 0, height = 0;
};

/// Lays a graph out in layers: each box directly before the nearest it points to, and boxes without
/// successors in the last layer, so that common targets are in one line. Within a layer boxes are ordered by
/// the barycentres of their neighbours, improved in a fixed number of sweeps; boxes of one layer never
/// overlap. Edges that would close a cycle are drawn backwards. The same graph gives the same picture.
Layers layers(const LayerGraph& graph, Flow flow, const Spacing& spacing = {});

} // namespace hostpin
