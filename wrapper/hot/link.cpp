// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/link.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/cmdline/linker_command.hpp"
#include "toolchains/cmdline/response.hpp"
#include "toolchains/loader/proof.hpp"
#include "toolchains/loader/symbols.hpp"
#include "wrapper/cxx/runtime.hpp"
#include "wrapper/hot/child.hpp"
#include "wrapper/hot/system.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hostpin::hot {

namespace {

/// What distinguishes a newly written file from the one before.
struct Made {
  int trouble = 0; ///< errno if it could not be examined; 0 for a missing file
  bool regular = false;
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec modified{};
};

Made look(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return {errno == ENOENT || errno == ENOTDIR ? 0 : errno, false, 0, 0, 0, {}};
  return {0, S_ISREG(status.st_mode), status.st_dev, status.st_ino, status.st_size, status.st_mtim};
}

bool same(const Made& a, const Made& b) {
  return a.regular == b.regular && a.device == b.device && a.inode == b.inode && a.size == b.size &&
         a.modified.tv_sec == b.modified.tv_sec && a.modified.tv_nsec == b.modified.tv_nsec;
}

/// `trouble`: why the loader's cache could not be read.
LoaderPlaces places_of(const Plan& plan, const char* const* envp, int& trouble) {
  LoaderPlaces places;
  // A build that sets it (environment modules, a package manager) expects its programs to run with it.
  if (const auto path = variable(envp, "LD_LIBRARY_PATH"))
    places.library_path = split(*path, ":;");
  if (const auto cache = MappedFile::open(std::string(plan.loader_cache)))
    places.cache = cache->bytes();
  else if (is_trouble(errno))
    trouble = errno;
  places.directories.assign(plan.loader_directories.begin(), plan.loader_directories.end());
  places.capabilities.assign(plan.loader_capabilities.begin(), plan.loader_capabilities.end());
  places.library_name = plan.loader_library;
  places.platform = plan.loader_platform;
  return places;
}

Proof proof_of(const std::string& output, const Plan& plan, std::span<const std::string_view> arguments,
               char* const* envp) {
  int trouble = 0;
  LoaderPlaces places = places_of(plan, envp, trouble);
  if (trouble != 0)
    return unproven(output, std::string(plan.loader_cache), trouble);
  return prove({output, std::string(plan.loader), std::move(places), std::string(plan.library),
                [arguments, envp] { return possible_inputs(arguments, envp).files; }});
}

/// If a mapped file shrinks while it is read, the linker's result is accepted unchecked.
void survive_shrinking_files() {
  struct sigaction leave {};
  leave.sa_handler = [](int) { _exit(0); };
  sigaction(SIGBUS, &leave, nullptr);
}

int judge(const Proof& proof, const std::string& output, const Plan& plan, bool verbose) {
  switch (proof.outcome) {
  case Proof::Outcome::holds:
    break;
  case Proof::Outcome::skipped:
    if (verbose)
      note(concat({"not verified: ", proof.message}));
    break;
  case Proof::Outcome::disproved:
    if (plan.link_proof != CheckPolicy::warn) {
      // A linker that fails leaves no output either; else make would take the file as up to date.
      unlink(output.c_str());
      complain(proof.message, proof.hint);
      return exit_refused;
    }
    [[fallthrough]];
  case Proof::Outcome::doubtful:
    note(proof.hint.empty() ? proof.message : concat({proof.message, "\nhint: ", proof.hint}));
    break;
  }
  return 0;
}

/// The C++ library that a driver's links use, as the driver itself reports; empty if it has none.
std::string library_of(std::span<const std::string_view> command, char* const* envp) {
  std::vector<std::string> question(command.begin(), command.end());
  question.emplace_back("-print-file-name=libstdc++.so.6");
  std::string path = capture(question, envp).output;
  path.resize(std::min(path.find('\n'), path.size()));
  return path;
}

/// A link fails for many reasons; the one checked here shows in the symbols that its inputs need.
void explain_failure(const Plan& plan, std::span<const std::string_view> arguments, char* const* envp) {
  constexpr std::size_t most = 3;
  const std::string own = library_of(plan.link, envp);
  const auto lacked =
      lacked_symbols(possible_inputs(arguments, envp).files, own, library_of(plan.host, envp));
  if (lacked.empty())
    return;
  std::string text = concat({"the libstdc++ of this link, ", own, ", is older than that of ", plan.host_label,
                             ", which compiled, and does not define"});
  for (std::size_t i = 0; i < lacked.size() && i < most; ++i)
    text += concat({"\n  ", demangled(lacked[i].name), ", from ", lacked[i].by});
  if (lacked.size() > most)
    text += concat({"\n  and ", std::to_string(lacked.size() - most), " more symbols"});
  text += concat({"\nhint: name a stdenv that is not older (CXX, --stdenv), such as ", plan.host.front()});
  if (plan.named)
    text +=
        ", or set named-host = \"as-is\" in hostpin's configuration (and refresh the directory of a bound "
        "nvcc): the compiler that is named then links, and programs need its libstdc++";
  note(text);
}

} // namespace

