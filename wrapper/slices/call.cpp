// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/call.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/slices/depfile.hpp"
#include "wrapper/slices/digest.hpp"
#include "wrapper/slices/dry_run.hpp"
#include "wrapper/slices/keys.hpp"
#include "wrapper/slices/module_id.hpp"
#include "wrapper/slices/store.hpp"
#include "wrapper/slices/tasks.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace hostpin::slices {

namespace {

using Variables = Environment::Variables;

constexpr std::size_t longest_module_id = std::size_t{1} << 20U;

std::vector<std::string> lines_of(const Variables& variables) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : variables)
    lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

/// What nvcc's commands see.
Variables inside_nvcc(Variables variables, const DryRun& run) {
  for (const auto& [name, value] : run.environment)
    variables[name] = value;
  return variables;
}

/// The text of the dry run, with fixed names; nothing if nvcc reports an error.
std::optional<std::string> dry_run_text(const Call& call, const std::string& directory, Variables variables) {
  std::vector<std::string> argv{call.name, "--dryrun"};
  argv.insert(argv.end(), call.arguments.begin(), call.arguments.end());
  variables["TMPDIR"] = directory;
  Running running;
  if (!running.start(0, call.nvcc.c_str(), argv, lines_of(variables)))
    return std::nullopt;
  while (!termination_pending())
    if (auto ended = running.wait(-1, -1))
      return ended->second.code == 0 ? std::optional(std::move(ended->second.errors)) : std::nullopt;
  return std::nullopt;
}

/// The current directory; empty if it was removed.
std::string here() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

/// Where a toolkit makes temporary names part of symbols, each output needs other names, as each process has
/// with nvcc; for all others, fixed names make the same slices everywhere.
std::string tag_of(const std::string& text, const Call& call) {
  constexpr std::size_t digits = 8;
  if (!names_symbols_after_files(text))
    return std::string(digits, '0');
  Digest digest;
  digest.add(here());
  for (const std::string& argument : call.arguments)
    if (!argument.starts_with("-") || argument.starts_with("-o"))
      digest.add(argument.find("compute_") == std::string::npos ? argument : std::string());
  return digest.text().substr(0, digits);
}

