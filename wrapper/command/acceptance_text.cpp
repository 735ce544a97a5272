// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/acceptance_text.hpp"

#include "toolchains/gate/gate.hpp"

#include <fmt/format.h>

namespace hostpin {

std::string documented_text(const Acceptance& acceptance) {
  if (!acceptance.documented)
    return "documented: not known";
  const DocumentedRange& row = *acceptance.documented;
  return fmt::format("documented: GCC {}, Clang {}", span(Bounds{row.gcc_min, row.gcc_max}),
                     span(Bounds{row.clang_min, row.clang_max}));
}

std::string enforced_text(const Acceptance& acceptance) {
  if (!acceptance.derived)
    return "enforced: not evaluated";
  return fmt::format("enforced: GCC {}, Clang {}", span(*acceptance.derived, Family::gcc),
                     span(*acceptance.derived, Family::clang));
}

} // namespace hostpin
