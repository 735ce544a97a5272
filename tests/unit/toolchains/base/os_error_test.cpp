// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/os_error.hpp"

#include <doctest/doctest.h>

using namespace hostpin;

TEST_CASE("an error of the system names the action and the reason") {
  const Error error = os_failure("read /x", EACCES, "log in").value();
  CHECK(error.message == "cannot read /x: Permission denied");
  CHECK(error.hint == "log in");
  CHECK(error.kind == ErrorKind::other);
}

TEST_CASE("a full file system has a kind, and a hint that comes before others") {
  for (const int reason : {ENOSPC, EDQUOT}) {
    const Error error = os_failure("write /x", reason, "log in").value();
    CHECK(error.kind == ErrorKind::disk_full);
    CHECK(error.hint.starts_with("free space"));
  }
}

TEST_CASE("an error has its hint and kind also after a context") {
  const Error error = failure_in("a.tar", os_failure("write b", ENOSPC).value()).value();
  CHECK(error.message == "a.tar: cannot write b: No space left on device");
  CHECK(error.hint.starts_with("free space"));
  CHECK(error.kind == ErrorKind::disk_full);
}
