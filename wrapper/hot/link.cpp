// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/link.hpp"

#include "toolchains/base/demangle.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/kind.hpp"
#include "toolchains/cmdline/linker_command.hpp"
#include "toolchains/cmdline/response.hpp"
#include "toolchains/loader/policy.hpp"
#include "toolchains/loader/proof.hpp"
#include "toolchains/loader/symbols.hpp"
#include "wrapper/cxx/runtime.hpp"
#include "wrapper/hot/child.hpp"
#include "wrapper/hot/cuda_runtime.hpp"
#include "wrapper/hot/system.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace hostpin::hot {

namespace {

/// The named inputs, and the archives among the files that -l may select in the directories of -L and
/// LIBRARY_PATH. The compiler driver's own directories are not searched.
cxx::LinkInputs possible_inputs(std::span<const std::string_view> arguments, const char* const* envp) {
  cxx::LinkInputs inputs = cxx::link_inputs(arguments, cmdline::DiskArgumentFiles());
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
loader::LoaderPlaces places_of(const plan::Plan& plan, const char* const* envp, int& trouble) {
  loader::LoaderPlaces places;
  // A build that sets it (environment modules, a package manager) expects its programs to run with it.
  if (const auto path = variable(envp, "LD_LIBRARY_PATH"); path && !plan.loader_elsewhere)
    places.library_path = split(*path, ":;");
  if (const auto cache = binary::MappedFile::open(std::string(plan.loader_cache)))
    places.cache = cache->bytes();
  else if (is_trouble(errno))
    trouble = errno;
  places.directories.assign(plan.loader_directories.begin(), plan.loader_directories.end());
  places.capabilities.assign(plan.loader_capabilities.begin(), plan.loader_capabilities.end());
  places.library_name = plan.loader_library;
  places.platform = plan.loader_platform;
  places.root = plan.loader_root;
  places.elsewhere = plan.loader_elsewhere;
  return places;
}

loader::Proof proof_of(const std::string& output, const plan::Plan& plan,
                       std::span<const std::string_view> arguments, char* const* envp) {
  int trouble = 0;
  loader::LoaderPlaces places = places_of(plan, envp, trouble);
  if (trouble != 0)
    return loader::unproven(output, std::string(plan.loader_cache), trouble);
  return loader::prove({output, std::string(plan.loader), std::move(places), std::string(plan.library),
                        [arguments, envp] { return possible_inputs(arguments, envp).files; }});
}

/// The lines of an object that refer to a symbol, by its debug information. `program`: stdlib-facts.
std::vector<std::string> lines_of(const plan::Plan& plan, const std::string& program,
                                  const std::string& object, const std::string& symbol, char* const* envp) {
  const std::string root(directory_of(directory_of(plan.nvcc)));
  std::vector<std::string> words{program, "why", "--object", object, "--symbol", symbol, "--lines", "--"};
  words.insert(words.end(), plan.host.begin(), plan.host.end());
  words.insert(words.end(), {"-isystem", root + "/include", "-isystem", root + "/targets"});
  std::vector<std::string> lines;
  for (const std::string& line : filled_parts(capture(words, envp).output, "\n"))
    if (const std::size_t tab = line.find('\t'); tab != std::string::npos)
      lines.push_back(line.substr(tab + 1));
  return lines;
}

loader::Proof policy_proof(const std::string& output, const plan::Plan& plan, bool is_verified,
                           std::span<const std::string_view> arguments, char* const* envp) {
  int trouble = 0;
  loader::LinkToProve link{output, std::string(plan.loader), places_of(plan, envp, trouble),
                           std::string(plan.library),
                           [arguments, envp] { return possible_inputs(arguments, envp).files; }};
  if (trouble != 0)
    return loader::unproven(output, std::string(plan.loader_cache), trouble);
  loader::SymbolLines lines;
  if (const std::string program = installed(plan, "stdlib-facts"); !program.empty())
    lines = [&plan, program, envp](const std::string& input, const std::string& symbol) {
      return lines_of(plan, program, input, symbol, envp);
    };
  return loader::prove_policy(link, {plan.policy, plan.policy_versions, plan.policy_libraries}, is_verified,
                              lines);
}

/// If a mapped file shrinks while it is read, the linker's result is accepted unchecked.
void survive_shrinking_files() {
  struct sigaction leave {};
  leave.sa_handler = [](int) { _exit(0); };
  sigaction(SIGBUS, &leave, nullptr);
}

int judge(const loader::Proof& proof, const std::string& output, const plan::Plan& plan, bool verbose) {
  switch (proof.outcome) {
  case loader::Proof::Outcome::holds:
    break;
  case loader::Proof::Outcome::skipped:
    if (verbose)
      note(concat({"not verified: ", proof.message}));
    break;
  case loader::Proof::Outcome::disproved:
    if (plan.link_proof != CheckPolicy::warn) {
      // A linker that fails leaves no output either; else make would take the file as up to date.
      unlink(output.c_str());
      complain(proof.message, proof.hint, ErrorKind::link_proof);
      return exit_refused;
    }
    [[fallthrough]];
  case loader::Proof::Outcome::doubtful:
    note(proof.hint.empty() ? proof.message : concat({proof.message, "\nhint: ", proof.hint}));
    break;
  }
  return 0;
}

/// The C++ library that a driver's links use, as the driver itself reports; empty if it has none. `name`:
/// that programs load, or that links search.
std::string library_of(std::span<const std::string_view> command, char* const* envp,
                       std::string_view name = "libstdc++.so.6") {
  std::vector<std::string> question(command.begin(), command.end());
  question.push_back(concat({"-print-file-name=", name}));
  std::string path = capture(question, envp).output;
  path.resize(std::min(path.find('\n'), path.size()));
  return path;
}

/// Reports a CUDA runtime of another release than that of the nvcc which compiles here. With device code, one
/// of another major release is an error: nvcc's code for the host calls the runtime of its own.
int judge_runtime(const std::string& output, const plan::Plan& plan,
                  std::span<const std::string_view> arguments, const char* const* envp) {
  if (plan.link_proof == CheckPolicy::off)
    return 0;
  const auto other = other_runtime(output, plan.toolkit, [&] { return possible_inputs(arguments, envp); });
  if (!other)
    return 0;
  const std::string root = directory_of(directory_of(plan.nvcc));
  const std::string message =
      concat({output, " needs ", other->soname, other->path.empty() ? "" : " of ", other->path, ", but CUDA ",
              plan.toolkit, " compiles here (", plan.nvcc, ")"});
  const std::string hint = concat({"for find_package(CUDAToolkit) set CUDAToolkit_ROOT=", root,
                                   ", or CMAKE_TOOLCHAIN_FILE to the toolchain.cmake of a directory that "
                                   "hostpin bind made; elsewhere link with -L",
                                   root, "/lib64"});
  if (!other->major || !other->has_device_code || plan.link_proof == CheckPolicy::warn) {
    note(concat({message, "\nhint: ", hint}));
    return 0;
  }
  unlink(output.c_str());
  complain(message, hint);
  return exit_refused;
}

std::string listed(std::span<const loader::LackedSymbol> lacked) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < lacked.size() && i < most; ++i)
    text += concat({"\n  ", demangled(lacked[i].name), ", from ", lacked[i].by});
  if (lacked.size() > most)
    text += concat({"\n  and ", std::to_string(lacked.size() - most), " more symbols"});
  return text;
}

