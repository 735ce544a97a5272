// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/setup/pip.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hostpin::setup {

namespace {

constexpr std::chrono::minutes longest_call{60};
constexpr std::size_t largest_report = std::size_t{16} << 20U;
constexpr int no_pip = 77, old_pip = 78; // exit codes of `call_pip`, which pip itself does not have

// `python3 -c`: sys.argv is [-c, WORK, KEPT, arguments of pip...]. The current directory is not searched for
// modules. Settings of an index, of connections and of the cache stay. No file becomes larger than 4 GiB. pip
// before 24 downloads whole wheels for a report, and others do where an index has no separate metadata: they
// are linked to KEPT before pip removes them.
constexpr const char* call_pip = R"(import sys
sys.path[:] = [each for each in sys.path if each.startswith("/")]
import importlib.util, os, resource, runpy
work, kept = sys.argv[1:3]
stay = ("INDEX_URL EXTRA_INDEX_URL NO_INDEX FIND_LINKS TRUSTED_HOST CERT CLIENT_CERT PROXY TIMEOUT DEFAULT_TIMEOUT "
        "RETRIES CONFIG_FILE CACHE_DIR NO_CACHE_DIR KEYRING_PROVIDER USE_FEATURE USE_DEPRECATED").split()
for name in list(os.environ):
    if name.startswith("PIP_") and name[4:] not in stay:
        del os.environ[name]
os.environ.update(TMPDIR=work, PIP_USER="0", PIP_REQUIRE_VIRTUALENV="0", PIP_NO_DEPS="0", PIP_NO_INPUT="1",
                  PIP_REQUIRE_HASHES="0", PIP_REQUIREMENT=os.devnull, PIP_CONSTRAINT=os.devnull,
                  PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_ROOT_USER_ACTION="ignore")
if importlib.util.find_spec("pip") is None:
    sys.exit(77)
import pip
if [int(each) for each in pip.__version__.split(".")[:2]] < [22, 2]:
    print(pip.__version__)
    sys.exit(78)
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
most = 4 << 30
resource.setrlimit(resource.RLIMIT_FSIZE, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
def keep(event, arguments):
    if event == "shutil.rmtree" and os.path.basename(str(arguments[0])).startswith("pip-unpack-"):
        for name in os.listdir(arguments[0]):
            if name.endswith(".whl") and not os.path.lexists(os.path.join(kept, name)):
                os.link(os.path.join(arguments[0], name), os.path.join(kept, name))
if hasattr(sys, "addaudithook"):
    sys.addaudithook(keep)
sys.argv[:3] = ["pip"]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
)";

Result<void> create(const PipPlaces& places) {
  for (const std::string& each : {places.work, places.kept}) {
    std::error_code error;
    std::filesystem::create_directories(each, error);
    if (error)
      return failure(fmt::format("cannot create {}: {}", each, error.message()));
  }
  return {};
}

using Words = std::vector<std::string>;

Command command(Words program, const PipPlaces& places, const Words& arguments) {
  program.insert(program.end(), {"-c", call_pip, places.work, places.kept});
  program.insert(program.end(), arguments.begin(), arguments.end());
  return {std::move(program), {}, {}, longest_call};
}

/// Each call by Python's own pip, or else by uv's.
std::vector<Outcome> run(const Context& context, const PipPlaces& places, std::span<const Words> calls) {
  const auto by = [&](const Words& program) {
    std::vector<Command> commands;
    for (const Words& each : calls)
      commands.push_back(command(program, places, each));
    return context.processes.run(commands);
  };
  auto outcomes = by({"python3"});
  const Outcome& first = outcomes.front();
  if (first.end != Outcome::End::not_started && first.code != no_pip && first.code != old_pip)
    return outcomes;
  auto others =
      by({"uv", "run", "--no-project", "--isolated", "--no-python-downloads", "--with", "pip", "python"});
  return others.front().end == Outcome::End::not_started ? std::move(outcomes) : std::move(others);
}

/// pip's own errors with the indented lines after them, and the first of its warnings of connections.
std::string errors_of(const Outcome& outcome) {
  constexpr std::size_t most = 6;
  std::vector<std::string> all, chosen;
  bool is_error = false, has_warning = false;
  for (const std::string& line : filled_parts(outcome.errors, "\r\n")) {
    const bool is_warning = line.starts_with("WARNING: Retrying");
    is_error = line.starts_with("ERROR: ") || (is_error && line.starts_with(' '));
    all.push_back("\n  " + escaped(line));
    if (chosen.size() < most && (is_error || (is_warning && !has_warning)))
      chosen.push_back(all.back());
    has_warning = has_warning || is_warning;
  }
  if (chosen.empty())
    chosen.assign(all.end() - static_cast<std::ptrdiff_t>(std::min(all.size(), most)), all.end());
  return fmt::format("{}", fmt::join(chosen, ""));
}

tl::unexpected<Error> pip_failure(const Outcome& outcome, const std::string& doing) {
  const char* const install = "install pip 22.2 or newer (a virtual environment has its own: python3 -m venv "
                              "venv), or uv, and put it on PATH";
  if (outcome.end == Outcome::End::not_started)
    return failure(fmt::format("cannot {}: there is no python3 on PATH", doing), install);
  if (outcome.end == Outcome::End::exited && outcome.code == no_pip)
    return failure(fmt::format("cannot {}: the python3 on PATH has no pip", doing), install);
  if (outcome.end == Outcome::End::exited && outcome.code == old_pip)
    return failure(fmt::format("cannot {}: pip {} writes no report", doing,
                               escaped(outcome.output.substr(0, outcome.output.find('\n')))),
                   install);
  return failure(fmt::format("cannot {}: pip {}{}", doing, describe(outcome), errors_of(outcome)),
                 "`python3 -m pip config list` shows index and proxy; without a network bring the wheels: "
                 "hostpin setup DIR --from FILES");
}

} // namespace

Result<std::string> pip_report(const Context& context, std::span<const std::string> requirements,
                               const PipPlaces& places, int retries) {
  TRY(create(places));
  const std::string report = places.work + "/report.json";
  std::error_code unknown;
  std::filesystem::remove(report, unknown);
  Words words{"install", "--quiet",  "--dry-run",           "--report",          report, "--only-binary",
              ":all:",   "--target", places.work + "/none", "--ignore-installed"};
  if (retries >= 0)
    words.insert(words.end(), {"--retries", std::to_string(retries)});
  words.emplace_back("--");
  words.insert(words.end(), requirements.begin(), requirements.end());
  const Outcome outcome = run(context, places, {&words, 1}).front();
  if (!outcome.ok())
    return pip_failure(outcome, fmt::format("find {}", fmt::join(requirements, " ")));
  return context.files.read(report, largest_report);
}

Result<void> pip_download(const Context& context, std::span<const Package> wheels, const PipPlaces& places) {
  TRY(create(places));
  // Addresses are arguments, never lines of a file, in which pip would replace ${VARIABLES}.
  std::vector<Words> calls;
  for (const Package& each : wheels)
    calls.push_back({"download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", places.kept,
                     "--", each.address + "#sha256=" + each.sha256});
  if (calls.empty())
    return {};
  const std::vector<Outcome> outcomes = run(context, places, calls);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (!outcomes[i].ok())
      return pip_failure(outcomes[i], "download " + wheels[i].file);
  return {};
}

} // namespace hostpin::setup
