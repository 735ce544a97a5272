// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/setup/packages.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::setup {

/// What dnf, zypper and pacman have in common: the packages of one suite, which is what the machine's
/// configured repositories offer, in an index that the client fetches to a cache in the state directory. The
/// client resolves dependencies, downloads, and checks signatures.
class RepositoryClient : public PackageClient {
public:
  RepositoryClient(const Context& context, std::string program, const std::string& state,
                   ClientOptions options);

  /// Whether the program is there and the options are ones that it has.
  Result<void> begin();

  std::string name() const final { return program_; }
  std::vector<std::string> suites() const final { return {suite_}; }
  Result<SuiteOffer> offer(const std::string& suite) final;
  Result<std::vector<Package>> closure(const std::string& suite, std::span<const std::string> names) final;
  Result<std::vector<Package>> only(const std::string& suite, std::span<const std::string> names) final;
  Result<void> fetch(const std::string& suite, std::span<const Package> packages,
                     const std::string& directory, Progress& progress) final;

protected:
  /// Fetches the index, once in the life of this object.
  virtual Result<void> refresh() = 0;
  /// What is in it. `address` is what the client needs to complete it in `resolve`.
  virtual Result<std::vector<Package>> index() const = 0;
  /// Packages with all that they depend on: enough of each to find it in the index, and its address.
  virtual Result<std::vector<Package>> resolve(std::span<const std::string> names) const = 0;
  /// Downloads those packages, and checks that each is signed by a key of the keyring.
  virtual Result<void> download(std::span<const Package> packages, const std::string& directory) const = 0;

  Outcome run(std::vector<std::string> argv, std::chrono::milliseconds time) const;
  /// Of a client's run: nothing if it succeeded, else what its messages mean.
  Result<void> checked(const Outcome& outcome, const std::string& messages) const;
  Result<void> checked(const Outcome& outcome) const;

  const Context& context() const { return context_; }
  const std::string& state() const { return state_; }
  /// VERSION_ID of os-release; may be empty.
  const std::string& release() const { return release_; }
  const ClientOptions& options() const { return options_; }

private:
  Result<void> load();

  Context context_;
  std::string program_, state_, release_, suite_, suite_name_, machine_;
  ClientOptions options_;
  std::optional<Result<std::vector<Package>>> index_; ///< packages for this machine
};

constexpr std::chrono::minutes longest_client_query{10}, longest_client_download{180};

/// Compilers among packages, by the names of the distribution; of a major that several have, the newest.
std::vector<CompilerOffer> compilers_among(const std::vector<Package>& packages, const PackageName& names);

/// What messages of dnf, zypper or pacman mean: the network, a signature, a checksum, the disk, no such
/// package.
Error client_error(std::string_view messages, const std::string& client);

/// dnf (4 with its plugin `download`, or 5), zypper and pacman, as any user. Repositories are those that are
/// configured on the machine; caches and keys are in the state directory.
Result<std::unique_ptr<PackageClient>> dnf_client(const Context& context, const std::string& state_directory,
                                                  const ClientOptions& options);
Result<std::unique_ptr<PackageClient>>
zypper_client(const Context& context, const std::string& state_directory, const ClientOptions& options);
Result<std::unique_ptr<PackageClient>>
pacman_client(const Context& context, const std::string& state_directory, const ClientOptions& options);

} // namespace hostpin::setup
