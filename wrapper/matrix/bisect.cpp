// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/bisect.hpp"

#include "toolchains/base/termination.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/writing.hpp"
#include "wrapper/matrix/json.hpp"
#include "wrapper/matrix/key.hpp"
#include "wrapper/matrix/schedule.hpp"
#include "wrapper/matrix/stored.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

/// What one change does to several cells: a line without the places that it is about.
std::string sign_of(const Cause& cause) {
  constexpr std::string_view mark = "error:";
  const std::size_t at = cause.text.find(mark);
  return cause.kind + '\n' + (at == std::string::npos ? cause.text : cause.text.substr(at + mark.size()));
}

class Search {
public:
  Search(const Plan& plan, const Repository& repository, const BisectTerms& terms,
         const Surroundings& surroundings)
      : plan_(plan), repository_(repository), terms_(terms), surroundings_(surroundings),
        stored_(surroundings.files) {}

  Result<Bisected> run() {
    if (const auto failed = prepare())
      return tl::unexpected(*failed);
    std::vector<Test> tests;
    for (std::size_t cell = 0; cell < cells_.size(); ++cell)
      tests.push_back({cell, commits_.size() - 1});
    if (const auto failed = answer(tests))
      return tl::unexpected(*failed);
    tests.clear();
    for (std::size_t cell = 0; cell < cells_.size(); ++cell)
      if (cells_[cell].broken.at.back() == Known::bad && cells_[cell].broken.at.front() == Known::unknown)
        tests.push_back({cell, 0});
    if (const auto failed = answer(tests))
      return tl::unexpected(*failed);
    if (const auto failed = halve())
      return tl::unexpected(*failed);
    return found();
  }

private:
  using Failed = std::optional<Error>;

  struct SearchedCell {
    const PlannedCell* planned;
    const Project* project;
    std::string question;
    std::string place; ///< of its source in the repository; empty: elsewhere, the same at all revisions
    BrokenCell broken;
    std::map<std::size_t, Cause> causes; ///< by revision
  };

  Failed prepare() {
    std::error_code error;
    output_ = fs::absolute(terms_.output, error).lexically_normal().string();
    if (output_.size() > 1 && output_.ends_with('/'))
      output_.pop_back();
    const auto good = repository_.commit(terms_.good), bad = repository_.commit(terms_.bad);
    for (const auto* const each : {&good, &bad})
      if (!*each)
        return each->error();
    auto commits = repository_.history(*good, *bad);
    if (!commits)
      return commits.error();
    commits_ = *std::move(commits);
    changes_.resize(commits_.size());
    for (std::size_t revision = 1; revision < commits_.size(); ++revision) {
      auto changes = repository_.changes(commits_[revision - 1], commits_[revision]);
      if (!changes)
        return changes.error();
      changes_[revision] = *std::move(changes);
    }
    for (const PlannedCell& planned : plan_.cells)
      if (!planned.decided.text.empty())
        add(planned);
    std::vector<std::string> notes;
    for (const std::string& directory : {plan_.results, output_ + "/results"})
      if (!directory.empty() && fs::exists(directory, error))
        stored_.load(directory, notes);
    return std::nullopt;
  }

  void add(const PlannedCell& planned) {
    SearchedCell cell{&planned, plan_.project(planned.cell[Axis::project]), {}, {}, {}, {}};
    cell.question =
        question_of(planned, *cell.project, asked_variables(*cell.project, surroundings_.environment));
    std::error_code error;
    const std::string place =
        fs::canonical(cell.project->source, error).lexically_relative(repository_.top()).generic_string();
    if (!error && place != ".." && !place.starts_with("../"))
      cell.place = place;
    cell.broken.at.assign(commits_.size(), Known::unknown);
    cells_.push_back(std::move(cell));
  }

