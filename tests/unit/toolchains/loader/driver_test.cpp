// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/driver.hpp"

#include <doctest/doctest.h>

using namespace hostpin::loader;

TEST_CASE("libraries of the driver are known by their names") {
  for (const char* const name : {"libcuda.so.1", "libnvidia-ml.so.1", "libnvcuvid.so", "libGLX_nvidia.so.0"})
    CHECK(is_of_driver(name));
  for (const char* const name : {"libcudart.so.13", "libnvidiaX.so", "libcuda-mock.so", "x/libcuda.so.1"})
    CHECK_FALSE(is_of_driver(name));
}

TEST_CASE("what only the driver has does not make a closure incomplete") {
  Closure closure;
  CHECK(is_whole(closure));
  closure.missing = {{"libcuda.so.1", 0}};
  CHECK(is_whole(closure));
  closure.missing.push_back({"libx.so.1", 0});
  CHECK_FALSE(is_whole(closure));
}

TEST_CASE("compatibility libraries have no effect only if the driver comes before all of them") {
  const auto order = [](const std::vector<std::string>& directories) {
    const auto wrong = driver_before_compat(
        directories, [](const std::string& path) { return path == "/driver"; }, is_compat_directory);
    return wrong ? std::to_string(wrong->driver) + ' ' + std::to_string(wrong->compat) : "right";
  };
  CHECK(order({}) == "right");
  CHECK(order({"/driver"}) == "right");
  CHECK(order({"/x/compat", "/driver"}) == "right");
  CHECK(order({"/x/compat", "/driver", "/y/compat"}) == "right");
  CHECK(order({"/lib", "/driver", "/lib", "/s/cuda_compat-12.4/lib"}) == "1 3");
}

TEST_CASE("a run path leads from a file to a directory") {
  CHECK(run_path_to("/a/lib", "/a/lib/x.so") == "$ORIGIN");
  CHECK(run_path_to("/a/lib", "/a/bin/x") == "$ORIGIN/../lib");
}
