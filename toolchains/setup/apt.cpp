// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/apt.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/setup/apt_output.hpp"
#include "toolchains/setup/watch.hpp"
#include "toolchains/table/distribution.hpp"

#include <algorithm>
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

constexpr std::chrono::minutes longest_query{5}, longest_download{180};
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

/// Of the distribution's CUDA packages; the runtime's carries its ABI in its name.
constexpr std::string_view toolkit_names[] = {"nvidia-cuda-toolkit", "nvidia-cuda-dev", "libnvvm4",
                                              "libthrust-dev",       "libcub-dev",      "libcu++-dev"};

std::string runtime_of(std::string_view depends) {
  constexpr std::string_view prefix = "libcudart";
  for (const std::string& word : filled_parts(depends, ", |\n"))
    if (word.starts_with(prefix) && word != prefix)
      return word;
  return {};
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
    if (auto found = find_source(); !found)
      return found;
    return find_key();
  }

  std::string name() const override { return "apt-get"; }

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
    auto answer = ask(suite);
    offers_.emplace(suite, answer);
    return answer;
  }

  Result<std::vector<Package>> closure(const std::string& suite,
                                       std::span<const std::string> names) override {
    std::vector<std::string> arguments{"-o", "Dir::Cache::archives=" + empty(suite), "--print-uris",
                                       "--download-only", "install"};
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
    if (auto ready = refresh(suite); !ready)
      return ready;
    if (auto made = make_private_directories(directory); !made)
      return made;
    if (auto removed = remove_damaged(packages, directory); !removed)
      return removed;
    std::vector<std::string> arguments{"download"};
    for (const Package& each : packages)
      arguments.push_back(each.name + ':' + (each.architecture == "all" ? "all" : each.architecture) + '=' +
                          each.version);
    const DirectoryWatch watch(directory, progress);
    Outcome outcome = apt_get(suite, arguments, directory, longest_download);
    if (!outcome.ok() && outcome.errors.find("404 ") != std::string::npos) {
      // Mirrors remove files that older indexes name.
      refreshed_.erase(suite);
      if (auto again = refresh(suite); !again)
        return again;
      outcome = apt_get(suite, arguments, directory, longest_download);
      if (outcome.errors.find("was not found") != std::string::npos)
        return failure(fmt::format("packages of {} changed on the mirror in the meantime", suite),
                       "run the same command again");
    }
    return outcome.ok() ? Result<void>() : tl::unexpected(apt_error(messages(outcome), suite, key_));
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
    auto found = own_source(run(query, longest_query).output, names);
    if (!found) {
      // Without lists of its own, as in a new container, the machine's apt does not know whose its sources
      // are.
      const std::string lists = state_ + "/own";
      if (auto made = make_private_directories(lists + "/partial"); !made)
        return made;
      const std::string option = "Dir::State::lists=" + lists;
      const Outcome updated =
          run({"apt-get", "-qq", "-o", option, "-o", "Dir::Cache=" + state_, "-o", "Acquire::Languages=none",
               "-o", "APT::Sandbox::User=root", "-o", "APT::Update::Error-Mode=any", "update"},
              longest_query);
      found = own_source(
          run({"apt-get", "-o", option, "indextargets", "Created-By: Packages"}, longest_query).output,
          names);
      if (!found && !updated.ok())
        return tl::unexpected(apt_error(messages(updated), names.empty() ? "this machine" : names.front(),
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

  // ------------------------------------------------------------------------------- one suite's own lists

  std::string tree(const std::string& suite) const { return state_ + "/apt/" + suite; }
  std::string empty(const std::string& suite) const { return tree(suite) + "/empty"; }

  std::string configuration(const std::string& suite) const {
    const std::string at = tree(suite);
    return fmt::format("Dir::Etc::sourcelist \"{0}/sources.list\";\n"
                       "Dir::Etc::sourceparts \"/dev/null\";\n"
                       "Dir::Etc::preferences \"/dev/null\";\n"
                       "Dir::Etc::preferencesparts \"/dev/null\";\n"
                       "Dir::State \"{0}\";\n"
                       "Dir::State::lists \"lists\";\n"
                       "Dir::State::status \"{0}/status\";\n"
                       "Dir::Cache \"{0}\";\n"
                       // Images of containers leave these out; without them each query reads the whole index.
                       "Dir::Cache::pkgcache \"pkgcache.bin\";\n"
                       "Dir::Cache::srcpkgcache \"srcpkgcache.bin\";\n"
                       "APT::Sandbox::User \"root\";\n" // _apt cannot write there; others than root ignore it
                       "APT::Install-Recommends \"false\";\n"
                       "APT::Update::Error-Mode \"any\";\n"
                       "Acquire::Languages \"none\";\n"
                       "Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled \"false\";\n",
                       at);
  }

  Result<void> make_tree(const std::string& suite) const {
    const std::string at = tree(suite);
    for (const std::string& each :
         {at + "/lists/partial", at + "/archives/partial", empty(suite) + "/partial"})
      if (auto made = make_private_directories(each); !made)
        return made;
    const std::string components =
        own_.origin == "Ubuntu" ? "main universe restricted multiverse" : "main contrib non-free";
    const std::pair<std::string, std::string> texts[] = {
        {"/sources.list",
         fmt::format("deb [signed-by={}] {} {} {}\n", key_, own_.address, suite, components)},
        {"/status", ""},
        {"/apt.conf", configuration(suite)}};
    for (const auto& [name, text] : texts)
      if (auto written = replace_file(at + name, text, false); !written)
        return written;
    return {};
  }

  /// The index of a suite, fetched once in the life of this object.
  Result<void> refresh(const std::string& suite) {
    if (refreshed_.contains(suite))
      return {};
    if (suite.empty() ||
        suite.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789.-") != std::string::npos ||
        suite.front() == '.')
      return failure("'" + suite + "' is not the name of a suite", "suites have names such as bookworm");
    if (auto made = make_tree(suite); !made)
      return made;
    const Outcome outcome = apt_get(suite, {"update"}, tree(suite), longest_query);
    if (!outcome.ok())
      return tl::unexpected(apt_error(messages(outcome), suite, key_));
    refreshed_.insert(suite);
    return {};
  }

  Outcome apt_get(const std::string& suite, const std::vector<std::string>& arguments,
                  const std::string& directory, std::chrono::milliseconds time) const {
    std::vector<std::string> argv{"env", "-C", directory, "apt-get",
                                  "-qq", "-y", "-c",      tree(suite) + "/apt.conf"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run(std::move(argv), time);
  }

  std::string apt_cache(const std::string& suite, const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv{"apt-cache", "-c", tree(suite) + "/apt.conf"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run(std::move(argv), longest_query).output;
  }

  static std::string messages(const Outcome& outcome) {
    return outcome.errors + outcome.output +
           (outcome.end == Outcome::End::exited ? "" : "E: apt " + describe(outcome) + '\n');
  }

  // ---------------------------------------------------------------------------------------- its packages

  Result<SuiteOffer> ask(const std::string& suite) {
    if (auto ready = refresh(suite); !ready)
      return tl::unexpected(ready.error());
    SuiteOffer offer{suite, suite_name(suite), {}, {}, {}};
    std::vector<std::string> names{"show", "--no-all-versions", "libc6-dev"};
    std::set<std::string> existing;
    // `apt-cache show` takes a name such as g++-13 for a pattern unless there is such a package.
    for (std::string& name : filled_parts(apt_cache(suite, {"pkgnames"}), "\n")) {
      const bool is_toolkit = std::ranges::find(toolkit_names, name) != std::end(toolkit_names);
      if (is_toolkit || compiler_named(name))
        names.push_back(name);
      existing.insert(std::move(name));
    }
    for (const Stanza& stanza : read_stanzas(apt_cache(suite, names)))
      take(stanza, offer);
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
      if (std::string runtime = runtime_of(field(stanza, "depends"));
          package == "nvidia-cuda-dev" && !runtime.empty())
        offer.toolkit->packages.push_back(std::move(runtime));
    }
  }

  std::string suite_name(const std::string& suite) const {
    const Outcome outcome = run(
        {"apt-get", "-c", tree(suite) + "/apt.conf", "indextargets", "Created-By: Packages"}, longest_query);
    for (const Stanza& stanza : read_stanzas(outcome.output))
      if (const std::string& version = field(stanza, "version"); !version.empty())
        return fmt::format("{} {} ({})", field(stanza, "origin"), version, suite);
    return own_.origin + ' ' + suite;
  }

  /// What a command that prints addresses prints, with what the index says of these packages.
  Result<std::vector<Package>> described(const std::string& suite,
                                         const std::vector<std::string>& arguments) {
    if (auto ready = refresh(suite); !ready)
      return tl::unexpected(ready.error());
    const Outcome outcome = apt_get(suite, arguments, empty(suite), longest_query);
    if (!outcome.ok())
      return tl::unexpected(apt_error(messages(outcome), suite, key_));
    const std::vector<PrintedFile> files = read_printed_files(outcome.output);
    std::vector<std::string> names{"show"};
    for (const PrintedFile& each : files)
      names.push_back(each.name + '=' + each.version);
    std::map<std::pair<std::string, std::string>, std::string> hashes;
    if (!files.empty())
      for (const Stanza& stanza : read_stanzas(apt_cache(suite, names)))
        hashes.emplace(std::pair(field(stanza, "package"), field(stanza, "version")),
                       field(stanza, "sha256"));
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
  std::set<std::string> refreshed_;
  std::map<std::string, Result<SuiteOffer>> offers_;
};

} // namespace

Result<std::unique_ptr<PackageClient>> apt_client(const Context& context, const std::string& state_directory,
                                                  const ClientOptions& options) {
  std::error_code error;
  auto client = std::make_unique<AptClient>(context, fs::absolute(state_directory, error).string(), options);
  if (auto begun = client->begin(); !begun)
    return tl::unexpected(begun.error());
  return client;
}

} // namespace hostpin::setup
