// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/judge/judge.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/binary/dynamic_edit.hpp"
#include "toolchains/table/policies.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hostpin::wheel {

/// Where CUDA's libraries come from once the wheel is installed.
enum class CudaSource {
  wheels, ///< NVIDIA's wheels, which it requires
  bundle, ///< the wheel itself
  system, ///< a toolkit of the machine
};

struct RepairTerms {
  CudaSource cuda = CudaSource::wheels;
  bool licensed_to_modify = false; ///< NVIDIA's files too
  /// Patterns (fnmatch) of names and paths of libraries that are not packed: something else has to load them.
  std::vector<std::string> excluded;
};

/// A library of this machine that the wheel gets.
struct Graft {
  std::string source; ///< path on this machine
  std::string member; ///< `pkg.libs/libgomp-a34b3233.so.1`
  binary::DynamicEdit edit;
};

/// What has to change so that the wheel loads what it needs.
struct RepairPlan {
  std::map<std::string, binary::DynamicEdit> edits; ///< of members
  std::map<std::string, std::string> dropped;       ///< members, with what takes their place
  std::vector<Graft> grafts;                        ///< in the order of their names
  std::map<std::string, std::string> requirements;  ///< by distribution: `nvidia-cublas>=13,<14`
  SystemNeeds needs;                                ///< of all of it, and of what it requires
  std::set<std::string, std::less<>> libraries;     ///< sonames that the system has to have
  std::set<std::string, std::less<>> excluded;      ///< names of libraries that are not packed, as terms say
  std::uint16_t machine = 0;                        ///< of its files, as e_machine; 0 if there are none

  /// The first policy that has all that is needed; null if none has.
  const ManylinuxPolicy* policy(const std::vector<ManylinuxPolicy>& policies) const;
};

/// Finds a library of this machine that the loader would load for a file that needs it; `by` is that file as
/// it was read, `path` where it is on this machine, or would be. Nothing if there is none.
using FindLibrary = std::function<std::optional<std::string>(const binary::Image& by, const std::string& path,
                                                             const std::string& name)>;

/// The error names a library that is found nowhere, or cannot be read.
Result<RepairPlan> plan_repair(const Checked& checked, const RepairTerms& terms, const FindLibrary& find);

} // namespace hostpin::wheel