/// A directory of -L is searched before the driver's own, also for a libstdc++ that it happens to have.
/// Returns whether that explains why the link failed, once it is reported.
bool explain_directory(const plan::Plan& plan, std::span<const std::string_view> arguments,
                       char* const* envp) {
  const bool pinned_first = std::any_of(plan.link.begin(), plan.link.end(),
                                        [](std::string_view word) { return word.starts_with("-L"); });
  const std::vector<std::string> named =
      cxx::link_inputs(arguments, cmdline::DiskArgumentFiles()).directories;
  const auto found = std::find_if(named.begin(), named.end(), [](const std::string& directory) {
    return access(concat({directory, "/libstdc++.so"}).c_str(), R_OK) == 0;
  });
  if (pinned_first || found == named.end())
    return false;
  const std::string other = concat({*found, "/libstdc++.so"}), own = library_of(plan.link, envp);
  const auto lacked = loader::lacked_symbols(possible_inputs(arguments, envp).files, other, own);
  if (lacked.empty())
    return false;
  const std::string before = directory_of(library_of(plan.link, envp, "libstdc++.so"));
  note(concat({"this link takes ", other, ", because of -L", *found, ", instead of ", own,
               ", and that libstdc++ does not define:", listed(lacked), "\nhint: leave out -L", *found,
               ", or put another directory before it: -L", before}));
  return true;
}

/// A link fails for many reasons; those checked here show in the symbols that its inputs need.
void explain_failure(const plan::Plan& plan, std::span<const std::string_view> arguments, char* const* envp) {
  if (explain_directory(plan, arguments, envp) || !plan.newer_host)
    return;
  const std::string own = library_of(plan.link, envp);
  const auto lacked =
      loader::lacked_symbols(possible_inputs(arguments, envp).files, own, library_of(plan.host, envp));
  if (lacked.empty())
    return;
  std::string text =
      concat({"the libstdc++ of this link, ", own, ", is older than the libstdc++ of ", plan.host_label,
              ", which compiled the objects, and does not define:", listed(lacked)});
  text += concat({"\nhint: name a stdenv that is not older (CXX, --stdenv), such as ", plan.host.front()});
  if (plan.named)
    text +=
        ", or set named-host = \"as-is\" in hostpin's configuration (and refresh the directory of a bound "
        "nvcc): the compiler that is named then links, and programs need its libstdc++";
  note(text);
}

