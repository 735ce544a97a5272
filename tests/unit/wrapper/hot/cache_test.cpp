// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/tree.hpp"
#include "wrapper/hot/cache.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <unistd.h>

#include <doctest/doctest.h>

using namespace hostpin::hot;
namespace fs = std::filesystem;

TEST_CASE("decisions that no cache takes go to a directory that nobody else can make or replace") {
  const hostpin::test::Tree tree;
  tree.write("run/file", "");
  tree.write("tmp/file", "");
  const std::string runtime = "XDG_RUNTIME_DIR=" + tree.path("run"), temporary = "TMPDIR=" + tree.path("tmp");
  const char* const environment[] = {runtime.c_str(), temporary.c_str(), nullptr};
  const std::string first = tree.path("run/hostpin");
  const std::string second = tree.path("tmp/hostpin-" + std::to_string(geteuid()));
  const auto mode = [](const std::string& path, unsigned bits) {
    fs::permissions(path, static_cast<fs::perms>(bits));
  };
  mode(tree.path("run"), 0700);
  mode(tree.path("tmp"), 01777);
  CHECK(temporary_cache(environment) == first);
  CHECK(!fs::exists(first));
  fs::create_directory(first);
  mode(first, 0755);
  CHECK(temporary_cache(environment) == second);
  mode(first, 0700);
  CHECK(temporary_cache(environment) == first);
  mode(tree.path("run"), 0777); // others may move it away
  CHECK(temporary_cache(environment) == second);
  fs::create_directory_symlink(first, second);
  CHECK(temporary_cache(environment).empty());
  fs::remove(second);
  mode(tree.path("tmp"), 0777);
  CHECK(temporary_cache(environment).empty());
}

TEST_CASE("a cache is not used below a directory in which others could exchange it") {
  const hostpin::test::Tree tree;
  const std::string cache = tree.path("above/cache");
  tree.write("above/cache/index/file", "");
  CHECK(unused_because(cache + "/index", cache).empty());
  fs::permissions(tree.path("above"), fs::perms(0777));
  CHECK(unused_because(cache + "/index", cache).find(tree.path("above") + ", above it,") !=
        std::string::npos);
  fs::remove_all(cache); // one that would be created there
  CHECK(!unused_because(cache + "/index", cache).empty());
}

TEST_CASE("whatever could change the answer changes the key") {
  const char* const plain[] = {"PATH=/usr/bin", "HOME=/h", nullptr};
  const char* const other_path[] = {"PATH=/opt/bin:/usr/bin", "HOME=/h", nullptr};
  const char* const with_cxx[] = {"PATH=/usr/bin", "HOME=/h", "CXX=g++-15", nullptr};
  const char* const shifted[] = {"PATH=/usr/bin", "HOME=/h", "HOSTPIN_TOOLKIT=g++-15", nullptr};
  std::set<std::string> keys;
  keys.insert(cache_key(plain, "/opt/hostpin", "", {}, ""));
  keys.insert(cache_key(other_path, "/opt/hostpin", "", {}, ""));
  keys.insert(cache_key(with_cxx, "/opt/hostpin", "", {}, ""));
  keys.insert(cache_key(shifted, "/opt/hostpin", "", {}, ""));
  keys.insert(cache_key(plain, "/usr/hostpin", "", {}, ""));
  keys.insert(cache_key(plain, "/opt/hostpin", "plan", {}, ""));
  keys.insert(cache_key(plain, "/opt/hostpin", "", {"g++-13", "-ccbin", false, false}, ""));
  keys.insert(cache_key(plain, "/opt/hostpin", "", {"g++-13", "NVCC_CCBIN", false, false}, ""));
  keys.insert(cache_key(plain, "/opt/hostpin", "", {"g++-13", "-ccbin", true, false}, ""));
  keys.insert(cache_key(plain, "/opt/hostpin", "", {}, "/somewhere"));
  keys.insert(cache_key(plain, "/opt/hostpin", "", {"", "", false, false, "/cuda/bin/nvcc"}, ""));
  CHECK(keys.size() == 11);
}

TEST_CASE("a variable that nothing depends on does not change the key") {
  const char* const plain[] = {"PATH=/usr/bin", nullptr};
  const char* const noisy[] = {"TERM=xterm", "PATH=/usr/bin", "MAKEFLAGS=-j2", "CPATH=/inc", nullptr};
  CHECK(cache_key(plain, "/p", "", {}, "") == cache_key(noisy, "/p", "", {}, ""));
}

TEST_CASE("what a wrapper of a compiler reads changes the key, in whatever order the environment has it") {
  const char* const one[] = {"PATH=/usr/bin", "SPACK_INCLUDE_DIRS=/one", "OMPI_CXX=g++", nullptr};
  const char* const same[] = {"OMPI_CXX=g++", "SPACK_INCLUDE_DIRS=/one", "PATH=/usr/bin", nullptr};
  const char* const two[] = {"PATH=/usr/bin", "SPACK_INCLUDE_DIRS=/two", "OMPI_CXX=g++", nullptr};
  const char* const none[] = {"PATH=/usr/bin", "OMPI_CXX=g++", nullptr};
  CHECK(cache_key(one, "/p", "", {}, "") == cache_key(same, "/p", "", {}, ""));
  CHECK(cache_key(one, "/p", "", {}, "") != cache_key(two, "/p", "", {}, ""));
  CHECK(cache_key(one, "/p", "", {}, "") != cache_key(none, "/p", "", {}, ""));
}
