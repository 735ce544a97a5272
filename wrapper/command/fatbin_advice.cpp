// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/gpus/spelling.hpp"
#include "wrapper/bind/text.hpp"
#include "wrapper/command/fatbin.hpp"

#include <algorithm>
#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin {

namespace {

/// nvprune refuses capabilities that its release does not take, and entries of none that there is are damage.
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

/// A name beside the file that nothing has yet, where one may be written.
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
  // What a terminal cannot show cannot be pasted either.
  if (!takes(pruner, expected, file.holding) || shown_name(file.path) != file.path)
    return std::nullopt;
  std::string path = file.path.starts_with('-') ? "./" : "";
  path += file.path;
  const auto pruned = free_name(path);
  if (!pruned)
    return std::nullopt;
  return fmt::format("{} {} {} -o {}", shell_word(pruner.program), prune_arguments(expected, file.holding),
                     shell_word(path), shell_word(*pruned));
}

std::string build_flags(const GpuExpansion& expected) {
  std::string flags = find_spelling("nvcc")->value(expected, {}).value_or("");
  if (const auto cmake = find_spelling("cmake")->value(expected, {}))
    flags += fmt::format(" (CMake: -DCMAKE_CUDA_ARCHITECTURES={})", shell_word(*cmake));
  return flags;
}

} // namespace

bool is_prunable(const FileInventory& file, const Comparison& comparison, const GpuExpansion& expected) {
  // Of what only some fatbins hold, others hold something else alone, which pruning would take away.
  return file.prunable && comparison.missing.empty() && comparison.partial.empty() &&
         can_prune_to(expected, file.holding, file.kind);
}

std::string advice(const FileInventory& file, const Comparison& comparison, const GpuExpansion& expected,
                   const std::optional<Pruner>& pruner) {
  if (pruner && is_prunable(file, comparison, expected))
    if (auto command = prune_command(file, expected, *pruner))
      return *std::move(command);
  return "build it again with " + build_flags(expected);
}

} // namespace hostpin
