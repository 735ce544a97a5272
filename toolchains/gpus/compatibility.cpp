// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/compatibility.hpp"

namespace hostpin::gpus {

namespace {

bool is_jetson(const std::vector<Gpu>& gpus, const Capability& capability) {
  const Gpu* const gpu = find_gpu(gpus, capability);
  return gpu != nullptr && gpu->jetson;
}

bool share_family(const std::vector<Gpu>& gpus, const Capability& a, const Capability& b) {
  const Gpu* const one = find_gpu(gpus, a);
  const Gpu* const other = find_gpu(gpus, b);
  return one != nullptr && other != nullptr && one->family && one->family == other->family;
}

} // namespace

PtxReach reach_of_ptx(const Capability& capability) {
  using Variant = Capability::Variant;
  if (capability.variant == Variant::baseline)
    return PtxReach::later;
  return capability.variant == Variant::family_specific ? PtxReach::family : PtxReach::same;
}

bool compiles_ptx(const std::vector<Gpu>& gpus, const Capability& code, const Capability& gpu) {
  const Capability from = baseline(code), to = baseline(gpu);
  switch (reach_of_ptx(code)) {
  case PtxReach::later:
    return from <= to;
  case PtxReach::family:
    return from <= to && share_family(gpus, from, to);
  case PtxReach::same:
    break;
  }
  return from == to;
}

bool runs_machine_code(const std::vector<Gpu>& gpus, const Capability& code, const Capability& gpu) {
  const bool may_differ = !is_jetson(gpus, code) && !is_jetson(gpus, gpu);
  return code.major == gpu.major && (may_differ || code.minor == gpu.minor) && compiles_ptx(gpus, code, gpu);
}

} // namespace hostpin::gpus