  /// The plan of a revision, with its checkout.
  Result<const Plan*> plan_at(std::size_t revision) {
    const std::string directory = directory_of(revision);
    auto projects = projects_at(plan_.projects, repository_, commits_[revision], directory + "/source");
    if (!projects)
      return tl::unexpected(projects.error());
    const auto [known, is_new] = plans_.try_emplace(revision);
    if (!is_new)
      return &known->second;
    Plan& plan = known->second;
    plan.name = plan_.name;
    plan.projects = *std::move(projects);
    for (const SearchedCell& cell : cells_) {
      plan.cells.push_back(*cell.planned);
      plan.cells.back().planned = Planned::run;
      plan.cells.back().result.clear();
    }
    TRY(replace_file(directory + "/plan.json", plan_json(plan), false));
    return &plan;
  }

  std::string directory_of(std::size_t revision) const {
    return output_ + "/revisions/" + commits_[revision];
  }

  std::string file_of(const Test& test) const {
    constexpr std::size_t digits = 12;
    return fmt::format("{}.{}.json", cells_[test.cell].planned->cell.id,
                       commits_[test.revision].substr(0, digits));
  }

  /// Answers all tests: by stored results, or by running the cells; those that are lost once more.
  Failed answer(std::vector<Test> tests) {
    for (int tries = 0; tries < 2 && !tests.empty(); ++tries) {
      for (const Test& test : tests)
        if (const auto plan = plan_at(test.revision); !plan)
          return plan.error();
      std::erase_if(tests, [&](const Test& test) { return is_known(test); });
      std::vector<Command> commands;
      for (const Test& test : tests)
        commands.push_back({{terms_.hostpin, "matrix", "run", directory_of(test.revision), "--cell",
                             cells_[test.cell].planned->cell.id, "-o", output_ + "/results/" + file_of(test)},
                            {},
                            {}});
      HostProcesses::Limits limits;
      limits.time = std::chrono::hours(24 * 7);
      limits.parallel = terms_.jobs;
      const DeferTermination held;
      limits.ending = held.signals();
      const auto outcomes = HostProcesses(limits).run(commands);
      bisected_.builds += tests.size();
      for (std::size_t index = 0; index < tests.size(); ++index)
        if (const std::string file = file_of(tests[index]);
            !stored_.add(output_ + "/results", file) && !stored_.add(output_ + "/results", lost_path(file)))
          return Error{fmt::format("{} at {} has no result: {}", cells_[tests[index].cell].planned->cell.id,
                                   commits_[tests[index].revision],
                                   outcomes[index].errors.empty() ? describe(outcomes[index])
                                                                  : outcomes[index].errors),
                       "run it by hand: " + fmt::format("{}", fmt::join(commands[index].argv, " "))};
      std::erase_if(tests, [&](const Test& test) { return is_known(test, false); });
    }
    for (const Test& test : tests)
      cells_[test.cell].broken.at[test.revision] = Known::lost;
    return std::nullopt;
  }

  /// Whether a result holds there, which then counts wherever it holds.
  bool is_known(const Test& test, bool is_reused = true) {
    SearchedCell& cell = cells_[test.cell];
    if (cell.broken.at[test.revision] != Known::unknown)
      return true;
    const Plan& plan = plans_.at(test.revision);
    const Project& project = *plan.project(cell.project->name);
    const Holding holding = stored_.holding(cell.planned->cell.id, project, cell.question);
    if (holding.result == nullptr)
      return false;
    bisected_.reused += is_reused ? 1U : 0U;
    extend(cell, test.revision, *holding.result, project.source);
    return true;
  }

