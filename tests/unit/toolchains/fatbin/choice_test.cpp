// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/shipped_data.hpp"
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
  static const auto rows = shipped(gpus::load_gpus(DiskFiles(), hostpin::test::shipped_data()));
  return rows;
}

std::optional<gpus::Driver> driver_of(const std::string& name) {
  static const auto rows = shipped(gpus::load_drivers(DiskFiles(), hostpin::test::shipped_data()));
  if (name == "-")
    return std::nullopt;
  return shipped(gpus::driver_named(rows, name));
}

bool has(const std::string& text, const char* option) {
  return text.find(option) != std::string::npos;
}

/// An entry as launches.txt names it.
EmbeddedCode entry_of(const std::string& text) {
  EmbeddedCode entry;
  const auto underscore = text.find('_');
  REQUIRE(underscore != std::string::npos);
  const std::string kind = text.substr(0, underscore), name = text.substr(0, text.find_first_of("@+"));
  entry.code = has(text, "+kind16") ? DeviceCode::other
               : kind == "sm"       ? DeviceCode::cubin
               : kind == "lto"      ? DeviceCode::ltoir
                                    : DeviceCode::ptx;
  entry.architecture = static_cast<std::uint32_t>(std::stoul(name.substr(underscore + 1)));
  entry.variant = name.ends_with('a')                           ? DeviceVariant::architecture_specific
                  : name.ends_with('f') || has(text, "+family") ? DeviceVariant::family_specific
                                                                : DeviceVariant::baseline;
  if (has(text, "+zstd"))
    entry.packing = DevicePacking::zstd;
  if (const auto at = text.find('@'); at != std::string::npos) {
    const Version version = *parse_version(text.substr(at + 1));
    entry.major = static_cast<std::uint32_t>(version.major);
    entry.minor = static_cast<std::uint32_t>(version.minor);
  }
  return entry;
}

/// The same, or a bundle: `sm_80|sm_90`.
EmbeddedCode bundle_of(const std::string& text) {
  if (!has(text, "|"))
    return entry_of(text);
  EmbeddedCode bundle;
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, '|');) {
    bundle.bundled.push_back(entry_of(name));
    bundle.bundled.back().packing = DevicePacking::bundle;
  }
  return bundle;
}

std::string chosen(const std::vector<std::string>& names, const ChoiceTerms& terms) {
  Entries entries;
  for (const std::string& name : names)
    entries.push_back(bundle_of(name));
  const Choice result = choice(entries, terms);
  CHECK(result.fits.size() == entries.size());
  return result.entry ? std::to_string(*result.entry + 1) : "none";
}

/// Of a device link of objects with the same entries. `entry` of each is the offset in the row.
std::string chosen_of_link(const std::vector<std::string>& names, const ChoiceTerms& terms) {
  Entries linked, object;
  for (std::size_t i = 0; i < names.size(); ++i) {
    EmbeddedCode entry = entry_of(names[i]);
    entry.at = i + 1;
    if (entry.code == DeviceCode::cubin && !has(names[i], "+unlinked"))
      linked.push_back(entry);
    if (!has(names[i], "+link"))
      object.push_back(entry);
  }
  const Choice whole = choice(linked, terms);
  const Entries& entries = whole.selected ? linked : object;
  const auto entry = whole.selected ? whole.entry : choice(object, terms).entry;
  return entry ? std::to_string(entries[*entry].at) : "none";
}

struct Row {
  std::string source, gpu, driver, variable, result;
  std::vector<std::string> entries;
};

Row row_of(const std::string& line) {
  Row row;
  const auto colon = line.find(": "), arrow = line.find("=> ");
  REQUIRE(colon != std::string::npos);
  REQUIRE(arrow != std::string::npos);
  std::istringstream head(line.substr(0, colon)), names(line.substr(colon + 2, arrow - colon - 2));
  const bool is_row = static_cast<bool>(head >> row.source >> row.gpu >> row.driver);
  REQUIRE(is_row);
  head >> row.variable;
  for (std::string name; names >> name;)
    row.entries.push_back(name);
  row.result = line.substr(arrow + 3);
  return row;
}

} // namespace

TEST_CASE("the driver's choice is that of each launch in the table") {
  std::ifstream table(hostpin::test::in_checkout("tests/unit/toolchains/fatbin/launches.txt"));
  std::size_t rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#'))
      continue;
    CAPTURE(line);
    const Row row = row_of(line);
    const Jit jit = row.variable == "CUDA_FORCE_PTX_JIT=1"     ? Jit::forced
                    : row.variable == "CUDA_DISABLE_PTX_JIT=1" ? Jit::disabled
                                                               : Jit::as_needed;
    const ChoiceTerms terms{gpu_rows(), *gpus::capability_named(row.gpu), driver_of(row.driver), jit};
    CHECK((row.source == "linked" ? chosen_of_link : chosen)(row.entries, terms) == row.result);
    ++rows;
  }
  CHECK(rows > 130);
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
  CHECK(result.selected == 3);
  CHECK_FALSE(result.entry);
}

TEST_CASE("of a bundle the driver of CUDA 13.4 loads what it would of its pieces, an older one nothing") {
  const auto with = [](const std::string& gpu, const char* driver) {
    return ChoiceTerms{gpu_rows(), *gpus::capability_named(gpu), driver_of(driver)};
  };
  const std::vector<std::string> entries{"sm_75", "sm_80|sm_86", "compute_75@9.0"};
  CHECK(chosen(entries, with("8.6", "13.4")) == "2");
  CHECK(chosen(entries, with("8.0", "-")) == "2");
  CHECK(chosen(entries, with("7.5", "13.4")) == "1");
  CHECK(chosen(entries, with("9.0", "13.4")) == "3");
  CHECK(chosen(entries, with("8.6", "13.3")) == "3");
  CHECK(chosen({"sm_80", "sm_80|sm_86"}, with("8.6", "13.4")) == "2");
  const Choice older =
      choice({bundle_of("sm_80|sm_90"), bundle_of("compute_80|lto_90")}, with("9.0", "13.3"));
  CHECK(older.fits == std::vector{Fit::newer_pack, Fit::newer_pack});
  CHECK_FALSE(older.selected);
}
