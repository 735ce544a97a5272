// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/gpus/spelling.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace hostpin::gpus {

namespace {

/// For build systems whose lists can express `PTX too` but not `PTX only`.
std::optional<tl::unexpected<Error>> refusal_of_ptx_alone(const GpuExpansion& expansion,
                                                          const std::string& who) {
  for (const GpuTarget& target : expansion.targets)
    if (!target.cubin)
      return failure(who + " always makes machine code with PTX, as for " + to_string(target.capability));
  return std::nullopt;
}

void append(std::string& list, const std::string& item, char separator) {
  if (!list.empty())
    list += separator;
  list += item;
}

Result<std::string> for_nvcc(const GpuExpansion& expansion, const std::vector<Gpu>& /*gpus*/) {
  std::string words;
  for (const GpuTarget& target : expansion.targets)
    if (target.cubin) {
      const std::string number = digits(target.capability);
      append(words, "-gencode=arch=compute_" + number + ",code=sm_" + number, ' ');
    }
  for (const GpuTarget& target : expansion.targets)
    if (target.ptx) {
      const std::string number = digits(target.capability);
      append(words, "-gencode=arch=compute_" + number + ",code=compute_" + number, ' ');
    }
  return words;
}

Result<std::string> for_cmake(const GpuExpansion& expansion, const std::vector<Gpu>& /*gpus*/) {
  std::string list;
  // Without a suffix CMake generates both.
  for (const GpuTarget& target : expansion.targets)
    append(list, digits(target.capability) + (!target.ptx ? "-real" : target.cubin ? "" : "-virtual"), ';');
  return list;
}

Result<std::string> for_torch(const GpuExpansion& expansion, const std::vector<Gpu>& gpus) {
  if (auto refusal = refusal_of_ptx_alone(expansion, "PyTorch"))
    return *std::move(refusal);
  std::string list;
  for (const GpuTarget& target : expansion.targets) {
    // torch.utils.cpp_extension of 2.11 accepts 9.0a and refuses 10.0f.
    if (target.capability.variant == Capability::Variant::family_specific)
      return failure("PyTorch knows no family-specific capability such as " + to_string(target.capability));
    if (const Gpu* const gpu = find_gpu(gpus, target.capability); gpu && !gpu->torch)
      return failure("PyTorch does not know " + to_string(target.capability));
    append(list, to_string(target.capability) + (target.ptx ? "+PTX" : ""), ';');
  }
  return list;
}

Result<std::string> for_xla(const GpuExpansion& expansion, const std::vector<Gpu>& /*gpus*/) {
  if (auto refusal = refusal_of_ptx_alone(expansion, "XLA"))
    return *std::move(refusal);
  std::string list;
  // XLA generates machine code as well as PTX for `compute_`.
  for (const GpuTarget& target : expansion.targets)
    append(list, (target.ptx ? "compute_" : "sm_") + digits(target.capability), ',');
  return list;
}

Result<std::string> for_kokkos(const GpuExpansion& expansion, const std::vector<Gpu>& gpus) {
  if (expansion.targets.size() != 1)
    return failure("Kokkos compiles for one compute capability at a time",
                   "build once for each capability of the list");
  if (auto refusal = refusal_of_ptx_alone(expansion, "Kokkos"))
    return *std::move(refusal);
  const Capability capability = expansion.targets.front().capability;
  const Gpu* const gpu = find_gpu(gpus, capability);
  if (!gpu || !gpu->kokkos || capability.variant != Capability::Variant::baseline)
    return failure("Kokkos has no architecture for " + to_string(capability));
  // Its flag is -arch=sm_90, for which nvcc generates both.
  if (!expansion.targets.front().ptx)
    return failure("Kokkos always makes PTX with the machine code");
  std::string name = gpu->architecture;
  for (char& c : name)
    if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
  return "-DKokkos_ARCH_" + name + digits(capability) + "=ON";
}

constexpr auto table = std::to_array<Spelling>(
    {{"nvcc", "", "", for_nvcc},
     {"cmake", "CMAKE_CUDA_ARCHITECTURES", "CUDAARCHS", for_cmake},
     {"torch", "TORCH_CUDA_ARCH_LIST", "TORCH_CUDA_ARCH_LIST", for_torch},
     {"nccl", "NVCC_GENCODE", "NVCC_GENCODE", for_nvcc},
     {"xla", "HERMETIC_CUDA_COMPUTE_CAPABILITIES", "HERMETIC_CUDA_COMPUTE_CAPABILITIES", for_xla},
     {"kokkos", "", "", for_kokkos}});

} // namespace

std::span<const Spelling> spellings() {
  return table;
}

const Spelling* find_spelling(std::string_view name) {
  const auto* const found = std::find_if(table.begin(), table.end(),
                                         [&](const Spelling& spelling) { return spelling.name == name; });
  return found == table.end() ? nullptr : found;
}

} // namespace hostpin::gpus
