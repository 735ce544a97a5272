// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
#include "tests/unit/toolchains/table/files_map.hpp"
#include "toolchains/gpus/drivers.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::gpus;

namespace {

std::string driver_refusal(const std::string& rows) {
  const FilesMap files({{"/d/drivers.toml", rows}});
  const auto drivers = load_drivers(files, "/d");
  return drivers ? std::string("read") : drivers.error().message;
}

std::string driver_row_of(const std::string& version, const std::string& cuda, const std::string& ptx,
                          const std::string& more = {}) {
  return "[[driver]]\nversion = \"" + version + "\"\ncuda = \"" + cuda + "\"\nptx = \"" + ptx +
         "\"\nsource = \"s\"\n" + more;
}

} // namespace

TEST_CASE("a driver is found by its version and by its CUDA release") {
  const auto drivers = load_drivers(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE_MESSAGE(drivers, drivers.error().message);
  for (const auto& [name, ptx] : std::vector<std::pair<const char*, Version>>{{"580.65.06", {9, 0, 0}},
                                                                              {"580.126.20", {9, 0, 0}},
                                                                              {"13.0", {9, 0, 0}},
                                                                              {"12.9", {8, 8, 0}},
                                                                              {"560.35.03", {8, 5, 0}},
                                                                              {"450.80.02", {7, 0, 0}},
                                                                              {"999", {9, 4, 0}},
                                                                              {"99.9", {9, 4, 0}}}) {
    CAPTURE(name);
    const auto found = driver_named(*drivers, name);
    REQUIRE_MESSAGE(found, found.error().message);
    CHECK(found->ptx == ptx);
  }
}

TEST_CASE("drivers decompress zstd since the one of CUDA 12.4, and read bundles since that of 13.4") {
  const auto drivers = load_drivers(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(drivers);
  CHECK_FALSE(driver_named(*drivers, "545.23.08")->zstd);
  CHECK(driver_named(*drivers, "550.54.14")->zstd);
  CHECK(driver_named(*drivers, "610.43.02")->zstd);
  CHECK_FALSE(driver_named(*drivers, "610.43.02")->bundles);
  CHECK(driver_named(*drivers, "13.5")->bundles);
}

TEST_CASE("a name that is no driver, and one that is too old, are refused") {
  const auto drivers = load_drivers(DiskFiles(), hostpin::test::shipped_data());
  REQUIRE(drivers);
  CHECK(driver_named(*drivers, "new").error().message == "\"new\" is not the version of an NVIDIA driver");
  CHECK(driver_named(*drivers, "").error().message == "\"\" is not the version of an NVIDIA driver");
  CHECK(driver_named(*drivers, "340.108").error().message ==
        "no NVIDIA driver as old as \"340.108\" is known");
  CHECK(driver_named(*drivers, "8.0").error().message == "no NVIDIA driver as old as \"8.0\" is known");
}

TEST_CASE("what is wrong with a row of drivers is reported at its position") {
  const std::string first = driver_row_of("525.60.13", "12.0", "8.0");
  CHECK(driver_refusal(first + driver_row_of("580.65.06", "13.0", "9.0", "zstd = true\n")) == "read");
  CHECK(driver_refusal(first + driver_row_of("520.61.05", "12.1", "8.1")).find("/d/drivers.toml:7:") !=
        std::string::npos);
  CHECK(driver_refusal(first + driver_row_of("580.65.06", "12.0", "9.0"))
            .find("rows ascend without duplicates") != std::string::npos);
  CHECK(driver_refusal(driver_row_of("525", "twelve", "8.0")).find("`twelve` is not a version") !=
        std::string::npos);
  CHECK(driver_refusal(driver_row_of("525", "12.0", "8.0", "lz4 = true\n")).find("lz4") != std::string::npos);
  CHECK(driver_refusal("[[driver]]\nversion = \"525\"\n").find("`cuda`") != std::string::npos);
}
