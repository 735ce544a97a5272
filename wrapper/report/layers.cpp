// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/layers.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace hostpin {

namespace {

/// A box, or the point where a long edge passes through a layer. `along` is the direction of the flow.
struct Place {
  std::size_t layer = 0;
  int along = 0, across = 0; ///< sizes
  double at = 0;             ///< middle, across the flow
  std::vector<std::size_t> before, after;
};

struct Edge {
  std::size_t from, to;
  bool turned = false; ///< it would close a cycle, and is laid out reversed
};

/// Reverses one edge of each cycle, found by depth without recursion: chains of libraries can be long.
std::vector<Edge> without_cycles(const LayerGraph& graph) {
  std::vector<std::vector<std::size_t>> out(graph.boxes.size());
  std::vector<Edge> edges;
  for (const auto& [from, to] : graph.edges) {
    out[from].push_back(edges.size());
    edges.push_back({from, to, false});
  }
  enum class State { fresh, open, done };
  std::vector<State> states(graph.boxes.size(), State::fresh);
  for (std::size_t root = 0; root < graph.boxes.size(); ++root) {
    std::vector<std::pair<std::size_t, std::size_t>> path;
    if (states[root] == State::fresh)
      path.emplace_back(root, 0);
    while (!path.empty()) {
      auto& [node, next] = path.back();
      states[node] = State::open;
      if (next == out[node].size()) {
        states[node] = State::done;
        path.pop_back();
        continue;
      }
      Edge& edge = edges[out[node][next++]];
      if (states[edge.to] == State::open)
        edge.turned = true;
      else if (states[edge.to] == State::fresh)
        path.emplace_back(edge.to, 0);
    }
  }
  for (Edge& edge : edges)
    if (edge.turned)
      std::swap(edge.from, edge.to);
  return edges;
}

/// The longest path from each box to a box without successors.
std::vector<std::size_t> heights(std::size_t count, const std::vector<Edge>& edges) {
  std::vector<std::size_t> pending(count, 0), all(count, 0), ready;
  std::vector<std::vector<std::size_t>> in(count);
  for (const Edge& edge : edges)
    if (edge.from != edge.to) {
      ++pending[edge.from];
      in[edge.to].push_back(edge.from);
    }
  for (std::size_t i = 0; i < count; ++i)
    if (pending[i] == 0)
      ready.push_back(i);
  while (!ready.empty()) {
    const std::size_t node = ready.back();
    ready.pop_back();
    for (const std::size_t from : in[node]) {
      all[from] = std::max(all[from], all[node] + 1);
      if (--pending[from] == 0)
        ready.push_back(from);
    }
  }
  return all;
}

class Layout {
public:
  Layout(const LayerGraph& graph, Flow flow, const Spacing& spacing)
      : graph_(graph), flow_(flow), spacing_(spacing), edges_(without_cycles(graph)) {
    const std::vector<std::size_t> height = heights(graph.boxes.size(), edges_);
    const std::size_t top = height.empty() ? 0 : *std::max_element(height.begin(), height.end());
    rows_.resize(top + 1);
    for (std::size_t i = 0; i < graph.boxes.size(); ++i) {
      const auto [width, tall] = graph.boxes[i];
      add({top - height[i],
           flow == Flow::right ? width : tall,
           flow == Flow::right ? tall : width,
           0,
           {},
           {}});
    }
    for (const Edge& edge : edges_)
      ways_.push_back(connect(edge));
  }

  Layers run() {
    for (int sweep = 0; sweep < 8; ++sweep)
      order(sweep % 2 == 0);
    for (const auto& row : rows_)
      stack(row);
    for (int sweep = 0; sweep < 12; ++sweep)
      straighten(sweep % 2 == 0);
    return result();
  }

private:
  std::size_t add(Place place) {
    rows_[place.layer].push_back(places_.size());
    places_.push_back(std::move(place));
    return places_.size() - 1;
  }

  /// The points that an edge passes through, its ends included.
  std::vector<std::size_t> connect(const Edge& edge) {
    std::vector<std::size_t> way{edge.from};
    for (std::size_t layer = places_[edge.from].layer + 1; layer < places_[edge.to].layer; ++layer)
      way.push_back(add({layer, 0, spacing_.within_layer / 2, 0, {}, {}}));
    way.push_back(edge.to);
    for (std::size_t i = 0; i + 1 < way.size() && edge.from != edge.to; ++i) {
      places_[way[i]].after.push_back(way[i + 1]);
      places_[way[i + 1]].before.push_back(way[i]);
    }
    return way;
  }

  const std::vector<std::size_t>& neighbours(std::size_t place, bool forwards) const {
    return forwards ? places_[place].before : places_[place].after;
  }

  template <typename Value>
  std::optional<double> mean(const std::vector<std::size_t>& of, Value value) const {
    if (of.empty())
      return std::nullopt;
    const double sum = std::accumulate(of.begin(), of.end(), 0.0,
                                       [&](double before, std::size_t one) { return before + value(one); });
    return sum / static_cast<double>(of.size());
  }

