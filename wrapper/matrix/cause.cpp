// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/cause.hpp"

#include "toolchains/base/error_code.hpp"
#include "toolchains/base/process.hpp"

#include <algorithm>
#include <array>
#include <csignal>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

/// A line that contains all of these parts, in this order, shows that cause. Hostpin's own errors show theirs
/// by the code of their kind.
struct Sign {
  std::string_view kind;
  std::array<std::string_view, 3> parts{};
};

/// The texts are those of: NVIDIA's crt/host_config.h; glibc's loader; GNU ld, gold, lld and mold; CUDA's
/// runtime (cudaGetErrorString); GCC and Clang; CMake and CTest; strerror(3). The first that fits counts.
constexpr Sign signs[] = {
    {"disk", {"No space left on device"}},
    {"disk", {"Disk quota exceeded"}},
    {"disk", {"Stale file handle"}},
    {"disk", {"Input/output error"}},
    {"memory", {"virtual memory exhausted"}},
    {"memory", {"Cannot allocate memory"}},
    {"memory", {"Killed signal terminated program"}},
    {"memory", {"clang frontend command failed due to signal", "Killed"}},
    {"gate", {"unsupported GNU version"}},
    {"gate", {"unsupported clang version"}},
    {"lto", {"bytecode stream in file", "generated with LTO version"}},
    {"lto", {"Unknown attribute kind"}},
    {"lto", {"Invalid bitcode"}},
    {"libstdcxx", {"undefined reference to", "@GLIBCXX"}},
    {"libstdcxx", {"undefined reference to", "@CXXABI"}},
    {"libstdcxx", {"version `GLIBCXX_", "not found"}},
    {"libstdcxx", {"version `CXXABI_", "not found"}},
    {"c-library", {"undefined reference to", "@GLIBC_"}},
    {"c-library", {"version `GLIBC_", "not found"}},
    {"c-library", {"error: exception specification is incompatible"}},
    {"c-library", {"error: identifier \"_Float"}},
    {"loading", {"error while loading shared libraries"}},
    {"loading", {"cannot open shared object file"}},
    {"loading", {"undefined symbol:"}},
    {"driver", {"CUDA driver version is insufficient"}},
    {"driver", {"no CUDA-capable device is detected"}},
    {"device-code", {"no kernel image is available"}},
    {"device-code", {"the provided PTX was compiled with an unsupported toolchain"}},
    {"gpus", {"nvcc fatal", "Unsupported gpu architecture"}},
    {"compiler-crash", {"internal compiler error"}},
    {"compiler-crash", {"PLEASE submit a bug report"}},
    {"header", {"fatal error:", "No such file or directory"}},
    {"header", {"fatal error:", "file not found"}},
    {"link", {"undefined reference to"}},
    {"link", {"undefined symbol"}},
    {"link", {"cannot find -l"}},
    {"link", {"unable to find library"}},
    {"error", {"hostpin: error:"}},
    {"error", {"error:"}},
    {"error", {"CMake Error"}},
    {"error", {"nvcc fatal"}},
    {"error", {"***"}},
    {"error", {"Error "}},
    {"error", {"(Failed)"}},
    {"error", {"***Failed"}},
    {"error", {"FAILED"}},
    {"error", {"Assertion"}},
};

/// Of the comparison of a C library's declarations with a toolkit's: with those no compiler works, so what
/// else is said about each compiler is not the cause.
constexpr std::string_view clash_text = " and the toolkit declare ";

bool shows(std::string_view line, const Sign& sign) {
  std::size_t at = 0;
  for (const std::string_view part : sign.parts) {
    const std::size_t found = line.find(part, at);
    if (found == std::string_view::npos)
      return false;
    at = found + part.size();
  }
  return true;
}

/// Null if hostpin's errors of that kind have no cause of their own.
const CauseRow* cause_of_error(ErrorKind kind) {
  const auto found = std::ranges::find(causes(), kind, &CauseRow::error);
  return kind == ErrorKind::other || found == causes().end() ? nullptr : &*found;
}

