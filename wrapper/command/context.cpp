// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/command/context.hpp"

#include "toolchains/base/cache_place.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/own_path.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/options/program.hpp"
#include "wrapper/command/programs.hpp"
#include "wrapper/hot/system.hpp"

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

constexpr const char* install_again = "install it again: cmake --install BUILD --prefix PREFIX";

/// <prefix>/bin/hostpin, or a program in <prefix>/libexec/hostpin.
std::string prefix_of(const std::string& program) {
  const std::filesystem::path directory = std::filesystem::path(program).parent_path();
  return (directory.filename() == "bin" ? directory : directory.parent_path()).parent_path().string();
}

} // namespace

Result<InstallTree> find_install_tree(const std::string& program, const Files& files) {
  const std::string prefix = prefix_of(program);
  InstallTree tree{prefix, prefix + "/bin/hostpin", prefix + "/libexec/hostpin/nvcc",
                   prefix + "/libexec/hostpin", prefix + "/share/hostpin/data"};
  for (const std::string& part : {tree.driver, tree.data})
    if (!files.status(part))
      return failure(fmt::format("this installation of hostpin is incomplete: {} is missing", part),
                     install_again);
  return tree;
}

int with_context(const Environment& environment, const std::function<int(const Context&)>& use) {
  const DiskFiles files;
  const HostProcesses processes;
  const auto tree = find_install_tree(own_path(), files);
  if (!tree) {
    report(tree.error());
    return exit_broken;
  }
  const bool colours =
      isatty(STDOUT_FILENO) != 0 && !environment["NO_COLOR"] && environment["TERM"] != "dumb";
  return use({environment, files, processes, *tree,
              Terminal(colours, terminal_width(environment, STDOUT_FILENO)),
              program_word(environment, *tree, files)});
}

std::string program_word(const Environment& environment, const InstallTree& tree, const Files& files) {
  for (const std::string& directory : path_directories(environment))
    if (const auto real = files.real_path(directory + "/hostpin"))
      return real == files.real_path(tree.command) ? "hostpin" : shell_word(tree.command);
  return shell_word(tree.command);
}

std::optional<std::string> cache_of(const Context& context) {
  const Environment& environment = context.environment;
  const auto own = environment["HOSTPIN_CACHE_DIR"];
  const auto xdg = environment["XDG_CACHE_HOME"];
  const auto home = environment["HOME"];
  return cache_directory(CachePlace{own, xdg, home});
}

int run_program(const InstallTree& tree, const std::string& name, std::vector<const char*> arguments) {
  const std::string path = tree.programs + '/' + name;
  arguments.insert(arguments.begin(), path.c_str());
  arguments.push_back(nullptr);
  // POSIX guarantees that the strings are not changed; its signature predates const.
  execv(path.c_str(), const_cast<char* const*>(arguments.data()));
  const int reason = errno;
  const InstalledProgram* const row = installed_program(name);
  if (reason == ENOENT && row != nullptr && row->component != "core")
    report(options::absent_component("hostpin " + name, std::string(row->component)));
  else
    report(os_failure("run " + path, reason, install_again).value());
  return exit_broken;
}

void report_note(const std::string& text) {
  print_error(fmt::format("hostpin: note: {}\n", text));
}

int run_and_commit(const Context& context, const std::function<int(const Context&)>& work) {
  const DeferTermination held;
  try {
    HostProcesses::Limits limits;
    limits.strict = true;
    limits.ending = held.signals();
    const HostProcesses processes(limits);
    const DiskFiles files(DiskFiles::Trouble::thrown);
    return work({context.environment, files, processes, context.tree, context.terminal, context.program});
  } catch (const Interrupted&) {
    if (!termination_pending()) // the signal handlers could not be installed
      report(
          {"termination signals cannot be handled, so no program was run", "nothing was decided; try again"});
    return exit_broken; // never returned if a signal came, unless the caller blocks it
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) // the answer is lost: written_whole reports it
      throw;
    const bool denied = error.code() == std::errc::function_not_supported ||
                        error.code() == std::errc::operation_not_permitted;
    report({error.what(), denied ? "nothing was decided: this needs Linux 4.18, and a sandbox that allows it"
                                 : "nothing was decided; try again"});
  } catch (const std::bad_alloc&) {
    report({"out of memory", {}});
  } catch (const std::exception& error) {
    report({error.what(), "nothing was decided; try again"});
  }
  return exit_broken;
}

int run_readonly(const Context& context, const std::function<int(const Context&)>& work) {
  const DeferTermination held;
  try {
    HostProcesses::Limits limits;
    limits.ending = held.signals();
    const HostProcesses processes(limits);
    return work(
        {context.environment, context.files, processes, context.tree, context.terminal, context.program});
  } catch (const Interrupted&) {
    return exit_broken; // never returned, unless the caller blocks the signal
  }
}

} // namespace hostpin::command
