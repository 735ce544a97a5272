// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/packed/budget.hpp"

#include <atomic>
#include <mutex>
#include <thread>

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("a budget ends at its ratio, its bytes and its members") {
  ScanLimits limits;
  limits.ratio = 10;
  limits.ratio_from = 1000;
  limits.unpacked = 5000;
  limits.members = 2;
  Budget small(limits, 20);
  CHECK(small.spend(1000));
  CHECK_FALSE(small.spend(1));
  CHECK(small.reason().find("10 times its size") != std::string::npos);
  Budget middle(limits, 200);
  CHECK(middle.spend(2000));
  CHECK_FALSE(middle.spend(1));
  Budget large(limits, ~0ULL);
  CHECK(large.spend(5000));
  CHECK_FALSE(large.spend(1));
  CHECK(large.reason().find("5000 bytes") != std::string::npos);
  Budget many(limits, 1);
  CHECK(many.spend_member());
  CHECK(many.spend_member());
  CHECK_FALSE(many.is_spent());
  CHECK_FALSE(many.spend_member());
  CHECK(many.is_spent());
}

TEST_CASE("a budget ends where there is too much to report") {
  ScanLimits limits;
  limits.entries = 3;
  Budget budget(limits, 1);
  ScannedFile file;
  file.found.resize(2);
  ScannedPart& part = file.parts.emplace_back();
  budget.count_entries(file);
  CHECK_FALSE(budget.is_spent());
  part.elf.emplace();
  file.unseen.resize(1);
  budget.count_entries(file);
  CHECK(budget.is_spent());
  CHECK(budget.reason(2) == "there is more to report of it than 3 entries; what follows its first 2 members "
                            "was not looked at");
  Budget names(limits, 1);
  ScannedFile library;
  library.parts.emplace_back().elf.emplace().image.emplace().needed.resize(3);
  names.count_entries(library);
  CHECK(names.is_spent());
}

TEST_CASE("windows that are nested share what is allowed, and one file at a time has large ones") {
  ScanLimits limits;
  limits.windows = 100;
  limits.small_windows = 10;
  std::mutex large_windows;
  std::atomic<bool> released = false;
  std::thread other;
  {
    Budget budget(limits, 1, &large_windows), small(limits, 1, &large_windows);
    CHECK(budget.reserve_window(64));
    CHECK_FALSE(budget.reserve_window(37));
    CHECK_FALSE(budget.reserve_window(~0ULL));
    CHECK(budget.reserve_window(36));
    budget.release_window(36);
    CHECK(budget.reserve_window(30));
    CHECK(small.reserve_window(10));
    other = std::thread([&] {
      Budget waiting(limits, 1, &large_windows);
      CHECK(waiting.reserve_window(11));
      CHECK(released.load());
    });
    released = true;
  }
  other.join();
  CHECK(Budget(limits, 1).reserve_window(100));
}
