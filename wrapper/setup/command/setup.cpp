// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/command/setup.hpp"

#include "toolchains/base/own_files.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/options/program.hpp"
#include "toolchains/options/progress_line.hpp"
#include "toolchains/redist/facts.hpp"
#include "toolchains/setup/runtime.hpp"
#include "toolchains/table/distribution.hpp"
#include "wrapper/bind/store.hpp"
#include "wrapper/command/commands.hpp"
#include "wrapper/command/inputs.hpp"
#include "wrapper/command/prediction.hpp"
#include "wrapper/setup/asked.hpp"
#include "wrapper/setup/check_program.hpp"
#include "wrapper/setup/page.hpp"
#include "wrapper/setup/place.hpp"
#include "wrapper/setup/planning.hpp"
#include "wrapper/setup/record.hpp"
#include "wrapper/setup/redist_choice.hpp"
#include "wrapper/setup/wheel_work.hpp"
#include "wrapper/setup/work.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

namespace fs = std::filesystem;
using setup::Asked;
using setup::Plan;
using setup::Source;

int fail(const Error& error, int code = exit_broken) {
  report(error);
  return code;
}

/// `hostpin setup DIR --cuda 12.4`, for hints.
std::string setup_command(const Context& context, const Asked& asked, const std::string& more) {
  std::vector<std::string> words{"setup", asked.directory};
  for (std::string& word : setup::asked_words(asked))
    words.push_back(std::move(word));
  return context.program + ' ' + shell_words(words) + (more.empty() ? "" : ' ' + more);
}

/// One run of the command.
class Setup {
public:
  Setup(const Context& context, const SetupOptions& options, Asked asked)
      : context_(context), options_(options),
        asked_(std::move(asked)), room_{context.environment, context.files, context.processes} {}

  int run() {
    if (!options_.refresh)
      if (const auto code = known())
        return *code;
    if (options_.dry_run)
      return dry_run();
    const auto before = setup::content_of(asked_.directory);
    const auto place = setup::Place::prepare(asked_.directory);
    if (!place)
      return fail(place.error());
    place_ = &*place;
    const auto lock = setup::lock_directory(*place, [&](long holder) {
      report_note(holder > 0
                      ? fmt::format("waiting for process {}, which sets up {}", holder, asked_.directory)
                      : fmt::format("waiting for another process, which sets up {}", asked_.directory));
    });
    if (!lock)
      return fail(lock.error());
    if (!options_.refresh) // another process may have been faster
      if (const auto code = known())
        return *code;
    setup::remove_tree(place->here() + '/' + setup::work_name + "/check");
    const int code = plan_and_do();
    if (!has_begun_ && before && *before != setup::Content::own)
      undo(*before);
    return code;
  }

private:
  std::string work() const { return asked_.directory + '/' + setup::work_name; }
  std::string redist_program() const { return context_.tree.programs + "/redist"; }
  std::string toolchain() const { return asked_.directory + '/' + setup::toolchain_name; }

  /// Nothing was decided or agreed to, so nothing is left.
  void undo(setup::Content before) const {
    const std::string here = place_->here() + '/';
    setup::remove_tree(here + setup::work_name);
    std::error_code error;
    fs::remove(here + setup::lock_name, error);
    if (before == setup::Content::absent)
      fs::remove(asked_.directory, error);
  }

  // ------------------------------------------------------------------------ a directory that is set up

  /// The exit code if the directory is set up already, as asked.
  std::optional<int> known() {
    const auto read = setup::read_record(context_.files, asked_.directory);
    if (!read)
      return fail(read.error());
    if (!*read)
      return std::nullopt;
    const setup::KnownSetup& known = **read;
    const std::string again = setup_command(context_, asked_, "--refresh");
    if (context_.files.real_path(known.directory) != context_.files.real_path(asked_.directory))
      return fail(
          {fmt::format("{} was set up as {} and works nowhere else", asked_.directory, known.directory),
           "move it back, or make it again: " + again});
    const auto words = setup::asked_words(asked_);
    if (!words.empty() && words != known.request)
      return fail({fmt::format("{} was set up with other options: {}", asked_.directory,
                               known.request.empty() ? "none" : shell_words(known.request)),
                   "make it again, or name another directory: " + again});
    if (options_.dry_run)
      return std::nullopt;
    return use(known);
  }

