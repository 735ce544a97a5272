// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/run.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/gpus/native.hpp"
#include "toolchains/redist/store/sha256.hpp"
#include "toolchains/table/toml.hpp"
#include "wrapper/matrix/cause.hpp"
#include "wrapper/matrix/json.hpp"
#include "wrapper/matrix/key.hpp"
#include "wrapper/matrix/planning.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/file.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

constexpr const char* half_name = "built.json";

/// A lock that other runs of the same cell wait for.
class CellLock {
public:
  static Result<CellLock> take(const std::string& path) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || flock(file, LOCK_EX) != 0)
      return failure(fmt::format("cannot lock {}: {}", path, std::strerror(errno)));
    return CellLock(file);
  }
  CellLock(CellLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  CellLock& operator=(CellLock&&) = delete;
  ~CellLock() {
    if (file_ >= 0)
      close(file_);
  }

private:
  explicit CellLock(int file) : file_(file) {}
  int file_;
};

class Run {
public:
  Run(const Project& project, const PlannedCell& cell, const RunSettings& settings,
      const Surroundings& surroundings)
      : project_(project), cell_(cell), settings_(settings), surroundings_(surroundings),
        work_(settings.work) {
    result_.cell = cell.cell;
    result_.decision = cell.decided.text;
  }

  Result<CellResult> run() {
    std::error_code error;
    if (settings_.stage != Stage::test)
      fs::remove_all(work_, error);
    for (const char* const part : {"build", "home", "tmp", "prefix"})
      if (!fs::create_directories(work_ + '/' + part, error) && error)
        return failure(fmt::format("cannot create {}/{}: {}", work_, part, error.message()),
                       "name another directory with --work");
    set_variables();
    if (settings_.stage == Stage::test) {
      if (const auto failed = continue_built())
        return tl::unexpected(*failed);
    } else if (const auto failed = build()) {
      return tl::unexpected(*failed);
    }
    if (settings_.stage == Stage::build && result_.cause.kind.empty())
      return stop_half_way();
    if (result_.cause.kind.empty())
      if (const auto failed = test())
        return tl::unexpected(*failed);
    return finish();
  }

private:
  using Failed = std::optional<Error>;

  std::string log() const { return work_ + "/log"; }
  std::string binding() const { return work_ + "/binding"; }

