// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/picture.hpp"

#include "wrapper/report/html.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace hostpin::report {

namespace {

/// A box, or the point where a long edge passes through a layer. `along` and `across` are relative to the
/// flow.
struct Place {
  std::size_t layer = 0;
  int along = 0, across = 0; ///< sizes
  int start = 0, side = 0;   ///< position of the corner where the flow begins
  std::vector<std::size_t> before, after;
};

struct Edge {
  std::size_t from, to;
  bool turned = false; ///< it would close a cycle, and is laid out reversed
};

/// The longest path from each box to one without successors, after reversing one edge of each cycle. Found by
/// depth without recursion: chains of libraries can be long.
std::vector<std::size_t> heights(std::size_t count, std::vector<Edge>& edges) {
  enum class State { fresh, open, done };
  std::vector<State> states(count, State::fresh);
  std::vector<std::size_t> all(count, 0);
  std::vector<std::vector<std::size_t>> out(count);
  for (std::size_t i = 0; i < edges.size(); ++i)
    out[edges[i].from].push_back(i);
  for (std::size_t root = 0; root < count; ++root) {
    std::vector<std::pair<std::size_t, std::size_t>> path; // a box, and its next edge
    if (states[root] == State::fresh)
      path.emplace_back(root, 0);
    while (!path.empty()) {
      const auto [node, next] = path.back();
      states[node] = next == out[node].size() ? State::done : State::open;
      if (states[node] == State::done) {
        path.pop_back();
        for (const std::size_t edge : out[node])
          if (!edges[edge].turned)
            all[node] = std::max(all[node], all[edges[edge].to] + 1);
        continue;
      }
      ++path.back().second;
      Edge& edge = edges[out[node][next]];
      edge.turned = states[edge.to] == State::open;
      if (states[edge.to] == State::fresh)
        path.emplace_back(edge.to, 0);
    }
  }
  for (Edge& edge : edges)
    if (edge.turned)
      std::swap(edge.from, edge.to);
  return all;
}

class Layout {
public:
  Layout(const LayerGraph& graph, Flow flow, const Spacing& spacing)
      : boxes_(graph.boxes.size()), flow_(flow), spacing_(spacing) {
    for (const auto& [from, to] : graph.edges)
      edges_.push_back({from, to});
    const std::vector<std::size_t> height = heights(boxes_, edges_);
    const std::size_t top = height.empty() ? 0 : *std::max_element(height.begin(), height.end());
    rows_.resize(top + 1);
    for (std::size_t i = 0; i < boxes_; ++i) {
      const auto [width, tall] = graph.boxes[i];
      const bool right = flow == Flow::right;
      add({top - height[i], right ? width : tall, right ? tall : width, 0, 0, {}, {}});
    }
    for (const Edge& edge : edges_)
      ways_.push_back(connect(edge));
  }

  Layers run() {
    for (int sweep = 0; sweep < 8; ++sweep)
      order(sweep % 2 == 0);
    place();
    Layers all;
    for (std::size_t i = 0; i < boxes_; ++i)
      all.boxes.push_back(point(places_[i].start, places_[i].side));
    for (std::size_t i = 0; i < edges_.size(); ++i)
      all.routes.push_back(route(ways_[i], edges_[i].turned));
    const Point far = point(length_, width_);
    all.width = far.x;
    all.height = far.y;
    return all;
  }

private:
  std::size_t add(Place place) {
    rows_[place.layer].push_back(places_.size());
    places_.push_back(std::move(place));
    return places_.size() - 1;
  }

  /// The places that an edge passes through, its ends included.
  std::vector<std::size_t> connect(const Edge& edge) {
    std::vector<std::size_t> way{edge.from};
    for (std::size_t layer = places_[edge.from].layer + 1; layer < places_[edge.to].layer; ++layer)
      way.push_back(add({layer, 0, spacing_.within_layer / 2, 0, 0, {}, {}}));
    way.push_back(edge.to);
    for (std::size_t i = 0; i + 1 < way.size(); ++i) {
      places_[way[i]].after.push_back(way[i + 1]);
      places_[way[i + 1]].before.push_back(way[i]);
    }
    return way;
  }

