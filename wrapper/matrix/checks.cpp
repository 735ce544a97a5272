// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/checks.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/gpus/native.hpp"
#include "wrapper/matrix/json.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

/// Runs a program whose output may be as long as a list of all files.
Outcome run_wordy(const Command& command) {
  return HostProcesses({std::chrono::minutes(30), largest_file}).run({&command, 1}).front();
}

/// What leak-check looked up as a loader does; what it reads otherwise, such as its cache, is of hostpin.
void note_libraries(const Trace& scanned, Trace& trace) {
  constexpr std::string_view cache = "/ld.so.cache";
  for (const auto& [path, access] : scanned.accessed)
    if (path.ends_with(cache))
      note_access(trace, path, static_cast<unsigned>(Access::lookup));
    else if (base_name(path).find(".so") != std::string_view::npos)
      note_access(trace, path, access);
  if (!scanned.uncertain.empty()) // then it may have looked for any library
    note_access(trace, "/etc/ld.so.cache", static_cast<unsigned>(Access::content));
}

} // namespace

std::optional<Objection> Checks::scan(const std::string& work, const std::string& tree,
                                      const std::string& binding, const Environment& variables,
                                      std::vector<CellFinding>& findings, Trace& trace) const {
  const std::string printed = work + "/tmp/findings.json";
  tracing::TracedCommand command;
  command.shell = fmt::format("exec {} >{}",
                              shell_words({hostpin, "leak-check", "--binding", binding, "--build-dir",
                                           work + "/build", "--json", tree}),
                              shell_word(printed));
  command.directory = work;
  for (const auto& [name, value] : variables.variables())
    command.variables.push_back(name + '=' + value);
  command.log = work + "/tmp/findings.log";
  command.time = std::chrono::ceil<std::chrono::seconds>(time);
  command.ignored = {work, "/proc", "/dev", "/sys"};
  Trace scanned;
  const auto outcome = tracing::run_traced(command, scanned);
  note_libraries(scanned, trace);
  const DiskFiles files;
  if (!outcome || outcome->end != TracedOutcome::End::exited || outcome->code > 1)
    return Objection{"error",
                     "leak-check failed: " + (outcome ? files.read(command.log, largest_file).value_or("")
                                                      : outcome.error().message)};
  try {
    const Json json = Json::parse(files.read(printed, largest_file).value_or(""));
    for (const Json& finding : json.at("findings")) {
      std::string path = finding.at("path").get<std::string>();
      if (path.starts_with(work))
        path = "$WORK" + path.substr(work.size());
      findings.push_back({finding.at("rule").get<std::string>(), finding.at("severity").get<std::string>(),
                          std::move(path), finding.at("fingerprint").get<std::string>()});
    }
  } catch (const Json::exception& wrong) {
    return Objection{"error", std::string("leak-check printed no findings: ") + wrong.what()};
  }
  const auto worst = std::ranges::find(findings, "error", &CellFinding::severity);
  if (worst == findings.end())
    return std::nullopt;
  return Objection{"leak", worst->path + ": " + worst->rule};
}

std::optional<Objection> Checks::expect_code(const std::string& gpus, const std::string& tree) const {
  Command command;
  command.argv = {hostpin, "fatbin", "--expect", gpus, tree};
  command.time = time;
  const Outcome outcome = processes.run({&command, 1}).front();
  if (outcome.ok())
    return std::nullopt;
  const std::string& printed = outcome.errors.empty() ? outcome.output : outcome.errors;
  return Objection{"device-code", printed.substr(0, printed.find('\n'))};
}

std::optional<Objection> Checks::find_code(const std::string& gpu, const std::string& tree) const {
  Command command;
  command.argv = {hostpin, "doctor", "--json", "--capabilities", gpu, tree};
  command.time = time;
  const Outcome outcome = run_wordy(command);
  try {
    const Json json = Json::parse(outcome.output);
    for (const Json& file : json.at("device_code").at("files"))
      if (const Json& unserved = file.at("unserved");
          unserved.is_object() && !unserved.value(gpu, Json::array()).empty())
        return Objection{"device-code", fmt::format("{} has no code for a GPU of {}",
                                                    file.at("path").get<std::string>(), gpu)};
  } catch (const Json::exception& wrong) {
    return Objection{
        "error", fmt::format("hostpin doctor {}: {} {}", describe(outcome), wrong.what(), outcome.errors)};
  }
  return std::nullopt;
}

bool Checks::has_gpu(const std::string& need) const {
  const auto gpus = gpus::native_capabilities(processes, {hostpin, "capabilities", "--ask-driver"});
  return gpus && (need == "gpu" || std::ranges::any_of(*gpus, [&](const gpus::Capability& each) {
                    return "gpu:" + gpus::to_string(each) == need;
                  }));
}

Result<std::uint64_t> size_of_files(const std::string& directory) {
  namespace fs = std::filesystem;
  std::uint64_t size = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_regular_file(error) && !entry->is_symlink(error))
      size += entry->file_size(error);
  if (error)
    return failure(fmt::format("{} cannot be read: {}", directory, error.message()));
  return size;
}

} // namespace hostpin::matrix
