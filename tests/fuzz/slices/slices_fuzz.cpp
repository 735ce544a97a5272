// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes as a dry run, as a stored slice and as a recorded call. Steps depend on earlier ones only, and fixed
// names stay fixed.
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/wrapper/slices/dry_runs.hpp"
#include "wrapper/slices/depfile.hpp"
#include "wrapper/slices/dry_run.hpp"
#include "wrapper/slices/listing.hpp"
#include "wrapper/slices/module_id.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin::slices;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string fixed = with_fixed_names(text, "00000000");
  if (with_fixed_names(fixed, "00000000") != fixed)
    std::abort();
  if (const auto run = read_dry_run(fixed, "/t"))
    for (std::size_t at = 0; at < run->steps.size(); ++at)
      for (const std::size_t before : run->steps[at].after)
        if (before >= at)
          std::abort();
  if (const auto slice = read_slice(text); slice && !read_slice(write_slice(*slice)))
    std::abort();
  if (const auto call = read_call(text)) {
    if (!read_call(write_call(*call)))
      std::abort();
    makefile({*call}, {});
    nix_expression({*call}, {});
  }
  if (const auto id = fixed_module_id(text, 6920, "0123456789abcdef"); id && fixed_module_id(*id, 6920, "0"))
    std::abort();
  Dependencies dependencies(true);
  dependencies.add(text);
  return 0;
}

std::vector<std::string> seeds() {
  return {dry_runs::compile_11_2,
          dry_runs::program_12_4,
          write_slice({"cicc", "compute_80", "a.cu", 1, "o", "e", {"x", "y"}}),
          write_call({"/w", "/n", "n", {"-c"}, {}, {{"cicc", "compute_80", "a.cu", "k", 1, true}}}),
          "# 1 \"a.h\" 1 3\n",
          "_199ef807_4_a_cu_63652c59_6920"};
}