LinkInputs possible_inputs(std::span<const std::string_view> arguments, const char* const* envp) {
  LinkInputs inputs = link_inputs(arguments, cmdline::DiskArgumentFiles());
  if (const auto more = variable(envp, "LIBRARY_PATH"))
    for (std::string& directory : split(*more, ":"))
      inputs.directories.push_back(directory.empty() ? "." : std::move(directory));
  for (const std::string& library : inputs.libraries) {
    const std::string name = cmdline::file_names({.name = library, .library = true, .shared = false}).front();
    for (const std::string& directory : inputs.directories)
      if (std::string path = concat({directory, "/", name}); access(path.c_str(), R_OK) == 0)
        inputs.files.push_back(std::move(path));
  }
  return inputs;
}

int link_and_prove(const Plan& plan, const CxxCall& call, const std::vector<const char*>& argv,
                   std::span<const std::string_view> arguments, char* const* envp) {
  const Made before = look(call.output);
  if (const int code = run_and_wait(argv, envp); code != 0) {
    if (plan.newer_host && argv.front() == plan.link.front())
      explain_failure(plan, arguments, envp);
    return code;
  }
  if (!reason_not_verified(plan, call).empty())
    return 0;
  const Made after = look(call.output);
  if (after.trouble != 0)
    return judge(unproven(call.output, call.output, after.trouble), call.output, plan, call.verbose);
  if (!after.regular || same(before, after)) // `-o /dev/null`, `-###`: no file was written
    return 0;
  survive_shrinking_files();
  return judge(proof_of(call.output, plan, arguments, envp), call.output, plan, call.verbose);
}

namespace {

Ended run_ourselves(const std::string& cxx, const std::vector<std::string>& arguments, char* const* envp) {
  std::vector<const char*> argv{cxx.c_str()};
  for (const std::string& argument : arguments)
    argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  return run(argv, envp);
}

} // namespace

int compile_and_link(const std::string& cxx, const Plan& plan, std::span<const std::string_view> arguments,
                     char* const* envp) {
  const cmdline::ExpandedArguments all = expand_responses(arguments, cmdline::DiskArgumentFiles());
  std::string directory = concat({variable(envp, "TMPDIR").value_or("/tmp"), "/hostpin.XXXXXX"});
  if (mkdtemp(directory.data()) == nullptr) {
    complain(concat({"cannot make a directory for objects, ", directory, ": ", strerror(errno)}),
             "point TMPDIR to a directory that can be written");
    return exit_broken;
  }
  SourceSteps steps = source_steps(all.arguments, directory);
  Ended ended;
  const std::vector<std::string> quiet(plan.family == "clang" ? 1 : 0,
                                       "-Qunused-arguments"); // for options of the other step
  steps.link.insert(steps.link.begin(), quiet.begin(), quiet.end());
  for (std::vector<std::string>& compile : steps.compiles) {
    compile.insert(compile.begin(), quiet.begin(), quiet.end());
    ended = run_ourselves(cxx, compile, envp);
    if (ended.code != 0 || ended.signal != 0)
      break;
  }
  if (ended.code == 0 && ended.signal == 0)
    ended = run_ourselves(cxx, steps.link, envp);
  for (const std::string& object : steps.objects)
    unlink(object.c_str());
  rmdir(directory.c_str());
  return as_it_ended(ended);
}

} // namespace hostpin::hot
