// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/symlinks.hpp"

#include <map>

#include <doctest/doctest.h>

using hostpin::resolved;

TEST_CASE("symlinks are resolved component by component, and .. after them") {
  const std::map<std::string, std::string> tree{{"/a", ""},        {"/a/b", ""},
                                                {"/a/b/file", ""}, {"/link", "a/b"},
                                                {"/a/up", ".."},   {"/a/whole", "/link/file"},
                                                {"/loop", "loop"}, {"/lost", "none"}};
  const auto in_tree = [&](const std::string& path) {
    const auto found = tree.find(path);
    return found == tree.end() ? std::nullopt : std::optional(found->second);
  };
  const auto of = [&](const char* path) { return resolved(path, in_tree).value_or("nothing"); };
  CHECK(of("/a/b/file") == "/a/b/file");
  CHECK(of("//link/./file/") == "/a/b/file");
  CHECK(of("/link/../b") == "/a/b");
  CHECK(of("/a/up/up") == "nothing");
  CHECK(of("/a/up/link") == "/a/b");
  CHECK(of("/a/whole") == "/a/b/file");
  CHECK(of("/../..") == "/");
  CHECK(of("/loop") == "nothing");
  CHECK(of("/lost") == "nothing");
}
