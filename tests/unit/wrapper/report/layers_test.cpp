// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/layers.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

LayerGraph graph(std::size_t boxes, std::vector<std::pair<std::size_t, std::size_t>> edges) {
  LayerGraph all;
  for (std::size_t i = 0; i < boxes; ++i)
    all.boxes.push_back({100, 30 + static_cast<int>(i % 3) * 10});
  all.edges = std::move(edges);
  return all;
}

void check_sound(const LayerGraph& given, Flow flow) {
  const Layers placed = layers(given, flow);
  REQUIRE(placed.boxes.size() == given.boxes.size());
  REQUIRE(placed.routes.size() == given.edges.size());
  for (std::size_t i = 0; i < given.boxes.size(); ++i) {
    const Point& a = placed.boxes[i];
    CHECK(a.x >= 0);
    CHECK(a.y >= 0);
    CHECK(a.x + given.boxes[i].width <= placed.width + 1);
    CHECK(a.y + given.boxes[i].height <= placed.height + 1);
    for (std::size_t j = 0; j < i; ++j) {
      const Point& b = placed.boxes[j];
      const bool apart = a.x + given.boxes[i].width <= b.x || b.x + given.boxes[j].width <= a.x ||
                         a.y + given.boxes[i].height <= b.y || b.y + given.boxes[j].height <= a.y;
      CHECK(apart);
    }
  }
  for (const auto& route : placed.routes)
    CHECK(route.size() >= 2);
}

} // namespace

TEST_CASE("boxes that point at one another stand in the order of their arrows") {
  const Layers placed = layers(graph(4, {{0, 1}, {1, 3}, {2, 3}}), Flow::right);
  CHECK(placed.boxes[0].x < placed.boxes[1].x);
  CHECK(placed.boxes[1].x < placed.boxes[3].x);
  // directly before the box it points to, however long the other path is
  CHECK(placed.boxes[2].x == placed.boxes[1].x);
}

TEST_CASE("downwards is rightwards with its axes exchanged") {
  const LayerGraph square{{{50, 50}, {50, 50}, {50, 50}}, {{0, 2}, {1, 2}}};
  const Layers right = layers(square, Flow::right), down = layers(square, Flow::down);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(right.boxes[i] == Point{down.boxes[i].y, down.boxes[i].x});
  CHECK(right.width == down.height);
}

TEST_CASE("a long arrow passes by the boxes of the layers between") {
  const Layers placed = layers(graph(3, {{0, 1}, {1, 2}, {0, 2}}), Flow::right);
  const auto& route = placed.routes[2];
  REQUIRE(route.size() == 4);
  CHECK(route[1].x == placed.boxes[1].x);
  const bool beside = route[1].y < placed.boxes[1].y || route[1].y > placed.boxes[1].y + 40;
  CHECK(beside);
}

TEST_CASE("libraries that need each other are drawn all the same") {
  check_sound(graph(3, {{0, 1}, {1, 2}, {2, 0}}), Flow::right);
  check_sound(graph(2, {{0, 1}, {1, 0}}), Flow::down);
}

TEST_CASE("no picture is a picture") {
  const Layers placed = layers({}, Flow::right);
  CHECK(placed.boxes.empty());
  CHECK(placed.width == 0);
}

TEST_CASE("no boxes overlap in any graph, and the same graph gives the same picture") {
  std::mt19937 random(7); // NOLINT: the same graphs each time
  for (int round = 0; round < 60; ++round) {
    const std::size_t boxes = 1 + random() % 25;
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (std::size_t i = random() % (boxes * 2); i > 0; --i) {
      const std::size_t from = random() % boxes, to = random() % boxes;
      if (from != to)
        edges.emplace_back(from, to);
    }
    const LayerGraph given = graph(boxes, edges);
    check_sound(given, round % 2 == 0 ? Flow::right : Flow::down);
    CHECK(layers(given, Flow::right).boxes == layers(given, Flow::right).boxes);
  }
}
