// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks runtime_rules for two compilers with real objects of one linked by the other: a feature that crosses
// works, and one that is refused fails. HOSTPIN_FULL=1 uses every pair of the lab.
#include "tests/e2e/cxx/drivers.hpp"
#include "wrapper/cxx/role.hpp"
#include "wrapper/cxx/runtime_rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

using namespace hostpin;
using namespace hostpin::e2e;

namespace {

struct Experiment {
  cxx::RuntimeFeature feature;
  Family family; ///< `other`: for both
  const char* name;
  std::vector<std::string> flags;
  const char* source;
  const char* output;
  const char* mistake; ///< argument with which the program does what must be reported; null for none
  const char* report;
  const char* data; ///< ending of a file that the run must leave behind; null for none
};

const std::vector<Experiment>& experiments() {
  using F = cxx::RuntimeFeature;
  constexpr const char* none = nullptr;
  static const std::vector<Experiment> all = {
      {F::sanitize,
       Family::other,
       "address",
       {"-fsanitize=address"},
       "memory",
       "sum 106 of 100",
       "heap",
       "AddressSanitizer: heap-buffer-overflow",
       none},
      {F::sanitize,
       Family::other,
       "undefined",
       {"-fsanitize=undefined"},
       "memory",
       "sum 106 of 100",
       "overflow",
       "runtime error: signed integer overflow",
       none},
      {F::sanitize,
       Family::other,
       "thread",
       {"-fsanitize=thread"},
       "race",
       "sum 2000 2000",
       "race",
       "data race",
       none},
      {F::sanitize,
       Family::other,
       "leak",
       {"-fsanitize=leak"},
       "memory",
       "sum 106 of 100",
       "leak",
       "LeakSanitizer: detected memory leaks",
       none},
      {F::coverage, Family::other, "coverage", {"--coverage"}, "counted", "sum 9898", none, none, ".gcda"},
      {F::profile,
       Family::gcc,
       "generate",
       {"-fprofile-generate"},
       "counted",
       "sum 9898",
       none,
       none,
       ".gcda"},
      {F::profile,
       Family::clang,
       "generate",
       {"-fprofile-generate"},
       "counted",
       "sum 9898",
       none,
       none,
       "profile.read"},
      {F::profile,
       Family::clang,
       "instr-generate",
       {"-fprofile-instr-generate", "-fcoverage-mapping"},
       "counted",
       "sum 9898",
       none,
       none,
       "profile.read"},
      {F::openmp, Family::other, "openmp", {"-fopenmp"}, "parallel", "sum 5000050000 10 3", none, none, none},
      {F::pg, Family::other, "pg", {"-pg"}, "counted", "sum 9898", none, none, "gmon.out"},
      {F::lto, Family::other, "lto", {"-flto"}, "memory", "sum 106 of 100", none, none, none},
  };
  return all;
}

/// One object of `host`, linked by `link`, run normally and with its error.
class Trial {
public:
  Trial(const Experiment& experiment, const Driver& host, const Driver& link)
      : experiment_(&experiment), host_(&host), link_(&link), directory_(object() + ".to." + major(link)) {}

  std::string object() const { return std::string(experiment_->name) + "." + major(*host_) + ".o"; }

  Command compile(const std::string& sources) const {
    // Clang 13 makes no position-independent code by default and newer drivers link nothing else.
    Command command{{host_->path, "-std=c++14", "-g", "-O1", "-fPIE", "-pthread", "-c",
                     sources + "/" + experiment_->source + ".cpp", "-o", object()},
                    {},
                    {}};
    command.argv.insert(command.argv.end(), experiment_->flags.begin(), experiment_->flags.end());
    return command;
  }

  Command link() const {
    std::filesystem::create_directories(directory_);
    Command command{{link_->path, "-g", "-O1", "-pthread", object(), "-o", directory_ + "/program"}, {}, {}};
    command.argv.insert(command.argv.end(), experiment_->flags.begin(), experiment_->flags.end());
    return command;
  }

