// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/terminal.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("columns align by what is seen, and no line ends in spaces") {
  const Terminal plain(false);
  const std::string text =
      columns({{{"a"}, {"bb"}, {"c"}}, {{"löng"}, {""}, {"d"}}, {{"x"}, {"y"}, {""}}}, plain);
  CHECK(text == "  a     bb  c\n"
                "  löng      d\n"
                "  x     y\n");
}

TEST_CASE("colours wrap the text and not the padding") {
  const Terminal coloured(true);
  CHECK(columns({{{"ok", Tone::good}, {"z"}}, {{"long"}, {"z"}}}, coloured, 0) ==
        "\x1b[32mok\x1b[0m    z\nlong  z\n");
  CHECK(coloured.paint("", Tone::bad).empty());
}