// Exit codes of lto-check.
constexpr int all_fits = 0, does_not_fit = 1;

/// The result of a link whose link-time code could not be checked.
int unchecked(CheckPolicy policy, std::string_view reason) {
  if (policy == CheckPolicy::warn) {
    note(concat({"the link continues although its link-time code was not checked: ", reason}));
    return 0;
  }
  complain(concat({"link-time code could not be checked: ", reason}),
           "fix that; HOSTPIN_LTO=warn continues the link, HOSTPIN_LTO=off skips the check", ErrorKind::lto);
  return exit_refused;
}

/// Signals that request termination, not ones that report a failure of the program.
bool asks_to_end(int signal) {
  return signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM;
}

int check(const plan::Plan& plan, CheckPolicy policy, const std::vector<const char*>& argv,
          char* const* envp) {
  const std::string program = installed(plan, "lto-check");
  if (program.empty())
    return unchecked(policy,
                     concat({"there is no libexec/hostpin/lto-check where ", plan.hostpin, " is installed"}));
  std::vector<const char*> words{program.c_str(), "--before-link"};
  if (policy == CheckPolicy::warn)
    words.push_back("--warn");
  words.push_back("--");
  words.insert(words.end(), argv.begin(), argv.end()); // argv and environment both end with a null
  const Ended ended = run(words, envp);
  if (asks_to_end(ended.signal))
    return as_it_ended(ended);
  if (ended.signal != 0)
    return unchecked(policy, concat({program, " was killed by signal ", std::to_string(ended.signal)}));
  if (ended.code == all_fits)
    return 0;
  return ended.code == does_not_fit ? exit_refused : unchecked(policy, "lto-check printed the reason above");
}

/// A directory can be the value of some linker option; GNU ld reads an empty file as an empty script.
bool holds_lto(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0)
    return is_trouble(errno); // lto-check then reports it, if it has the same problem
  if (S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && status.st_size == 0))
    return false;
  return access(path.c_str(), R_OK) == 0 ? binary::may_hold_lto(path) : is_trouble(errno);
}

/// Whether a file may be a linker script that names inputs. Source files are text too.
bool names_inputs(const std::string& path) {
  constexpr std::size_t longest_script = 65536;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return false;
  struct stat status {};
  std::string text;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      static_cast<std::size_t>(status.st_size) <= longest_script) {
    std::array<char, 16> head{};
    const ssize_t count = pread(descriptor, head.data(), head.size(), 0);
    const std::string_view seen(head.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
    if (seen.find('\0') == std::string_view::npos) {
      text.resize(static_cast<std::size_t>(status.st_size));
      const ssize_t all = pread(descriptor, text.data(), text.size(), 0);
      text.resize(all > 0 ? static_cast<std::size_t>(all) : 0);
    }
  }
  close(descriptor);
  for (const char* const command : {"INPUT", "GROUP", "INCLUDE"})
    if (text.find(command) != std::string::npos)
      return true;
  return false;
}

bool may_name_lto(const std::string& path) {
  return holds_lto(path) || names_inputs(path);
}

/// Whether -l finds a linker script in a directory of the command.
bool library_names_inputs(const cxx::LinkInputs& inputs) {
  for (const std::string& library : inputs.libraries)
    for (const std::string& directory : inputs.directories)
      if (!library.starts_with(':') && names_inputs(concat({directory, "/lib", library, ".so"})))
        return true;
  return false;
}

/// Whether -l finds an archive in the linker's default directories. Shared libraries come first there.
bool own_directories_hold_lto(const plan::Plan& plan, const cxx::LinkInputs& inputs,
                              std::span<const std::string_view> arguments) {
  const bool static_too = std::any_of(arguments.begin(), arguments.end(), [](std::string_view word) {
    return word.find("static") != std::string_view::npos;
  });
  std::vector<std::string_view> directories{"/usr/local/lib", "/usr/local/lib64"}; // defaults of GNU ld
  directories.insert(directories.end(), plan.loader_directories.begin(), plan.loader_directories.end());
  const auto in = [&](std::string_view directory, const std::string& library) {
    if (library.starts_with(':'))
      return holds_lto(concat({directory, "/", std::string_view(library).substr(1)}));
    return (static_too || access(concat({directory, "/lib", library, ".so"}).c_str(), F_OK) != 0) &&
           holds_lto(concat({directory, "/lib", library, ".a"}));
  };
  for (const std::string& library : inputs.libraries)
    for (const std::string_view directory : directories)
      if (in(directory, library))
        return true;
  return false;
}