/// What no call has in common with another one whose output may be linked with its own, on any machine.
std::string identity_of(const Call& call, const Environment& environment) {
  Digest digest;
  digest.add(here());
  for (const char* const name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
    digest.add(environment[name].value_or(""));
  for (const std::string& argument : without_gpus(call.arguments))
    digest.add(argument);
  return digest.text();
}

/// One call, from its graph to its outputs.
class Build {
public:
  Build(const Call& call, const Options& options, const Environment& environment, DryRun run,
        std::string directory, std::optional<Store> store)
      : call_(call), options_(options), run_(std::move(run)), directory_(std::move(directory)),
        store_(std::move(store)), variables_(inside_nvcc(environment.variables(), run_)),
        lines_(lines_of(variables_)), identity_(identity_of(call, environment)), permits_(environment),
        tasks_(run_.steps.size()) {
    rank();
  }

  /// False if a command failed, or a termination signal arrived.
  bool finish() {
    while (start_ready())
      if (!wait())
        return false;
    return !failed_;
  }

  void print() const {
    for (const std::string& line : run_.messages)
      fmt::print(stderr, "{}\n", line);
    for (const Task& task : tasks_) {
      std::fwrite(task.output.data(), 1, task.output.size(), stdout);
      std::fflush(stdout);
      std::fwrite(task.errors.data(), 1, task.errors.size(), stderr);
    }
    if (!unstored_.empty())
      fmt::print(stderr, "hostpin: note: {}\n", unstored_);
  }

  /// Stores what `hostpin slices` lists.
  void record(const Environment& environment) const {
    if (!store_)
      return;
    RecordedCall record{here(), call_.nvcc, call_.name, call_.arguments, {}, {}};
    for (const char* const name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
      if (const auto value = environment[name])
        record.environment[name] = *value;
    for (std::size_t at = 0; at < tasks_.size(); ++at)
      if (const Task& task = tasks_[at];
          run_.steps[at].storable() && !task.key.empty() && task.state == State::done)
        record.steps.push_back({std::string(to_string(run_.steps[at].tool)), run_.steps[at].gpu,
                                source_of(at), task.key, task.seconds, task.reused});
    static_cast<void>(store_->record(record)); // a full disk was reported for the slices
  }

private:
  enum class State { waiting, running, done, unneeded };
  struct Task {
    State state = State::waiting;
    unsigned rank = 0;       // processor time that depends on it, roughly
    std::string key;         // of the slice; empty: not stored
    std::string key_of_call; // the same if its content is this call's alone
    bool looked = false, reused = false, permitted = false;
    bool named = false; // the module id is known
    std::string output, errors;
    double seconds = 0;
  };

  /// The tasks that most others wait for start first.
  void rank() {
    const auto weight = [](Tool tool) {
      return tool == Tool::cicc || tool == Tool::ptxas || tool == Tool::tileiras ? 10U : 2U;
    };
    for (std::size_t at = tasks_.size(); at-- > 0;) {
      tasks_[at].rank += weight(run_.steps[at].tool);
      for (const std::size_t before : run_.steps[at].after)
        tasks_[before].rank = std::max(tasks_[before].rank, tasks_[at].rank);
      order_.push_back(at);
    }
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return tasks_[a].rank != tasks_[b].rank ? tasks_[a].rank > tasks_[b].rank : a < b;
    });
    if (!call_.only.empty())
      keep_only();
  }

  /// Leaves out what the slices of one GPU do not need.
  void keep_only() {
    std::vector<bool> needed(tasks_.size());
    for (std::size_t at = tasks_.size(); at-- > 0;) {
      const Step& step = run_.steps[at];
      const std::size_t number = step.gpu.find('_');
      const bool of_gpu = number != std::string::npos && step.gpu.substr(number + 1) == call_.only;
      needed[at] = needed[at] || (of_gpu && step.tool != Tool::nvlink);
      if (needed[at])
        for (const std::size_t before : step.after)
          needed[before] = true;
      else
        tasks_[at].state = State::unneeded;
    }
  }

  bool is_ready(std::size_t at) const {
    const auto& after = run_.steps[at].after;
    return tasks_[at].state == State::waiting &&
           std::all_of(after.begin(), after.end(),
                       [&](std::size_t each) { return tasks_[each].state == State::done; });
  }

  /// Starts what can be started. False if nothing runs then.
  bool start_ready() {
    waiting_for_permit_ = false;
    for (bool again = true; again && !failed_;) {
      again = false;
      for (const std::size_t at : order_)
        if (is_ready(at) && !failed_)
          again |= advance(at);
    }
    return running_.count() != 0 && !failed_;
  }

  /// Finishes a step without a process, or starts it. True if it was finished.
  bool advance(std::size_t at) {
    Task& task = tasks_[at];
    if (run_.steps[at].tool == Tool::dependencies) {
      failed_ |= !write_dependencies(run_.steps[at]);
      task.state = State::done;
      return true;
    }
    if (store_ && !std::exchange(task.looked, true) && reuse(at))
      return true;
    const bool first = running_.count() == 0;
    if (!first && (waiting_for_permit_ || !permits_.take())) {
      waiting_for_permit_ = true;
      return false;
    }
    task.permitted = !first;
    task.state = State::running;
    start(at, run_.steps[at].line);
    return false;
  }

  void start(std::size_t at, const std::string& line) {
    failed_ |= !running_.start(at, "/bin/sh", {"sh", "-c", "exec " + line}, lines_);
  }

  /// Takes a step's outputs from the store.
  bool reuse(std::size_t at) {
    const Step& step = run_.steps[at];
    const bool names_module = !step.module_id_file().empty();
    if (!step.storable() && !names_module)
      return false;
    Task& task = tasks_[at];
    task.key = slice_key(step, directory_, variables_, run_, *store_);
    if (names_module && !task.key.empty())
      task.key_of_call = Digest().add(task.key).add(identity_).text();
    if (!step.storable()) // the host half is stored only for the sake of the module id
      task.key.clear();
    return reuse(at, task.key) || reuse(at, task.key_of_call);
  }

  bool reuse(std::size_t at, const std::string& key) {
    const Step& step = run_.steps[at];
    Task& task = tasks_[at];
    auto slice = key.empty() ? std::nullopt : store_->find(key);
    if (!slice || slice->files.size() != step.outputs.size())
      return false;
    task.key = key;
    for (std::size_t file = 0; file < slice->files.size(); ++file)
      if (!write_output(step.outputs[file],
                        with_directory(std::move(slice->files[file]), step.outputs[file])))
        return false;
    task.output = std::move(slice->output);
    task.errors = with_directory(std::move(slice->errors), ".c");
    task.seconds = slice->seconds;
    task.reused = true;
    task.state = State::done;
    return true;
  }

  static bool write_output(const std::string& path, std::string_view content) {
    std::FILE* const file = std::fopen(path.c_str(), "wbe");
    if (file == nullptr)
      return false;
    const bool whole = std::fwrite(content.data(), 1, content.size(), file) == content.size();
    return std::fclose(file) == 0 && whole;
  }

  static bool is_host_source(std::string_view name) { return name.ends_with(".c") || name.ends_with(".cpp"); }

  /// Puts the directory of this call's temporary files into a stored source for the host.
  std::string with_directory(std::string content, std::string_view name) const {
    return is_host_source(name) ? replaced(std::move(content), directory_placeholder, directory_) : content;
  }

  bool write_dependencies(const Step& step) {
    Dependencies dependencies(options_.system_headers);
    std::string target;
    for (const std::size_t before : step.after) {
      const auto source = DiskFiles().read(run_.steps[before].outputs.front(), largest_file);
      if (!source)
        return false;
      dependencies.add(*source);
    }
    for (const Step& each : run_.steps)
      for (const std::string& output : each.outputs)
        if (!output.starts_with(directory_ + '/') && each.tool != Tool::dependencies)
          target = output;
    return write_output(step.outputs.front(), dependencies.rule(options_.dependency_target.value_or(target),
                                                                options_.phony_targets));
  }

  /// Waits for one process. False if the call has to be given up.
  bool wait() {
    // Without a jobserver, nothing reports that a processor has become free. It often is within a
    // millisecond: a process that has just ended counts as running until it is gone.
    constexpr int longest = 20; // milliseconds
    const int limit = waiting_for_permit_ && permits_.waiting_on() < 0 ? pause_ : -1;
    auto ended = running_.wait(limit, waiting_for_permit_ ? permits_.waiting_on() : -1);
    pause_ = ended ? 1 : std::min(2 * pause_, longest);
    if (!ended)
      return !termination_pending();
    Task& task = tasks_[ended->first];
    task.seconds += ended->second.seconds;
    if (ended->second.code == 0 && names_module_again(ended->first, ended->second.process))
      return !failed_;
    task.state = State::done;
    if (task.permitted)
      permits_.give_back();
    task.output = std::move(ended->second.output);
    task.errors = std::move(ended->second.errors);
    failed_ |= ended->second.code != 0;
    if (!failed_ && !task.key.empty())
      put(ended->first);
    return !failed_;
  }

  /// A module id that contains a process id would be another one in each call, and with it all slices. The
  /// step runs again, with an id that the same call has on every machine. False if the id is a fixed one.
  bool names_module_again(std::size_t at, pid_t process) {
    const Step& step = run_.steps[at];
    const std::string file = step.module_id_file();
    if (file.empty() || std::exchange(tasks_[at].named, true))
      return false;
    const auto id = DiskFiles().read(file, longest_module_id);
    Digest digest;
    digest.add(identity_);
    for (const std::string& input : step.inputs)
      digest.add(DiskFiles().read(input, largest_file).value_or(""));
    const auto fixed = id ? fixed_module_id(*id, process, digest.text()) : std::nullopt;
    if (!fixed)
      return false;
    tasks_[at].key = tasks_[at].key_of_call;
    failed_ |= !write_output(file, *fixed);
    start(at, replaced(step.line, std::string(generates_module_id) + ' ', ""));
    return true;
  }

  void put(std::size_t at) {
    const Step& step = run_.steps[at];
    Task& task = tasks_[at];
    Slice slice{std::string(to_string(step.tool)),
                step.gpu,
                source_of(at),
                task.seconds,
                task.output,
                replaced(task.errors, directory_, directory_placeholder),
                {}};
    for (const std::string& output : step.outputs) {
      auto content = DiskFiles().read(output, largest_file);
      if (!content)
        return;
      if (is_host_source(output))
        content = replaced(*std::move(content), directory_, directory_placeholder);
      if (content->find(directory_) != std::string::npos)
        return; // would not be the same elsewhere
      slice.files.push_back(*std::move(content));
    }
    if (const auto stored = store_->put(task.key, slice); !stored)
      unstored_ = "a slice was not stored: " + stored.error().message;
  }

  /// The source from which a step's input comes.
  std::string source_of(std::size_t at) const {
    const Step& step = run_.steps[at];
    if (!step.source.empty())
      return step.source;
    for (const std::size_t before : step.after)
      if (std::string source = source_of(before); !source.empty())
        return source;
    return {};
  }

  const Call& call_;
  const Options& options_;
  DryRun run_;
  std::string directory_;
  std::optional<Store> store_;
  Variables variables_;
  std::vector<std::string> lines_;
  std::string identity_;
  Permits permits_;
  std::vector<Task> tasks_;
  std::vector<std::size_t> order_;
  Running running_;
  bool failed_ = false, waiting_for_permit_ = false;
  int pause_ = 1; // until the next attempt to get permission
  std::string unstored_;
};

