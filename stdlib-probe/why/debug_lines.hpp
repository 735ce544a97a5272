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

/// The source of each place in a relocatable object, by its debug information.
class DebugLines {
public:
  /// The object must outlive it. What is damaged in its debug information is left out.
  explicit DebugLines(const llvm::object::ELFObjectFileBase& object);
  DebugLines(const DebugLines&) = delete;
  DebugLines& operator=(const DebugLines&) = delete;
  ~DebugLines();

  /// Innermost function first; empty where nothing is known.
  std::vector<Frame> at(std::uint64_t section, std::uint64_t offset) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace hostpin
