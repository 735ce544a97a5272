// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/fix.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;

TEST_CASE("each change, made or proposed, is printed with the old and the new text") {
  const Fixes fixes{{{"bin/a\n", "RUNPATH", "/bad:/a", "/a"}},
                    {{"x.pc", "line 2", "Libs: -L/bad", "Libs:"}},
                    {{"bin/b", "", "it has set-id bits", "rebuild\x1b it"},
                     {"x.pc", "line 3: -I/\x1b", "without it \x9b is not found"}}};
  CHECK(fixes_text(fixes) == "fixed: bin/a\\n, RUNPATH\n    - /bad:/a\n    + /a\n"
                             "to change: x.pc, line 2\n    - Libs: -L/bad\n    + Libs:\n"
                             "left as it is: bin/b: it has set-id bits\n    hint: rebuild\\x1b it\n"
                             "left as it is: x.pc, line 3: -I/\\x1b: without it \\x9b is not found\n");
  CHECK(fixes_text({}).empty());
}
