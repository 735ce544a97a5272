// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/devicecode/gpu_rows.hpp"
#include "toolchains/devicecode/keeping.hpp"
#include "toolchains/gpus/item.hpp"

#include <sstream>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::devicecode;
using binary::DeviceCode;
using binary::DeviceVariant;
using binary::EmbeddedCode;
using hostpin::test::gpu_rows;

namespace {

/// `sm_90a`, `compute_80`, `lto_75`, `other_80`, and bundles such as `sm_80|sm_90`.
EmbeddedCode entry_of(const std::string& text) {
  EmbeddedCode entry;
  if (text.find('|') != std::string::npos) {
    std::istringstream pieces(text);
    for (std::string piece; std::getline(pieces, piece, '|');)
      entry.bundled.push_back(entry_of(piece));
    return entry;
  }
  const auto underscore = text.find('_');
  const std::string kind = text.substr(0, underscore);
  entry.code = kind == "sm"        ? DeviceCode::cubin
               : kind == "compute" ? DeviceCode::ptx
               : kind == "lto"     ? DeviceCode::ltoir
                                   : DeviceCode::other;
  entry.architecture = static_cast<std::uint32_t>(std::stoul(text.substr(underscore + 1)));
  entry.variant = text.back() == 'a'   ? DeviceVariant::architecture_specific
                  : text.back() == 'f' ? DeviceVariant::family_specific
                                       : DeviceVariant::baseline;
  return entry;
}

std::vector<gpus::GpuTarget> targets_of(const std::string& list) {
  std::vector<gpus::GpuTarget> targets;
  for (const std::string_view item : gpus::items_of(list)) {
    const auto listed = gpus::listed_capability(item).value();
    targets.push_back({listed.capability, listed.cubin, listed.ptx});
  }
  return targets;
}

/// The entries that stay, then `; none for 8.0` and `, lost 9.0`.
std::string kept_of(const std::string& entries, const std::string& list, PtxPolicy ptx,
                    CodeReader reader = CodeReader::link) {
  std::vector<EmbeddedCode> codes;
  std::vector<std::string> names;
  std::istringstream words(entries);
  for (std::string word; words >> word; names.push_back(word))
    codes.push_back(entry_of(word));
  const Kept found = kept(codes, {gpu_rows(), targets_of(list), ptx}, reader);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (found.entries[i])
      text += (text.empty() ? "" : " ") + names[i];
  for (const gpus::Capability& gpu : found.unserved)
    text += "; none for " + to_string(gpu);
  for (const gpus::Capability& gpu : found.lost)
    text += "; lost " + to_string(gpu);
  return text;
}

} // namespace

TEST_CASE("what the driver loads stays for each GPU, and all of the same capability") {
  struct Row {
    std::string entries, list;
    PtxPolicy ptx;
    std::string stays;
  };
  const auto newest = PtxPolicy::newest, none = PtxPolicy::none, all = PtxPolicy::all,
             needed = PtxPolicy::needed;
  for (const Row& row : std::vector<Row>{
           {"sm_75 sm_80 sm_90", "8.0", newest, "sm_80"},
           {"sm_75 sm_80 sm_90", "8.0;9.0", newest, "sm_80 sm_90"},
           {"sm_80 sm_86", "8.9", newest, "sm_86"},
           {"sm_80 sm_86 sm_80", "8.0", newest, "sm_80 sm_80"},
           {"sm_90 sm_90a sm_100a", "9.0", newest, "sm_90 sm_90a"},
           {"sm_90 sm_90a", "9.0a", newest, "sm_90 sm_90a"},
           {"sm_100 sm_100f sm_103", "10.3", newest, "sm_103"},
           {"sm_100 sm_100f", "10.3", newest, "sm_100 sm_100f"},
           // PTX
           {"sm_80 compute_80 compute_90", "8.0", newest, "sm_80 compute_90"},
           {"sm_80 compute_80 compute_90", "8.0", all, "sm_80 compute_80 compute_90"},
           {"sm_80 compute_80 compute_90", "8.0", none, "sm_80"},
           {"sm_80 compute_80 compute_90", "8.0+ptx", none, "sm_80 compute_80"},
           {"sm_80 compute_80 compute_90", "8.6-virtual", newest, "compute_80 compute_90"},
           {"sm_90 compute_75 compute_90a", "9.0", newest, "sm_90 compute_75"},
           {"sm_70 compute_80 compute_90", "8.6", newest, "compute_80 compute_90"},
           {"sm_70 compute_80", "8.6", none, "; none for 8.6; lost 8.6"},
           {"sm_80 compute_80 compute_90", "8.0", needed, "sm_80"},
           {"sm_70 compute_80 compute_90", "8.6", needed, "compute_80"},
           // neither
           {"sm_70 sm_80", "9.0", newest, "; none for 9.0"},
           {"sm_80 compute_90", "7.0;8.0", newest, "sm_80 compute_90; none for 7.0"},
           {"", "8.0", newest, "; none for 8.0"},
           // for links, and unknown
           {"lto_75 lto_80 lto_90", "8.6", newest, "lto_80"},
           {"lto_90", "8.0", newest, "; none for 8.0"},
           {"sm_80 other_70", "8.0", newest, "sm_80 other_70"},
           // bundles, whole
           {"sm_75 sm_80|sm_90", "9.0", newest, "sm_80|sm_90"},
           {"sm_75|sm_80 sm_90", "9.0", newest, "sm_90"},
           {"sm_80|sm_90 compute_75|compute_80", "8.0;12.0", newest, "sm_80|sm_90 compute_75|compute_80"},
           {"sm_80|sm_90 compute_90", "7.0;8.0", newest, "sm_80|sm_90 compute_90; none for 7.0"},
       })
    CHECK_MESSAGE(kept_of(row.entries, row.list, row.ptx) == row.stays, row.entries, " for ", row.list);
}

TEST_CASE("LTO-IR serves a link, never the driver") {
  const auto driver = CodeReader::driver;
  CHECK(kept_of("lto_80", "8.0", PtxPolicy::newest) == "lto_80");
  CHECK(kept_of("lto_80", "8.0", PtxPolicy::newest, driver) == "; none for 8.0");
  CHECK(kept_of("sm_80 lto_80", "8.0;9.0", PtxPolicy::all, driver) == "sm_80; none for 9.0");
  CHECK(kept_of("lto_90 compute_80", "9.0", PtxPolicy::newest, driver) == "compute_80");
}
