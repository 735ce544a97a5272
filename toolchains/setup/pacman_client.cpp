// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/setup/package_index.hpp"
#include "toolchains/setup/repository_client.hpp"

#include <filesystem>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

/// With databases of its own. pacman refuses to download for anybody but root, so it runs under fakeroot or
/// in a user namespace; it writes below the state directory alone.
class PacmanClient final : public RepositoryClient {
public:
  PacmanClient(const Context& context, const std::string& state, const ClientOptions& options)
      : RepositoryClient(context, "pacman", state, options) {}

protected:
  Result<void> refresh() override {
    return make_private_directories(state() + "/db")
        .and_then([&] { return make_private_directories(state() + "/cache"); })
        .and_then([&] { return configure(); })
        .and_then([&] { return checked(pacman_as_root({"-Sy"}, longest_client_query)); });
  }

  Result<std::vector<Package>> index() const override {
    std::vector<Package> all;
    std::error_code error;
    for (fs::directory_iterator each(state() + "/db/sync", error), end; !error && each != end;
         each.increment(error)) {
      if (each->path().extension() != ".db")
        continue;
      auto packages = read_pacman_index(each->path().string());
      if (!packages)
        return packages;
      all.insert(all.end(), packages->begin(), packages->end());
    }
    return all;
  }

  Result<std::vector<Package>> resolve(std::span<const std::string> names) const override {
    std::vector<std::string> arguments{"-Sp", "--print-format", "%n %v %l"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    const Outcome outcome = run(command(arguments), longest_client_query);
    TRY(checked(outcome));
    std::vector<Package> packages;
    for (const std::string& line : filled_parts(outcome.output, "\n"))
      if (const auto words = filled_parts(line, " ");
          words.size() == 3 && words[2].find("://") != std::string::npos)
        packages.push_back({words[0], words[1], {}, {}, words[2], {}, 0});
    return packages;
  }

  Result<void> download(std::span<const Package> packages, const std::string& directory) const override {
    std::vector<std::string> arguments{"-Sw", "--cachedir", directory + '/'};
    for (const Package& each : packages)
      arguments.push_back(each.name);
    return checked(pacman_as_root(arguments, longest_client_download));
  }

private:
  /// A copy of the public keys and whom to trust: pacman would add keys of servers to the machine's.
  Result<void> copy_keys(const std::string& from) const {
    const std::string to = state() + "/gnupg";
    std::error_code error;
    fs::remove_all(to, error);
    TRY(make_private_directories(to));
    for (const char* const name : {"/pubring.gpg", "/pubring.kbx", "/trustdb.gpg"})
      if (context().files.status(from + name))
        if (fs::copy_file(from + name, to + name, error); error)
          return failure(fmt::format("cannot copy {}{} to {}: {}", from, name, to, error.message()));
    return replace_file(to + "/gpg.conf", "disable-dirmngr\n", false);
  }

  /// The machine's repositories, as pacman-conf resolves them; every package has to be signed.
  Result<void> configure() const {
    const Outcome machine = run({"pacman-conf"}, longest_client_query);
    TRY(checked(machine));
    std::string keys = options().keyring, section, architecture = "auto", repositories;
    for (const std::string& line : filled_parts(machine.output, "\n")) {
      const std::size_t equals = line.find(" = ");
      const std::string key = line.substr(0, equals),
                        value = equals == std::string::npos ? "" : line.substr(equals + 3);
      if (line.starts_with('[')) {
        section = line;
        repositories += section == "[options]" ? "" : line + '\n';
      } else if (section == "[options]") {
        if (key == "GPGDir" && keys.empty())
          keys = value;
        if (key == "Architecture" && architecture == "auto")
          architecture = value;
      } else if (key == "Server") {
        repositories += line + '\n';
      }
    }
    TRY(copy_keys(keys));
    return replace_private_file(
        configuration(), fmt::format("[options]\nArchitecture = {0}\nGPGDir = {1}/gnupg\nDBPath = {1}/db\n"
                                     "CacheDir = {1}/cache\nHookDir = {1}/hooks\nLogFile = {1}/log\n"
                                     "SigLevel = Required DatabaseOptional\n{2}",
                                     architecture, state(), repositories));
  }

  std::string configuration() const { return state() + "/pacman.conf"; }

  std::vector<std::string> command(const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{"pacman",      "--config",        configuration(),
                                  "--noconfirm", "--noprogressbar", "--color=never"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return argv;
  }

  Outcome pacman_as_root(const std::vector<std::string>& arguments, std::chrono::milliseconds time) const {
    std::error_code error;
    fs::remove(state() + "/db/db.lck", error); // of a run that was killed; the directory has its own lock
    std::vector<std::string> argv;
    if (::geteuid() != 0)
      argv = executable("fakeroot", context().environment)
                 ? std::vector<std::string>{"fakeroot", "--"}
                 : std::vector<std::string>{"unshare", "--map-root-user"};
    for (std::string& each : command(arguments))
      argv.push_back(std::move(each));
    return run(std::move(argv), time);
  }
};

} // namespace

Result<std::unique_ptr<PackageClient>>
pacman_client(const Context& context, const std::string& state_directory, const ClientOptions& options) {
  auto client = std::make_unique<PacmanClient>(context, state_directory, options);
  TRY(client->begin());
  return client;
}

} // namespace hostpin::setup
