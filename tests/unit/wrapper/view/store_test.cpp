// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/scratch.hpp"
#include "wrapper/view/view.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::view;
namespace fs = std::filesystem;

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

TEST_CASE("a tree in a bound directory follows its links, and what is no link of hostpin's stays") {
  const auto scratch = ScratchDirectory::make(Environment());
  REQUIRE(scratch);
  const std::string tree = scratch->path() + "/cuda";
  const auto leads_to = [&](const char* name) { return fs::read_symlink(tree + '/' + name).string(); };
  REQUIRE(
      write_tree(tree, {{"bin/nvcc", "../../nvcc"}, {"bin/old", "/tk/bin/old"}, {"include", "/tk/include"}}));
  CHECK(leads_to("bin/nvcc") == "../../nvcc");
  std::ofstream(tree + "/bin/mine") << "mine";
  REQUIRE(write_tree(tree,
                     {{"bin/nvcc", "../../nvcc"}, {"include", "/other/include"}, {"lib64", "/other/lib64"}}));
  CHECK(leads_to("include") == "/other/include");
  CHECK(leads_to("lib64") == "/other/lib64");
  CHECK_FALSE(fs::is_symlink(tree + "/bin/old"));
  CHECK(fs::is_regular_file(tree + "/bin/mine"));
  const auto refused = write_tree(tree, {{"bin/mine", "/tk/bin/mine"}, {"nvvm", "/tk/nvvm"}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == tree + "/bin/mine is not hostpin's");
  CHECK_FALSE(fs::is_symlink(tree + "/nvvm"));
  CHECK(leads_to("bin/nvcc") == "../../nvcc");
}