  /// Sorts each layer by the positions of its neighbours in the layer before (or after).
  void order(bool forwards) {
    std::vector<double> rank(places_.size());
    const auto number = [&](const std::vector<std::size_t>& row) {
      for (std::size_t i = 0; i < row.size(); ++i)
        rank[row[i]] = static_cast<double>(i);
    };
    for (const auto& row : rows_)
      number(row);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      auto& row = rows_[forwards ? i : rows_.size() - 1 - i];
      std::vector<std::pair<double, std::size_t>> keyed;
      for (const std::size_t one : row)
        keyed.emplace_back(mean(neighbours(one, forwards), [&](std::size_t other) { return rank[other]; })
                               .value_or(rank[one]),
                           one);
      std::stable_sort(keyed.begin(), keyed.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      std::transform(keyed.begin(), keyed.end(), row.begin(), [](const auto& one) { return one.second; });
      number(row);
    }
  }

  double gap(std::size_t a, std::size_t b) const {
    return (places_[a].across + places_[b].across) / 2.0 + spacing_.within_layer;
  }

  void stack(const std::vector<std::size_t>& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      places_[row[i]].at =
          i == 0 ? places_[row[i]].across / 2.0 : places_[row[i - 1]].at + gap(row[i - 1], row[i]);
    const double middle = row.empty() ? 0 : (places_[row.front()].at + places_[row.back()].at) / 2;
    for (const std::size_t one : row)
      places_[one].at -= middle;
  }

  /// Moves each point towards its neighbours, as far as its layer has room: neighbours that want the same
  /// position become a block, and share the difference.
  void straighten(bool forwards) {
    for (std::size_t i = 0; i < rows_.size(); ++i)
      settle(rows_[forwards ? i : rows_.size() - 1 - i], forwards);
  }

  void settle(const std::vector<std::size_t>& row, bool forwards) {
    struct Block {
      double wish; ///< average wanted position of its first point
      std::size_t first, count;
      double length; ///< from its first point to its last
    };
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double wish = mean(neighbours(row[i], forwards), [&](std::size_t other) {
                            return places_[other].at;
                          }).value_or(places_[row[i]].at);
      blocks.push_back({wish, i, 1, 0});
      while (blocks.size() > 1) {
        const Block last = blocks.back();
        Block& before = blocks[blocks.size() - 2];
        const double offset = before.length + gap(row[last.first - 1], row[last.first]);
        if (before.wish + offset <= last.wish)
          break;
        const auto share = static_cast<double>(before.count), other = static_cast<double>(last.count);
        before.wish = (before.wish * share + (last.wish - offset) * other) / (share + other);
        before.count += last.count;
        before.length = offset + last.length;
        blocks.pop_back();
      }
    }
    for (const Block& block : blocks)
      for (std::size_t i = 0; i < block.count; ++i) {
        const std::size_t at = block.first + i;
        places_[row[at]].at = i == 0 ? block.wish : places_[row[at - 1]].at + gap(row[at - 1], row[at]);
      }
  }

  Point point(double along, double across) const {
    const int a = static_cast<int>(std::lround(along)), b = static_cast<int>(std::lround(across));
    return flow_ == Flow::right ? Point{a, b} : Point{b, a};
  }

  Layers result() const {
    double least = 0, most = 0;
    for (const Place& place : places_) {
      least = std::min(least, place.at - place.across / 2.0);
      most = std::max(most, place.at + place.across / 2.0);
    }
    std::vector<int> starts, depths;
    int along = 0;
    for (const auto& row : rows_) {
      int depth = 0;
      for (const std::size_t one : row)
        depth = std::max(depth, places_[one].along);
      starts.push_back(along);
      depths.push_back(depth);
      along += depth + spacing_.between_layers;
    }
    Layers all;
    for (std::size_t i = 0; i < graph_.boxes.size(); ++i) {
      const Place& place = places_[i];
      // Boxes of one layer are centred in it, whatever their depth.
      const int start = starts[place.layer] + (depths[place.layer] - place.along) / 2;
      all.boxes.push_back(point(start, place.at - place.across / 2.0 - least));
    }
    for (std::size_t i = 0; i < edges_.size(); ++i)
      all.routes.push_back(route(ways_[i], edges_[i].turned, starts, depths, least));
    const Point far = point(std::max(along - spacing_.between_layers, 0), most - least);
    all.width = far.x;
    all.height = far.y;
    return all;
  }

  std::vector<Point> route(const std::vector<std::size_t>& way, bool turned, const std::vector<int>& starts,
                           const std::vector<int>& depths, double least) const {
    std::vector<Point> points;
    for (std::size_t i = 0; i < way.size(); ++i) {
      const Place& place = places_[way[i]];
      const bool is_box = i == 0 || i + 1 == way.size();
      const int depth = is_box ? place.along : depths[place.layer];
      const int start = starts[place.layer] + (depths[place.layer] - depth) / 2;
      if (i > 0)
        points.push_back(point(start, place.at - least));
      if (i + 1 < way.size())
        points.push_back(point(start + depth, place.at - least));
    }
    if (turned)
      std::reverse(points.begin(), points.end());
    return points;
  }

  const LayerGraph& graph_;
  Flow flow_;
  Spacing spacing_;
  std::vector<Edge> edges_;
  std::vector<Place> places_; ///< those of the boxes first
  std::vector<std::vector<std::size_t>> rows_;
  std::vector<std::vector<std::size_t>> ways_; ///< of each edge
};

} // namespace

Layers layers(const LayerGraph& graph, Flow flow, const Spacing& spacing) {
  return Layout(graph, flow, spacing).run();
}

} // namespace hostpin
