// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::report {

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
  std::vector<Point> boxes;               ///< upper left corners, in the order of the graph's boxes
  std::vector<std::vector<Point>> routes; ///< of each edge: from border to border, by way of each layer
  int width = 0, height = 0;
};

/// Lays a graph out in layers: each box directly before the nearest it points to, and boxes without
/// successors in the last layer, so that common targets are in one line. Within a layer boxes are ordered by
/// the barycentres of their neighbours, and each layer is centred. Edges that would close a cycle are drawn
/// backwards. The same graph gives the same picture.
Layers layers(const LayerGraph& graph, Flow flow, const Spacing& spacing = {});

/// What a box or an arrow means by its colour; the text has the same meaning.
enum class Mood { plain, accent, good, bad, doubtful };

struct PictureBox {
  std::string role; ///< above the name, small; may be empty
  std::string name;
  std::string path; ///< below the name, as for a terminal; may be empty
  Mood mood = Mood::plain;
};

struct PictureArrow {
  std::size_t from = 0, to = 0;
  std::string label; ///< may be empty
  Mood mood = Mood::plain;
};

/// Boxes and arrows, with a text alternative.
struct Picture {
  std::string id;          ///< prefix of its ids in the page
  std::string title;       ///< what it shows
  std::string description; ///< the same as a sentence or a few
  std::vector<PictureBox> boxes;
  std::vector<PictureArrow> arrows;
  int box_width = 230; ///< rightwards; downwards, where there is less room, boxes are narrower
};

/// An inline <svg> with <title> and <desc>. Text that does not fit into a box is shortened in the middle; the
/// box's own <title> has the full text. `flow` is part of the ids, so that a page can contain both.
std::string svg(const Picture& picture, Flow flow);

} // namespace hostpin::report