  /// Makes sure that it works still: another decision is made if a file of it changed.
  std::optional<int> use(const setup::KnownSetup& known) {
    for (const std::string& place : known.places)
      if (!context_.files.status(asked_.directory + '/' + place))
        return fail({fmt::format("{}/{} is missing", asked_.directory, place),
                     "make it again: " + setup_command(context_, asked_, "--refresh")});
    const auto here = call_here(context_, {}, toolchain());
    if (!here || here->refusal) {
      const auto own = own_record();
      if (!own)
        return fail(own.error());
      if (const int code = bind(own->toolkit, own->compiler, own->stdenv_driver); code != exit_fine)
        return code;
    }
    fmt::print("{}\n", setup::known_page(known, context_.terminal));
    print_use(known.stdenv_driver, known.stdenv);
    return exit_fine;
  }

  /// The record of a directory to which nobody else writes: the programs that it names are run.
  Result<setup::KnownSetup> own_record() const {
    TRY(bind::nobody_else_writes_to(asked_.directory));
    TRY_ASSIGN(auto read, setup::read_record(OwnFiles(), asked_.directory));
    if (!read)
      return failure(asked_.directory + " is not set up any more", "run the command again");
    return *std::move(read);
  }

  /// Against what programs are linked, if that was fetched, and what to type next.
  void print_use(const std::string& stdenv_driver, const std::string& stdenv) const {
    std::string root;
    if (!stdenv_driver.empty()) {
      root = directory_of(directory_of(stdenv_driver));
      const std::string library = "libstdc++.so.6";
      auto lacking = setup::runtime_libraries(root);
      const bool is_own = std::ranges::find(lacking, library) != lacking.end();
      const std::string path = is_own ? fmt::format("{}/{}/{}", root, setup::runtime_name, library)
                                      : setup::machine_library(library, binary::own_triple(), {});
      fmt::print("{}\n",
                 setup::stdenv_page({root, stdenv.substr(0, stdenv.find(" (")), path, std::move(lacking)},
                                    context_.terminal));
    }
    fmt::print("{}", setup::next_lines(asked_.directory, root, context_.program, context_.terminal));
  }

  // ------------------------------------------------------------------------------------------ the plan

  Result<std::string> lock_text(const std::string& state, const std::string& platform) const {
    if (!setup::makes_lock(asked_))
      return context_.files.read(asked_.path, document::largest_document);
    TRY_ASSIGN(const auto facts, redist::load_facts(context_.files, context_.tree.data));
    TRY_ASSIGN(const auto choice, setup::redist_choice(facts, asked_));
    return setup::make_lock(room_, redist_program(), choice, platform, state);
  }

  Result<setup::PackageClient*> client(const std::string& state, const PackageName& distribution) {
    if (client_ == nullptr) {
      auto made =
          setup::package_client(room_, state, {asked_.suites, distribution, options_.keyring.value_or("")});
      if (!made)
        return tl::unexpected(made.error());
      client_ = *std::move(made);
    }
    return client_.get();
  }

  /// The plan that was carried over, with its files.
  Result<Plan> carried_plan() const {
    const std::string file = asked_.path + "/setup.json";
    const auto text = context_.files.read(file, setup::largest_plan);
    if (!text)
      return failure(
          text.error().message,
          fmt::format("on a machine with a network make the list, bring the files that it names, and "
                      "the list itself as {}: hostpin setup DIR --from distribution --dry-run --json",
                      file));
    return setup::read_plan_json(*text, file);
  }

