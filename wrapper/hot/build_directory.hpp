// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/build_record.hpp"
#include "wrapper/hot/obtain.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hostpin::hot {

/// A call made by the configuration of a build directory, by which CMake, Meson or autoconf's configure find
/// out what the compiler is.
struct Configuration {
  std::string build; ///< the build directory; empty where the call does not say it
  std::string mark;  ///< as in BuildRecord
};
std::optional<Configuration> configuration(std::string_view current_directory,
                                           std::span<const char* const> arguments);

/// The decision in words: `CUDA 12.4.131, GCC 13.3.0 (...) compiling, ... linking`.
std::string decision_in_words(const Plan& plan);

/// One unbound call, as far as build directories are concerned.
class BuildDirectory {
public:
  /// `caller`: the nvcc that runs our `c++`; empty: ours, or none.
  BuildDirectory(const Self& self, std::span<const char* const> arguments, bool device, char* const* envp,
                 std::string_view caller = {});

  /// The binding that the call is to follow as if it were bound: `self` becomes the program there. Nothing
  /// loaded and exit code 0 when there is none, and the environment decides.
  Obtained recorded(Self& self, char* const* envp);

  /// What the environment decided: stored, where this call configures; where the directory was configured
  /// with something else that is gone, the exit code of a refusal that names both. Else 0.
  int settle(const Loaded& decided) const;

private:
  std::string cache_;
  std::string program_;
  std::string here_;
  std::optional<Configuration> configuration_;
  std::optional<BuildRecord> record_;
  bool device_;
  std::string caller_;
};

} // namespace hostpin::hot
