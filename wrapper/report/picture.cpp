// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/picture.hpp"

#include "wrapper/report/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace hostpin {

namespace {

// In the units of the picture, which are CSS pixels at its natural size.
constexpr int margin = 6;
constexpr int padding = 12;
// Widths of letters relative to the font size: fonts differ, so these are of wide ones.
constexpr double name_letter = 14 * 0.62, path_letter = 11.5 * 0.605, role_letter = 11 * 0.62;

struct Line {
  const char* style;
  const std::string& text;
  double letter;
  int height;
};

std::vector<Line> lines(const PictureBox& box) {
  std::vector<Line> all;
  for (const Line& line : {Line{"role", box.role, role_letter, 17}, Line{"name", box.name, name_letter, 20},
                           Line{"path", box.path, path_letter, 17}})
    if (!line.text.empty())
      all.push_back(line);
  return all;
}

int height(const PictureBox& box) {
  int sum = 2 * padding - 6;
  for (const Line& line : lines(box))
    sum += line.height;
  return sum;
}

const char* style(Mood mood) {
  constexpr const char* styles[] = {"plain", "accent", "good", "bad", "doubtful"};
  return styles[static_cast<std::size_t>(mood)];
}

std::string text_of(const PictureBox& box) {
  std::string text;
  for (const std::string* const part : {&box.role, &box.name, &box.path})
    if (!part->empty()) {
      if (!text.empty())
        text += "\n";
      text += html(*part);
    }
  return text;
}

std::string drawn(const PictureBox& box, const Point& at, int width) {
  std::string out =
      fmt::format("<g class=\"box {}\"><title>{}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" "
                  "rx=\"8\"/>",
                  style(box.mood), text_of(box), at.x, at.y, width, height(box));
  int y = at.y + padding - 3;
  for (const Line& line : lines(box)) {
    y += line.height;
    const auto room = static_cast<std::size_t>((width - 2 * padding) / line.letter);
    out += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>", line.style, at.x + padding, y - 5,
                       html(shortened(readable(line.text), room)));
  }
  return out + "</g>\n";
}

/// A smooth curve from point to point: it leaves and enters in the direction of the flow.
std::string curve(const std::vector<Point>& route, Flow flow) {
  std::string path = fmt::format("M{} {}", route.front().x, route.front().y);
  for (std::size_t i = 1; i < route.size(); ++i) {
    const Point &a = route[i - 1], &b = route[i];
    const int x = (a.x + b.x) / 2, y = (a.y + b.y) / 2;
    path += flow == Flow::right ? fmt::format("C{} {} {} {} {} {}", x, a.y, x, b.y, b.x, b.y)
                                : fmt::format("C{} {} {} {} {} {}", a.x, y, b.x, y, b.x, b.y);
  }
  return path;
}

/// In the middle of the first piece that is between two layers.
std::string drawn_label(const PictureArrow& arrow, const std::vector<Point>& route) {
  if (arrow.label.empty())
    return {};
  const Point &a = route[0], &b = route[1];
  return fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\">{}</text>", (a.x + b.x) / 2,
                     (a.y + b.y) / 2 - 5, html(arrow.label));
}

void move(Layers& placed) {
  for (Point& at : placed.boxes)
    at = {at.x + margin, at.y + margin};
  for (auto& route : placed.routes)
    for (Point& at : route)
      at = {at.x + margin, at.y + margin};
}

} // namespace

std::string svg(const Picture& picture, Flow flow) {
  const int box_width = flow == Flow::right ? picture.box_width : picture.box_width - 40;
  LayerGraph graph;
  for (const PictureBox& box : picture.boxes)
    graph.boxes.push_back({box_width, height(box)});
  const bool labelled = std::any_of(picture.arrows.begin(), picture.arrows.end(),
                                    [](const PictureArrow& arrow) { return !arrow.label.empty(); });
  for (const PictureArrow& arrow : picture.arrows)
    graph.edges.emplace_back(arrow.from, arrow.to);
  Layers placed = layers(graph, flow, {flow == Flow::down ? 44 : labelled ? 84 : 72, 16});
  move(placed);
  const int width = placed.width + 2 * margin, tall = placed.height + 2 * margin;
  const std::string id = picture.id + (flow == Flow::right ? "-right" : "-down");
  std::string out =
      fmt::format("<svg class=\"picture\" role=\"img\" aria-labelledby=\"{0}-title {0}-text\" viewBox=\"0 0 "
                  "{1} {2}\" width=\"{1}\" "
                  "height=\"{2}\"><title id=\"{0}-title\">{3}</title><desc id=\"{0}-text\">{4}</desc>\n",
                  id, width, tall, html(picture.title), html(picture.description));
  for (const Mood mood : {Mood::plain, Mood::accent, Mood::good, Mood::bad, Mood::doubtful})
    out += fmt::format("<marker id=\"{0}-{1}\" class=\"tip {1}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
                       "markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
                       "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker>",
                       id, style(mood));
  out += '\n';
  for (std::size_t i = 0; i < picture.arrows.size(); ++i)
    out += fmt::format("<path class=\"arrow {1}\" marker-end=\"url(#{0}-{1})\" d=\"{2}\"/>\n", id,
                       style(picture.arrows[i].mood), curve(placed.routes[i], flow));
  for (std::size_t i = 0; i < picture.boxes.size(); ++i)
    out += drawn(picture.boxes[i], placed.boxes[i], box_width);
  for (std::size_t i = 0; i < picture.arrows.size(); ++i)
    out += drawn_label(picture.arrows[i], placed.routes[i]);
  return out + "</svg>\n";
}

} // namespace hostpin
