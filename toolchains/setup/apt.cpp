// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/apt.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/setup/apt_suite.hpp"
#include "toolchains/setup/watch.hpp"
#include "toolchains/table/distribution.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_file = std::size_t{1} << 20; // of sources and os-release

/// `g++-13` is GCC 13, `clang-18` Clang 18; other names are none.
std::optional<CompilerOffer> compiler_named(std::string_view name) {
  for (const auto& [prefix, family] :
       {std::pair<std::string_view, Family>{"g++-", Family::gcc}, {"clang-", Family::clang}}) {
    if (!name.starts_with(prefix))
      continue;
    const std::string_view digits = name.substr(prefix.size());
    CompilerOffer offer{family, 0, std::string(name), {}};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), offer.major);
    if (error == std::errc() && end == digits.data() + digits.size())
      return offer;
  }
  return std::nullopt;
}

/// Mirrors remove and replace files that older indexes name.
bool is_outdated(std::string_view errors) {
  return std::ranges::any_of(
      std::array<std::string_view, 3>{"404 ", "Hash Sum mismatch", "unexpected size"},
      [&](std::string_view each) { return errors.find(each) != std::string_view::npos; });
}

/// Of the distribution's CUDA packages; the runtime's carries its ABI in its name.
constexpr std::string_view toolkit_names[] = {"nvidia-cuda-toolkit", "nvidia-cuda-dev", "libnvvm4",
                                              "libthrust-dev",       "libcub-dev",      "libcu++-dev"};

bool is_runtime(std::string_view package) {
  constexpr std::string_view prefix = "libcudart";
  return package.starts_with(prefix) && package != prefix;
}

/// Packages of shared libraries that nvidia-cuda-dev has the headers and static libraries of: those that it
/// needs in its own release.
std::vector<std::string> libraries_of(std::string_view depends) {
  std::vector<std::string> packages;
  for (const std::string& each : filled_parts(depends, ",\n"))
    if (const std::vector<std::string> words = filled_parts(each, " ");
        words.size() > 1 && words[0].starts_with("lib") && words[1] == "(=" && !words[0].ends_with("-dev"))
      packages.push_back(words[0]);
  return packages;
}

std::vector<std::string> code_names(const Files& files) {
  for (const char* const path : {"/etc/os-release", "/usr/lib/os-release"})
    if (const auto text = files.read(path, longest_file)) {
      std::vector<std::string> names;
      for (const char* const key : {"UBUNTU_CODENAME", "DEBIAN_CODENAME", "VERSION_CODENAME"})
        if (std::string value = os_release_value(*text, key); !value.empty())
          names.push_back(std::move(value));
      return names;
    }
  return {};
}

class AptClient final : public PackageClient {
public:
  AptClient(const Context& context, std::string state, ClientOptions options)
      : context_(context), state_(std::move(state)), options_(std::move(options)) {}

  Result<void> begin() {
    if (state_.find_first_of("\"\\\n") != std::string::npos)
      return failure("apt cannot work in " + state_, "name a directory without quotes and backslashes");
    TRY(find_source());
    return find_key();
  }

  std::string name() const override { return "apt-get"; }

  bool brings_stdenv() const override { return true; }

  std::vector<std::string> suites() const override {
    std::vector<std::string> all{own_.suite};
    const auto add = [&](const std::string& suite) {
      if (std::ranges::find(all, suite) == all.end())
        all.push_back(suite);
    };
    std::ranges::for_each(options_.suites, add);
    const std::vector<std::string>& known = options_.distribution.suites;
    const auto own = std::ranges::find(known, own_.suite);
    std::for_each(std::make_reverse_iterator(own), known.rend(), add);
    std::for_each(own, known.end(), add);
    return all;
  }

  Result<SuiteOffer> offer(const std::string& suite) override {
    if (const auto known = offers_.find(suite); known != offers_.end())
      return known->second;
    fetch_with_next(suite);
    auto answer = ask(suite);
    offers_.emplace(suite, answer);
    return answer;
  }

