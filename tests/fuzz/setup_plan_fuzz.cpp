// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan of a setup that was carried over. One that is read leads out of no directory, and is read again as
// the same plan.
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/wrapper/setup/plans.hpp"
#include "toolchains/redist/lock.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin;
using namespace hostpin::setup;

std::vector<std::string> seeds() {
  return {plan_json(sample_plan()), plan_json({}), "{}"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto plan = read_plan_json({reinterpret_cast<const char*>(data), size}, "setup.json");
  if (!plan)
    return 0;
  for (const Piece& piece : plan->pieces) {
    if (!redist::is_safe_path(piece.place))
      std::abort();
    for (const Package& each : piece.packages)
      if (!redist::is_path_below(each.file))
        std::abort();
  }
  const std::string text = plan_json(*plan);
  const auto again = read_plan_json(text, "setup.json");
  if (!again || plan_json(*again) != text)
    std::abort();
  return 0;
}
