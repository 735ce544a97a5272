// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/setup/apt_output.hpp"
#include "toolchains/setup/packages.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hostpin::setup {

constexpr std::chrono::minutes longest_apt_query{5}, longest_apt_download{180};

/// What apt printed, with its end if it was not an exit, for apt_error.
std::string messages_of(const Outcome& outcome);

/// apt for one suite: lists, cache and status in a directory of their own, so that nothing counts as
/// installed.
class AptSuite {
public:
  /// `key` is the file of keys that have to have signed the index; `directory` is created when it is needed.
  AptSuite(const Context& context, std::string suite, AptSource source, std::string key,
           std::string directory);

  /// Fetches the indexes of suites that have none yet, at the same time.
  static void fetch_indexes(std::span<AptSuite* const> suites);
  /// Fetches the index once. Errors: as PackageClient::offer.
  Result<void> ready();
  /// Fetches it again: the mirror has a newer one.
  Result<void> renew();

  Outcome get(const std::vector<std::string>& arguments, const std::string& directory,
              std::chrono::milliseconds time) const;
  std::string cache(const std::vector<std::string>& arguments) const;

  /// Such as `Debian 12 (bookworm)`.
  std::string title() const;
  /// A directory without files, which commands that only print may run in.
  std::string empty() const { return directory_ + "/empty"; }
  const std::string& key() const { return key_; }

  /// The SHA-256 of packages in the index, by name and version.
  std::map<std::pair<std::string, std::string>, std::string>
  hashes(const std::vector<std::string>& names) const;
  /// An error that names the first of these packages which the index no longer has as it was planned.
  Result<void> has_still(std::span<const Package> packages) const;

private:
  Result<void> prepare() const;
  std::string configuration() const;
  Command command(const std::vector<std::string>& arguments, const std::string& directory,
                  std::chrono::milliseconds time) const;

  Context context_;
  std::string suite_, key_, directory_;
  AptSource source_;
  std::optional<Result<void>> fetched_;
};

} // namespace hostpin::setup