/// Empty if the line shows no cause.
std::string_view kind_shown(std::string_view line) {
  if (const CauseRow* const row = cause_of_error(kind_in_line(line)))
    return row->kind;
  const auto* const sign = std::ranges::find_if(signs, [&](const Sign& each) { return shows(line, each); });
  return sign == std::end(signs) ? std::string_view() : sign->kind;
}

std::string named(std::string_view line, const std::vector<Naming>& names) {
  constexpr std::size_t longest = 400;
  std::string text(line);
  for (const Naming& each : names)
    for (std::size_t at = 0; (at = text.find(each.directory, at)) != std::string::npos;
         at += each.name.size())
      text.replace(at, each.directory.size(), each.name);
  std::erase_if(text, [](char character) { return static_cast<unsigned char>(character) < ' '; });
  if (text.size() > longest)
    text.resize(longest);
  return text;
}

/// The first line with the first kind but `error` that the log shows; else the first that shows an error;
/// else the last one.
struct Shown {
  std::string_view kind, line;
};
Shown shown(std::string_view log) {
  Shown first_error, specific, last;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = log.substr(at, end - at);
    at = end + 1;
    if (line.find_first_not_of(" \t\r") != std::string_view::npos)
      last.line = line;
    const std::string_view kind = kind_shown(line);
    if (kind.empty())
      continue;
    if (kind == "error")
      first_error = first_error.line.empty() ? Shown{kind, line} : first_error;
    else if (specific.line.empty())
      specific = {kind, line};
    else if (const CauseRow* const row = cause_of_kind(kind); row->is_loss)
      return {kind, line}; // what comes before may follow from it
  }
  return !specific.line.empty() ? specific : !first_error.line.empty() ? first_error : last;
}

} // namespace

const std::vector<CauseRow>& causes() {
  static const std::vector<CauseRow> rows{
      {"gate", "the toolkit refuses the host compiler", "hostpin doctor lists what fits", false,
       ErrorKind::no_fit},
      {"c-library", "the C library and the toolkit's headers or the programs' needs do not go together",
       "hostpin doctor compares them; build against an older C library, or take a newer toolkit"},
      {"no-binding", "nothing could be bound", "hostpin doctor says what is missing"},
      {"gpus", "the toolkit does not compile for a GPU of the list",
       "hostpin capabilities lists those it does"},
      {"link-proof", "what was linked would load a library without symbols that it needs",
       "hostpin stdlib-probe why names the source line", false, ErrorKind::link_proof},
      {"libstdcxx", "a libstdc++ lacks symbol versions that are needed",
       "hostpin leak-check names who needs them; bind with a stdenv that is not older"},
      {"lto", "link-time code does not fit the linker", "hostpin lto-check names the objects", false,
       ErrorKind::lto},
      {"header", "a header is missing", ""},
      {"link", "a symbol or library is missing in a link", ""},
      {"compiler-crash", "a compiler crashed", "report it to the compiler's developers"},
      {"leak", "what was built refers to a wrong library", "hostpin leak-check explains each finding"},
      {"device-code", "there is no device code for the GPU", "hostpin fatbin --expect LIST names the files"},
      {"loading", "a library was not found, or lacks a symbol, when a program started",
       "hostpin leak-check follows what is loaded"},
      {"driver", "the NVIDIA driver is missing or too old", "run it where the driver is"},
      {"outside", "a file outside the build directory was written",
       "write below $BUILD, $PREFIX or $TMPDIR, which belong to the cell"},
      {"time", "the time limit was exceeded", "raise `time` of the project if it is no hang"},
      {"processes", "it had more processes at a time than a cell may have", "run fewer jobs at a time"},
      {"memory-limit", "its processes had more memory than `memory` of the project",
       "raise that, or run fewer jobs at a time"},
      {"disk-limit", "its files took more space than `disk` of the project", "raise that if they have to"},
      {"output", "it printed more than is stored", ""},
      {"test", "a test failed", ""},
      {"error", "none of the other causes", ""},
      {"decided-wrong", "it was built although no binding was expected to be possible",
       "report it: hostpin doctor --json shows the verdict"},
      {"no-gpu", "this machine does not have the GPU that the test needs", "run it on a machine that has it",
       true},
      {"disk", "no space, or a file system that failed", "free space, and run it again", true,
       ErrorKind::disk_full},
      {"memory", "the machine ran out of memory", "run it on a machine with more, or fewer at a time", true},
      {"edited", "a file that it read was changed while it ran", "run it again", true},
      {"killed", "it was killed by a signal from outside", "run it again", true},
      {"no-answer", "a compiler or toolkit did not answer in time",
       "run it again, with fewer cells at a time", true, ErrorKind::no_answer},
  };
  return rows;
}

