// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/fatbin/choice.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::fatbin;
using namespace hostpin::binary;

namespace {

template <typename Loaded>
auto shipped(const Loaded& loaded) {
  REQUIRE_MESSAGE(loaded, loaded.error().message);
  return *loaded;
}

const std::vector<gpus::Gpu>& gpu_rows() {
  static const auto rows = shipped(gpus::load_gpus(DiskFiles(), HOSTPIN_DATA));
  return rows;
}

std::optional<gpus::Driver> driver_of(const std::string& name) {
  static const auto rows = shipped(gpus::load_drivers(DiskFiles(), HOSTPIN_DATA));
  if (name == "-")
    return std::nullopt;
  return shipped(gpus::driver_named(rows, name));
}

/// `sm_90a`, `compute_90@8.0`, `sm_90+zstd`.
EmbeddedCode entry_of(std::string text) {
  EmbeddedCode entry;
  if (const auto plus = text.find('+'); plus != std::string::npos) {
    REQUIRE(text.substr(plus) == "+zstd");
    entry.packing = DevicePacking::zstd;
    text.resize(plus);
  }
  if (const auto at = text.find('@'); at != std::string::npos) {
    const Version version = *parse_version(text.substr(at + 1));
    entry.major = static_cast<std::uint32_t>(version.major);
    entry.minor = static_cast<std::uint32_t>(version.minor);
    text.resize(at);
  }
  const auto underscore = text.find('_');
  REQUIRE(underscore != std::string::npos);
  const std::string kind = text.substr(0, underscore);
  entry.code = kind == "sm" ? DeviceCode::cubin : kind == "lto" ? DeviceCode::ltoir : DeviceCode::ptx;
  entry.architecture = static_cast<std::uint32_t>(std::stoul(text.substr(underscore + 1)));
  entry.variant = text.ends_with('a')   ? DeviceVariant::architecture_specific
                  : text.ends_with('f') ? DeviceVariant::family_specific
                                        : DeviceVariant::baseline;
  return entry;
}

std::string chosen(std::istringstream words, const ChoiceTerms& terms) {
  std::vector<EmbeddedCode> entries;
  for (std::string word; words >> word;)
    entries.push_back(entry_of(word));
  const Choice result = choice(entries, terms);
  CHECK(result.fits.size() == entries.size());
  return result.entry ? std::to_string(*result.entry + 1) : "none";
}

} // namespace

TEST_CASE("the driver's choice is that of each launch in the table") {
  std::ifstream table(HOSTPIN_LAUNCHES);
  std::size_t rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#'))
      continue;
    CAPTURE(line);
    const auto colon = line.find(": "), arrow = line.find("=> ");
    REQUIRE(colon != std::string::npos);
    REQUIRE(arrow != std::string::npos);
    std::istringstream head(line.substr(0, colon));
    std::string source, gpu, driver;
    const bool is_row = static_cast<bool>(head >> source >> gpu >> driver);
    REQUIRE(is_row);
    const ChoiceTerms terms{gpu_rows(), *gpus::capability_named(gpu), driver_of(driver)};
    CHECK(chosen(std::istringstream(line.substr(colon + 2, arrow - colon - 2)), terms) ==
          line.substr(arrow + 3));
    ++rows;
  }
  CHECK(rows > 20);
}

TEST_CASE("each entry has the reason why it is not loaded") {
  const ChoiceTerms terms{gpu_rows(), {9, 0}, driver_of("12.3")};
  std::vector<EmbeddedCode> entries;
  for (const char* const text :
       {"sm_80", "compute_100", "compute_90@8.4", "sm_90+zstd", "lto_90", "compute_80"})
    entries.push_back(entry_of(text));
  const Choice result = choice(entries, terms);
  CHECK(result.fits == std::vector{Fit::other_gpu, Fit::other_gpu, Fit::newer_ptx, Fit::newer_pack,
                                   Fit::never, Fit::compiles});
  CHECK(result.entry == 5);
}
