// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/repository_client.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/setup/apt_output.hpp"
#include "toolchains/setup/watch.hpp"
#include "toolchains/table/distribution.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <initializer_list>
#include <sys/utsname.h>
#include <utility>

#include <fmt/format.h>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_os_release = std::size_t{1} << 20;

std::string os_release(const Files& files) {
  for (const char* const path : {"/etc/os-release", "/usr/lib/os-release"})
    if (auto text = files.read(path, longest_os_release))
      return *std::move(text);
  return {};
}

/// The major in a name such as `gcc13-c++` of a template such as `gcc{major}-c++`; 0 if it has another form.
int major_in(std::string_view name, std::string_view form) {
  constexpr std::string_view placeholder = "{major}";
  const std::size_t at = form.find(placeholder);
  if (at == std::string_view::npos)
    return 0;
  const std::string_view prefix = form.substr(0, at), suffix = form.substr(at + placeholder.size());
  if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix))
    return 0;
  const std::string_view digits = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  int major = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), major);
  return error == std::errc() && end == digits.data() + digits.size() && major > 0 ? major : 0;
}

std::optional<CompilerOffer> compiler_in(const Package& package, const PackageName& names) {
  const Version version = upstream(package.version);
  for (const auto& [family, form, main] : {std::tuple(Family::gcc, &names.gcc, &names.main_gcc),
                                           std::tuple(Family::clang, &names.clang, &names.main_clang)}) {
    if (const int major = major_in(package.name, *form); major != 0)
      return CompilerOffer{family, major, package.name, version};
    if (!main->empty() && package.name == *main && version.major > 0)
      return CompilerOffer{family, version.major, package.name, version};
  }
  return std::nullopt;
}

/// The package with the sanitizers of a Clang: Fedora's compiler-rt18 of clang18. Others need it, or have
/// them in the compiler's own package.
std::string runtime_of(std::string_view compiler) {
  constexpr std::string_view prefix = "clang";
  return compiler.starts_with(prefix) ? "compiler-rt" + std::string(compiler.substr(prefix.size())) : "";
}

/// Whether an entry of the index is what a client means: by its file, or else by name, version and, if it
/// prints one, architecture.
bool is_entry(const Package& entry, const Package& meant) {
  return meant.file.empty() ? entry.name == meant.name && entry.version == meant.version &&
                                  (meant.architecture.empty() || entry.architecture == meant.architecture)
                            : entry.file == meant.file;
}

/// The last lines that say something, without users in addresses.
std::string last_lines(std::string_view messages) {
  constexpr std::size_t most_lines = 6;
  std::vector<std::string> lines;
  for (const std::string& line : filled_parts(messages, "\n")) {
    std::string words;
    for (const std::string& word : filled_parts(line, " \t\r"))
      if (word.find('\x1b') == std::string::npos)
        words += (words.empty() ? "" : " ") + without_user(word);
    if (!words.empty() && std::ranges::find(lines, words) == lines.end())
      lines.push_back(std::move(words));
  }
  std::string text;
  for (std::size_t i = lines.size() - std::min(lines.size(), most_lines); i < lines.size(); ++i)
    text += "\n  " + lines[i];
  return text;
}

} // namespace

std::vector<CompilerOffer> compilers_among(const std::vector<Package>& packages, const PackageName& names) {
  std::vector<CompilerOffer> offers;
  for (const Package& package : packages) {
    auto offer = compiler_in(package, names);
    if (!offer)
      continue;
    const auto known = std::ranges::find_if(offers, [&](const CompilerOffer& each) {
      return each.family == offer->family && each.major == offer->major;
    });
    if (known == offers.end())
      offers.push_back(*std::move(offer));
    else if (known->version < offer->version)
      *known = *std::move(offer);
  }
  for (CompilerOffer& each : offers)
    if (std::string runtime = runtime_of(each.package);
        std::ranges::find(packages, runtime, &Package::name) != packages.end())
      each.more.push_back(std::move(runtime));
  return offers;
}

Error client_error(std::string_view messages, const std::string& client) {
  const std::string said = last_lines(messages);
  const auto says = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(
        words, [&](std::string_view each) { return messages.find(each) != std::string_view::npos; });
  };
  if (says({"No space left", "not enough free", "Not enough free", "Disk quota"}))
    return {fmt::format("the disk is full: {} cannot write what it fetches:{}", client, said),
            "make room, or name a directory on another file system"};
  if (says({"checksum", "Checksum", "Digest verification", "(checksum)", "integrity check", "\" is invalid"}))
    return {
        fmt::format("{} fetched a file that is damaged or not the one that its index lists:{}", client, said),
        "the mirror or a proxy before it is out of date or damaged: try again later or use another one"};
  if (says({"unknown key", "Signature verification failed", "PGP signature", "unknown trust", "NOKEY",
            "SIGNATURES NOT OK", "GPG check FAILED", "missing from keyring", "required key", "NOT OK",
            "Public keyring not found", "invalid signature", "keyring is not writable"}))
    return {fmt::format("what {} fetched is not signed by a key that it has:{}", client, said),
            "install the distribution's current keys, or name its key file with --keyring"};
  if (says({"No such command", "unrecognized arguments", "Unknown argument"}))
    return {fmt::format("this {} has no command `download`:{}", client, said),
            "it is a plugin of dnf 4: ask for dnf-plugins-core to be installed"};
  if (says({"Operation not permitted", "unshare failed"}))
    return {fmt::format("{} runs for root only, and no user namespace can be made here:{}", client, said),
            "ask for fakeroot to be installed"};
  if (says({"Failed to download metadata", "Cannot download", "Curl error", "Could not resolve",
            "Couldn't resolve", "Failed to connect", "failed retrieving file", "Valid metadata not found",
            "Download (curl) error", "Status code", "failed to synchronize", "All mirrors were tried",
            "No more mirrors", "not found on medium", "Could not connect", "Usable URL not found"}))
    return {fmt::format("{} cannot fetch from the machine's repositories:{}", client, said),
            "check the network and http_proxy, or bring the files: on a machine with a network, hostpin "
            "setup DIR --dry-run --json lists them, and --from DIR takes them"};
  return {fmt::format("{} failed:{}", client, said), {}};
}

