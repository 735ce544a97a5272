// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "wrapper/hot/build_record.hpp"
#include "wrapper/hot/obtain.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hostpin::hot {

/// A call made while a build directory is configured: CMake, Meson or autoconf's configure identifies the
/// compiler.
struct Configuration {
  std::string build; ///< the build directory; empty if the call does not show it
  std::string mark;  ///< as in BuildRecord
};
std::optional<Configuration> configuration(std::string_view current_directory,
                                           std::span<const char* const> arguments);

/// The decision as text: `CUDA 12.4.131, GCC 13.3.0 (...) compiling, ... linking`.
std::string decision_in_words(const Plan& plan);

/// What an unbound call stores for a build directory, and reads back.
class BuildDirectory {
public:
  /// `caller`: the nvcc that runs hostpin's `c++`; empty if that nvcc is hostpin's, or there is none.
  BuildDirectory(const Self& self, std::span<const char* const> arguments, bool device, char* const* envp,
                 std::string_view caller = {});

  /// The binding that the call has to follow as if it were bound: `self` becomes the program there. Nothing
  /// loaded and exit code 0 if there is none; then the environment decides.
  Obtained recorded(Self& self, char* const* envp);

  /// Stores what the environment decided if this call configures. If the directory was configured with
  /// something else that no longer exists, returns the exit code of a refusal that names both; else 0.
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
