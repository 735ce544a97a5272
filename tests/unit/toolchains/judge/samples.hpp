// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/shipped_data.hpp"
#include "toolchains/judge/judge.hpp"

#include <doctest/doctest.h>

namespace hostpin {

inline Compiler compiler(Family family, const Version& version, const Version& glibc = {2, 36, 0}) {
  Compiler result;
  result.family = family;
  result.version = version;
  result.glibc = glibc;
  result.c_headers = "/glibc-" + to_string(glibc);
  result.target = "x86_64-linux-gnu";
  result.command = {(family == Family::clang ? "/usr/bin/clang++-" : "/usr/bin/g++-") +
                    std::to_string(version.major)};
  result.library.kind = "libstdc++";
  result.library.release = family == Family::gcc ? version.major : 12;
  return result;
}

inline Compiler gcc(const Version& version) {
  return compiler(Family::gcc, version);
}
inline Compiler clang(const Version& version) {
  return compiler(Family::clang, version);
}

inline Toolkit toolkit(const Version& version) {
  Toolkit result;
  result.version = version;
  result.root = "/cuda";
  return result;
}

inline DocumentedRange documented(int gcc_min, int gcc_max, int clang_min = 7, int clang_max = 17) {
  DocumentedRange row;
  row.gcc_min = gcc_min, row.gcc_max = gcc_max;
  row.clang_min = clang_min, row.clang_max = clang_max;
  row.source = "the documents";
  return row;
}

/// A gate as stdlib-probe would report it: every major from 3 on outside the bounds is refused.
inline Gate gate(const Bounds& gcc, const Bounds& clang = {4, 17}) {
  Gate result;
  result.gcc = gcc;
  result.clang = clang;
  const auto refuse = [&](Family family, const Bounds& bounds, int last, const char* where) {
    for (int major = 3; major <= last; ++major)
      if ((bounds.min && major < *bounds.min) || (bounds.max && major > *bounds.max))
        result.refusals.push_back({family, major, {}, where, "too new or too old"});
  };
  refuse(Family::gcc, gcc, 40, "crt/host_config.h:143");
  refuse(Family::clang, clang, 50, "crt/host_config.h:157");
  return result;
}

/// The clashes of the lab's C libraries.
inline std::vector<LibcComparison> libcs(const Version& toolkit) {
  const Clash cospi{"cospi",
                    {"/cuda/include/crt/math_functions.h", 5554, true},
                    {"/usr/include/bits/mathcalls.h", 79, false}};
  const Clash rsqrt{"rsqrt",
                    {"/cuda/include/crt/math_functions.h", 629, true},
                    {"/usr/include/bits/mathcalls.h", 206, false}};
  const bool old = toolkit < Version{13, 0, 0};
  return {{"/glibc-2.31", std::vector<Clash>{}},
          {"/glibc-2.36", std::vector<Clash>{}},
          {"/glibc-2.41", old ? std::vector{cospi} : std::vector<Clash>{}},
          {"/glibc-2.43", old ? std::vector{cospi, rsqrt} : std::vector{rsqrt}}};
}

inline Table shipped_table() {
  const auto table = load_table(DiskFiles(), hostpin::test::shipped_data());
  if (!table)
    FAIL(table.error().message);
  return table.value_or(Table{});
}

} // namespace hostpin
