// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/terminal.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("columns align by visible width, and no line ends in spaces") {
  const Terminal plain(false);
  const std::string text =
      columns({{{"a"}, {"bb"}, {"c"}}, {{"löng"}, {""}, {"d"}}, {{"x"}, {"y"}, {""}}}, plain);
  CHECK(text == "  a     bb  c\n"
                "  löng      d\n"
                "  x     y\n");
}

TEST_CASE("a table is not wider than the terminal, and one long cell moves no column") {
  const Terminal narrow(false, 40);
  const std::string text =
      columns({{{"a"}, {"short"}, {"why"}},
               {{"bb"}, {"a cell that is much longer than the others are"}, {"and its reason"}},
               {{"c"}, {"x"}, {"a last one that has to be wrapped"}},
               {{"d"}, {"/a/path/that/is/longer/than/the/terminal/is"}, {"end"}}},
              narrow, 0);
  CHECK(text == "a   short  why\n"
                "bb  a cell that is much longer than the\n"
                "    others are  and its reason\n"
                "c   x      a last one that has to be\n"
                "           wrapped\n"
                "d   /a/path/that/is/longer/than/the/terminal/is\n"
                "           end\n");
}

TEST_CASE("a command stays on one line") {
  CHECK(columns({{{"runs"}, {"nvcc -c a.cu -o a.o -O2", Tone::plain, true}, {"why"}}}, Terminal(false, 20),
                0) == "runs  nvcc -c a.cu -o a.o -O2\n        why\n");
}

TEST_CASE("colours wrap the text and not the padding") {
  const Terminal coloured(true);
  CHECK(columns({{{"ok", Tone::good}, {"z"}}, {{"long"}, {"z"}}}, coloured, 0) ==
        "\x1b[32mok\x1b[0m    z\nlong  z\n");
  CHECK(coloured.paint("", Tone::bad).empty());
}

TEST_CASE("a paragraph is wrapped between words, line by line, with a hanging indent") {
  const Terminal narrow(false, 20);
  CHECK(paragraph("hint: name the c++ next to it", narrow, 2, 4) == "  hint: name the c++\n    next to it\n");
  CHECK(paragraph("/a/path/that/is/longer/than/that it", narrow, 0, 2) ==
        "/a/path/that/is/longer/than/that\n  it\n");
  CHECK(paragraph("first\n\nsecond line, wrapped", narrow, 1, 1) == " first\n\n second line,\n wrapped\n");
  CHECK(paragraph("any length of words", endless, 0, 0) == "any length of words\n");
}
