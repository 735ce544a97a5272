// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/redist/facts.hpp"
#include "toolchains/redist/tree/content_facts.hpp"

namespace hostpin::test {

/// The facts as they are shipped.
inline const redist::ContentFacts& content_facts() {
  static const redist::ContentFacts facts = redist::load_content_facts(DiskFiles(), HOSTPIN_DATA).value();
  return facts;
}

inline const redist::Facts& redist_facts() {
  static const redist::Facts facts = redist::load_facts(DiskFiles(), HOSTPIN_DATA).value();
  return facts;
}

} // namespace hostpin::test
