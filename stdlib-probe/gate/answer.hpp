// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stdlib-probe/gate/evaluate.hpp"
#include "stdlib-probe/gate/source.hpp"
#include "toolchains/base/terminal.hpp"
#include "toolchains/table/table.hpp"

#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// The complete answer about one gate.
struct GateAnswer {
  GateSource source;
  Machine machine = Machine::x86_64;
  Gate derived;
  std::optional<DocumentedRange> documented; ///< from the table; nothing without a known release
  std::vector<std::pair<std::string, FileStatus>> rests_on; ///< as they were before they were read
};

/// As README.md describes it.
std::string gate_json(const GateAnswer& answer);

/// As text: what is documented and what is enforced, side by side, and where.
std::string gate_text(const GateAnswer& answer, const Terminal& terminal = endless);

} // namespace hostpin
