// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/judged_by.hpp"

#include "hooks/leak-check/command/loaders.hpp"
#include "toolchains/base/error_report.hpp"
#include "toolchains/base/own_path.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/termination.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace hostpin::leak {

namespace {

/// Adds the decision that an unbound call of nvcc would use now, as `hostpin` (a path) makes it. `scratch`: a
/// directory for temporary files. A request to terminate takes effect once those are removed.
Result<void> add_binding_in_force(Policy& policy, const std::string& hostpin, const std::string& scratch,
                                  const Files& files) {
  constexpr const char* hint = "name one with --binding DIR, or use --no-binding";
  const DeferTermination held;
  TRY_ASSIGN(const auto directory, ScratchDirectory::make(scratch));
  HostProcesses::Limits limits;
  limits.time = std::chrono::minutes(2); // many compilers on a busy machine
  limits.ending = held.signals();
  const auto run = [&](std::vector<std::string> arguments) {
    Command command;
    command.argv = {hostpin, "bind"};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    command.own_temporary = true;
    command.errors_as_json = true;
    return HostProcesses(limits).run({&command, 1}).front();
  };
  std::string bound;
  Outcome outcome;
  try {
    outcome = run({"--decision"});
    bound = outcome.output.substr(0, outcome.output.find('\n'));
    if (outcome.ok() && bound.empty()) { // no cache has a place for it
      bound = directory.path() + "/bound";
      outcome = run({bound});
    }
  } catch (const Interrupted&) { // thrown if the caller defers termination
    return failure("interrupted");
  }
  if (!outcome.ok()) {
    const Error error = reported_error(outcome).value_or(
        Error{outcome.errors.empty() ? describe(outcome) : outcome.errors, {}, kind_of(outcome)});
    return failure("no toolchain can be bound here: " + error.message.substr(0, error.message.find('\n')),
                   hint, error.kind);
  }
  return add_binding(policy, files, bound);
}

/// <prefix>/bin/hostpin for <prefix>/libexec/hostpin/leak-check.
std::string hostpin_command() {
  std::string path = own_path();
  for (int parents = 0; parents < 3 && !path.empty(); ++parents)
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  return path + "/bin/hostpin";
}

/// As named on the command line, made absolute and with symlinks resolved if it exists.
std::string absolute(const std::string& path, const Files& files) {
  std::error_code failed;
  const std::string whole = std::filesystem::absolute(path, failed).string();
  return files.real_path(whole).value_or(lexically_normal(failed ? path : whole));
}

} // namespace

std::vector<std::string> absolute(const std::vector<std::string>& paths, const Files& files) {
  std::vector<std::string> result;
  for (const std::string& path : paths)
    result.push_back(absolute(path, files));
  return result;
}

Result<Policy> policy_of(const LeakOptions& options, const Environment& environment, const Files& files) {
  Policy policy;
  for (const std::string& path : options.forbidden)
    policy.unwanted.push_back({path, UnwantedPath::Kind::forbidden});
  for (const std::string& path : options.forbidden_files)
    TRY(add_forbidden_file(policy, files, path));
  for (const std::string& path : absolute(options.build_directories, files))
    policy.unwanted.push_back({path, UnwantedPath::Kind::build_directory});
  if (!options.no_binding) {
    const std::string scratch = environment["TMPDIR"].value_or("/tmp");
    TRY(options.binding.empty() ? add_binding_in_force(policy, hostpin_command(), scratch, files)
                                : add_binding(policy, files, options.binding));
  }
  policy.vendor = absolute(options.vendor, files);
  policy.stores = options.stores.empty() ? std::vector<std::string>{"/nix/store", "/gnu/store"}
                                         : absolute(options.stores, files);
  policy.driver_directory = options.driver_directory;
  policy.compat_directory = options.compat_directory;
  return policy;
}

namespace {

std::vector<std::string> installed_path(std::vector<std::string> paths, const RootedFiles& root) {
  for (std::string& path : paths)
    if (auto there = root.installed_path(path))
      path = *std::move(there);
  return paths;
}

/// The error for a path that is not in the tree, or only once the tree is installed.
std::optional<Error> unfit_name(const std::string& path, const std::string& root, const RootedFiles& rooted,
                                const Files& files) {
  const bool is_there = files.status(path).has_value();
  const std::string inside = root + (path.starts_with('/') ? "" : "/") + path;
  const bool is_meant = files.status(inside).has_value();
  const std::string hint = is_meant ? "use its current name: " + inside
                                    : "use the current names of files and directories in the staged tree";
  if (is_there && !rooted.installed_path(path))
    return Error{path + " is not in --root " + root, hint};
  if (!is_there && is_meant)
    return Error{"there is no " + path + " here, but there is one in --root " + root, hint};
  return std::nullopt;
}

} // namespace

Result<std::unique_ptr<RootedFiles>> staged_root(const std::string& root,
                                                 const std::vector<std::string>& paths, const Files& files) {
  auto real = files.real_path(root);
  if (!real || !is_directory(files, root))
    return failure("--root " + root + " is not a directory",
                   "name the directory that was given as DESTDIR when this was installed");
  const bool alone = Loaders::are_in(*real);
  auto rooted = std::make_unique<RootedFiles>(*std::move(real), alone);
  for (const std::string& path : paths)
    if (auto wrong = unfit_name(path, root, *rooted, files))
      return tl::unexpected(*std::move(wrong));
  return rooted;
}

void fit_to_root(Policy& policy, const RootedFiles& root) {
  policy.vendor = installed_path(std::move(policy.vendor), root);
  policy.stores = installed_path(std::move(policy.stores), root);
  std::vector<UnwantedPath> more;
  for (const UnwantedPath& row : policy.unwanted)
    if (auto real = root.real_path(row.path);
        real && *real != row.path && real->size() >= NeedleSet::shortest)
      more.push_back({*std::move(real), row.kind});
  if (root.root().size() >= NeedleSet::shortest)
    more.push_back({root.root(), UnwantedPath::Kind::build_directory});
  policy.unwanted.insert(policy.unwanted.end(), more.begin(), more.end());
}

} // namespace hostpin::leak
