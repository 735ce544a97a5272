// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/shipped_data.hpp"
#include "toolchains/redist/facts.hpp"
#include "toolchains/redist/tree/content_facts.hpp"

namespace hostpin::test {

/// The facts as they are shipped.
inline const redist::ContentFacts& content_facts() {
  static const redist::ContentFacts facts =
      redist::load_content_facts(DiskFiles(), hostpin::test::shipped_data()).value();
  return facts;
}

inline const redist::Facts& redist_facts() {
  static const redist::Facts facts = redist::load_facts(DiskFiles(), hostpin::test::shipped_data()).value();
  return facts;
}

} // namespace hostpin::test