  void set_variables() {
    asked_ = asked_variables(project_, surroundings_.environment);
    variables_ = asked_;
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"SOURCE", project_.source},
                                      {"BUILD", work_ + "/build"},
                                      {"PREFIX", work_ + "/prefix"},
                                      {"BINDING", binding()},
                                      {"HOME", work_ + "/home"},
                                      {"TMPDIR", work_ + "/tmp"},
                                      {"CXX", cell_.cell[Axis::stdenv]},
                                      {"CUDACXX", binding() + "/nvcc"},
                                      {"GPUS", cell_.cell[Axis::gpus]},
                                      {"LC_ALL", "C"}})
      if (!value.empty())
        variables_.emplace_back(name, value);
  }

  std::vector<std::string> environment() const {
    std::vector<std::string> texts;
    for (const auto& [name, value] : variables_)
      texts.push_back(name + '=' + value);
    return texts;
  }

  std::vector<Naming> names() const { return {{work_, "$WORK"}, {project_.source, "$SOURCE"}}; }

  /// Runs one step. Its accesses count, unless the decision stands for them.
  Failed step(const char* stage, const std::string& shell, bool counts = true) {
    if (shell.empty() || !result_.cause.kind.empty())
      return std::nullopt;
    std::error_code error;
    const auto before = fs::file_size(log(), error);
    TracedCommand command;
    command.shell = shell;
    command.directory = work_ + "/build";
    command.variables = environment();
    command.log = log();
    command.time = project_.time;
    command.ignored = {work_, "/proc", "/dev", "/sys"};
    Trace trace;
    const auto outcome = run_traced(command, trace);
    if (!outcome)
      return outcome.error();
    if (counts)
      add(trace);
    if (outcome->end != TracedOutcome::End::exited || outcome->code != 0) {
      const std::string printed = text_of(log());
      result_.cause =
          cause_of(stage, std::string_view(printed).substr(error ? 0 : before), *outcome, names());
    } else if (counts && !trace.written.empty()) {
      note_cause("outside", stage, fmt::format("it wrote {}", *trace.written.begin()));
    }
    return std::nullopt;
  }

  void add(const Trace& trace) {
    for (const auto& [path, access] : trace.accessed)
      trace_.accessed[path] |= access;
    trace_.uncertain.insert(trace.uncertain.begin(), trace.uncertain.end());
  }

  void note_cause(std::string_view kind, std::string_view stage, std::string text) {
    const CauseRow* const row = cause_of_kind(kind);
    for (const Naming& each : names())
      for (std::size_t at = 0; (at = text.find(each.directory, at)) != std::string::npos;
           at += each.name.size())
        text.replace(at, each.directory.size(), each.name);
    result_.cause = {std::string(kind), std::string(stage), std::move(text),
                     row != nullptr ? std::string(row->fix) : ""};
  }

  std::string text_of(const std::string& path) const {
    return surroundings_.files.read(path, largest_file).value_or("");
  }

  Failed build() {
    std::vector<std::string> words{settings_.hostpin, "bind", binding(), "--toolkit", cell_.decided.toolkit};
    if (cell_.decided.toolkit.empty()) // a check of the decision that there is none
      words.back() = cell_.cell[Axis::toolkit];
    if (words.back().empty())
      words.resize(3);
    for (const auto& [axis, option] :
         {std::pair{Axis::stdenv, "--stdenv"}, {Axis::host, "--host"}, {Axis::gpus, "--capabilities"}})
      if (!cell_.cell[axis].empty())
        words.insert(words.end(), {option, cell_.cell[axis]});
    if (auto failed = bind(words))
      return failed;
    for (const auto& [stage, command] : {std::pair{"configure", &project_.configure},
                                         {"build", &project_.build},
                                         {"install", &project_.install}})
      if (auto failed = step(stage, *command))
        return failed;
    if (result_.cause.kind.empty() && !project_.install.empty())
      scan();
    if (result_.cause.kind.empty() && cell_.is_check)
      note_cause("decided-wrong", "build", "expected: " + cell_.decided.reason);
    return std::nullopt;
  }

  /// hostpin's own cache is the user's: what it has there is checked by its own records.
  Failed bind(const std::vector<std::string>& words) {
    const auto before = variables_;
    for (const char* const name : {"HOME", "XDG_CACHE_HOME", "HOSTPIN_CACHE_DIR"})
      if (const auto value = surroundings_.environment[name]) {
        std::erase_if(variables_, [&](const auto& variable) { return variable.first == name; });
        variables_.emplace_back(name, *value);
      }
    auto failed = step("bind", shell_words(words), false);
    variables_ = before;
    // The GPUs of the binding in the variables of build systems. They follow from the cell's value.
    if (const auto bound = read_toml(surroundings_.files, binding() + "/binding.toml"))
      for (const TomlMember& member : bound->members)
        if (member.key == "capabilities")
          for (const TomlMember& each : member.value.members)
            variables_.emplace_back(each.key, each.value.text);
    if (result_.cause.kind == "error")
      result_.cause.kind = kind_of_refusal(result_.cause.text);
    return failed;
  }

  /// leak-check's findings in what was installed, and whether it has code for the GPUs.
  void scan() {
    Command command;
    command.argv = {settings_.hostpin, "leak-check",     "--binding", binding(),
                    "--build-dir",     work_ + "/build", "--json",    work_ + "/prefix"};
    command.time = project_.time;
    const HostProcesses processes({std::chrono::minutes(30), largest_file});
    const Outcome outcome = processes.run({&command, 1}).front();
    if (outcome.end != Outcome::End::exited || outcome.code > 1) {
      note_cause("error", "scan", "leak-check " + describe(outcome) + ": " + outcome.errors);
      return;
    }
    try {
      const Json json = Json::parse(outcome.output);
      for (const Json& finding : json.at("findings")) {
        std::string path = finding.at("path").get<std::string>();
        if (path.starts_with(work_))
          path = "$WORK" + path.substr(work_.size());
        result_.findings.push_back({finding.at("rule").get<std::string>(),
                                    finding.at("severity").get<std::string>(), std::move(path),
                                    finding.at("fingerprint").get<std::string>()});
      }
    } catch (const Json::exception& wrong) {
      note_cause("error", "scan", std::string("leak-check printed no findings: ") + wrong.what());
      return;
    }
    const auto worst = std::ranges::find(result_.findings, "error", &CellFinding::severity);
    if (worst != result_.findings.end())
      note_cause("leak", "scan", worst->path + ": " + worst->rule);
    else
      expect_code(cell_.cell[Axis::gpus], work_ + "/prefix");
  }

  void expect_code(const std::string& gpus, const std::string& tree) {
    if (gpus.empty())
      return;
    Command command;
    command.argv = {settings_.hostpin, "fatbin", "--expect", gpus, tree};
    command.time = project_.time;
    const Outcome outcome = surroundings_.processes.run({&command, 1}).front();
    if (outcome.ok())
      return;
    const std::string& printed = outcome.errors.empty() ? outcome.output : outcome.errors;
    note_cause("device-code", "scan", printed.substr(0, printed.find('\n')));
  }

  /// Whether the driver finds code for a GPU in all that was built, machine code or PTX; no GPU is used for
  /// that.
  void find_code(const std::string& gpu, const std::string& tree) {
    Command command;
    command.argv = {settings_.hostpin, "doctor", "--json", "--capabilities", gpu, tree};
    command.time = project_.time;
    const Outcome outcome =
        HostProcesses({std::chrono::minutes(30), largest_file}).run({&command, 1}).front();
    try {
      const Json json = Json::parse(outcome.output);
      for (const Json& file : json.at("device_code").at("files"))
        if (const Json& unserved = file.at("unserved");
            unserved.is_object() && !unserved.value(gpu, Json::array()).empty())
          return note_cause(
              "device-code", "test",
              fmt::format("{} has no code for a GPU of {}", file.at("path").get<std::string>(), gpu));
    } catch (const Json::exception& wrong) {
      note_cause("error", "test",
                 fmt::format("hostpin doctor {}: {} {}", describe(outcome), wrong.what(), outcome.errors));
    }
  }

  Failed test() {
    for (const std::string& need : project_.needs) {
      if (need.starts_with("gpu:")) {
        find_code(need.substr(4), work_ + (project_.install.empty() ? "/build" : "/prefix"));
        if (!result_.cause.kind.empty())
          return std::nullopt;
      }
      if (!has_gpu(need)) {
        note_cause("no-gpu", "test", "the test needs " + need);
        return std::nullopt;
      }
    }
    return step("test", project_.test);
  }

  /// Whether this machine has such a GPU.
  bool has_gpu(const std::string& need) const {
    const auto gpus = gpus::native_capabilities(surroundings_.processes,
                                                {settings_.hostpin, "capabilities", "--ask-driver"});
    return gpus && (need == "gpu" || std::ranges::any_of(*gpus, [&](const gpus::Capability& each) {
                      return gpus::to_string(each) == need.substr(std::string_view("gpu:").size());
                    }));
  }

  // -------------------------------------------------------------------------------------------- in two jobs

  /// What was read until now waits for the job that tests.
  Result<CellResult> stop_half_way() {
    Json json{{"kind", "half"},
              {"form", json_form},
              {"cell", cell_.cell.id},
              {"accessed", Json::array()},
              {"uncertain", trace_.uncertain},
              {"result", result_json(result_)}};
    for (const auto& [path, access] : trace_.accessed)
      json["accessed"].push_back({path, access});
    if (const auto written = replace_file(work_ + '/' + half_name, json_text(json), false); !written)
      return tl::unexpected(written.error());
    return result_;
  }

  Failed continue_built() {
    const std::string path = work_ + '/' + half_name;
    const auto text = surroundings_.files.read(path, largest_file);
    if (!text)
      return Error{text.error().message,
                   "run the cell with --stage build first, and bring its work directory here"};
    const auto read = read_json<bool>(*text, "half", path, [&](const Json& json) -> Result<bool> {
      if (json.at("cell").get<std::string>() != cell_.cell.id)
        return failure(path + " belongs to another cell", "name its work directory with --work");
      for (const Json& each : json.at("accessed"))
        trace_.accessed[each.at(0).get<std::string>()] = each.at(1).get<unsigned>();
      for (const Json& each : json.at("uncertain"))
        trace_.uncertain.insert(each.get<std::string>());
      auto half = read_result(json.at("result").get<std::string>(), path);
      if (!half)
        return tl::unexpected(half.error());
      result_ = *std::move(half);
      return true;
    });
    return read ? std::nullopt : Failed(read.error());
  }

  // -------------------------------------------------------------------------------------------- the result

  Result<CellResult> finish() {
    const CauseRow* const row = cause_of_kind(result_.cause.kind);
    result_.state = result_.cause.kind.empty()                        ? State::passed
                    : row != nullptr && row->is_loss                  ? State::lost
                    : cell_.is_check && result_.cause.stage == "bind" ? State::cannot
                                                                      : State::failed;
    if (const auto written = write_inputs(); !written)
      return tl::unexpected(written.error());
    std::string log_file = settings_.output;
    if (log_file.ends_with(".json"))
      log_file.resize(log_file.size() - std::string_view(".json").size());
    if (const auto written = replace_file(log_file + ".log", text_of(log()), false); !written)
      return tl::unexpected(written.error());
    if (const auto written = replace_file(settings_.output, result_json(result_), false); !written)
      return tl::unexpected(written.error());
    std::error_code error;
    if (!settings_.stays)
      fs::remove_all(work_, error);
    return result_;
  }

  Result<void> write_inputs() {
    InputStates states({{source_name, project_.source}});
    if (!trace_.uncertain.empty())
      for (const auto& [path, access] : whole_tree(project_.source).accessed)
        trace_.accessed[path] |= access;
    const std::string directory = (fs::path(settings_.output).parent_path() / "inputs").string();
    std::error_code error;
    fs::create_directories(directory, error);
    for (const auto& group : grouped(inputs_of(trace_, states), cell_.decided.toolkit)) {
      const std::string lines = input_lines(group);
      result_.inputs.push_back(redist::sha256_of(lines));
      const std::string path = directory + '/' + result_.inputs.back();
      if (!surroundings_.files.status(path))
        if (const auto written = replace_file(path, lines, false); !written)
          return written;
    }
    result_.uncertain.assign(trace_.uncertain.begin(), trace_.uncertain.end());
    result_.question = question_of(cell_, project_, asked_);
    result_.key = key_of(result_.question, result_.inputs);
    return {};
  }

  const Project& project_;
  const PlannedCell& cell_;
  const RunSettings& settings_;
  const Surroundings& surroundings_;
  std::string work_;
  std::vector<std::pair<std::string, std::string>> variables_, asked_;
  Trace trace_;
  CellResult result_;
};

