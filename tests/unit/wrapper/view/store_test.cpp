// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/view/store.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("a list of links is read as it was written, whatever is in its names") {
  const std::vector<ViewLink> links{{"bin/nvcc", "../hostpin/nvcc"}, {"a b\n'\"$", "/t/\xFF\n"}};
  CHECK(read_view_list(view_list(links)) == links);
  CHECK(read_view_list(view_list({})) == std::vector<ViewLink>{});
}

TEST_CASE("a list that is cut, damaged or leads out of the view is none") {
  const std::string whole = view_list({{"bin/x", "/t/x"}});
  for (std::size_t length = 0; length < whole.size(); ++length)
    if (length != view_list({}).size())
      CHECK_FALSE(read_view_list(std::string_view(whole).substr(0, length)));
  for (const char* const path : {"", "/etc/passwd", "../x", "a/../../x", "a/..", "..", "a//b", "./a", "a/"})
    CHECK_FALSE(read_view_list(view_list({{path, "/t"}})));
  CHECK_FALSE(read_view_list(view_list({{"x", ""}})));
  CHECK(read_view_list(view_list({{"..x/y..", "/t"}})));
}
