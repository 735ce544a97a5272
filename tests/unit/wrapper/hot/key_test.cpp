// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/key.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin::hot;

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
