// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/check_policy.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/document/value.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What calls of nvcc do with the GPUs that they name, if a binding has a list of GPUs.
enum class GpuPolicy {
  as_named, ///< `default`: compile for them
  enforce,  ///< compile for the list instead
  check,    ///< compile for them; `hostpin doctor BUILD_DIR` lists the calls that differ
};

constexpr std::array<std::string_view, 3> gpu_policy_names = {"default", "enforce", "check"};

constexpr std::string_view to_string(GpuPolicy policy) {
  return gpu_policy_names[static_cast<std::size_t>(policy)];
}

/// The user's and the system's configuration files. A user's key replaces the system's.
struct Config {
  std::optional<std::string> toolkit; ///< `toolkit = "/usr/local/cuda-12.4"`
  std::optional<std::string> stdenv;  ///< `stdenv = "g++-15"`, split at spaces like $CXX
  std::optional<std::string> host;    ///< `host = "g++-13"`
  std::optional<Family> family;       ///< `family = "clang"`: select from that family instead of the stdenv's
  std::vector<std::string> compilers; ///< `compilers = ["/opt/gcc-13/bin/g++"]`: more candidates
  /// `search = "machine" | "named"`: whether candidates may also come from PATH and the usual directories, or
  /// only from `compilers`, the stdenv and the named host compiler.
  bool searches_machine = true;
  std::vector<std::string> toolkits; ///< `toolkits = ["/opt/cuda-12.4"]`: more toolkits
  bool named_as_is = false;          ///< `named-host = "pin" | "as-is"`
  /// `link-proof = "error" | "warn" | "off"`: what to do about a link whose output would load a library that
  /// lacks required symbol versions.
  CheckPolicy link_proof = CheckPolicy::error;
  bool answers_identity =
      true; ///< `identity = "on" | "off"`: answer nvcc's question about its host compiler in its place
  /// `[lto] check = "error" | "warn" | "off"`: what to do about a link whose link-time code does not match.
  CheckPolicy lto_check = CheckPolicy::error;
  /// `[lto] on-mismatch = "refuse" | "drop"`: what to do about -flto if the host compiler's link-time code
  /// does not match the stdenv's; if it is dropped, objects contain machine code only.
  bool lto_dropped = false;
  GpuPolicy gpus = GpuPolicy::as_named; ///< `[gpus] policy = "default" | "enforce" | "check"`
  /// `[runtime]`: feature name to `refuse` or `one-compiler`, such as `coverage = "one-compiler"`.
  std::map<std::string, std::string> runtime;
  /// `file:line:column` of toolkit, stdenv, host, and of each key of [runtime] as `runtime.KEY`.
  std::map<std::string, std::string> places;
  /// Every file that configuration is read from, existing or not: a change of any may change the answer.
  std::vector<std::string> consulted;
};

/// The policy of that name; nothing for another word.
std::optional<GpuPolicy> gpu_policy(std::string_view name);

/// Reads $HOSTPIN_CONFIG if set (then only that), else `hostpin/config.toml` in the user's configuration
/// directory
/// ($XDG_CONFIG_HOME or ~/.config) over the system's (each of $XDG_CONFIG_DIRS, /etc/xdg, then
/// /etc/hostpin/config.toml). A file that cannot be read, is not TOML, or has an unknown key or a value of
/// the wrong type is an error with `file:line:column`. The current directory is never searched.
Result<Config> load_config(const Files& files, const Environment& environment);

/// The same for one table of a file, such as the configuration that a bound directory stores.
Result<Config> read_config(const std::string& path, const document::Value& table);

} // namespace hostpin
