// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/gpus/spelling.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/fatbin.hpp"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin {

namespace {

/// nvprune rejects capabilities that its release does not support, and files with damaged entries.
bool takes(const Pruner& pruner, const GpuExpansion& expected, const Holding& held) {
  const auto is_taken = [&](const GpuTarget& target) {
    const Gpu* const gpu = find_gpu(pruner.gpus, target.capability);
    return gpu != nullptr && gpu->is_taken_by(pruner.release, target.capability.variant);
  };
  return std::all_of(expected.targets.begin(), expected.targets.end(), is_taken) &&
         std::all_of(held.codes.begin(), held.codes.end(), [&](const auto& each) {
           return find_gpu(pruner.gpus, each.first.capability) != nullptr;
         });
}

/// An unused name next to the file, if the directory is writable.
std::optional<std::string> free_name(const std::string& path) {
  if (access(directory_of(path).c_str(), W_OK) != 0)
    return std::nullopt;
  constexpr int most = 9;
  for (int number = 1; number <= most; ++number) {
    std::string name = path + ".pruned";
    if (number > 1)
      name += std::to_string(number);
    struct stat status {};
    if (lstat(name.c_str(), &status) != 0 && errno == ENOENT)
      return name;
  }
  return std::nullopt;
}

std::optional<std::string> prune_command(const FileInventory& file, const GpuExpansion& expected,
                                         const Pruner& pruner) {
  // A name that a terminal cannot show cannot be pasted either.
  if (!takes(pruner, expected, file.holding) || escaped(file.path) != file.path)
    return std::nullopt;
  std::string path = file.path.starts_with('-') ? "./" : "";
  path += file.path;
  const auto pruned = free_name(path);
  if (!pruned)
    return std::nullopt;
  return fmt::format("{} {} {} -o {}", shell_word(pruner.program), prune_arguments(expected, file.holding),
                     shell_word(path), shell_word(*pruned));
}

/// Whether the file was made from link-time code, ignoring machine code of a link.
bool is_from_ltoir(const Holding& held) {
  const auto has_ltoir = [&](const Capability& capability) {
    return held.codes.contains({capability, binary::DeviceCode::ltoir}) ||
           held.codes.contains({capability, binary::DeviceCode::ltoir, CodeUse::link});
  };
  bool any = false;
  for (const auto& [code, amount] : held.codes) {
    any = any || code.code == binary::DeviceCode::ltoir;
    // Code that a link left may come from NVIDIA's own libraries, which have no LTO-IR.
    if (code.code == binary::DeviceCode::cubin && code.use == CodeUse::run && !has_ltoir(code.capability))
      return false;
  }
  return any;
}

std::string nvcc_flags(const GpuExpansion& expected) {
  return find_spelling("nvcc")->value(expected, {}).value_or("");
}

/// For link-time code: nvcc rejects -dlto together with -gencode when it compiles, and needs -dlto when it
/// links.
std::string lto_flags(const GpuExpansion& expected, CarrierKind kind) {
  constexpr std::string_view machine = "code=sm_", link_time = "code=lto_";
  std::string words = nvcc_flags(expected);
  for (std::size_t at = 0; (at = words.find(machine, at)) != std::string::npos;)
    words.replace(at, machine.size(), link_time);
  words += " without -dlto";
  if (kind != CarrierKind::program && kind != CarrierKind::library)
    return words;
  GpuExpansion linked = expected;
  for (GpuTarget& target : linked.targets)
    target.ptx = false;
  return words + ", linked with -dlto and " + nvcc_flags(linked);
}

std::string build_flags(const GpuExpansion& expected, const FileInventory& file) {
  std::string flags = is_from_ltoir(file.holding) ? lto_flags(expected, file.kind) : nvcc_flags(expected);
  if (const auto cmake = find_spelling("cmake")->value(expected, {}))
    flags += fmt::format(" (CMake: -DCMAKE_CUDA_ARCHITECTURES={})", shell_word(*cmake));
  return flags;
}

/// What else is wrong.
bool has_more_than(const std::vector<HeldCode>& lost, const Comparison& comparison) {
  const auto is_other = [&](const HeldCode& code) {
    return std::find(lost.begin(), lost.end(), code) == lost.end();
  };
  return !comparison.surplus.empty() ||
         std::any_of(comparison.missing.begin(), comparison.missing.end(), is_other) ||
         std::any_of(comparison.partial.begin(), comparison.partial.end(), is_other);
}

/// A rebuild cannot add PTX that the list asks for and a device link drops.
std::string without_lost(const FileInventory& file, const Comparison& comparison,
                         const std::vector<HeldCode>& lost, const GpuExpansion& expected) {
  std::string text;
  if (has_more_than(lost, comparison)) {
    GpuExpansion rest = expected;
    for (GpuTarget& target : rest.targets)
      for (const HeldCode& code : lost)
        target.ptx = target.ptx && target.capability != code.capability;
    text = "build it again with " + build_flags(rest, file) + "; ";
  }
  return text + "a device link drops PTX: remove +ptx from the list and add --no-forward-compatibility, or "
                "build without separable compilation";
}

/// Whether the only problem is relocatable code that a link leaves next to its output.
bool is_left_of_link(const Comparison& comparison) {
  const auto is_of_link = [](const HeldCode& code) { return code.use == CodeUse::link; };
  return comparison.missing.empty() && comparison.partial.empty() && !comparison.surplus.empty() &&
         std::all_of(comparison.surplus.begin(), comparison.surplus.end(), is_of_link);
}

/// The device runtime's own code does not depend on the GPUs that the sources were built for.
std::string link_again(const FileInventory& file, const GpuExpansion& expected) {
  return "link it again with objects built with " + build_flags(expected, file) +
         ", and libraries pruned to that: a link keeps the relocatable code of what it reads, that of nvcc's "
         "own libcudadevrt.a too (-cudadevrt none, where no kernel starts others)";
}

} // namespace

bool is_prunable(const FileInventory& file, const Comparison& comparison, const GpuExpansion& expected) {
  // If only some fatbins contain it, others contain something else only, which pruning would remove.
  return file.prunable && comparison.missing.empty() && comparison.partial.empty() &&
         can_prune_to(expected, file.holding, file.kind);
}

std::string advice(const FileInventory& file, const Comparison& comparison, const GpuExpansion& expected,
                   const std::optional<Pruner>& pruner) {
  if (has_no_device_code(file))
    return "name what was built with device code, or the directory that it is in";
  if (pruner && is_prunable(file, comparison, expected))
    if (auto command = prune_command(file, expected, *pruner))
      return *std::move(command);
  if (is_left_of_link(comparison))
    return link_again(file, expected);
  std::vector<HeldCode> lost = comparison.lost;
  std::erase_if(lost, [&](const HeldCode& code) { return expected.added_ptx == code.capability; });
  return lost.empty() ? "build it again with " + build_flags(expected, file)
                      : without_lost(file, comparison, lost, expected);
}

} // namespace hostpin