  /// Sorts each layer by the mean rank of its neighbours in the layer before (or after).
  void order(bool forwards) {
    std::vector<double> rank(places_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      auto& row = rows_[forwards ? i : rows_.size() - 1 - i];
      for (std::size_t j = 0; j < row.size(); ++j) {
        const auto& near = forwards ? places_[row[j]].before : places_[row[j]].after;
        double sum = near.empty() ? static_cast<double>(j) : 0;
        for (const std::size_t other : near)
          sum += rank[other] / static_cast<double>(near.size());
        rank[row[j]] = sum;
      }
      std::stable_sort(row.begin(), row.end(),
                       [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
      for (std::size_t j = 0; j < row.size(); ++j)
        rank[row[j]] = static_cast<double>(j);
    }
  }

  /// One layer after another, each centred across the flow, and its boxes centred along it.
  void place() {
    std::vector<int> widths;
    for (const auto& row : rows_) {
      int depth = 0, width = 0;
      for (const std::size_t one : row)
        depth = std::max(depth, places_[one].along);
      for (const std::size_t one : row) {
        Place& place = places_[one];
        place.along = one < boxes_ ? place.along : depth; // a long edge crosses the whole layer
        place.start = length_ + (depth - place.along) / 2;
        place.side = width + (width > 0 ? spacing_.within_layer : 0);
        width = place.side + place.across;
      }
      widths.push_back(width);
      width_ = std::max(width_, width);
      length_ += depth + (widths.size() < rows_.size() ? spacing_.between_layers : 0);
    }
    for (Place& place : places_)
      place.side += (width_ - widths[place.layer]) / 2;
  }

  Point point(int along, int across) const {
    return flow_ == Flow::right ? Point{along, across} : Point{across, along};
  }

  std::vector<Point> route(const std::vector<std::size_t>& way, bool turned) const {
    std::vector<Point> points;
    for (std::size_t i = 0; i < way.size(); ++i) {
      const Place& place = places_[way[i]];
      const int middle = place.side + place.across / 2;
      if (i > 0)
        points.push_back(point(place.start, middle));
      if (i + 1 < way.size())
        points.push_back(point(place.start + place.along, middle));
    }
    if (turned)
      std::reverse(points.begin(), points.end());
    return points;
  }

  std::size_t boxes_;
  Flow flow_;
  Spacing spacing_;
  std::vector<Edge> edges_;
  std::vector<Place> places_; ///< those of the boxes first
  std::vector<std::vector<std::size_t>> rows_;
  std::vector<std::vector<std::size_t>> ways_; ///< of each edge
  int length_ = 0, width_ = 0;
};

// In the units of the picture, which are CSS pixels at its natural size.
constexpr int margin = 6;
constexpr int padding = 12;
// Widths of letters relative to the font size: fonts differ, so these are of wide ones.
constexpr double name_letter = 14 * 0.62, path_letter = 11.5 * 0.605, role_letter = 11 * 0.62;
constexpr double label_letter = role_letter;
constexpr int label_height = 14, label_outline = 2, label_descent = 3;

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

/// The area of a text, with the outline that hides the arrows under it.
struct Area {
  double left, top, right, bottom;
  bool overlaps(const Area& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// A point of the curve between two points, at that parameter.
Point between(const Point& a, const Point& b, Flow flow, double parameter) {
  const double along = parameter * (1.5 * (1 - parameter) + parameter * parameter);
  const double across = parameter * parameter * (3 - 2 * parameter);
  const auto at = [](int from, int to, double part) {
    return static_cast<int>(std::lround(from + (to - from) * part));
  };
  return flow == Flow::right ? Point{at(a.x, b.x, along), at(a.y, b.y, across)}
                             : Point{at(a.x, b.x, across), at(a.y, b.y, along)};
}

/// Labels of arrows: each next to its arrow, between two layers, in the middle if no earlier label is there.
class Labels {
public:
  Labels(Flow flow, int width) : flow_(flow), width_(width) {}

  std::string drawn(const std::string& label, const std::vector<Point>& route) {
    if (label.empty())
      return {};
    const double half = static_cast<double>(cells(readable(label))) * label_letter / 2 + label_outline;
    for (std::size_t i = 0; i + 1 < route.size(); i += 2) // the other pieces cross a layer
      for (const double parameter : {0.5, 0.35, 0.65, 0.2, 0.8})
        if (const Point at = middle(route[i], route[i + 1], parameter, half); is_free(area(at, half)))
          return placed(label, at, half);
    return placed(label, middle(route[0], route[1], 0.5, half), half);
  }

private:
  /// Of the text. It is moved inwards where a side of the picture would cut it.
  Point middle(const Point& a, const Point& b, double parameter, double half) const {
    Point at = between(a, b, flow_, parameter);
    if (flow_ == Flow::right)
      at.y -= label_height / 2 + label_outline; // above an arrow that is nearly a level line
    const int least = static_cast<int>(half) + 1;
    at.x = std::max(least, std::min(at.x, width_ - least));
    return at;
  }
  static Area area(const Point& at, double half) {
    return {at.x - half, at.y - label_height / 2.0, at.x + half, at.y + label_height / 2.0};
  }
  bool is_free(const Area& wanted) const {
    return std::none_of(taken_.begin(), taken_.end(),
                        [&](const Area& other) { return wanted.overlaps(other); });
  }
  std::string placed(const std::string& label, const Point& at, double half) {
    taken_.push_back(area(at, half));
    return fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\">{}</text>", at.x,
                       at.y + label_height / 2 - label_descent, html(label));
  }

  Flow flow_;
  int width_;
  std::vector<Area> taken_;
};

void move(Layers& placed) {
  for (Point& at : placed.boxes)
    at = {at.x + margin, at.y + margin};
  for (auto& route : placed.routes)
    for (Point& at : route)
      at = {at.x + margin, at.y + margin};
}

} // namespace

Layers layers(const LayerGraph& graph, Flow flow, const Spacing& spacing) {
  return Layout(graph, flow, spacing).run();
}

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
  Labels labels(flow, width);
  for (std::size_t i = 0; i < picture.arrows.size(); ++i)
    out += labels.drawn(picture.arrows[i].label, placed.routes[i]);
  return out + "</svg>\n";
}

} // namespace hostpin::report
