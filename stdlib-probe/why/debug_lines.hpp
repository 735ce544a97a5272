// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/why/object.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace llvm::object {
class ELFObjectFileBase;
} // namespace llvm::object

namespace hostpin {

/// The source of each location in a relocatable object, from its debug information.
class DebugLines {
public:
  /// The object must outlive it. Damaged debug information is skipped.
  explicit DebugLines(const llvm::object::ELFObjectFileBase& object);
  DebugLines(const DebugLines&) = delete;
  DebugLines& operator=(const DebugLines&) = delete;
  ~DebugLines();

  /// Innermost function first; empty if nothing is known.
  std::vector<Frame> at(std::uint64_t section, std::uint64_t offset) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace hostpin