  /// A result holds at the revisions around its own as long as no change can be seen by what it read.
  void extend(SearchedCell& cell, std::size_t revision, const StoredResult& stored,
              const std::string& source) {
    const auto note = [&](std::size_t at) {
      if (cell.broken.at[at] != Known::unknown)
        return;
      cell.broken.at[at] = stored.result.state == State::passed ? Known::good : Known::bad;
      cell.causes[at] = stored.result.cause;
    };
    note(revision);
    const auto inputs = stored_.inputs_of(stored);
    if (!inputs)
      return;
    std::vector<std::pair<const Input*, std::string>> in_tree;
    const InputStates names(places_of(source));
    for (const Input& input : *inputs) {
      const std::string path = cell.place.empty() ? "" : path_in_tree(input.path, cell.place);
      if (path.empty())
        continue;
      // what another path changes is not seen by its own
      if (goes_through_link(names.resolved(input.path), directory_of(revision) + "/source"))
        return;
      in_tree.emplace_back(&input, path);
    }
    const auto is_same = [&](std::size_t newer, bool forward) {
      return std::ranges::none_of(changes_[newer], [&](const TreeChange& change) {
        const TreeChange seen = forward ? change : reversed(change);
        return std::ranges::any_of(in_tree,
                                   [&](const auto& each) { return can_see(*each.first, each.second, seen); });
      });
    };
    for (std::size_t at = revision; at + 1 < commits_.size() && is_same(at + 1, true); ++at)
      note(at + 1);
    for (std::size_t at = revision; at > 0 && is_same(at, false); --at)
      note(at - 1);
  }

  /// Whether a path, or a directory of it below `top`, is a symlink.
  bool goes_through_link(const std::string& path, const std::string& top) {
    if (path.size() <= top.size())
      return false;
    const auto [known, is_new] = links_.try_emplace(path, false);
    if (!is_new)
      return known->second;
    std::error_code error;
    const bool is_link =
        fs::is_symlink(path, error) || goes_through_link(fs::path(path).parent_path().string(), top);
    return links_[path] = is_link;
  }

  bool is_broken(const SearchedCell& cell) const {
    return cell.broken.at.front() == Known::good && cell.broken.at.back() == Known::bad;
  }

  Failed halve() {
    for (;;) {
      std::vector<BrokenCell> cells;
      std::vector<std::size_t> indices;
      for (std::size_t index = 0; index < cells_.size(); ++index)
        if (SearchedCell& cell = cells_[index]; is_broken(cell)) {
          cell.broken.sign = sign_of(cell.causes[interval_of(cell.broken).second]);
          cells.push_back(cell.broken);
          indices.push_back(index);
        }
      auto tests = next_tests(cells, std::max(terms_.jobs, 1U));
      if (tests.empty())
        return std::nullopt;
      for (Test& test : tests)
        test.cell = indices[test.cell];
      if (auto failed = answer(std::move(tests)))
        return failed;
    }
  }

  Bisected found() {
    std::vector<std::pair<std::size_t, Breakage>> broken;
    for (SearchedCell& cell : cells_) {
      const std::string& id = cell.planned->cell.id;
      const Known good = cell.broken.at.front(), bad = cell.broken.at.back();
      if (bad == Known::good)
        ++bisected_.passed;
      else if (bad == Known::bad && good == Known::bad)
        bisected_.failed_before.push_back(id);
      else if (!is_broken(cell))
        bisected_.unknown.push_back(id);
      else {
        const auto [last, first] = interval_of(cell.broken);
        broken.emplace_back(
            first, Breakage{id, commits_[last], commits_[first], first - last == 1, cell.causes[first]});
      }
    }
    std::ranges::stable_sort(broken, {}, [](const auto& each) { return each.first; });
    for (auto& [revision, each] : broken)
      bisected_.broken.push_back(std::move(each));
    bisected_.cannot = plan_.cells.size() - cells_.size();
    bisected_.commits = commits_.size();
    bisected_.revisions = plans_.size();
    return std::move(bisected_);
  }

  const Plan& plan_;
  const Repository& repository_;
  const BisectTerms& terms_;
  const Surroundings& surroundings_;
  std::string output_;
  std::vector<std::string> commits_;             ///< oldest first
  std::vector<std::vector<TreeChange>> changes_; ///< by revision: from the one before it
  std::vector<SearchedCell> cells_;
  std::map<std::size_t, Plan> plans_; ///< by revision
  StoredResults stored_;
  std::map<std::string, bool> links_;
  Bisected bisected_;
};