  /// Runs the program in its directory; a profile that one of the readers understands leaves the file
  /// `profile.read`.
  Command run(const char* argument, const std::vector<std::string>& readers) const {
    // ThreadSanitizer of some releases cannot place its shadow among randomised mappings.
    const std::string script = R"(cd "$1" || exit 1
fixed=; setarch -R true 2>/dev/null && fixed='setarch -R'
GCOV_PREFIX=$PWD LLVM_PROFILE_FILE=x.profraw OMP_NUM_THREADS=4 $fixed ./program $2
status=$?
shift 2
for reader; do if [ -s x.profraw ] && "$reader" show x.profraw >/dev/null 2>&1; then touch profile.read; fi; done
exit $status)";
    Command command{{"/bin/sh", "-c", script, "sh", directory_, argument == nullptr ? "" : argument}, {}, {}};
    command.argv.insert(command.argv.end(), readers.begin(), readers.end());
    return command;
  }

  bool worked(const Outcome& linked, const Outcome& clean, const Outcome& mistaken) const {
    const bool ran =
        linked.ok() && clean.ok() && clean.errors.empty() && line_of(clean) == experiment_->output;
    const bool reported =
        experiment_->mistake == nullptr || mistaken.errors.find(experiment_->report) != std::string::npos;
    return ran && reported && left_data();
  }

  const Experiment& experiment() const { return *experiment_; }
  const Driver& host() const { return *host_; }
  const Driver& linker() const { return *link_; }

private:
  static std::string major(const Driver& driver) {
    return std::string(to_string(driver.compiler.family)) + std::to_string(driver.compiler.version.major);
  }

  bool left_data() const {
    if (experiment_->data == nullptr)
      return true;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_))
      if (entry.path().string().ends_with(experiment_->data) &&
          (entry.file_size() > 0 || entry.path().filename() == "profile.read"))
        return true;
    return false;
  }

  const Experiment* experiment_;
  const Driver* host_;
  const Driver* link_;
  std::string directory_;
};

/// The llvm-profdata programs that come with these drivers. A profile counts if the reader of its format
/// accepts it.
std::vector<std::string> profile_readers(const Processes& processes, const std::vector<Driver>& drivers) {
  std::vector<Command> questions;
  for (const Driver& driver : drivers)
    questions.push_back({{driver.path, "-print-prog-name=llvm-profdata"}, {}, {}});
  std::set<std::string> readers;
  for (const Outcome& answer : processes.run(questions))
    if (line_of(answer).starts_with('/'))
      readers.insert(line_of(answer));
  return {readers.begin(), readers.end()};
}

std::vector<bool> tried(const Processes& processes, const std::vector<Trial>& trials,
                        const std::string& sources, const std::vector<std::string>& readers) {
  std::map<std::string, Command> compiles; // one object serves all links
  std::vector<Command> commands;
  for (const Trial& trial : trials)
    compiles.emplace(trial.object(), trial.compile(sources));
  for (auto& [object, command] : compiles)
    commands.push_back(command);
  processes.run(commands); // a failure shows as a link without its input
  commands.clear();
  for (const Trial& trial : trials)
    commands.push_back(trial.link());
  const std::vector<Outcome> linked = processes.run(commands);
  commands.clear();
  for (const Trial& trial : trials)
    commands.push_back(trial.run(nullptr, readers));
  const std::vector<Outcome> clean = processes.run(commands);
  commands.clear();
  for (const Trial& trial : trials)
    commands.push_back(trial.run(trial.experiment().mistake, {}));
  const std::vector<Outcome> mistaken = processes.run(commands);
  std::vector<bool> results;
  for (std::size_t i = 0; i < trials.size(); ++i)
    results.push_back(trials[i].worked(linked[i], clean[i], mistaken[i]));
  return results;
}

using Pair = std::pair<const Driver*, const Driver*>;

std::vector<Trial> planned(const std::vector<Pair>& pairs) {
  std::vector<Trial> trials;
  for (const auto& [host, link] : pairs)
    for (const Experiment& experiment : experiments())
      if (experiment.family == Family::other || experiment.family == host->compiler.family)
        trials.emplace_back(experiment, *host, *link);
  return trials;
}

/// All pairs of the drivers, or those whose majors are listed.
std::vector<Pair> pairs_of(const std::vector<Driver>& drivers,
                           const std::vector<std::pair<int, int>>& listed) {
  std::vector<Pair> pairs;
  for (const Driver& host : drivers)
    for (const Driver& link : drivers) {
      const std::pair<int, int> majors(host.compiler.version.major, link.compiler.version.major);
      const bool wanted = std::find(listed.begin(), listed.end(), majors) != listed.end();
      if (majors.first != majors.second && (listed.empty() || wanted))
        pairs.emplace_back(&host, &link);
    }
  return pairs;
}