RepositoryClient::RepositoryClient(const Context& context, std::string program, const std::string& state,
                                   ClientOptions options)
    : context_(context), program_(std::move(program)), options_(std::move(options)) {
  std::error_code error;
  state_ = fs::absolute(state, error).string() + '/' + program_;
  const std::string text = os_release(context_.files);
  release_ = os_release_value(text, "VERSION_ID");
  suite_ = os_release_value(text, "ID") + (release_.empty() ? "" : '-' + release_);
  suite_name_ = os_release_value(text, "PRETTY_NAME");
  struct utsname names {};
  if (::uname(&names) == 0)
    machine_ = names.machine;
}

Result<void> RepositoryClient::begin() {
  if (!executable(program_, context_.environment))
    return failure(program_ + ", the package client of this distribution, is not on PATH",
                   "bring a toolkit and a compiler, or the files of one: hostpin setup DIR --from DIR");
  for (const std::string& each : options_.suites)
    if (each != suite_)
      return failure(fmt::format("{} has only the machine's own repositories, {}, and no suite {}", program_,
                                 suite_, each),
                     "configure the repository on the machine, or leave --suite out");
  if (!options_.keyring.empty() && !context_.files.status(options_.keyring))
    return failure(options_.keyring + ": no such file");
  return make_private_directories(state_);
}

Result<void> RepositoryClient::load() {
  if (!index_) {
    index_ = refresh().and_then([&] { return index(); });
    if (*index_)
      std::erase_if(**index_, [&](const Package& each) {
        return each.architecture != machine_ && each.architecture != "noarch" && each.architecture != "any";
      });
  }
  return *index_ ? Result<void>() : tl::unexpected(index_->error());
}

Result<SuiteOffer> RepositoryClient::offer(const std::string& suite) {
  TRY(load());
  return SuiteOffer{suite, suite_name_, {}, compilers_among(**index_, options_.distribution), {}};
}

Result<std::vector<Package>> RepositoryClient::closure(const std::string& suite,
                                                       std::span<const std::string> names) {
  TRY(load());
  auto resolved = resolve(names);
  if (!resolved)
    return resolved;
  for (Package& each : *resolved) {
    const auto entry =
        std::ranges::find_if(**index_, [&](const Package& known) { return is_entry(known, each); });
    if (entry == (*index_)->end() || entry->sha256.empty())
      return failure(fmt::format("the index of {} has no SHA-256 of {}", suite,
                                 each.file.empty() ? each.name + ' ' + each.version : each.file),
                     "use the distribution's own repositories");
    const std::string address = each.address.empty() ? entry->address : each.address;
    each = *entry;
    each.address = without_user(address);
  }
  return resolved;
}

Result<std::vector<Package>> RepositoryClient::only(const std::string& suite,
                                                    std::span<const std::string> names) {
  auto all = closure(suite, names);
  if (all)
    std::erase_if(*all,
                  [&](const Package& each) { return std::ranges::find(names, each.name) == names.end(); });
  return all;
}

Result<void> RepositoryClient::fetch(const std::string& suite, std::span<const Package> packages,
                                     const std::string& directory, Progress& progress) {
  static_cast<void>(suite);
  const auto is_there = [&](const Package& each) {
    return context_.files.status(directory + '/' + each.file).has_value();
  };
  auto ready =
      make_private_directories(directory).and_then([&] { return remove_damaged(packages, directory); });
  if (!ready)
    return ready;
  if (std::ranges::all_of(packages, is_there))
    return {};
  if (ready = load(); !ready)
    return ready;
  const DirectoryWatch watch(directory, progress);
  TRY(download(packages, directory));
  for (const Package& each : packages)
    if (!is_there(each))
      return failure(fmt::format("{} did not fetch {}", program_, each.file), "run the same command again");
  return {};
}

Outcome RepositoryClient::run(std::vector<std::string> argv, std::chrono::milliseconds time) const {
  const Command command{std::move(argv), {}, {}, time};
  return context_.processes.run({&command, 1}).front();
}

Result<void> RepositoryClient::checked(const Outcome& outcome, const std::string& messages) const {
  if (outcome.ok())
    return {};
  return tl::unexpected(client_error(
      messages + (outcome.end == Outcome::End::exited ? "" : '\n' + program_ + ' ' + describe(outcome)),
      program_));
}

Result<void> RepositoryClient::checked(const Outcome& outcome) const {
  return checked(outcome, outcome.output + '\n' + outcome.errors);
}

} // namespace hostpin::setup