/// The result of a cell without a binding.
CellResult refused(const PlannedCell& cell) {
  CellResult result;
  result.cell = cell.cell;
  result.state = State::cannot;
  result.cause = {std::string(kind_of_refusal(cell.decided.reason)), "bind",
                  cell.decided.reason.substr(0, cell.decided.reason.find('\n')), cell.decided.hint};
  return result;
}

} // namespace

Result<CellResult> run_cell(const Plan& plan, const PlannedCell& cell, const RunSettings& settings,
                            const Surroundings& surroundings) {
  std::error_code error;
  RunSettings used = settings;
  used.output = fs::absolute(used.output, error).string();
  fs::create_directories(fs::path(used.output).parent_path(), error);
  if (cell.planned == Planned::same) {
    const std::string path = plan.results + '/' + cell.result;
    const auto text = surroundings.files.read(path, largest_file);
    auto stored = text ? read_result(*text, path) : Result<CellResult>(tl::unexpected(text.error()));
    if (!stored)
      return stored;
    stored->inputs.clear(); // its lists stay where the result is stored
    if (const auto written = replace_file(used.output, *text, false); !written)
      return tl::unexpected(written.error());
    return stored;
  }
  if (cell.planned == Planned::cannot) {
    const CellResult result = refused(cell);
    if (const auto written = replace_file(used.output, result_json(result), false); !written)
      return tl::unexpected(written.error());
    return result;
  }
  const Project* const project = plan.project(cell.cell[Axis::project]);
  if (project == nullptr)
    return failure(fmt::format("the plan has no project {}", cell.cell[Axis::project]),
                   "make the plan again");
  if (used.work.empty())
    used.work = settings.plan + "/work/" + cell.cell.id;
  used.work = fs::absolute(used.work, error).string();
  fs::create_directories(fs::path(used.work).parent_path(), error);
  const auto lock = CellLock::take(used.work + ".lock");
  if (!lock)
    return tl::unexpected(lock.error());
  return Run(*project, cell, used, surroundings).run();
}

} // namespace hostpin::matrix
