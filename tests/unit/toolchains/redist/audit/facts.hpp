// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/shipped_data.hpp"
#include "toolchains/redist/audit/facts.hpp"

namespace hostpin::test {

/// The facts as they are shipped.
inline const redist::AuditFacts& audit_facts() {
  static const redist::AuditFacts facts = redist::load_audit_facts(DiskFiles(), shipped_data()).value();
  return facts;
}

} // namespace hostpin::test
