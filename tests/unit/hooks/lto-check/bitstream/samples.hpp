// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/unit/toolchains/binary/builder.hpp"

#include <string>
#include <vector>

namespace hostpin::test {

using namespace lto;

/// One input of each kind, each with all that its reader looks at, and each of one part.
inline std::vector<std::string> single_samples() {
  return {
      gcc_object(13, 1),
      old_gcc_object(8, 1, true),
      ObjectBuilder(false, false).add(".gnu.lto_.lto.1", gcc_version_section(11, 3, false, false)).build(),
      ObjectBuilder().numbers_in_first_section().add(".llvm.lto", bitcode("LLVM19.1.7")).build(),
      ObjectBuilder().add("__nv_relfatbin", fatbin({{1, 80, 8, 4}, {2, 80, 1, 7}, {8, 80, 1, 61}})).build(),
      fatbin({{8, 90, 1, 65}}),
      std::string("\xED\x43\x4E\x7F\x01\x3D and so on", 17),
      wrapped(bitcode("LLVM16.0.6")),
      archive({{"in.a", archive({{"a.o", gcc_object(13, 1)}})}}),
      "!<arch>\n" + bsd_member("a long name.bc", bitcode("LLVM14.0.6")),
  };
}

/// These and some of several parts, of which the first ones alone would be a whole input too.
inline std::vector<std::string> samples() {
  std::vector<std::string> all = single_samples();
  const std::string object = all.front();
  for (const std::string& joined :
       {fatbin({{8, 90, 1, 65}}) + fatbin({{8, 90, 1, 61}}), bitcode("LLVM19.1.7") + bitcode("LLVM22.1.8"),
        archive({{"a.o", object}, {"text", "text"}, {"in.a", archive({{"b.o", all[4]}})}}),
        "!<arch>\n" + member("/", "table") + member("//", "a_rather_long_name.o/\n") + member("/0", object),
        "!<arch>\n" + bsd_member("__.SYMDEF SORTED", "table") +
            bsd_member("a long name.bc", bitcode("LLVM14.0.6")),
        "!<thin>\n" + member("//", "sub/absent.o/\nabsent.a/\n") + member("/0", "", 100) +
            member("/15:68", "", 100)})
    all.push_back(joined);
  return all;
}

} // namespace hostpin::test