  /// Surveys the machine, once more with the toolkit that is used if that is not the first.
  int with_plan(const std::string& state, const std::function<int(setup::Planned<Plan>)>& use) {
    Request request;
    request.stdenv = options_.stdenv;
    const auto planned = [&](const Survey& survey, const SurveyInputs& inputs) {
      if (survey.stdenv)
        linker_driver_ = survey.stdenv->command.front();
      if (asked_.source == Source::carried)
        return use(carried_plan());
      return use(setup::make_plan(
          survey, inputs, asked_,
          [&] { return client(state, package_names(inputs.table, distributions(context_.files))); },
          [&](const std::string& platform) { return lock_text(state, platform); },
          [&] {
            wheels_before_ = setup::wheel_bytes(state);
            return setup::find_wheels(room_, context_.tree.data, asked_, state);
          }));
    };
    return with_survey(context_, request, [&](const Survey& survey, const SurveyInputs& inputs) {
      const auto present = setup::present_toolkit(survey, asked_);
      if (!present || (survey.toolkit && survey.toolkit->nvcc == present->nvcc))
        return planned(survey, inputs);
      request.toolkit = present->root;
      return with_survey(context_, request, planned);
    });
  }

  int dry_run() {
    const auto scratch = ScratchDirectory::make(context_.environment);
    if (!scratch)
      return fail(scratch.error());
    return with_plan(scratch->path(), [&](const setup::Planned<Plan>& plan) {
      if (!plan)
        return fail(plan.error(), plan.error().nothing_fits ? exit_refused : exit_broken);
      if (options_.json) {
        fmt::print("{}", setup::plan_json(*plan));
        return exit_fine;
      }
      return print_plan(*plan) ? exit_fine : exit_broken;
    });
  }

  bool print_plan(const Plan& plan) {
    auto licenses = setup::licenses_of(plan, context_.files, context_.tree.data);
    if (!licenses) {
      report(licenses.error());
      return false;
    }
    licenses_ = *std::move(licenses);
    fmt::print("{}", setup::plan_page(plan, licenses_, asked_.directory, context_.terminal));
    std::fflush(stdout);
    return true;
  }

  // ------------------------------------------------------------------------------------------ the work

  int plan_and_do() {
    if (const auto same = place_->check(); !same)
      return fail(same.error());
    return with_plan(work(), [&](const setup::Planned<Plan>& plan) {
      if (!plan)
        return fail(plan.error(), plan.error().nothing_fits ? exit_refused : exit_broken);
      if (!print_plan(*plan))
        return exit_broken;
      return plan->pieces.empty() || may_begin() ? carry_out(*plan) : exit_broken;
    });
  }

