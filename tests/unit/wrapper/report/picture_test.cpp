// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/report/library_picture.hpp"
#include "wrapper/report/picture.hpp"

#include <algorithm>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace hostpin;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t sum = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++sum;
  return sum;
}

ReportLibraries two_libraries() {
  ReportLibraries all;
  all.judged = true;
  all.libraries = {{"/usr/lib/libstdc++.so.6.0.30", "GLIBCXX_3.4.30", true},
                   {"/old/libstdc++.so.6.0.28", "GLIBCXX_3.4.28", false}};
  return all;
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
