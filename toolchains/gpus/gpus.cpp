// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/gpus.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <utility>

namespace hostpin::gpus {

namespace {

constexpr const char* members =
    "a row has `capability`, `architecture`, `first`, `source`, and may have "
    "`last`, `retired-after`, `jetson`, "
    "`architecture-specific`, `family-specific`, `family`, `successor`, `kokkos`, `torch`";

std::optional<Version> release(document::Reader& row, std::string_view key) {
  const auto text = row.string(key);
  if (!text)
    return std::nullopt;
  const auto version = parse_version(*text);
  if (!version || version->patch != 0 || text->find('.') == std::string::npos) {
    row.refuse(key, document::quoted(*text) + " is not a CUDA release such as \"12.4\"");
    return std::nullopt;
  }
  return version;
}

std::optional<Capability> plain_capability(document::Reader& row, std::string_view key) {
  const auto text = row.string(key);
  if (!text)
    return std::nullopt;
  const auto capability = capability_named(*text);
  if (!capability || capability->variant != Capability::Variant::baseline) {
    row.refuse(key, document::quoted(*text) + " is not a compute capability such as \"8.6\"");
    return std::nullopt;
  }
  return capability;
}

Gpu gpu_row(document::Reader& row, const std::vector<Gpu>& before) {
  for (const char* const key : {"capability", "architecture", "first", "source"})
    row.require(key);
  Gpu gpu;
  gpu.capability = plain_capability(row, "capability").value_or(Capability{});
  if (!before.empty() && gpu.capability <= before.back().capability)
    row.refuse("capability", "the row " + to_string(gpu.capability) + " does not come after " +
                                 to_string(before.back().capability) + ": rows ascend without duplicates");
  gpu.architecture = row.string("architecture").value_or("");
  gpu.first = release(row, "first").value_or(Version{});
  gpu.last = release(row, "last");
  if (gpu.last && *gpu.last < gpu.first)
    row.refuse("last", "`last` is before `first`");
  gpu.architecture_specific = release(row, "architecture-specific");
  gpu.family_specific = release(row, "family-specific");
  gpu.family = plain_capability(row, "family");
  if (gpu.family_specific.has_value() != gpu.family.has_value() ||
      (gpu.family && *gpu.family != gpu.capability && !find_gpu(before, *gpu.family)))
    row.refuse("family", "`family` names this row or one before it, where there is `family-specific`");
  gpu.retired_after = release(row, "retired-after");
  gpu.jetson = row.boolean("jetson").value_or(false);
  gpu.kokkos = row.boolean("kokkos").value_or(false);
  gpu.torch = row.boolean("torch").value_or(true);
  gpu.successor = plain_capability(row, "successor");
  if (gpu.successor && !gpu.last)
    row.refuse("successor", "`successor` is for a row that has a `last` release");
  gpu.source = row.string("source").value_or("");
  return gpu;
}

} // namespace

std::optional<Version> Gpu::first_with(Capability::Variant variant) const {
  if (variant == Capability::Variant::baseline)
    return first;
  return variant == Capability::Variant::architecture_specific ? architecture_specific : family_specific;
}

bool Gpu::is_supported_by(const Version& toolkit, Capability::Variant variant) const {
  const Version release{toolkit.major, toolkit.minor, 0};
  const auto since = first_with(variant);
  return since && *since <= release && (!last || release <= *last);
}

Result<std::vector<Gpu>> load_gpus(const Files& files, const std::string& directory) {
  std::vector<Gpu> gpus;
  TRY(document::read_tables(
      files, directory + "/gpus.toml", "gpus.toml has [[gpu]] rows only", [&](document::Reader& document) {
        document.require("gpu");
        document.rows("gpu", members, gpus, [&](document::Reader& row) { return gpu_row(row, gpus); });
        for (const Gpu& gpu : gpus)
          if (gpu.successor && !find_gpu(gpus, *gpu.successor))
            document.refuse("gpu", "the successor " + to_string(*gpu.successor) + " of " +
                                       to_string(gpu.capability) + " has no row");
      }));
  return gpus;
}

const Gpu* find_gpu(const std::vector<Gpu>& gpus, const Capability& capability) {
  const auto found = std::find_if(gpus.begin(), gpus.end(),
                                  [&](const Gpu& gpu) { return gpu.capability == baseline(capability); });
  return found == gpus.end() ? nullptr : &*found;
}

} // namespace hostpin::gpus
