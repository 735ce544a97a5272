// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/work.hpp"

#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

namespace {

using Lines = std::vector<std::string>;

ScannedFile named(const std::string& name) {
  ScannedFile file;
  file.path = name;
  return file;
}

} // namespace

TEST_CASE("files are visited in order, whichever is done first, and few wait") {
  Lines order;
  const ScanVisitor visit = [&](ScannedFile&& file) { order.push_back(file.path); };
  InOrder files(visit);
  CHECK(files.has_room(255));
  CHECK_FALSE(files.has_room(256));
  files.add(2, named("2"));
  files.add(1, named("1"));
  CHECK(order.empty());
  files.add(0, named("0"));
  CHECK(order == Lines{"0", "1", "2"});
  CHECK(files.has_room(258));
}

TEST_CASE("a file that is done during another's visit is visited after it, without blocking its thread") {
  Lines order;
  InOrder* all = nullptr;
  const ScanVisitor visit = [&](ScannedFile&& file) {
    if (file.path == "0") { // another thread, which would never end if it waited
      std::thread([&] { all->add(1, named("1")); }).join();
      CHECK(order.empty());
    }
    order.push_back(file.path);
  };
  InOrder files(visit);
  all = &files;
  files.add(0, named("0"));
  CHECK(order == Lines{"0", "1"});
}
