// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/apt_suite.hpp"

#include "toolchains/base/writing.hpp"

#include <utility>

#include <fmt/format.h>

namespace hostpin::setup {

namespace {

bool is_suite_name(const std::string& suite) {
  return !suite.empty() && suite.front() != '.' &&
         suite.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") ==
             std::string::npos;
}

} // namespace

std::string messages_of(const Outcome& outcome) {
  return outcome.errors + outcome.output +
         (outcome.end == Outcome::End::exited ? "" : "E: apt " + describe(outcome) + '\n');
}

AptSuite::AptSuite(const Context& context, std::string suite, AptSource source, std::string key,
                   std::string directory)
    : context_(context), suite_(std::move(suite)), key_(std::move(key)), directory_(std::move(directory)),
      source_(std::move(source)) {}

void AptSuite::fetch_indexes(std::span<AptSuite* const> suites) {
  std::vector<AptSuite*> waiting;
  std::vector<Command> updates;
  for (AptSuite* const each : suites) {
    if (each->fetched_)
      continue;
    if (each->fetched_ = each->prepare(); !*each->fetched_)
      continue;
    waiting.push_back(each);
    updates.push_back(each->command({"update"}, each->directory_, longest_apt_query));
  }
  if (waiting.empty())
    return;
  const std::vector<Outcome> outcomes = waiting.front()->context_.processes.run(updates);
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (!outcomes[i].ok())
      waiting[i]->fetched_ =
          tl::unexpected(apt_error(messages_of(outcomes[i]), waiting[i]->suite_, waiting[i]->key_));
}

Result<void> AptSuite::ready() {
  AptSuite* const self = this;
  fetch_indexes({&self, 1});
  return *fetched_;
}

Result<void> AptSuite::renew() {
  fetched_.reset();
  return ready();
}

Result<void> AptSuite::prepare() const {
  if (!is_suite_name(suite_))
    return failure("'" + suite_ + "' is not the name of a suite", "suites have names such as bookworm");
  for (const std::string& each :
       {directory_ + "/lists/partial", directory_ + "/archives/partial", empty() + "/partial"})
    TRY(make_private_directories(each));
  const std::string components =
      source_.origin == "Ubuntu" ? "main universe restricted multiverse" : "main contrib non-free";
  const std::pair<std::string, std::string> texts[] = {
      {"/sources.list",
       fmt::format("deb [signed-by={}] {} {} {}\n", key_, source_.address, suite_, components)},
      {"/status", ""},
      {"/apt.conf", configuration()}};
  for (const auto& [name, text] : texts) // the machine's address of the mirror may have a password
    TRY(replace_private_file(directory_ + name, text));
  return {};
}

std::string AptSuite::configuration() const {
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
                     // Whatever the machine's configuration allows; this file is read after it.
                     "Acquire::AllowInsecureRepositories \"false\";\n"
                     "Acquire::AllowWeakRepositories \"false\";\n"
                     "Acquire::AllowDowngradeToInsecureRepositories \"false\";\n"
                     "APT::Get::AllowUnauthenticated \"false\";\n"
                     "APT::Install-Recommends \"false\";\n"
                     "APT::Update::Error-Mode \"any\";\n"
                     "Acquire::Languages \"none\";\n"
                     "Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled \"false\";\n",
                     directory_);
}

Command AptSuite::command(const std::vector<std::string>& arguments, const std::string& directory,
                          std::chrono::milliseconds time) const {
  Command command{
      {"env", "-C", directory, "apt-get", "-qq", "-y", "-c", directory_ + "/apt.conf"}, {}, {}, time};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return command;
}

Outcome AptSuite::get(const std::vector<std::string>& arguments, const std::string& directory,
                      std::chrono::milliseconds time) const {
  const Command one = command(arguments, directory, time);
  return context_.processes.run({&one, 1}).front();
}

std::string AptSuite::cache(const std::vector<std::string>& arguments) const {
  Command command{{"apt-cache", "-c", directory_ + "/apt.conf"}, {}, {}, longest_apt_query};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return context_.processes.run({&command, 1}).front().output;
}

std::string AptSuite::title() const {
  const Command command{{"apt-get", "-c", directory_ + "/apt.conf", "indextargets", "Created-By: Packages"},
                        {},
                        {},
                        longest_apt_query};
  for (const Stanza& stanza : read_stanzas(context_.processes.run({&command, 1}).front().output))
    if (const std::string& version = field(stanza, "version"); !version.empty())
      return fmt::format("{} {} ({})", field(stanza, "origin"), version, suite_);
  return source_.origin + ' ' + suite_;
}

std::map<std::pair<std::string, std::string>, std::string>
AptSuite::hashes(const std::vector<std::string>& names) const {
  std::map<std::pair<std::string, std::string>, std::string> found;
  if (names.empty())
    return found;
  std::vector<std::string> query{"show"};
  query.insert(query.end(), names.begin(), names.end());
  for (const Stanza& stanza : read_stanzas(cache(query)))
    found.emplace(std::pair(field(stanza, "package"), field(stanza, "version")), field(stanza, "sha256"));
  return found;
}

Result<void> AptSuite::has_still(std::span<const Package> packages) const {
  std::vector<std::string> names;
  for (const Package& each : packages)
    names.push_back(each.name);
  const auto now = hashes(names);
  for (const Package& each : packages) {
    const auto found = now.find({each.name, each.version});
    if (found == now.end() || found->second != each.sha256)
      return failure(fmt::format("{} changed on the mirror since the plan was made: {} {} is {}", suite_,
                                 each.name, each.version,
                                 found == now.end() ? "no longer there" : "another file now"),
                     "run the same command again: it makes a new plan");
  }
  return {};
}

} // namespace hostpin::setup
