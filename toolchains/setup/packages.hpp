// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/environment.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/base/version.hpp"
#include "toolchains/compiler/compiler.hpp"
#include "toolchains/table/table.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::setup {

/// What this room needs of its caller.
struct Context {
  const Environment& environment;
  const Files& files;
  const Processes& processes;
};

/// One file of a distribution.
struct Package {
  std::string name, version, architecture;
  std::string file;    ///< its name in the directory that it is fetched into
  std::string address; ///< URL without user and password
  std::string sha256;  ///< 64 hexadecimal digits from the signed index; empty if the client has none
  std::uint64_t bytes = 0;
};

struct CompilerOffer {
  Family family = Family::gcc;
  int major = 0;
  std::string package; ///< such as g++-13
  Version version;
  std::vector<std::string> more = {}; ///< packages that it does not need, as of Clang's sanitizers
};

struct ToolkitOffer {
  Version version;                         ///< its nvcc's
  std::vector<std::string> packages;       ///< all of which are needed, without their dependencies
  std::string licence;                     ///< as in licenses.toml
  std::vector<std::string> libraries = {}; ///< packages of its other libraries, such as libcublas12
};

/// What one suite (a release of a distribution) has, by its index.
struct SuiteOffer {
  std::string suite; ///< as apt names it, such as bookworm; ID-VERSION_ID of other distributions
  std::string name;  ///< such as `Debian 12 (bookworm)`
  Version glibc;     ///< of the headers of its C library
  std::vector<CompilerOffer> compilers;
  std::optional<ToolkitOffer> toolkit;
  std::optional<CompilerOffer> main = {}; ///< its default C++ compiler, whose libstdc++ its programs need
};

/// Called now and then during a download, possibly by another thread.
struct Progress {
  virtual ~Progress() = default;
  virtual void fetched(std::uint64_t bytes) = 0; ///< of this download, so far
  virtual void working(std::string_view on) = 0; ///< what is done now, such as `unpacking g++-13`
};

/// A distribution's package client, with lists and downloads in a directory of their own: it reads the
/// machine's sources and keys, and changes nothing of the machine.
class PackageClient {
public:
  virtual ~PackageClient() = default;

  /// Its program, such as `apt-get`.
  virtual std::string name() const = 0;
  /// Whether the default compiler of the machine's own suite can be a stdenv, which links programs for this
  /// machine.
  virtual bool brings_stdenv() const { return false; }
  /// The machine's own suite, those that were named, then others of the distribution: older ones, newest
  /// first, then newer ones.
  virtual std::vector<std::string> suites() const = 0;
  /// Fetches the index of a suite once. Errors: no network, an index without a valid signature (with the key
  /// file), no such suite.
  virtual Result<SuiteOffer> offer(const std::string& suite) = 0;
  /// Packages with all that they depend on. What is installed on the machine does not count.
  virtual Result<std::vector<Package>> closure(const std::string& suite,
                                               std::span<const std::string> names) = 0;
  /// Those packages alone.
  virtual Result<std::vector<Package>> only(const std::string& suite, std::span<const std::string> names) = 0;
  /// Downloads to a directory, which is created. What is there already from an earlier call, and whole, is
  /// not downloaded again. If a file is gone from the server, the index is fetched again, once.
  virtual Result<void> fetch(const std::string& suite, std::span<const Package> packages,
                             const std::string& directory, Progress& progress) = 0;
};

struct ClientOptions {
  std::vector<std::string> suites; ///< named by the user
  PackageName distribution;        ///< its row of packages.toml; empty if there is none
  std::string keyring; ///< file of keys for all suites (pacman: a GnuPG directory); empty: the machine's own
};

/// The client of this machine's distribution. `state_directory`, for its lists, is created, and kept by
/// the caller as long as the client is used.
Result<std::unique_ptr<PackageClient>>
package_client(const Context& context, const std::string& state_directory, const ClientOptions& options);

/// `2.41` of `2.41-12+deb13u5`, `12.4.131` of `12.4.131~12.4.1-2`, `17.0.6` of `1:17.0.6-22`.
Version upstream(std::string_view version);

/// Removes files of these packages that are not whole: clients take a file of the right size for a whole one,
/// and go on after the end of a shorter one.
Result<void> remove_damaged(std::span<const Package> packages, const std::string& directory);

/// What has to be asked for to make a compiler run from a directory: its package, and what adds to it.
std::vector<std::string> compiler_packages(const CompilerOffer& compiler);

/// Those of the C library's headers.
std::vector<std::string> header_packages();

/// A way that hostpin cannot go itself, as commands to paste.
struct Advice {
  std::string name;    ///< such as `conda-forge`
  std::string command; ///< one or more lines for a shell
};

} // namespace hostpin::setup