const CauseRow* cause_of_kind(std::string_view kind) {
  const auto found = std::ranges::find(causes(), kind, &CauseRow::kind);
  return found == causes().end() ? nullptr : &*found;
}

std::string_view unanswered(std::string_view message) {
  std::size_t found = message.find(unanswered_text);
  if (found == std::string_view::npos)
    found = 0;
  const std::size_t first = message.find_first_not_of(' ', message.rfind('\n', found) + 1); // 0 after npos
  return message.substr(first, std::min(message.find('\n', found), message.size()) - first);
}

namespace {

std::string_view kind_of_refusal(const Decided& decided) {
  const std::string_view message = decided.reason;
  if (message.find(clash_text) != std::string_view::npos)
    return "c-library";
  if (const CauseRow* const row = cause_of_error(decided.kind))
    return row->kind;
  if (message.find("C library") != std::string_view::npos)
    return "c-library";
  if (message.starts_with("the list \"") ||
      message.find("known compute capabilities") != std::string_view::npos)
    return "gpus";
  return "no-binding";
}

} // namespace

Cause cause_of_refusal(const Decided& decided) {
  const std::string_view message = decided.reason;
  const std::size_t clash = std::min(message.find(clash_text), message.size());
  const std::size_t begin = clash == message.size() ? 0 : message.rfind('\n', clash) + 1;
  std::string_view line = message.substr(begin, message.find('\n', begin) - begin);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view kind = kind_of_refusal(decided);
  // another compiler, which the hint of a refusal is about, is no fix for a clash
  return {std::string(kind), "bind", std::string(line),
          clash == message.size() ? decided.hint : std::string(cause_of_kind(kind)->fix)};
}

Cause cause_of(std::string_view stage, std::string_view log, const TracedOutcome& outcome,
               const std::vector<Naming>& names) {
  const Shown line = shown(log);
  Cause cause{
      std::string(line.kind.empty() ? "error" : line.kind), std::string(stage), named(line.line, names), {}};
  if (outcome.end == TracedOutcome::End::timed_out)
    cause.kind = "time";
  else if (outcome.end == TracedOutcome::End::too_many)
    cause.kind = "processes";
  else if (outcome.end == TracedOutcome::End::too_much_memory)
    cause.kind = "memory-limit";
  else if (outcome.end == TracedOutcome::End::too_much_space)
    cause.kind = "disk-limit";
  else if (outcome.out_of_memory)
    cause.kind = "memory";
  else if (outcome.end == TracedOutcome::End::signalled &&
           (outcome.code == SIGKILL || outcome.code == SIGTERM || outcome.code == SIGINT ||
            outcome.code == SIGHUP))
    cause.kind = "killed";
  else if (cause.kind == "error" && stage == "test")
    cause.kind = "test";
  if (outcome.end == TracedOutcome::End::signalled && cause.text.empty())
    cause.text = fmt::format("ended by signal {}", outcome.code);
  if (const CauseRow* const row = cause_of_kind(cause.kind))
    cause.fix = row->fix;
  return cause;
}

} // namespace hostpin::matrix
