// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::setup {

/// Where a toolkit comes from.
enum class Source {
  any,          ///< what this machine has is used, what is missing comes from the distribution
  distribution, ///< the toolkit and the compiler are fetched, whatever is there
  redist,       ///< the toolkit from NVIDIA's archives
  wheels,       ///< the toolkit from NVIDIA's wheels, by pip
  carried,      ///< all of it from a directory of files that were carried over
};

/// The options of `hostpin setup` as text.
struct AskedTexts {
  std::string directory;
  std::optional<std::string> cuda, gcc, clang, from;
  std::vector<std::string> suites, libraries;
};

/// What the user asks for.
struct Asked {
  std::string directory;       ///< absolute
  std::optional<Version> cuda; ///< release, or with a patch the version of nvcc
  std::optional<Family> family;
  int major = 0; ///< of a compiler of `family`
  Source source = Source::any;
  std::string path; ///< the lock or directory of --from, absolute; or a manifest's URL; may be empty
  std::vector<std::string> suites;    ///< further suites of the distribution, in the user's order
  std::vector<std::string> libraries; ///< to add to NVIDIA's archives, such as cublas; with no lock

  bool operator==(const Asked&) const = default;
};

/// Whether the archives are of NVIDIA's and the built-in choice of them, so that a lock has to be made.
bool makes_lock(const Asked& asked);

/// Checks the options. `current` is the working directory.
Result<Asked> read_asked(const AskedTexts& texts, const std::string& current);

/// The options again, without the directory: `--cuda 12.4 --gcc 13`; empty if there are none.
std::vector<std::string> asked_words(const Asked& asked);

/// Whether a toolkit of that release is one that the user asks for.
bool is_wanted(const Version& toolkit, const Asked& asked);

} // namespace hostpin::setup
