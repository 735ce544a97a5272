// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/scan/turns.hpp"

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("files are told in turn, whoever is done first, and few wait") {
  Lines order;
  const ScanVisitor visit = [&](ScannedFile&& file) { order.push_back(file.path); };
  Turns turns(visit);
  const auto named = [](const char* name) {
    ScannedFile file;
    file.path = name;
    return file;
  };
  CHECK(turns.has_room(255));
  CHECK_FALSE(turns.has_room(256));
  turns.tell(2, named("2"), 1);
  turns.tell(1, named("1"), 1);
  CHECK(order.empty());
  turns.tell(0, named("0"), 1);
  CHECK(order == Lines{"0", "1", "2"});
  CHECK(turns.has_room(258));
  CHECK(turns.next() == 3);
}

TEST_CASE("none is begun while those that wait take much memory") {
  constexpr std::uint64_t much = std::uint64_t{100} << 20U;
  const ScanVisitor visit = [](ScannedFile&&) {};
  Turns turns(visit);
  turns.tell(1, {}, much);
  CHECK_FALSE(turns.has_room(2));
  turns.tell(0, {}, 1);
  CHECK(turns.has_room(2));
}

TEST_CASE("who is done while another file is told does not wait, and is told behind it") {
  Lines order;
  Turns* all = nullptr;
  const auto named = [](const std::string& name) {
    ScannedFile file;
    file.path = name;
    return file;
  };
  const ScanVisitor visit = [&](ScannedFile&& file) {
    if (file.path == "0") { // a thread of its own, which would wait for ever if it waited
      std::thread([&] { all->tell(1, named("1"), 1); }).join();
      CHECK(order.empty());
    }
    order.push_back(file.path);
  };
  Turns turns(visit);
  all = &turns;
  turns.tell(0, named("0"), 1);
  CHECK(order == Lines{"0", "1"});
}
