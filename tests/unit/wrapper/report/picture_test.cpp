// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/picture.hpp"
#include "wrapper/report/sections.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <regex>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace hostpin;
using namespace hostpin::report;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t sum = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++sum;
  return sum;
}

struct Label {
  int x, y;
  std::string text;
};

std::vector<Label> labels(const std::string& drawn) {
  static const std::regex pattern("<text class=\"label\" x=\"(-?[0-9]+)\" y=\"(-?[0-9]+)\">([^<]*)<");
  std::vector<Label> all;
  for (std::sregex_iterator one(drawn.begin(), drawn.end(), pattern), end; one != end; ++one)
    all.push_back({std::stoi((*one)[1]), std::stoi((*one)[2]), (*one)[3]});
  return all;
}

ReportLibraries two_libraries() {
  ReportLibraries all;
  all.judged = true;
  all.libraries = {{"/usr/lib/libstdc++.so.6.0.30", "GLIBCXX_3.4.30", true},
                   {"/old/libstdc++.so.6.0.28", "GLIBCXX_3.4.28", false}};
  return all;
}

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

TEST_CASE("a picture has a title, a description, and every box in words") {
  const Picture picture{
      "p", "What <it> is", "All of it", {{"role", "name", "/a/path"}, {"", "b", ""}}, {{0, 1, "to", {}}}};
  const std::string drawn = svg(picture, Flow::right);
  CHECK(drawn.find("<title id=\"p-right-title\">What &lt;it&gt; is</title>") != std::string::npos);
  CHECK(drawn.find("<desc id=\"p-right-text\">All of it</desc>") != std::string::npos);
  CHECK(drawn.find("<title>role\nname\n/a/path</title>") != std::string::npos);
  CHECK(count(drawn, "<rect ") == 2);
  CHECK(count(drawn, "class=\"arrow ") == 1);
  CHECK(drawn.find("style=") == std::string::npos); // the page's own policy would block it
}

TEST_CASE("labels of arrows from one box do not overlap, and are not cut at the sides") {
  // the decision: a long arrow passes next to a box
  const Picture picture{
      "p",
      "",
      "",
      {{"", "toolkit", ""}, {"", "host", ""}, {"", "stdenv", ""}, {"", "link", ""}},
      {{0, 1, "host half", {}}, {0, 3, "device code", {}}, {1, 3, "objects", {}}, {2, 3, "objects", {}}}};
  for (const Flow flow : {Flow::right, Flow::down}) {
    const std::string drawn = svg(picture, flow);
    const std::vector<Label> all = labels(drawn);
    REQUIRE(all.size() == 4);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int half = static_cast<int>(all[i].text.size()) * 7 / 2;
      CHECK(all[i].x >= half);
      for (std::size_t j = 0; j < i; ++j) {
        const int other = static_cast<int>(all[j].text.size()) * 7 / 2;
        CHECK_MESSAGE((std::abs(all[i].x - all[j].x) >= half + other || std::abs(all[i].y - all[j].y) >= 11),
                      all[i].text, " and ", all[j].text);
      }
    }
  }
}

TEST_CASE("files that lead to a library in one way share a box") {
  ReportLibraries all = two_libraries();
  for (int i = 0; i < 50; ++i) {
    const std::string path = fmt::format("/prefix/lib{}.so", i);
    all.files.push_back({path, {{path}}, 0, {}});
  }
  all.files.push_back({"/prefix/bad.so", {{"/prefix/bad.so"}}, 1, {}});
  const LibraryPicture drawn = library_picture(all);
  CHECK(drawn.left_out == 0);
  CHECK(drawn.picture.boxes.size() == 4);
  CHECK(drawn.picture.arrows.size() == 2);
  // problems come first, and not by colour alone
  CHECK(drawn.picture.boxes[0].name == "bad.so");
  CHECK(drawn.picture.boxes[0].mood == Mood::bad);
  CHECK(drawn.picture.boxes[1].role == "✕ another one");
}

TEST_CASE("a library of the tree that others go by is one box") {
  ReportLibraries all = two_libraries();
  all.files = {{"/p/app", {{"/p/app", "/p/liba.so"}}, 0, {}},
               {"/p/tool", {{"/p/tool", "/p/liba.so"}}, 0, {}},
               {"/p/liba.so", {{"/p/liba.so"}}, 0, {}}};
  const LibraryPicture drawn = library_picture(all);
  CHECK(drawn.picture.boxes.size() == 3); // two programs together, the library, libstdc++
  CHECK(drawn.picture.arrows.size() == 2);
}

TEST_CASE("a wall of boxes is cut, what is wrong last") {
  ReportLibraries all = two_libraries();
  for (int i = 0; i < 100; ++i) {
    const std::string path = fmt::format("/p/app{}", i), by = fmt::format("/p/lib{}.so", i);
    all.files.push_back({path, {{path, by}}, i == 99 ? std::size_t{1} : 0, {}});
  }
  const LibraryPicture drawn = library_picture(all);
  CHECK(drawn.left_out == 100 - 24);
  CHECK(std::any_of(drawn.picture.boxes.begin(), drawn.picture.boxes.end(),
                    [](const PictureBox& box) { return box.name == "app99"; }));
}

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
