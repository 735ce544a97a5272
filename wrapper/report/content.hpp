// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::report {

/// The content of a report, as plain text: any bytes, as on the machine. The page makes them readable.

struct ReportToolkit {
  std::string name; ///< `CUDA 12.4.131`
  std::string root, origin;
  std::string documented, enforced; ///< ranges, as text
  std::vector<std::string> notes;
};

struct ReportVerdict {
  std::string verdict; ///< `fits`, `other-target`, `too-new`, `too-old`, `broken`, `unknown`
  std::string reason;
  std::string source;
  bool chosen = false; ///< this pair is the decision
};

struct ReportCompiler {
  std::string name; ///< `GCC 13.3.0`; empty for a compiler that did not answer
  std::string driver, origin;
  bool is_stdenv = false;
  std::vector<ReportVerdict> verdicts; ///< one for each toolkit, in their order
};

struct RejectedToolkit {
  std::string path, origin, reason;
};

/// Which compiler compiles, which links, what is loaded.
struct ReportBinding {
  struct Part {
    std::string name, path, why;
  };
  Part toolkit, host, stdenv, link, library; ///< `library` without a name if unknown
  std::vector<std::string> notes;
  Part target = {}; ///< without a name for programs of this machine
};

struct ReportDecision {
  std::optional<ReportBinding> binding;
  std::string error, hint; ///< why there is none
};

/// An answer of lto-check.
struct ReportLto {
  std::string linker; ///< as text, with what it reads
  struct Input {
    std::string path, format, version, producer, verdict, expected, reason, fix;
    bool refused = false;
  };
  std::vector<Input> inputs;
  std::vector<std::string> missing{}; ///< named, but missing
};

struct ReportFinding {
  std::string rule, severity, path, member, section, reference, resolved, explanation, fix, fingerprint;
  std::optional<std::uint64_t> offset;
};

struct ReportUnseen {
  std::string path, reason;
};

/// An answer of leak-check, or several merged.
struct ReportLeaks {
  std::vector<std::string> scanned; ///< trees and files, or the file with the answer
  bool without_binding = false;     ///< there was no binding to judge by
  std::uint64_t files = 0, bytes = 0;
  std::vector<ReportFinding> findings;
  std::vector<ReportUnseen> unseen;
  std::map<std::string, std::string> rules{}; ///< what each rule means, which `explanation` does not repeat
};

/// Which file of a tree leads to which libstdc++.
struct ReportLibraries {
  struct Library {
    std::string path;
    std::string version; ///< the highest `GLIBCXX_` it defines; may be empty
    bool right = false;  ///< the libstdc++ that the binding wants loaded
  };
  struct File {
    std::string path;
    std::vector<std::vector<std::string>> chains; ///< each from this file to the file that names libstdc++
    std::size_t library = 0;                      ///< index of the libstdc++ that it leads to
    std::vector<std::string> unmet;               ///< `liba.so.1 needs GLIBCXX_3.4.32`
  };
  bool judged = false; ///< whether the right libstdc++ is known
  std::vector<Library> libraries;
  std::vector<File> files;            ///< those that lead to one, sorted
  std::vector<std::string> not_found; ///< those that need one which their loader cannot find
  std::size_t without = 0;            ///< programs and libraries that need none
  std::size_t incomplete = 0; ///< those for which it is unknown, because other libraries are not found
  std::size_t elsewhere = 0;  ///< programs with another loader, whose search path is unknown
};

struct ReportContent {
  std::string version;    ///< of hostpin
  std::size_t chosen = 0; ///< index of the toolkit in use; past the end if there is none
  std::vector<ReportToolkit> toolkits;
  std::vector<RejectedToolkit> rejected;
  std::vector<ReportCompiler> compilers; ///< those that did not answer last
  std::string no_stdenv;                 ///< why there is none; empty when there is
  ReportDecision decision;
  std::optional<ReportLto> lto;
  std::optional<ReportLeaks> leaks;
  std::optional<ReportLibraries> libraries;
};

/// The output of `leak-check --json`. `of`: for messages, a file or a program. An error for anything else.
Result<ReportLeaks> leaks_answer(std::string_view json, const std::string& of);

/// The output of `lto-check --json`.
Result<ReportLto> lto_answer(std::string_view json, const std::string& of);

} // namespace hostpin::report