bool device_inputs_hold_lto(const cmdline::NvccCommand& command) {
  for (const cmdline::NvccWord& word : command.words)
    if (word.input && holds_lto(std::string(word.text)))
      return true;
  for (const cmdline::NvccWord& directories : command.words)
    if (directories.meaning == cmdline::NvccMeaning::library_directory)
      for (const std::string& directory : filled_parts(directories.value(), ","))
        for (const cmdline::NvccWord& libraries : command.words)
          if (libraries.meaning == cmdline::NvccMeaning::library)
            for (const std::string& library : filled_parts(libraries.value(), ","))
              if (holds_lto(concat({directory, "/lib", library, ".a"})))
                return true;
  return false;
}

} // namespace

std::string installed(const plan::Plan& plan, std::string_view name) {
  const std::size_t file = plan.hostpin.rfind('/');
  const std::size_t directory = file == std::string_view::npos ? file : plan.hostpin.rfind('/', file - 1);
  if (file == 0 || directory == std::string_view::npos)
    return {};
  std::string path = concat({plan.hostpin.substr(0, directory), "/libexec/hostpin/", name});
  return access(path.c_str(), X_OK) == 0 ? path : std::string();
}

int link_and_prove(const plan::Plan& plan, const cxx::CxxCall& call, const std::vector<const char*>& argv,
                   std::span<const std::string_view> arguments, char* const* envp) {
  const Made before = look(call.output);
  if (const int code = run_and_wait(argv, envp); code != 0) {
    if (argv.front() == plan.link.front())
      explain_failure(plan, arguments, envp);
    return code;
  }
  const bool is_verified = cxx::reason_not_verified(plan, call).empty();
  if (!is_verified && plan.policy.empty())
    return 0;
  const Made after = look(call.output);
  if (after.trouble != 0)
    return judge(loader::unproven(call.output, call.output, after.trouble), call.output, plan, call.verbose);
  if (!after.regular || same(before, after)) // `-o /dev/null`, `-###`: no file was written
    return 0;
  survive_shrinking_files();
  if (const int code = judge_runtime(call.output, plan, arguments, envp); code != 0)
    return code;
  if (!plan.policy.empty())
    if (const int code = judge(policy_proof(call.output, plan, is_verified, arguments, envp), call.output,
                               plan, call.verbose);
        code != 0 || !is_verified)
      return code;
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

int compile_and_link(const std::string& cxx, const plan::Plan& plan,
                     std::span<const std::string_view> arguments, char* const* envp) {
  const cmdline::ExpandedArguments all = expand_responses(arguments, cmdline::DiskArgumentFiles());
  std::string directory = concat({variable(envp, "TMPDIR").value_or("/tmp"), "/hostpin.XXXXXX"});
  if (mkdtemp(directory.data()) == nullptr) {
    complain(concat({"cannot make a directory for objects, ", directory, ": ", strerror(errno)}),
             "point TMPDIR to a directory that can be written");
    return exit_broken;
  }
  cxx::SourceSteps steps = cxx::source_steps(all.arguments, directory);
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

std::optional<CheckPolicy> lto_policy(const plan::Plan& plan, const char* const* envp) {
  const auto wish = variable(envp, "HOSTPIN_LTO");
  if (!wish)
    return plan.lto_check;
  const auto known = check_policy(*wish);
  if (!known)
    complain(concat({"HOSTPIN_LTO=", *wish, " is not a policy"}), lto_policy_hint);
  return known;
}

int check_lto(const plan::Plan& plan, CheckPolicy policy, const cxx::CxxCall& call,
              const std::vector<const char*>& argv, std::span<const std::string_view> arguments,
              char* const* envp) {
  if (policy == CheckPolicy::off || call.shows)
    return 0;
  const bool is_requested = !call.features[static_cast<std::size_t>(cxx::RuntimeFeature::lto)].empty();
  if (!is_requested) {
    const cxx::LinkInputs inputs = possible_inputs(arguments, envp);
    if (!inputs.in_other_files && std::none_of(inputs.files.begin(), inputs.files.end(), may_name_lto) &&
        !library_names_inputs(inputs) && !own_directories_hold_lto(plan, inputs, arguments))
      return 0;
  }
  return check(plan, policy, argv, envp);
}

int check_device_lto(const plan::Plan& plan, CheckPolicy policy, const cmdline::NvccCommand& command,
                     const std::vector<const char*>& argv, char* const* envp) {
  if (policy == CheckPolicy::off || !command.links || command.informational ||
      !device_inputs_hold_lto(command))
    return 0;
  return check(plan, policy, argv, envp);
}

} // namespace hostpin::hot
