// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/comment/source.hpp"

#include <string>
#include <utility>

#include <doctest/doctest.h>

using namespace hostpin::matrix;

TEST_CASE("the place of an error is the first that its line names in the repository") {
  const std::pair<const char*, SourcePlace> lines[] = {
      {"$SOURCE/a.cu:41:2: error: x", {"src/a.cu", 41, 2}},
      {"$SOURCE/sub/a.cu(7): error: x", {"src/sub/a.cu", 7, 0}},
      {"$SOURCE/a.cu(7,3): error: x", {"src/a.cu", 7, 3}},
      {"In file included from $SOURCE/../common/b.h:3,", {"common/b.h", 3, 0}},
      {"$REPOSITORY/common/b.h:3:1: error: $SOURCE/a.cu:1:1", {"common/b.h", 3, 1}},
      {"CMake Error at sub/CMakeLists.txt:12 (add_library):", {"src/sub/CMakeLists.txt", 12, 0}},
  };
  for (const auto& [line, place] : lines) {
    CAPTURE(line);
    CHECK(place_in_line(line, "src") == place);
  }
  for (const char* const line :
       {"", "$WORK/build/a.cu:3: x", "$SOURCE/a.cu: In function f", "$SOURCE/../../etc/passwd:1:1: x",
        "$SOURCE//etc/passwd:1", "$SOURCE/a.cu:0:1", "$SOURCE/a.cu:99999999999999:1",
        "$SOURCE/a.cu:", "$SOURCE/:1"}) {
    CAPTURE(line);
    CHECK_FALSE(place_in_line(line, "src"));
  }
}

TEST_CASE("the changed lines are those nearest to the error") {
  const std::string printed = "diff --git a/a.cu b/a.cu\nindex 1..2 100644\n--- a/a.cu\n+++ b/a.cu\n"
                              "@@ -3 +3 @@ f()\n-old three\n+new three\n"
                              "@@ -10,0 +11,5 @@\n+one\n+two\n+three\n+four\n+five\n"
                              "@@ -20,2 +25,0 @@\n-gone\n-gone too\n\\ No newline at end of file\n";
  const auto near = [&](unsigned line) { return changed_lines(printed, "a.cu", line).value(); };
  CHECK(near(0) == ChangedLines{{"a.cu", 3, 0}, "", "", {"old three"}, {"new three"}});
  CHECK(near(14) == ChangedLines{{"a.cu", 14, 0}, "", "", {}, {"four", "five"}});
  CHECK(near(99) == ChangedLines{{"a.cu", 25, 0}, "", "", {"gone", "gone too"}, {}});
  CHECK_FALSE(changed_lines("", "a.cu", 1));
  CHECK_FALSE(changed_lines("Binary files a/x and b/x differ\n", "x", 1));
}

TEST_CASE("commits of a bisection are hexadecimal digits") {
  Bisected bisected;
  bisected.broken.push_back({"c", "abc", "def", true, {}});
  CHECK(read_broken(bisected_json(bisected), "x").value().at("c").bad == "def");
  bisected.broken.front().bad = "--output=x";
  CHECK(read_broken(bisected_json(bisected), "x").error().message == "x: --output=x is not a commit");
}