struct Verdict {
  bool wrong = false;
  const char* word = "";
};

Verdict judged(const Trial& trial, bool worked) {
  const auto rules = cxx::runtime_rules(trial.host().compiler, trial.linker().compiler, {});
  const plan::RuntimeRule& rule = rules.at(static_cast<std::size_t>(trial.experiment().feature));
  if (rule.rule == plan::PlanRuntime::Rule::cross)
    return {!worked, worked ? "crosses" : "WRONG: said to cross"};
  // An older runtime or reader may work by chance with newer output; refusing that is a precaution.
  const bool luck = trial.host().compiler.version.major > trial.linker().compiler.version.major;
  return {worked && !luck,
          worked ? (luck ? "refused, works by luck" : "WRONG: refused, yet works") : "refused"};
}

/// Returns how many verdicts were wrong, or nothing if no pair could be tried.
std::optional<int> check(const Processes& processes, const std::vector<Driver>& drivers,
                         const std::vector<std::pair<int, int>>& listed, const std::string& sources) {
  const std::vector<std::string> readers = profile_readers(processes, drivers);
  std::vector<Pair> alone;
  for (const Driver& driver : drivers)
    alone.emplace_back(&driver, &driver);
  const std::vector<Trial> own = planned(alone);
  const std::vector<bool> own_worked = tried(processes, own, sources, readers);
  std::map<std::pair<std::string, std::string>, bool> able; // experiment and driver
  for (std::size_t i = 0; i < own.size(); ++i) {
    able[{own[i].experiment().name, own[i].host().path}] = own_worked[i];
    if (!own_worked[i])
      std::printf("skipped: %s does not work with %s alone\n", own[i].experiment().name,
                  own[i].host().path.c_str());
  }
  std::vector<Trial> trials;
  for (const Trial& trial : planned(pairs_of(drivers, listed)))
    if (able[{trial.experiment().name, trial.host().path}] &&
        able[{trial.experiment().name, trial.linker().path}])
      trials.push_back(trial);
  if (trials.empty())
    return std::nullopt;
  const std::vector<bool> worked = tried(processes, trials, sources, readers);
  int wrong = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Verdict verdict = judged(trials[i], worked[i]);
    wrong += verdict.wrong ? 1 : 0;
    std::printf("%-5s %2d -> %2d %-14s %s\n", to_string(trials[i].host().compiler.family),
                trials[i].host().compiler.version.major, trials[i].linker().compiler.version.major,
                trials[i].experiment().name, verdict.word);
  }
  return wrong;
}

} // namespace

int main(int argc, char** argv, char** envp) {
  if (argc != 2)
    return 2;
  const std::string sources = std::filesystem::absolute(argv[1]).string();
  const Environment environment = Environment::from(envp);
  const HostProcesses processes({std::chrono::seconds(120), std::size_t{1} << 20, 0});
  const bool all = full(environment);
  std::vector<std::pair<int, int>> gcc_pairs = {{11, 12}, {14, 12}};
  std::vector<std::pair<int, int>> clang_pairs = {{14, 16}, {19, 14}};
  std::vector<Driver> gccs = lab_drivers(processes, environment, Family::gcc, {11, 12, 14});
  std::vector<Driver> clangs = lab_drivers(processes, environment, Family::clang, {14, 16, 19});
  if (all) {
    gccs = lab_drivers(processes, environment, Family::gcc, {9, 10, 11, 12, 13, 14, 15, 16});
    clangs = lab_drivers(processes, environment, Family::clang, {13, 14, 15, 16, 17, 18, 19, 21, 22});
    gcc_pairs.clear();
    clang_pairs.clear();
  }
  const Workplace workplace;
  const auto gcc_wrong = check(processes, gccs, gcc_pairs, sources);
  const auto clang_wrong = check(processes, clangs, clang_pairs, sources);
  if (gcc_wrong.value_or(0) + clang_wrong.value_or(0) > 0)
    return 1;
  if (gcc_wrong && clang_wrong)
    return 0;
  std::printf("skipped: too few %s with runtimes (./bootstrap lab provides them)\n",
              gcc_wrong ? "Clangs" : "GCCs");
  if (lab_required(environment))
    return 1;
  return gcc_wrong || clang_wrong ? 0 : skip_code;
}
