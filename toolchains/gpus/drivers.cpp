// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/drivers.hpp"

#include "toolchains/document/reader.hpp"
#include "toolchains/gpus/item.hpp"

#include <algorithm>
#include <utility>

namespace hostpin::gpus {

namespace {

constexpr const char* driver_members =
    "a row has `version`, `cuda`, `ptx`, `source`, and may have `zstd` and `bundles`";

Version version_of(document::Reader& row, std::string_view key) {
  row.require(key);
  const auto text = row.string(key);
  const auto version = text ? parse_version(*text) : std::nullopt;
  if (text && !version)
    row.refuse(key, document::quoted(*text) + " is not a version such as \"12.4\"");
  return version.value_or(Version{});
}

Driver driver_row(document::Reader& row, const std::vector<Driver>& before) {
  Driver driver{
      version_of(row, "version"), version_of(row, "cuda"), version_of(row, "ptx"), false, false, {}};
  driver.source = row.required("source");
  driver.zstd = row.boolean("zstd").value_or(false);
  driver.bundles = row.boolean("bundles").value_or(false);
  if (before.empty())
    return driver;
  const Driver& last = before.back();
  if (driver.version <= last.version || driver.cuda <= last.cuda || driver.ptx < last.ptx)
    row.refuse("version", "the row " + to_string(driver.version) + " does not come after " +
                              to_string(last.version) + ": rows ascend without duplicates");
  driver.zstd = driver.zstd || last.zstd;
  driver.bundles = driver.bundles || last.bundles;
  return driver;
}

/// Majors of drivers are three digits since long before CUDA.
constexpr int least_driver_major = 100;

} // namespace

Result<std::vector<Driver>> load_drivers(const Files& files, const std::string& directory) {
  std::vector<Driver> drivers;
  TRY(document::read_tables(files, directory + "/drivers.toml", "drivers.toml has [[driver]] rows only",
                            [&](document::Reader& document) {
                              document.require("driver");
                              document.rows("driver", driver_members, drivers,
                                            [&](document::Reader& row) { return driver_row(row, drivers); });
                            }));
  return drivers;
}

Result<Driver> driver_named(const std::vector<Driver>& drivers, std::string_view name) {
  std::string shown(1, '"');
  shown.append(visible(name, 60)).append(1, '"');
  const auto version = parse_version(name);
  if (!version)
    return failure(shown + " is not the version of an NVIDIA driver",
                   "name one as nvidia-smi prints it, such as 580.65.06, or its CUDA release, such as 13.0");
  const auto number = version->major < least_driver_major ? &Driver::cuda : &Driver::version;
  const auto after = std::find_if(drivers.begin(), drivers.end(),
                                  [&](const Driver& driver) { return driver.*number > *version; });
  if (after == drivers.begin())
    return failure("no NVIDIA driver as old as " + shown + " is known",
                   drivers.empty() ? "" : "the oldest known one is " + to_string(drivers.front().version));
  return *std::prev(after);
}

} // namespace hostpin::gpus