std::string list_text(const char* title, const std::vector<std::string>& cells) {
  return cells.empty() ? "" : fmt::format("{}:\n    {}\n", title, fmt::join(cells, "\n    "));
}

} // namespace

Result<Bisected> bisect(const Plan& plan, const Repository& repository, const BisectTerms& terms,
                        const Surroundings& surroundings) {
  try {
    return Search(plan, repository, terms, surroundings).run();
  } catch (const Interrupted&) {
    return failure("interrupted", "the same command continues it");
  }
}

std::string bisected_text(const Bisected& bisected, const Repository& repository) {
  constexpr std::size_t digits = 12;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<const Breakage*>> groups;
  std::vector<const Breakage*> order;
  for (const Breakage& each : bisected.broken) {
    auto& group = groups[{each.bad, each.good, sign_of(each.cause)}];
    if (group.empty())
      order.push_back(&each);
    group.push_back(&each);
  }
  std::string text;
  for (const Breakage* const first : order) {
    const auto& group = groups[{first->bad, first->good, sign_of(first->cause)}];
    text += fmt::format("broken by {} {} ({}): {} cell{}\n", first->bad.substr(0, digits),
                        repository.subject(first->bad), first->cause.kind, group.size(),
                        group.size() == 1 ? "" : "s");
    if (!first->is_exact)
      text += fmt::format("  or after {}: results of commits between them are lost\n",
                          first->good.substr(0, digits));
    text += fmt::format("  {}: {}\n", first->cause.stage, first->cause.text);
    if (!first->cause.fix.empty())
      text += fmt::format("  fix: {}\n", first->cause.fix);
    text += "  in\n";
    for (const Breakage* const each : group)
      text += fmt::format("    {}\n", each->cell);
  }
  text += list_text("failed at the good revision already", bisected.failed_before);
  text += list_text("lost", bisected.unknown);
  return text +
         fmt::format("{} broken, {} passed, {} cannot be bound; {} commits: {} builds at {} revisions, "
                     "{} answers of stored results\n",
                     bisected.broken.size(), bisected.passed, bisected.cannot, bisected.commits,
                     bisected.builds, bisected.revisions, bisected.reused);
}

std::string bisected_json(const Bisected& bisected) {
  Json json{{"kind", "bisected"},
            {"form", json_form},
            {"commits", bisected.commits},
            {"builds", bisected.builds},
            {"revisions", bisected.revisions},
            {"reused", bisected.reused},
            {"passed", bisected.passed},
            {"cannot", bisected.cannot},
            {"broken", Json::array()},
            {"failed_before", bisected.failed_before},
            {"unknown", bisected.unknown}};
  for (const Breakage& each : bisected.broken)
    json["broken"].push_back({{"cell", each.cell},
                              {"good", each.good},
                              {"bad", each.bad},
                              {"exact", each.is_exact},
                              {"cause", each.cause.kind},
                              {"stage", each.cause.stage},
                              {"text", each.cause.text},
                              {"fix", each.cause.fix}});
  return json_text(json);
}

Result<std::map<std::string, BrokenBetween>> read_broken(std::string_view text, const std::string& of) {
  using Broken = std::map<std::string, BrokenBetween>;
  return read_json<Broken>(text, "bisected", of, [&](const Json& json) -> Result<Broken> {
    Broken broken;
    for (const Json& each : json.at("broken")) {
      BrokenBetween between{each.at("good").get<std::string>(), each.at("bad").get<std::string>()};
      for (const std::string& commit : {between.good, between.bad})
        if (commit.empty() || !is_hex(commit))
          return failure(fmt::format("{}: {} is not a commit", of, escaped(commit)),
                         "make it again: hostpin matrix bisect --json");
      broken[each.at("cell").get<std::string>()] = std::move(between);
    }
    return broken;
  });
}

} // namespace hostpin::matrix
