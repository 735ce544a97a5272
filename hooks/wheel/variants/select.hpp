// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/judge/judge.hpp"
#include "hooks/wheel/variants/format.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::wheel {

/// What wheels are installed on.
struct Machine {
  int python = 0;                      ///< the minor of Python 3
  std::string architecture;            ///< `x86_64`
  int glibc = 0;                       ///< the minor of glibc 2
  std::optional<gpus::Capability> gpu; ///< nothing: it has no NVIDIA GPU
  std::optional<gpus::Driver> driver;  ///< NVIDIA's; there is one if there is a GPU
  int python_patch = 0;                ///< what follows its minor
};

/// The tags that CPython accepts on Linux, the most preferred first (PyPA, "Platform compatibility tags").
std::vector<std::string> accepted_tags(const Machine& machine);

struct RejectedWheel {
  std::string file;
  std::string reason;
};

/// A fatbin of which nothing is loaded.
struct MissingCode {
  std::string member;
  std::size_t fatbin = 0;           ///< in the file, from 0
  std::vector<std::string> kernels; ///< names of some, or of sources
  std::string reason;
};

struct Selection {
  std::string chosen; ///< file name; empty: none is compatible
  std::string label;  ///< of its variant; empty: it is no variant
  Properties properties;
  std::vector<RejectedWheel> rejected; ///< in the order of preference, then incompatible ones
  std::vector<MissingCode> missing;    ///< of the chosen one, on the GPU
};

/// Which wheels are considered.
struct Wanted {
  std::string directory;
  std::string name, version; ///< empty: there is only one
};

/// What an installer that knows variants (PEP 825) takes from a directory, as from an index: by variant, then
/// by tag and build number, and what the NVIDIA driver would not find in it. The wheel is read, of the others
/// the names and Requires-Python; one whose METADATA cannot be read is taken to be for every Python. An error
/// if the directory has wheels of several distributions or versions and `wanted` does not choose, or none, or
/// if the chosen one cannot be read.
Result<Selection> select(const Wanted& wanted, const Machine& machine, const std::vector<gpus::Gpu>& gpus);

} // namespace hostpin::wheel
