// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dnf and zypper: their repositories have the same format of index, and rpmkeys checks their packages.
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/setup/package_index.hpp"
#include "toolchains/setup/repository_client.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

/// What both have in common: a keyring of their own and rpmkeys.
class RpmClient : public RepositoryClient {
public:
  using RepositoryClient::RepositoryClient;

protected:
  /// Imports the keys of the distribution, or those that the user names, to an empty rpm database. `where` is
  /// the option that names it, and its value.
  Result<void> import_keys(const std::vector<std::string>& where) const {
    std::size_t imported = 0;
    Outcome last;
    const std::vector<std::string> files = key_files();
    for (const std::string& file : files) {
      std::vector<std::string> argv{"rpmkeys"};
      argv.insert(argv.end(), where.begin(), where.end());
      argv.insert(argv.end(), {"--import", file});
      last = run(std::move(argv), longest_client_query);
      imported += last.ok() ? 1 : 0;
    }
    if (imported != 0)
      return {};
    const std::vector<std::string>& keys = options().distribution.keys;
    const std::string from = options().keyring.empty() ? keys.empty() ? "" : keys.front() : options().keyring;
    return failure(fmt::format("there is no key to check packages with: {}",
                               files.empty() ? from + " has none"
                                             : "rpmkeys takes none of " + from + ": " + describe(last) +
                                                   '\n' + last.errors),
                   "name a file with the distribution's public key with --keyring");
  }

  /// All files have to be signed. rpmkeys alone also accepts unsigned ones whose digests fit.
  Result<void> check_signatures(std::span<const Package> packages, const std::string& directory) const {
    const std::string keys = state() + "/keys";
    std::error_code error;
    fs::remove_all(keys, error);
    TRY(make_private_directories(keys).and_then([&] { return import_keys({"--dbpath", keys}); }));
    std::vector<std::string> argv{"rpmkeys", "--dbpath", keys, "--checksig"};
    for (const Package& each : packages)
      argv.push_back(directory + '/' + each.file);
    const Outcome outcome = run(argv, longest_client_download);
    const std::vector<std::string> lines = filled_parts(outcome.output, "\n");
    std::string unsigned_files;
    for (const Package& each : packages) {
      const std::string path = directory + '/' + each.file;
      if (std::ranges::find(lines, path + ": digests signatures OK") != lines.end())
        continue;
      unsigned_files += each.file + ": NOT OK\n";
      fs::remove(path, error);
    }
    return unsigned_files.empty() ? checked(outcome)
                                  : tl::unexpected(client_error(unsigned_files + outcome.errors, name()));
  }

  /// The packages in each primary.xml at `pattern`-named places: DIRECTORY/REPOSITORY/repodata.
  /// `address_of` is asked for what is before a location, by the name of the repository's directory.
  template <typename AddressOf>
  Result<std::vector<Package>> read_indexes(const std::string& directory, const AddressOf& address_of) const {
    std::vector<Package> all;
    std::error_code error;
    for (fs::directory_iterator each(directory, error), end; !error && each != end; each.increment(error)) {
      const std::string repository = each->path().filename().string();
      std::error_code no_index;
      for (fs::directory_iterator file(each->path() / "repodata", no_index); !no_index && file != end;
           file.increment(no_index)) {
        if (file->path().filename().string().find("primary.xml") == std::string::npos)
          continue;
        auto packages = read_rpm_index(file->path().string());
        if (!packages)
          return packages;
        const std::string address = address_of(repository);
        for (Package& package : *packages) {
          package.address = address.empty() ? "" : address + '/' + package.address;
          all.push_back(std::move(package));
        }
      }
    }
    if (all.empty())
      return failure(
          fmt::format("the repositories of this machine have no packages that {} can read", name()),
          "enable the distribution's repositories");
    return all;
  }

private:
  std::vector<std::string> key_files() const {
    if (!options().keyring.empty())
      return {options().keyring};
    std::vector<std::string> files;
    for (const std::string& directory : options().distribution.keys) {
      std::error_code error;
      for (fs::directory_iterator each(directory, error), end; !error && each != end; each.increment(error))
        if (each->is_regular_file(error))
          files.push_back(each->path().string());
    }
    std::ranges::sort(files);
    return files;
  }
};

/// dnf 4 with its plugin and dnf 5 have the same `download`, which needs no root and no installation.
class DnfClient final : public RpmClient {
public:
  DnfClient(const Context& context, const std::string& state, const ClientOptions& options)
      : RpmClient(context, "dnf", state, options) {}

protected:
  Result<void> refresh() override { return checked(dnf({"--refresh", "makecache"}, longest_client_query)); }

  Result<std::vector<Package>> index() const override {
    return read_indexes(state() + "/cache", [](const std::string&) { return std::string(); });
  }

