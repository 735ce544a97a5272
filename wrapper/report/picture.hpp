// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/report/layers.hpp"

#include <string>
#include <vector>

namespace hostpin {

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

} // namespace hostpin
