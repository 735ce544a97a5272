// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/run.hpp"

#include "toolchains/archive/sha256.hpp"
#include "toolchains/base/file_lock.hpp"
#include "toolchains/base/os_error.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/document/reader.hpp"
#include "wrapper/matrix/built.hpp"
#include "wrapper/matrix/cause.hpp"
#include "wrapper/matrix/checks.hpp"
#include "wrapper/matrix/junit.hpp"
#include "wrapper/matrix/key.hpp"
#include "wrapper/matrix/planning.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <set>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

/// Names of failed test cases that a result has at most.
constexpr std::size_t most_tests = 1000;

/// Whether programs that run all the time write there.
bool is_of_daemons(const std::string& path) {
  return path.starts_with("/var/") || path.starts_with("/run/");
}

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
    // An earlier result would count if this run ends without one.
    fs::remove(settings_.output, error);
    fs::remove(lost_path(settings_.output), error);
    fs::remove_all(work_, error);
    if (settings_.stage == Stage::test) {
      if (const auto failed = continue_built())
        return tl::unexpected(*failed);
    } else {
      remove_built(surroundings_.files, settings_.output); // it would be tested if this build fails
    }
    for (const char* const part : {"build", "home", "tmp", "prefix"})
      if (!fs::create_directories(work_ + '/' + part, error) && error)
        return failure(fmt::format("cannot create {}/{}: {}", work_, part, error.message()),
                       "name another directory with --work");
    if (const auto free =
            tracing::free_space(work_)) // before it had any files: a test's are those that were built
      half_of_free_ = (*free + tracing::space_of_files(work_)) / 2;
    set_variables();
    if (settings_.stage == Stage::test)
      add_gpus();
    else if (const auto failed = build())
      return tl::unexpected(*failed);
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

  /// Where another C library than this machine's own is; empty: nowhere.
  std::string sysroot() const {
    const std::string& root = cell_.cell[Axis::c_library];
    return root == own_c_library ? "" : root;
  }

  std::string stdenv() const {
    const std::string& words = cell_.cell[Axis::stdenv];
    return words.empty() || sysroot().empty() ? words : words + ' ' + shell_words({"--sysroot=" + sysroot()});
  }

  void set_variables() {
    asked_ = asked_variables(project_, surroundings_.environment);
    variables_ = asked_;
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"SOURCE", project_.source},
                                      {"BUILD", work_ + "/build"},
                                      {"PREFIX", work_ + "/prefix"},
                                      {"BINDING", binding()},
                                      {"HOME", work_ + "/home"},
                                      {"TMPDIR", work_ + "/tmp"},
                                      // Otherwise Python writes next to each module that it loads first.
                                      {"PYTHONPYCACHEPREFIX", work_ + "/tmp/python"},
                                      {"CXX", stdenv()},
                                      {"CUDACXX", binding() + "/nvcc"},
                                      {"GPUS", cell_.cell[Axis::gpus]},
                                      {"C_LIBRARY", cell_.cell[Axis::c_library]},
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

  std::vector<Naming> names() const {
    std::vector<Naming> names{{work_, "$WORK"}};
    for (const Place& place : places_of(project_.source))
      names.push_back({place.directory, place.name});
    return names;
  }

  /// Runs one step. Its accesses count, unless the decision covers them: then it runs at full speed.
  Failed step(const char* stage, const std::string& shell, bool counts = true) {
    if (shell.empty() || !result_.cause.kind.empty())
      return std::nullopt;
    std::error_code error;
    const auto before = fs::file_size(log(), error);
    tracing::TracedCommand command;
    command.shell = shell;
    command.directory = work_ + "/build";
    command.variables = environment();
    command.log = log();
    command.time = project_.time;
    command.limits = {project_.memory, project_.disk > 0 ? project_.disk : half_of_free_, work_};
    // other cells of the plan work next to this one
    command.ignored = {work_, fs::absolute(settings_.plan).string() + "/work", "/proc", "/dev", "/sys"};
    if (source_.empty())
      command.tree = project_.source;
    command.recorded = counts;
    Trace none;
    const auto outcome = tracing::run_traced(command, counts ? trace_ : none);
    if (!outcome)
      return outcome.error();
    if (outcome->end != TracedOutcome::End::exited || outcome->code != 0) {
      const std::string printed = text_of(log());
      result_.cause =
          cause_of(stage, std::string_view(printed).substr(error ? 0 : before), *outcome, names());
      if (outcome->end == TracedOutcome::End::too_much_space && project_.disk == 0)
        note_cause("disk", stage, "its files took half of the space that was free");
    } else if (counts && !trace_.written.empty()) {
      note_cause("outside", stage, fmt::format("it wrote {}", *trace_.written.begin()));
    }
    return std::nullopt;
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
    if (!sysroot().empty())
      words.insert(words.end(), {"--sysroot", sysroot()});
    if (cell_.decided.toolkit.empty() && cell_.decided.kind == ErrorKind::no_answer)
      note_cause("no-answer", "bind", std::string(unanswered(cell_.decided.reason)));
    else if (auto failed = bind(words))
      return failed;
    for (const auto& [stage, command] : {std::pair{"configure", &project_.configure},
                                         {"build", &project_.build},
                                         {"install", &project_.install}})
      if (auto failed = step(stage, *command))
        return failed;
    if (result_.cause.kind.empty() && !project_.install.empty())
      check_installed();
    if (result_.cause.kind.empty() && cell_.is_check)
      note_cause("decided-wrong", "build", "expected: " + cell_.decided.reason);
    return std::nullopt;
  }

  /// hostpin's own cache is the user's: what it has there is checked by its own records. So is the
  /// configuration, by which the plan has decided.
  Failed bind(const std::vector<std::string>& words) {
    const auto before = variables_;
    for (const char* const name : {"HOME", "XDG_CACHE_HOME", "HOSTPIN_CACHE_DIR", "HOSTPIN_CONFIG",
                                   "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"})
      if (const auto value = surroundings_.environment[name]) {
        std::erase_if(variables_, [&](const auto& variable) { return variable.first == name; });
        variables_.emplace_back(name, *value);
      }
    auto failed = step("bind", "exec " + shell_words(words), false);
    variables_ = before;
    add_gpus();
    // The binding has a copy of the launcher, where accesses do not count.
    for (const std::string& program : {settings_.hostpin, settings_.programs + "/nvcc",
                                       settings_.programs + "/leak-check", settings_.programs + "/lto-check"})
      note_access(trace_, program, static_cast<unsigned>(Access::content));
    if (result_.cause.kind.empty())
      return failed;
    Decided printed;
    printed.reason = text_of(log());
    if (result_.cause.kind == "no-answer") {
      note_cause("no-answer", "bind", std::string(unanswered(printed.reason)));
    } else if (result_.cause.kind == "error" || result_.cause.kind == "gate") {
      printed.kind = result_.cause.kind == "gate" ? ErrorKind::no_fit : ErrorKind::other;
      const Cause refusal = cause_of_refusal(printed);
      if (refusal.kind == "c-library")
        note_cause(refusal.kind, "bind", refusal.text);
      else if (result_.cause.kind == "error")
        result_.cause.kind = refusal.kind;
    }
    return failed;
  }

  /// The GPUs of the binding in the variables of build systems. They follow from the cell's value.
  void add_gpus() {
    if (const auto bound = document::read_toml(surroundings_.files, binding() + "/binding.toml"))
      for (const document::Member& member : bound->members)
        if (member.key == "capabilities")
          for (const document::Member& each : member.value.members)
            variables_.emplace_back(each.key, each.value.text);
  }

  Checks checks() const { return {settings_.hostpin, project_.time, surroundings_.processes}; }

  /// Its size, if the project limits it, the findings of leak-check, and whether it has code for the GPUs.
  void check_installed() {
    const std::string tree = work_ + "/prefix";
    std::optional<Objection> objection;
    if (project_.size_limit) {
      if (const auto size = size_of_files(tree))
        result_.size = CellSize{*size, *project_.size_limit};
      else
        objection = Objection{"error", size.error().message};
    }
    if (!objection)
      objection = checks().scan(work_, tree, binding(), surroundings_.environment, result_.findings, trace_);
    if (!objection && !cell_.cell[Axis::gpus].empty())
      objection = checks().expect_code(cell_.cell[Axis::gpus], tree);
    if (objection)
      note_cause(objection->kind, "scan", std::move(objection->text));
  }

  Failed test() {
    for (const std::string& need : project_.needs) {
      std::optional<Objection> objection;
      if (need.starts_with("gpu:"))
        objection =
            checks().find_code(need.substr(4), work_ + (project_.install.empty() ? "/build" : "/prefix"));
      if (!objection && !checks().has_gpu(need))
        objection = Objection{"no-gpu", "the test needs " + need};
      if (objection) {
        note_cause(objection->kind, "test", std::move(objection->text));
        return std::nullopt;
      }
    }
    auto failed = step("test", project_.test);
    if (!failed && !project_.junit.empty())
      read_cases();
    return failed;
  }

  /// Which test cases failed, by the files that the test wrote. Without any the test has not passed.
  void read_cases() {
    const bool has_passed = result_.cause.kind.empty();
    auto [all, wrong] = read_junit_files(surroundings_.files, work_ + "/build", project_.junit);
    if (wrong && result_.cause.kind.empty())
      note_cause("test", "test", wrong->message);
    if (all.failed.empty()) {
      if (result_.cause.kind.empty() && all.count == 0)
        note_cause("test", "test", fmt::format("no test case is in a file {}", project_.junit));
      return;
    }
    const std::string text = failed_text(all.failed);
    if (has_passed || result_.cause.kind == "test")
      note_cause("test", "test", text);
    for (const FailedCase& each : all.failed)
      if (result_.tests.size() < most_tests)
        result_.tests.push_back(each.name);
  }

  // -------------------------------------------------------------------------------------------- in two jobs

  /// What was built waits, packed, for the job that tests.
  Result<CellResult> stop_half_way() {
    TRY(write_inputs(trace_));
    if (!changed_.empty())
      return finish();
    Built built{terms_of(cell_, project_), work_, {}, {}, result_};
    const auto source = write_lists(tracing::whole_tree(project_.source));
    if (!source)
      return tl::unexpected(source.error());
    built.source = source->empty() ? "" : source->front();
    const auto archive = pack_built(work_, archives());
    if (!archive)
      return tl::unexpected(archive.error());
    built.archive = *archive;
    TRY(replace_file(built_path(settings_.output), built_json(built), false));
    remove_work();
    return result_;
  }

  Failed continue_built() {
    const std::string path = built_path(settings_.output);
    const auto text = surroundings_.files.read(path, largest_file);
    if (!text)
      return Error{text.error().message,
                   "run the cell with --stage build first, and bring the directory of the results here"};
    auto built = read_built(*text, path);
    if (!built)
      return built.error();
    if (built->terms != terms_of(cell_, project_))
      return Error{path + " was built for another cell or plan", "run the cell with --stage build again"};
    if (built->work != work_)
      return Error{fmt::format("{} was built in {}, whose path may be in what was built", path, built->work),
                   "have the plan at the same path on both machines, or name that directory with --work"};
    if (const auto unpacked = unpack_built(archives(), *built, work_); !unpacked)
      return unpacked.error();
    result_ = std::move(built->result);
    source_ = std::move(built->source);
    return std::nullopt;
  }

  std::string archives() const { return archives_of(settings_.output); }

  // -------------------------------------------------------------------------------------------- the result

  Result<CellResult> finish() {
    TRY(write_inputs(trace_));
    const CauseRow* row = cause_of_kind(result_.cause.kind);
    if (!changed_.empty() && (row == nullptr || !row->is_loss)) {
      note_cause("edited", result_.cause.stage.empty() ? "test" : result_.cause.stage,
                 changed_ + " changed while the cell ran");
      row = cause_of_kind(result_.cause.kind);
    }
    result_.state = result_.cause.kind.empty()          ? State::passed
                    : row != nullptr && row->is_loss    ? State::lost
                    : cell_.is_check && is_as_decided() ? State::cannot
                                                        : State::failed;
    std::string log_file = settings_.output;
    if (log_file.ends_with(".json"))
      log_file.resize(log_file.size() - std::string_view(".json").size());
    TRY(replace_file(log_file + ".log", text_of(log()), false));
    const std::string path = result_.state == State::lost ? lost_path(settings_.output) : settings_.output;
    TRY(replace_file_on_disk(path, result_json(result_)));
    if (result_.state == State::passed) // other tests can be repeated
      remove_built(surroundings_.files, settings_.output);
    remove_work();
    return result_;
  }

  /// A cell that was expected to fail: link-time code is refused only when something is compiled.
  bool is_as_decided() const {
    return result_.cause.stage == "bind" || result_.cause.kind == cause_of_refusal(cell_.decided).kind;
  }

  void remove_work() const {
    std::error_code error;
    if (!settings_.stays)
      fs::remove_all(work_, error);
  }

  /// Adds to the result what was read.
  Result<void> write_inputs(const Trace& trace) {
    TRY_ASSIGN(const auto lists, write_lists(trace));
    std::set<std::string> all(result_.inputs.begin(), result_.inputs.end());
    all.insert(lists.begin(), lists.end());
    std::set<std::string> uncertain(result_.uncertain.begin(), result_.uncertain.end());
    uncertain.insert(trace.uncertain.begin(), trace.uncertain.end());
    if (!uncertain.empty() && !source_.empty()) // the job that built knows the source
      all.insert(source_);
    result_.inputs.assign(all.begin(), all.end());
    result_.uncertain.assign(uncertain.begin(), uncertain.end());
    result_.question = question_of(cell_, project_, asked_);
    result_.key = key_of(result_.question, result_.inputs);
    return {};
  }

  /// Names of the files with what was read, which are next to the result.
  Result<std::vector<std::string>> write_lists(const Trace& trace) {
    InputStates states(places_of(project_.source));
    const std::vector<Input> inputs = inputs_of(trace, states);
    for (const Input& input : inputs)
      if (input.state == changed_state && !is_of_daemons(input.path) && changed_.empty())
        changed_ = input.path;
    const std::string directory = (fs::path(settings_.output).parent_path() / "inputs").string();
    std::error_code error;
    fs::create_directories(directory, error);
    std::vector<std::string> names;
    for (auto& group : grouped(inputs, cell_.decided.toolkit)) {
      take_lookups(group, states);
      const std::string lines = input_lines(group);
      names.push_back(sha256_of(lines));
      const std::string path = directory + '/' + names.back();
      if (text_of(path) != lines) // another cell may have the same list
        TRY(replace_file_on_disk(path, lines));
    }
    return names;
  }

  const Project& project_;
  const PlannedCell& cell_;
  const RunSettings& settings_;
  const Surroundings& surroundings_;
  std::string work_;
  std::uint64_t half_of_free_ = 0;
  std::vector<std::pair<std::string, std::string>> variables_, asked_;
  Trace trace_ = stamped_trace();
  std::string changed_; ///< an input that was changed while the cell ran; empty: none was
  std::string source_;  ///< of a cell that was built elsewhere: the list with its whole source
  CellResult result_;
};

/// The result of a cell without a binding.
CellResult refused(const PlannedCell& cell) {
  CellResult result;
  result.cell = cell.cell;
  result.state = State::cannot;
  result.cause = cause_of_refusal(cell.decided);
  return result;
}

} // namespace

std::string lost_path(const std::string& output) {
  return fs::path(output).replace_extension(".lost.json").string();
}

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
    TRY(replace_file(used.output, *text, false));
    return stored;
  }
  if (cell.planned == Planned::cannot) {
    const CellResult result = refused(cell);
    TRY(replace_file(used.output, result_json(result), false));
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
  const std::string locked = used.work + ".lock"; // held while the cell runs
  const FileLock lock(open(locked.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (const int reason = lock.take(); reason != 0)
    return os_failure("lock " + locked, reason);
  return Run(*project, cell, used, surroundings).run();
}

} // namespace hostpin::matrix