  Result<std::vector<Package>> closure(const std::string& suite,
                                       std::span<const std::string> names) override {
    std::vector<std::string> arguments{"-o", "Dir::Cache::archives=" + suite_named(suite).empty(),
                                       "--print-uris", "--download-only", "install"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    return described(suite, arguments);
  }

  Result<std::vector<Package>> only(const std::string& suite, std::span<const std::string> names) override {
    std::vector<std::string> arguments{"--print-uris", "download"};
    arguments.insert(arguments.end(), names.begin(), names.end());
    return described(suite, arguments);
  }

  Result<void> fetch(const std::string& suite, std::span<const Package> packages,
                     const std::string& directory, Progress& progress) override {
    AptSuite& apt = suite_named(suite);
    TRY(apt.ready().and_then([&] { return make_private_directories(directory); }).and_then([&] {
      return remove_damaged(packages, directory);
    }));
    std::vector<std::string> arguments{"download"};
    for (const Package& each : packages)
      arguments.push_back(each.name + ':' + (each.architecture == "all" ? "all" : each.architecture) + '=' +
                          each.version);
    const DirectoryWatch watch(directory, progress);
    Outcome outcome = apt.get(arguments, directory, longest_apt_download);
    if (!outcome.ok() && is_outdated(outcome.errors)) {
      TRY(apt.renew().and_then([&] { return apt.has_still(packages); }));
      outcome = apt.get(arguments, directory, longest_apt_download);
    }
    return outcome.ok() ? Result<void>() : tl::unexpected(apt_error(messages_of(outcome), suite, key_));
  }

private:
  // ---------------------------------------------------------------------------------- the machine's own

  Outcome run(std::vector<std::string> argv, std::chrono::milliseconds time) const {
    const Command command{std::move(argv), {}, {}, time};
    return context_.processes.run({&command, 1}).front();
  }

  Result<void> find_source() {
    const std::vector<std::string> names = code_names(context_.files);
    const std::vector<std::string> query{"apt-get", "indextargets", "Created-By: Packages"};
    auto found = own_source(run(query, longest_apt_query).output, names);
    if (!found) {
      // Without lists of its own, as in a new container, the machine's apt does not know whose its sources
      // are.
      const std::string lists = state_ + "/own";
      TRY(make_private_directories(lists + "/partial"));
      const std::string option = "Dir::State::lists=" + lists;
      const Outcome updated =
          run({"apt-get", "-qq", "-o", option, "-o", "Dir::Cache=" + state_, "-o", "Acquire::Languages=none",
               "-o", "APT::Sandbox::User=root", "-o", "APT::Update::Error-Mode=any", "update"},
              longest_apt_query);
      found = own_source(
          run({"apt-get", "-o", option, "indextargets", "Created-By: Packages"}, longest_apt_query).output,
          names);
      if (!found && !updated.ok())
        return tl::unexpected(apt_error(messages_of(updated), names.empty() ? "this machine" : names.front(),
                                        "this machine's sources"));
    }
    if (!found)
      return failure("apt has no source of this distribution's own packages",
                     "add one to /etc/apt/sources.list.d, with component main");
    own_ = *std::move(found);
    return {};
  }

  /// The key that the source's entry names, or else the distribution's.
  Result<void> find_key() {
    std::vector<std::string> candidates{options_.keyring};
    if (options_.keyring.empty()) {
      const std::size_t colon = own_.entry.rfind(':');
      const std::string file = own_.entry.substr(0, colon);
      std::size_t number = 0;
      if (colon != std::string::npos)
        std::from_chars(own_.entry.data() + colon + 1, own_.entry.data() + own_.entry.size(), number);
      if (const auto text = context_.files.read(file, longest_file))
        candidates.push_back(named_key(*text, file.ends_with(".sources"), number));
      const std::string lower = own_.origin == "Ubuntu" ? "ubuntu" : "debian";
      for (const char* const suffix : {"-archive-keyring.gpg", "-archive-keyring.pgp"})
        candidates.push_back("/usr/share/keyrings/" + lower + suffix);
    }
    for (const std::string& each : candidates)
      if (!each.empty() && context_.files.status(each)) {
        key_ = each;
        return {};
      }
    return failure(options_.keyring.empty()
                       ? "there is no key file to check packages of " + own_.origin + " with"
                       : options_.keyring + ": no such file",
                   options_.keyring.empty() ? "install debian-archive-keyring or ubuntu-keyring, or name a "
                                              "key file with --keyring"
                                            : "");
  }

  // ------------------------------------------------------------------------------------------ its suites

  /// Where the machine's own suite is not enough, the second is rarely: the third comes at the same time.
  void fetch_with_next(const std::string& suite) {
    const std::vector<std::string> all = suites();
    const auto at = std::ranges::find(all, suite);
    if (at == all.begin() || at == all.end() || at + 1 == all.end())
      return;
    const std::array both{&suite_named(*at), &suite_named(at[1])};
    AptSuite::fetch_indexes(both);
  }

  AptSuite& suite_named(const std::string& name) {
    auto& suite = suites_[name];
    if (!suite)
      suite = std::make_unique<AptSuite>(context_, name, own_, key_, state_ + "/apt/" + name);
    return *suite;
  }

  // ---------------------------------------------------------------------------------------- its packages

  Result<SuiteOffer> ask(const std::string& suite) {
    AptSuite& apt = suite_named(suite);
    TRY(apt.ready());
    SuiteOffer offer{suite, apt.title(), {}, {}, {}};
    std::vector<std::string> names{"show", "--no-all-versions", "libc6-dev", "g++"};
    std::set<std::string> existing;
    // `apt-cache show` takes a name such as g++-13 for a pattern unless there is such a package.
    for (std::string& name : filled_parts(apt.cache({"pkgnames"}), "\n")) {
      const bool is_toolkit = std::ranges::find(toolkit_names, name) != std::end(toolkit_names);
      if (is_toolkit || compiler_named(name))
        names.push_back(name);
      existing.insert(std::move(name));
    }
    Version main;
    for (const Stanza& stanza : read_stanzas(apt.cache(names))) {
      take(stanza, offer);
      if (field(stanza, "package") == "g++")
        main = upstream(field(stanza, "version"));
    }
    for (const CompilerOffer& each : offer.compilers)
      if (each.family == Family::gcc && each.major == main.major)
        offer.main = each;
    for (CompilerOffer& each : offer.compilers)
      if (std::string runtime = fmt::format("libclang-rt-{}-dev", each.major);
          each.family == Family::clang && existing.contains(runtime))
        each.more.push_back(std::move(runtime));
    if (offer.glibc == Version{})
      return failure("the index of " + suite + " has no libc6-dev for this machine",
                     "name another suite with --suite");
    if (offer.toolkit && offer.toolkit->version == Version{})
      offer.toolkit.reset(); // headers and libraries without a compiler
    if (offer.toolkit)
      std::erase_if(offer.toolkit->packages,
                    [&](const std::string& name) { return !existing.contains(name); });
    std::ranges::sort(offer.compilers, [](const CompilerOffer& a, const CompilerOffer& b) {
      return std::tuple(a.family, -a.major) < std::tuple(b.family, -b.major);
    });
    return offer;
  }

  static void take(const Stanza& stanza, SuiteOffer& offer) {
    const std::string& package = field(stanza, "package");
    const Version version = upstream(field(stanza, "version"));
    if (package == "libc6-dev")
      offer.glibc = version;
    else if (auto compiler = compiler_named(package)) {
      compiler->version = version;
      offer.compilers.push_back(*std::move(compiler));
    } else if (package == "nvidia-cuda-toolkit" || package == "nvidia-cuda-dev") {
      if (!offer.toolkit)
        offer.toolkit = {{}, {std::begin(toolkit_names), std::end(toolkit_names)}, "NVIDIA CUDA EULA"};
      if (package == "nvidia-cuda-toolkit")
        offer.toolkit->version = version;
      if (package == "nvidia-cuda-dev")
        for (std::string& library : libraries_of(field(stanza, "depends")))
          (is_runtime(library) ? offer.toolkit->packages : offer.toolkit->libraries)
              .push_back(std::move(library));
    }
  }

  /// What a command that prints addresses prints, with what the index says of these packages.
  Result<std::vector<Package>> described(const std::string& suite,
                                         const std::vector<std::string>& arguments) {
    AptSuite& apt = suite_named(suite);
    TRY(apt.ready());
    const Outcome outcome = apt.get(arguments, apt.empty(), longest_apt_query);
    if (!outcome.ok())
      return tl::unexpected(apt_error(messages_of(outcome), suite, key_));
    const std::vector<PrintedFile> files = read_printed_files(outcome.output);
    std::vector<std::string> names;
    for (const PrintedFile& each : files)
      names.push_back(each.name + '=' + each.version);
    const auto hashes = apt.hashes(names);
    std::vector<Package> packages;
    for (const PrintedFile& each : files) {
      const auto hash = hashes.find({each.name, each.version});
      if (hash == hashes.end() || hash->second.empty())
        return failure(fmt::format("the index of {} has no SHA-256 of {} {}", suite, each.name, each.version),
                       "use a mirror of the distribution");
      packages.push_back({each.name, each.version, each.architecture, each.file, without_user(each.address),
                          hash->second, each.bytes});
    }
    return packages;
  }

  Context context_;
  std::string state_;
  ClientOptions options_;
  AptSource own_;
  std::string key_;
  std::map<std::string, std::unique_ptr<AptSuite>> suites_;
  std::map<std::string, Result<SuiteOffer>> offers_;
};

} // namespace

Result<std::unique_ptr<PackageClient>> apt_client(const Context& context, const std::string& state_directory,
                                                  const ClientOptions& options) {
  std::error_code error;
  auto client = std::make_unique<AptClient>(context, fs::absolute(state_directory, error).string(), options);
  TRY(client->begin());
  return client;
}

} // namespace hostpin::setup
