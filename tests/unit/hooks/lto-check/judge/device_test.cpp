// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/judge/judge.hpp"
#include "tests/shipped_data.hpp"
#include "toolchains/base/files.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::lto;

namespace {

const StreamReleases& releases() {
  static const StreamReleases known =
      load_stream_releases(DiskFiles(), hostpin::test::shipped_data()).value();
  return known;
}

std::string verdict(std::uint32_t minor, const Version& nvlink, bool device_lto = true, bool slim = true,
                    const std::string& beside = "") {
  const Linker linker{"/cuda/bin/nvlink", LinkerFamily::nvlink, nvlink, {}, {}};
  const LinkContext context{linker, {false, false, false, device_lto}, "", releases()};
  const Bitstream stream{LtoFormat::cuda_ltoir, 1, minor, beside, slim, 80};
  return to_string(judge({"x.o", {}, {stream}, std::nullopt}, context).front().verdict);
}

} // namespace

TEST_CASE("nvlink takes its own toolkit's code and older code of its major") {
  struct Row {
    std::uint32_t container;
    Version nvlink;
    const char* verdict;
  };
  const Row rows[] = {
      {40, {11, 2, 0}, "ok"},
      {40, {11, 8, 0}, "ok"},
      {40, {12, 4, 0}, "mismatch"},
      {40, {13, 0, 0}, "mismatch"},
      {54, {11, 2, 0}, "silent-loss"},
      {54, {11, 8, 0}, "ok"},
      {61, {11, 8, 0}, "silent-loss"},
      {61, {12, 4, 0}, "ok"},
      {61, {12, 9, 0}, "ok"},
      {61, {13, 0, 0}, "risky"},
      {65, {12, 4, 0}, "mismatch"},
      {65, {13, 0, 0}, "ok"},
      {65, {13, 2, 0}, "ok"},
      {61, {12, 4, 131}, "ok"},
      // Between two known ones, and beyond them.
      {50, {11, 8, 0}, "ok"},
      {50, {12, 4, 0}, "mismatch"},
      {63, {12, 4, 0}, "mismatch"},
      {63, {13, 0, 0}, "risky"},
      {63, {12, 8, 0}, "ok"},
      {50, {11, 4, 0}, "risky"},
      {70, {13, 0, 0}, "mismatch"},
      {70, {13, 5, 0}, "ok"},
      {70, {14, 0, 0}, "ok"},
      {40, {14, 0, 0}, "mismatch"},
      // Written by several.
      {66, {13, 0, 0}, "mismatch"},
      {66, {13, 1, 0}, "ok"},
      {66, {13, 3, 0}, "ok"},
      {67, {13, 2, 0}, "mismatch"},
      {67, {13, 4, 0}, "ok"},
      {67, {14, 0, 0}, "risky"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.container);
    CAPTURE(to_string(row.nvlink));
    CHECK(verdict(row.container, row.nvlink) == row.verdict);
  }
}

TEST_CASE("without -dlto it takes other code in the same file, unless that is from a newer toolkit") {
  CHECK(verdict(61, {12, 4, 0}, false, true) == "mismatch");
  CHECK(verdict(54, {11, 8, 0}, false, true) == "silent-loss");
  CHECK(verdict(61, {12, 4, 0}, false, true, "PTX ISA 8.4") == "ok");
  CHECK(verdict(61, {12, 4, 0}, false, false) == "ok");
  CHECK(verdict(40, {13, 0, 0}, false, false) == "ok");
  CHECK(verdict(61, {11, 8, 0}, false, false) == "mismatch");
  CHECK(verdict(61, {11, 8, 0}, false, true, "PTX ISA 8.4") == "mismatch");
}
