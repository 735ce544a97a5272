// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/check.hpp"
#include "hooks/lto-check/command/options.hpp"
#include "hooks/lto-check/command/report.hpp"
#include "toolchains/base/cache_place.hpp"
#include "toolchains/base/error_report.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/compiler/discovery.hpp"
#include "toolchains/options/options.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <string_view>
#include <sys/auxv.h>
#include <unistd.h>
#include <utility>

namespace {

using namespace hostpin;
using namespace hostpin::lto;

constexpr int exit_refused = 1, exit_unchecked = 2;

bool print(std::FILE* stream, const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size() && std::fflush(stream) == 0;
}

int give_up(const Error& error) {
  print_failure(error);
  return exit_unchecked;
}

/// Buffers output to save system calls.
class Output {
public:
  explicit Output(std::FILE* stream) : stream_(stream) {}

  void write(std::string_view text) {
    constexpr std::size_t enough = std::size_t{1} << 16U;
    pending_ += text;
    if (pending_.size() >= enough)
      finish();
  }
  /// Whether everything was written.
  bool finish() {
    if (!pending_.empty())
      fine_ = print(stream_, pending_) && fine_;
    pending_.clear();
    return fine_;
  }

private:
  std::FILE* stream_;
  std::string pending_;
  bool fine_ = true;
};

/// Returns the exit code, or that of a failure if the output could not be written.
int answer(Output& output, int code) {
  if (output.finish())
    return code;
  return give_up({std::string("the answer cannot be written: ") + std::strerror(errno),
                  "free disk space, or redirect standard output"});
}

int answer(std::string_view text, int code) {
  Output output(stdout);
  output.write(text);
  return answer(output, code);
}

/// Handles a process that may use less memory than `MemoryBound` lets it store.
[[noreturn]] void out_of_memory() {
  constexpr std::string_view text =
      "hostpin: error: the inputs have more members or symbols than fit into memory (at most 512 MB)\n"
      "hint: check fewer of them at a time, or link with HOSTPIN_LTO=warn\n";
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  ::_exit(exit_unchecked);
}

/// Handles a file that shrinks while it is mapped, and aborts of LLVM.
void report_and_exit(int /*signal*/) {
  constexpr std::string_view text =
      "hostpin: error: an input changed while it was read, or is damaged in a way that is not understood\n"
      "hint: check the inputs again when nothing writes to them\n";
  static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size()));
  ::_exit(exit_unchecked);
}

void end_instead_of_crashing() {
  std::set_new_handler(out_of_memory);
  struct sigaction action {};
  action.sa_handler = report_and_exit;
  for (const int signal : {SIGBUS, SIGSEGV, SIGABRT})
    ::sigaction(signal, &action, nullptr);
}

/// <prefix>/share/hostpin/data for <prefix>/libexec/hostpin/lto-check.
std::string data_directory() {
  std::array<char, 4096> buffer{};
  const ssize_t size = ::readlink("/proc/self/exe", buffer.data(), buffer.size());
  std::string path(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  // Without /proc the kernel still has the path of the call, and c++ runs this by its full path.
  if (path.empty())
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the auxiliary vector holds addresses as numbers.
    path = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  for (int parents = 0; parents < 3 && !path.empty(); ++parents)
    path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  return path + "/share/hostpin/data";
}

std::string current_directory() {
  std::error_code failed;
  return std::filesystem::current_path(failed).string();
}

std::string answers_directory(const Environment& environment) {
  const auto own = environment["HOSTPIN_CACHE_DIR"];
  const auto xdg = environment["XDG_CACHE_HOME"];
  const auto home = environment["HOME"];
  const auto directory = cache_directory({own, xdg, home});
  return directory ? *directory + "/lto" : std::string();
}

Result<std::vector<LinkCheck>> check_given(const CheckOptions& options, const CheckContext& context) {
  std::vector<LinkCheck> checks;
  const bool host = !options.linker.empty() || options.nvlink.empty();
  if (host) {
    std::vector<std::string> linker = options.linker;
    if (linker.empty()) {
      TRY_ASSIGN(auto words, driver_words(DiskFiles(), context.tools.environment["CXX"].value_or("c++")));
      linker = std::move(words);
    }
    TRY_ASSIGN(auto checked, check_inputs(options.inputs, linker, context));
    checks.push_back(std::move(checked));
  }
  std::string nvlink = options.nvlink;
  const bool by_nvlink =
      !checks.empty() && checks.front().linker && checks.front().linker->family == LinkerFamily::nvlink;
  if (nvlink.empty() && !by_nvlink && has_device_code(checks.front())) {
    nvlink = executable("nvlink", context.tools.environment).value_or("");
    if (nvlink.empty())
      return failure("there is device code for nvlink in these inputs, and no nvlink on PATH",
                     "name one with --nvlink");
  }
  if (!nvlink.empty()) {
    TRY_ASSIGN(auto checked, check_inputs(options.inputs, {nvlink, "-dlto"}, context));
    checks.insert(checks.begin(), std::move(checked));
  }
  share_out(checks);
  return checks;
}

int run(const CheckOptions& options, const CheckContext& context) {
  const auto checks =
      options.command.empty() ? check_given(options, context) : check_link(options.command, context);
  if (!checks)
    return give_up(checks.error());
  if (options.json) {
    Output output(stdout);
    write_json(*checks, [&](std::string_view text) { output.write(text); });
    return answer(output, exit_code(*checks));
  }
  const bool silent =
      exit_code(*checks) == 0 && !options.command.empty() &&
      std::ranges::none_of(*checks, [](const LinkCheck& check) { return check.linker.has_value(); });
  if (silent)
    return 0;
  // Only for text such as "as CUDA 12.4 writes it"; checks that need this data have failed already without.
  StreamReleases releases;
  if (!std::ranges::all_of(*checks, all_fits))
    releases = load_stream_releases(context.tools.files, context.data).value_or(StreamReleases{});
  const Terminal terminal(false, terminal_width(context.tools.environment, STDERR_FILENO));
  for (const Weight weight : {Weight::refused, Weight::warned, Weight::unread}) {
    const char* const kind = options.warn || weight == Weight::warned ? "warning" : "error";
    Output output(stderr);
    write_report(
        *checks, weight, releases, [&](std::string_view text) { output.write(text); },
        std::string("hostpin: ") + kind + ": ", terminal);
    output.finish();
  }
  const int code = exit_code(*checks);
  if (code == exit_refused && options.warn)
    return 0;
  if (code == 0 && options.command.empty())
    return answer(fitting_report(*checks), code);
  return code;
}

} // namespace

int main(int argc, char** argv, char** envp) {
  const auto options = check_options({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
  if (!options)
    return give_up(options.error());
  const Environment environment = Environment::from(envp);
  if (!options->help.empty())
    return answer(options::wrapped_help(options->help, terminal_width(environment, STDOUT_FILENO)), 0);
  end_instead_of_crashing();
  const DiskFiles files;
  HostProcesses::Limits limits;
  limits.ending = termination_signals();
  const HostProcesses processes(limits);
  try {
    return run(*options,
               {{environment, files, processes, answers_directory(environment), current_directory()},
                data_directory(),
                options->json,
                options->before_link});
  } catch (const Interrupted&) { // if the caller blocks termination signals
    return give_up({"terminated by a signal", {}});
  }
}
