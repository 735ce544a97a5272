// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/fix.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("each change is shown with what stood there and what does now") {
  const Fixes fixes{{{"bin/a\n", "RUNPATH", "/bad:/a", "/a"}}, {{"bin/b", "it has set-id bits"}}};
  CHECK(fixes_text(fixes) == "fixed: bin/a\\n, RUNPATH\n    - /bad:/a\n    + /a\n"
                             "left as it is: bin/b: it has set-id bits\n");
  CHECK(fixes_text({}).empty());
}
