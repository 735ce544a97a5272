// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/loader/loader_file.hpp"
#include "toolchains/loader/places.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::loader;
using namespace std::string_view_literals;

TEST_CASE("a loader's own file says what it answers") {
  const DiskFiles files;
  const HostProcesses processes;
  bool any = false;
  for (const auto& [loader, target] : {std::pair("/lib64/ld-linux-x86-64.so.2", "x86_64-linux-gnu"),
                                       std::pair("/lib/ld-linux-aarch64.so.1", "aarch64-linux-gnu")}) {
    const auto bytes = files.read(loader, std::size_t{16} << 20U);
    const auto asked = describe_loader(loader, target, processes);
    if (!bytes || !asked || asked->capabilities.empty()) // glibc before 2.33 does not answer
      continue;
    any = true;
    const LoaderFile read = loader_file(*bytes);
    std::vector<std::string> directories;
    for (const std::string& directory : asked->directories)
      directories.push_back(directory.substr(0, directory.find_last_not_of('/') + 1));
    CHECK(read.directories == directories);
    CHECK(read.cache == asked->cache);
    CHECK(read.library_name == asked->library_name);
  }
  if (!any)
    MESSAGE("skipped: this machine's loader does not answer");
}

TEST_CASE("what is no loader says nothing") {
  CHECK(loader_file("#!/bin/sh\n").directories.empty());
  CHECK(loader_file("x\0/usr/lib/\0/tmp/\0"sv).directories.empty());
  CHECK(loader_file("x\0/usr/lib/\0/etc/ld.so.cache"sv).directories.empty()); // cut
  const LoaderFile store = loader_file("x\0/s/glibc/lib/\0/s/glibc/etc/ld.so.cache\0/a b/\0/\0"sv);
  CHECK(store.directories == std::vector<std::string>{"/s/glibc/lib"});
  CHECK(store.cache == "/s/glibc/etc/ld.so.cache");
  CHECK(store.library_name == "lib");
}

TEST_CASE("what names more directories than any loader is none") {
  std::string bytes("x\0/etc/ld.so.cache\0"sv);
  const auto name = [&](int number) { bytes.append("/d").append(std::to_string(number)).append("/\0"sv); };
  for (int i = 0; i < 64; ++i)
    name(i);
  name(0); // is known
  CHECK(loader_file(bytes).directories.size() == 64);
  name(64);
  CHECK(loader_file(bytes).directories.empty());
  CHECK(loader_file(bytes).cache.empty());
}
