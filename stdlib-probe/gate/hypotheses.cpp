// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/hypotheses.hpp"

#include "toolchains/gate/gate.hpp"

#include <numeric>

#include <fmt/format.h>

namespace hostpin {

namespace {

// 1 was released decades before nvcc, 99 will be decades after: if one of these is accepted, there is no
// bound at that end.
constexpr int first_major = 1, last_gcc = 40, last_clang = 50, impossible = 99;

/// What Clang's preprocessor defines and a hypothetical compiler does not: a header that distinguishes
/// compilers by these must not take every compiler for Clang. `gcc`: first GCC major that has it; 0: none
/// has.
struct Builtin {
  const char* name;
  int gcc;
};
// https://gcc.gnu.org/gcc-N/changes.html of 10, 14 and 15. What GCC has had since 5 is not removed.
constexpr Builtin builtins[] = {
    {"__has_builtin", 10},          {"__has_feature", 14},
    {"__has_extension", 14},        {"__has_embed", 15},
    {"__has_c_attribute", 0},       {"__has_declspec_attribute", 0},
    {"__has_warning", 0},           {"__is_identifier", 0},
    {"__building_module", 0},       {"__is_target_arch", 0},
    {"__is_target_vendor", 0},      {"__is_target_os", 0},
    {"__is_target_environment", 0}, {"__has_constexpr_builtin", 0},
};

std::string without_builtins(const Hypothesis& hypothesis) {
  std::string text;
  if (hypothesis.family == Family::gcc)
    for (const Builtin& builtin : builtins)
      if (builtin.gcc == 0 || hypothesis.major < builtin.gcc)
        text += fmt::format("#undef {}\n", builtin.name);
  return text;
}

const char* machine_macros(Machine machine) {
  return machine == Machine::x86_64 ? "#define __x86_64__ 1\n#define __x86_64 1\n#define __amd64__ 1\n"
                                    : "#define __aarch64__ 1\n#define __ARM_ARCH 8\n";
}

} // namespace

int usual_minor(Family family, int major) {
  return major >= (family == Family::gcc ? 5 : 18) ? 1 : 0;
}

std::vector<int> hypothetical_majors(Family family) {
  std::vector<int> majors;
  for (int major = first_major; major <= (family == Family::gcc ? last_gcc : last_clang); ++major)
    majors.push_back(major);
  majors.push_back(impossible);
  return majors;
}

std::vector<int> hypothetical_minors() {
  std::vector<int> minors(last_asked_minor + 1);
  std::iota(minors.begin(), minors.end(), 0);
  return minors;
}

std::string predefined_macros(const Hypothesis& hypothesis, const Version& toolkit, Machine machine) {
  const bool clang = hypothesis.family == Family::clang;
  // Clang has claimed to be GCC 4.2 since its first release.
  std::string text =
      fmt::format("#define __GNUC__ {}\n#define __GNUC_MINOR__ {}\n#define __GNUC_PATCHLEVEL__ {}\n",
                  clang ? 4 : hypothesis.major, clang ? 2 : hypothesis.minor, clang ? 1 : hypothesis.patch);
  text += "#define __GNUG__ __GNUC__\n";
  if (clang)
    text += fmt::format("#define __clang__ 1\n#define __clang_major__ {}\n#define __clang_minor__ {}\n"
                        "#define __clang_patchlevel__ {}\n#define __llvm__ 1\n",
                        hypothesis.major, hypothesis.minor, hypothesis.patch);
  text += without_builtins(hypothesis);
  text += machine_macros(machine);
  text += "#define __linux__ 1\n#define __linux 1\n#define __gnu_linux__ 1\n#define __unix__ 1\n#define "
          "__ELF__ 1\n"
          "#define __LP64__ 1\n#define _LP64 1\n#define __CHAR_BIT__ 8\n#define _GNU_SOURCE 1\n"
          "#define __ORDER_LITTLE_ENDIAN__ 1234\n#define __BYTE_ORDER__ 1234\n"
          "#define __cplusplus 201703L\n#define __STDC_HOSTED__ 1\n#define __EXCEPTIONS 1\n";
  text += fmt::format("#define __CUDACC__ 1\n#define __NVCC__ 1\n#define __CUDACC_VER_MAJOR__ {}\n"
                      "#define __CUDACC_VER_MINOR__ {}\n#define __CUDACC_VER_BUILD__ {}\n"
                      "#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__ 1\n",
                      toolkit.major, toolkit.minor, toolkit.patch);
  return text;
}

const char* minor_macro(Family family) {
  return family == Family::gcc ? "__GNUC_MINOR__" : "__clang_minor__";
}

const char* patch_macro(Family family) {
  return family == Family::gcc ? "__GNUC_PATCHLEVEL__" : "__clang_patchlevel__";
}

} // namespace hostpin
