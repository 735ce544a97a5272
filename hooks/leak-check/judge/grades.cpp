// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/judge/grades.hpp"

#include <array>
#include <cstddef>

namespace hostpin {

namespace {

/// By `Standing`.
constexpr std::array<Grade, 9> grades = {
    Grade{
        Severity::error, Severity::error, Severity::error, "The loader reads it.",
        "Link it again with -soname and -dynamic-linker as they should be, or use patchelf --replace-needed, "
        "--set-soname or --set-interpreter."},
    Grade{Severity::error, Severity::error, Severity::warning, "Whoever builds with this is led there.",
          "Configure the package with the right path; hostpin leak-check --fix takes out what is only a "
          "search directory, a run path or a file of libstdc++ or libgcc_s."},
    Grade{Severity::error, Severity::error, Severity::warning, "Whoever opens it is led there.",
          "Let the symlink lead to the right file, or leave it out."},
    Grade{Severity::error, Severity::error, Severity::error, "It is started by this interpreter.",
          "Put the right interpreter into its first line."},
    Grade{Severity::warning, Severity::warning, Severity::warning, "It is a word of a script.", ""},
    Grade{
        Severity::warning, Severity::warning, Severity::warning, "It is a constant of the code.",
        "Find the macro or the generated source that it comes from; -ffile-prefix-map changes what __FILE__ "
        "says."},
    Grade{Severity::warning, Severity::warning, Severity::note,
          "Nothing refers to it any more, but its bytes keep the other package alive in a store.",
          "Link it again without that path: a tool that changes the file leaves the old bytes."},
    Grade{Severity::warning, Severity::note, Severity::note, "", ""},
    Grade{Severity::note, Severity::note, Severity::note, "Only debuggers read it.",
          "Strip the section, or compile with -ffile-prefix-map."},
};

} // namespace

const Grade& grade_of(Standing standing) {
  return grades[static_cast<std::size_t>(standing)];
}

} // namespace hostpin
