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

/// Boxes and arrows between them; cycles may be among them.
struct LayerGraph {
  struct Size {
    int width = 0, height = 0;
  };
  std::vector<Size> boxes;
  std::vector<std::pair<std::size_t, std::size_t>> edges; ///< from, to: indices of boxes
};

/// Which way arrows point.
enum class Flow { right, down };

struct Spacing {
  int between_layers = 60;
  int within_layer = 14;
};

/// Where everything goes, in the units of the sizes; nothing lies left of or above 0.
struct Layers {
  std::vector<Point> boxes;               ///< upper left corners, as the boxes came
  std::vector<std::vector<Point>> routes; ///< of each edge: from border to border, by way of each layer
  int width = 0, height = 0;
};

/// Lays a graph out in layers: each box right before the nearest it points to, those that point nowhere in
/// the last one, so that what all lead to stands in one line. Within a layer the order is that of the
/// barycentres of neighbours, improved in a fixed number of sweeps; boxes of one layer never overlap. Edges
/// that would close a cycle are drawn backwards. The same graph gives the same picture.
Layers layers(const LayerGraph& graph, Flow flow, const Spacing& spacing = {});

} // namespace hostpin