  Result<std::vector<Package>> resolve(std::span<const std::string> names) const override {
    std::vector<std::string> arguments{"-q", "download", "--resolve", "--alldeps", "--url"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    const Outcome outcome = dnf(arguments, longest_client_query);
    TRY(checked(outcome));
    std::vector<Package> packages;
    for (const std::string& line : filled_parts(outcome.output, "\n"))
      if (line.ends_with(".rpm") && line.find("://") != std::string::npos)
        packages.push_back({{}, {}, {}, std::string(base_name(line)), line, {}, 0});
    return packages;
  }

  Result<void> download(std::span<const Package> packages, const std::string& directory) const override {
    std::vector<std::string> arguments{"download", "--destdir", directory};
    for (const Package& each : packages)
      arguments.push_back(each.name + '-' + each.version + '.' + each.architecture);
    return checked(dnf(arguments, longest_client_download)).and_then([&] {
      return check_signatures(packages, directory);
    });
  }

private:
  /// dnf 5 has two names for its cache, and dnf 4 ignores the second. Quiet, dnf 4 does not print why a
  /// download fails.
  Outcome dnf(const std::vector<std::string>& arguments, std::chrono::milliseconds time) const {
    std::vector<std::string> argv{"dnf",
                                  "-y",
                                  "--setopt=cachedir=" + state() + "/cache",
                                  "--setopt=system_cachedir=" + state() + "/cache",
                                  "--setopt=logdir=" + state() + "/log",
                                  "--setopt=zchunk=0"}; // an index that other programs can read
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run(std::move(argv), time);
  }
};

/// With a root of its own, in which nothing is installed, zypper needs no rights.
class ZypperClient final : public RpmClient {
public:
  ZypperClient(const Context& context, const std::string& state, const ClientOptions& options)
      : RpmClient(context, "zypper", state, options) {}

protected:
  Result<void> refresh() override {
    std::error_code error;
    fs::remove_all(root(), error);
    TRY(make_private_directories(root()).and_then([&] { return import_keys({"--root", root()}); }));
    return zypper({"refresh"}, longest_client_query).and_then([&](const ZypperOutput&) {
      return zypper({"repos"}, longest_client_query).map([&](const ZypperOutput& output) {
        for (const ZypperOutput::Repository& each : output.repositories)
          addresses_[each.alias] = each.address;
      });
    });
  }

  Result<std::vector<Package>> index() const override {
    return read_indexes(root() + "/var/cache/zypp/raw", [&](const std::string& alias) {
      const auto found = addresses_.find(alias);
      return found == addresses_.end() ? std::string() : found->second;
    });
  }

  Result<std::vector<Package>> resolve(std::span<const std::string> names) const override {
    std::vector<std::string> arguments{"install", "--dry-run", "--no-recommends"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    return zypper(arguments, longest_client_query).map([](ZypperOutput output) {
      return std::move(output.packages);
    });
  }

  Result<void> download(std::span<const Package> packages, const std::string& directory) const override {
    const std::string cache = directory + "/zypper";
    std::vector<std::string> arguments{"install", "--download-only", "--no-recommends"};
    for (const Package& each : packages)
      arguments.push_back(each.name + '=' + each.version);
    TRY(zypper(arguments, longest_client_download, {"--pkg-cache-dir", cache}));
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::recursive_directory_iterator each(cache, error), end; !error && each != end;
         each.increment(error))
      if (each->is_regular_file(error))
        files.push_back(each->path());
    for (const fs::path& each : files)
      if (!error)
        fs::rename(each, fs::path(directory) / each.filename(), error);
    if (error)
      return failure("cannot move what zypper fetched to " + directory + ": " + error.message());
    fs::remove_all(cache, error);
    return check_signatures(packages, directory);
  }

private:
  std::string root() const { return state() + "/root"; }

  Result<ZypperOutput> zypper(const std::vector<std::string>& arguments, std::chrono::milliseconds time,
                              const std::vector<std::string>& more = {}) const {
    std::vector<std::string> argv{
        "zypper", "--non-interactive", "--xmlout", "--reposd-dir", "/etc/zypp/repos.d", "--root", root()};
    argv.insert(argv.end(), more.begin(), more.end());
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const Outcome outcome = run(std::move(argv), time);
    ZypperOutput output = read_zypper_output(outcome.output);
    TRY(checked(outcome, output.errors + outcome.errors));
    return output;
  }

  std::map<std::string, std::string> addresses_; ///< of repositories, by alias
};

template <typename Client>
Result<std::unique_ptr<PackageClient>> made(const Context& context, const std::string& state,
                                            const ClientOptions& options) {
  auto client = std::make_unique<Client>(context, state, options);
  TRY(client->begin());
  return client;
}

} // namespace

Result<std::unique_ptr<PackageClient>> dnf_client(const Context& context, const std::string& state_directory,
                                                  const ClientOptions& options) {
  return made<DnfClient>(context, state_directory, options);
}

Result<std::unique_ptr<PackageClient>>
zypper_client(const Context& context, const std::string& state_directory, const ClientOptions& options) {
  return made<ZypperClient>(context, state_directory, options);
}

} // namespace hostpin::setup