std::size_t count_of(const DryRun& run, Tool tool) {
  return static_cast<std::size_t>(
      std::count_if(run.steps.begin(), run.steps.end(), [&](const Step& each) { return each.tool == tool; }));
}

/// What to do with a dry run that was read.
std::optional<Plain> plain_by_steps(const DryRun& run) {
  if (!run.for_gpus)
    return Plain{};
  if (count_of(run, Tool::dependencies) > 1)
    return Plain{"nvcc itself runs a call that writes several dependency files, and no slices are used"};
  return std::nullopt;
}

} // namespace

std::optional<Plain> run_call(const Call& call, const Options& options, const Environment& environment) {
  const DeferTermination deferred; // until the directory is removed
  const auto scratch = ScratchDirectory::make(environment);
  if (!scratch)
    return Plain{};
  const std::string& directory = scratch->path();
  const auto text = dry_run_text(call, directory, environment.variables());
  if (!text)
    return Plain{};
  auto run = read_dry_run(with_fixed_names(*text, tag_of(*text, call)), directory);
  if (!run)
    return Plain{run.error().message + "; nvcc itself runs the commands, and no slices are used"};
  if (auto plain = plain_by_steps(*run))
    return plain;
  auto store = Store::open(call.store);
  std::optional<Store> usable;
  if (store)
    usable = *std::move(store);
  else
    fmt::print(stderr, "hostpin: note: slices are not stored: {}\n", store.error().message);
  Build build(call, options, environment, *std::move(run), directory, std::move(usable));
  if (!build.finish())
    return Plain{};
  build.print();
  build.record(environment);
  return std::nullopt;
}

} // namespace hostpin::slices
