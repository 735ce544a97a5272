// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/explain.hpp"

namespace hostpin {

void explain_headers(Facts& facts) {
  const StandardLibrary& library = facts.compiler.library;
  if (library.kind.empty())
    facts.unknown["kind"] = facts.unknown["release"] =
        "these flags find no headers of a C++ standard library";
  else if (library.release == 0 && library.version == 0)
    facts.unknown["release"] = "the headers do not name their release, as before GCC 7";
  if (!library.cxx11_abi)
    facts.unknown["cxx11_abi"] =
        library.kind == "libc++" ? "libc++ has one ABI only" : "the headers do not define it";
  if (facts.compiler.c_library != "glibc")
    facts.unknown["glibc"] = facts.compiler.c_library.empty() ? "the headers of the C library do not name it"
                                                              : "the C library is not glibc";
}

} // namespace hostpin
