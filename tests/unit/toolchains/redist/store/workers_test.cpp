// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/no_threads.hpp"
#include "toolchains/redist/store/workers.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::redist;

namespace {

/// The sum of what three tasks add after they ended.
int sum_of_three() {
  int sum = 0;
  Workers workers(2);
  for (int number = 1; number <= 3; ++number)
    workers.add([&sum, number]() -> Workers::Then { return [&sum, number] { sum += number; }; });
  while (workers.active() > 0) {
    workers.wait(std::chrono::milliseconds(100));
    workers.take_results();
  }
  return sum;
}

} // namespace

TEST_CASE("what follows from each task is done once") {
  CHECK(sum_of_three() == 6);
}

TEST_CASE("tasks are done also where no thread can be made") {
  const test::NoThreads none;
  CHECK(sum_of_three() == 6);
}
