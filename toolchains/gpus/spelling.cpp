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
  for (const std::string& option : gencode_options(expansion))
    append(words, option, ' ');
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

std::vector<std::string> gencode_options(const GpuExpansion& expansion) {
  std::vector<std::string> options;
  for (const bool ptx : {false, true})
    for (const GpuTarget& target : expansion.targets)
      if (ptx ? target.ptx : target.cubin) {
        const std::string number = digits(target.capability);
        options.push_back("-gencode=arch=compute_" + number + (ptx ? ",code=compute_" : ",code=sm_") +
                          number);
      }
  return options;
}

std::vector<std::string> served_variants(const GpuExpansion& expansion, const std::vector<Gpu>& gpus,
                                         const Version& toolkit) {
  using Variant = Capability::Variant;
  std::vector<std::string> rows;
  const auto add = [&](const Gpu& asked, const Gpu& served, Variant variant) {
    if (!served.is_supported_by(toolkit, variant))
      return;
    Capability from = asked.capability, to = served.capability;
    from.variant = to.variant = variant;
    std::string row = digits(from) + ' ' + digits(to);
    if (std::find(rows.begin(), rows.end(), row) == rows.end())
      rows.push_back(std::move(row));
  };
  for (const GpuTarget& target : expansion.targets) {
    const Gpu* const served = target.cubin ? find_gpu(gpus, target.capability) : nullptr;
    if (served == nullptr)
      continue;
    add(*served, *served, Variant::architecture_specific);
    for (const Gpu& asked : gpus)
      if (asked.family && asked.family == served->family && asked.capability <= served->capability)
        add(asked, *served, Variant::family_specific);
  }
  return rows;
}

std::span<const Spelling> spellings() {
  return table;
}

const Spelling* find_spelling(std::string_view name) {
  const auto* const found = std::find_if(table.begin(), table.end(),
                                         [&](const Spelling& spelling) { return spelling.name == name; });
  return found == table.end() ? nullptr : found;
}

} // namespace hostpin::gpus