  /// Licenses, and the one question. Nothing was written until then.
  bool may_begin() {
    const bool is_terminal = isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0;
    const setup::Questions questions{is_terminal, [](const std::string& question) {
                                       print_error(question);
                                       std::string answer;
                                       return std::getline(std::cin, answer) ? std::optional(answer)
                                                                             : std::nullopt;
                                     }};
    if (!options_.yes && !is_terminal) {
      std::string more = "--yes";
      if (!licenses_.empty() && !options_.accept_eula)
        more += " --accept-eula";
      report({"nothing was fetched: nobody can be asked here",
              "to do this: " + setup_command(context_, asked_, more)});
      return false;
    }
    auto consents = setup::accept(
        licenses_, options_.accept_eula, questions,
        setup::utc_text(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
    if (!consents) {
      report(consents.error());
      return false;
    }
    consents_ = *std::move(consents);
    if (options_.yes)
      return true;
    const auto answer = questions.ask("\nGo on? [y/N] ");
    if (answer == "y" || answer == "Y" || answer == "yes")
      return true;
    report_note("nothing was fetched");
    return false;
  }

  /// What is not there yet takes that much.
  std::uint64_t space_needed(const Plan& plan) const {
    std::uint64_t bytes = 0;
    for (const setup::Piece& each : plan.pieces)
      if (!setup::is_complete(each, asked_.directory, context_.files))
        bytes += setup::space_for(each);
    return bytes;
  }

  Result<setup::Made> make(const Plan& plan, setup::SetupProgress& progress) {
    return setup::make_pieces(plan, {room_, asked_.directory, redist_program(), client_.get(),
                                     asked_.source == Source::carried ? asked_.path : "", linker_driver_,
                                     progress});
  }

  int carry_out(const Plan& plan) {
    if (const auto same = place_->check(); !same) // the question may have waited for hours
      return fail(same.error());
    has_begun_ = true;
    if (const auto space = setup::check_space(asked_.directory, space_needed(plan)); !space)
      return fail(space.error());
    std::error_code error;
    fs::remove(asked_.directory + '/' + setup::record_name, error); // it is not complete until the end
    std::uint64_t fetched =
        asked_.source == Source::carried ? 0 : setup::missing_bytes(plan, asked_.directory, context_.files);
    auto made = [&] {
      setup::SetupProgress progress(setup::bytes_of(plan), context_.environment);
      return make(plan, progress);
    }();
    if (!made) {
      report(made.error());
      report_note("what was fetched is kept, and the same command goes on from it");
      return exit_broken;
    }
    if (const auto same = place_->check(); !same)
      return fail(same.error());
    if (wheels_before_)
      fetched += std::max(setup::wheel_bytes(work()), *wheels_before_) - *wheels_before_;
    const std::string toolkit = made->toolkit.empty() && plan.toolkit ? plan.toolkit->path : made->toolkit;
    const std::string driver = made->driver.empty() && plan.compiler ? plan.compiler->named : made->driver;
    if (const int code = bind(toolkit, driver, made->stdenv); code != exit_fine)
      return code;
    if (const int code = check(); code != exit_fine)
      return code;
    if (const int code = finish(plan, *made, toolkit, driver); code != exit_fine)
      return code;
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin_);
    fmt::print("\n{} fetched, {} s in all\n\n", options::amount_text(fetched), seconds.count());
    print_use(made->stdenv, plan.stdenv);
    return exit_fine;
  }

  /// Empty names are left to the choice of hostpin bind.
  int bind(const std::string& toolkit, const std::string& driver, const std::string& stdenv) {
    BindOptions options;
    options.directory = toolchain();
    options.is_step = true;
    options.request.toolkit = toolkit;
    options.request.stdenv = options_.stdenv;
    if (!stdenv.empty())
      options.request.stdenv = stdenv;
    if (!driver.empty())
      options.request.host = driver;
    fmt::print("\n");
    return run_bind(context_, options);
  }

  /// A binding that cannot build the program is not left there.
  int check() {
    const std::string place = work() + "/check";
    std::error_code error;
    fs::create_directories(place, error);
    const auto checked = setup::run_check_program(toolchain(), place, context_.processes);
    if (!checked) {
      setup::remove_tree(toolchain());
      return fail(checked.error());
    }
    fmt::print("{}", columns({{{"check"}, {"a program was built with it: " + *checked}}}, context_.terminal));
    return exit_fine;
  }

  int finish(const Plan& plan, const setup::Made& made, const std::string& toolkit,
             const std::string& driver) {
    const setup::Record record{
        asked_.directory, HOSTPIN_VERSION, setup::asked_words(asked_), plan, toolkit, driver, consents_,
        made.texts,       made.stdenv};
    if (const auto written =
            replace_file(asked_.directory + '/' + setup::record_name, setup::record_text(record), false);
        !written)
      return fail(written.error());
    setup::remove_tree(work());
    fmt::print("\n");
    std::fflush(stdout);
    DoctorOptions doctor;
    doctor.bound = toolchain();
    return run_readonly(context_, [&](const Context& inner) { return run_doctor(inner, doctor); });
  }

  const Context& context_;
  const SetupOptions& options_;
  Asked asked_;
  setup::Context room_;
  std::unique_ptr<setup::PackageClient> client_;
  std::vector<setup::License> licenses_;
  std::vector<setup::Consent> consents_;
  std::string linker_driver_ = "c++";          ///< of the stdenv
  std::optional<std::uint64_t> wheels_before_; ///< bytes that an earlier run has downloaded, if pip is asked
  bool has_begun_ = false;
  const setup::Place* place_ = nullptr; ///< the directory, once it is prepared
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace

int run_setup(const Context& context, const SetupOptions& options) {
  auto asked = setup::read_asked({options.directory, options.cuda, options.gcc, options.clang, options.from,
                                  options.suites, options.libraries},
                                 fs::current_path().string());
  if (!asked)
    return fail(asked.error());
  if (asked->source == Source::redist && !context.files.status(context.tree.programs + "/redist"))
    return fail(options::absent_component("hostpin setup --from redist", "redist"));
  return run_and_commit(context, [&](const Context& inner) { return Setup(inner, options, *asked).run(); });
}

} // namespace hostpin::command
