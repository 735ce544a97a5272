// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/merge.hpp"

#include "toolchains/base/unicode.hpp"
#include "wrapper/matrix/cause.hpp"
#include "wrapper/matrix/json.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

bool is_decided(const CellResult& result) {
  return result.state == State::passed || result.state == State::failed || result.state == State::cannot ||
         result.state == State::noise;
}

/// The one that counts of several results of a cell. `all_hold`: what each of them read is the same now, so
/// that a test which fails before it reads all has another key, but no other reason.
CellResult combined(std::vector<const CellResult*> results, const std::string& decision, bool all_hold) {
  if (std::ranges::any_of(results, [](const CellResult* each) { return is_decided(*each); }))
    std::erase_if(results, [](const CellResult* each) { return !is_decided(*each); });
  if (std::ranges::any_of(results, [&](const CellResult* each) { return each->decision == decision; }))
    std::erase_if(results, [&](const CellResult* each) { return each->decision != decision; });
  // an order that does not depend on who wrote first, and in which nothing hides a failure
  std::ranges::sort(results, {}, [](const CellResult* each) {
    return std::tuple(each->state == State::failed, each->key, each->state, each->cause.stage,
                      each->cause.kind, each->cause.text);
  });
  const CellResult* const last = results.back();
  CellResult one = *last;
  const bool differs = std::ranges::any_of(results, [&](const CellResult* each) {
    return each->state != last->state &&
           (each->key == last->key || (all_hold && each->question == last->question));
  });
  if (differs && !last->key.empty())
    one.state = State::noise;
  return one;
}

CellResult unknown_cell(const PlannedCell& planned) {
  CellResult result;
  result.cell = planned.cell;
  result.decision = planned.decided.text;
  if (planned.planned == Planned::cannot) {
    result.state = State::cannot;
    result.cause = cause_of_refusal(planned.decided);
  }
  return result;
}

} // namespace

const CellResult* Merged::cell(std::string_view id) const {
  const auto found = std::ranges::lower_bound(
      cells, id, {}, [](const CellResult& each) -> std::string_view { return each.cell.id; });
  return found == cells.end() || found->cell.id != id ? nullptr : &*found;
}

Merged merged(const Plan* plan, const std::vector<CellResult>& results) {
  std::map<std::string, std::vector<const CellResult*>> by_cell;
  for (const CellResult& result : results)
    by_cell[result.cell.id].push_back(&result);
  Merged merged;
  if (plan == nullptr) {
    for (const auto& [id, list] : by_cell)
      merged.cells.push_back(combined(list, list.front()->decision, false));
    return merged;
  }
  merged.name = plan->name;
  for (const PlannedCell& planned : plan->cells) {
    std::vector<const CellResult*>& counting = by_cell[planned.cell.id];
    std::erase_if(counting, [&](const CellResult* each) {
      return !each->key.empty() && std::ranges::count(planned.outdated, each->key) > 0;
    });
    merged.cells.push_back(counting.empty()
                               ? unknown_cell(planned)
                               : combined(counting, planned.decided.text, !plan->results.empty()));
  }
  std::ranges::sort(merged.cells, {}, [](const CellResult& each) { return each.cell.id; });
  return merged;
}

void add_stored(const Plan& plan, const Results& stored, std::vector<CellResult>& results) {
  std::set<std::string> same, running;
  for (const PlannedCell& cell : plan.cells)
    if (cell.planned == Planned::same)
      same.insert(cell.result);
    else if (cell.planned == Planned::run)
      running.insert(cell.cell.id);
  for (const auto& [path, result] : stored.results)
    if (same.contains(path) || (running.contains(result.cell.id) &&
                                (result.state == State::passed || result.state == State::failed)))
      results.push_back(result);
}

std::string merged_json(const Merged& merged) {
  Json json{{"kind", "merged"}, {"form", json_form}, {"name", merged.name}, {"cells", Json::array()}};
  for (const CellResult& cell : merged.cells)
    json["cells"].push_back(Json::parse(result_json(cell)));
  return json_text(json);
}

Result<Merged> read_merged(std::string_view text, const std::string& of) {
  return read_json<Merged>(text, "merged", of, [&](const Json& json) -> Result<Merged> {
    Merged merged;
    json.at("name").get_to(merged.name);
    for (const Json& cell : json.at("cells")) {
      TRY_ASSIGN(auto result, read_result(cell.dump(), of));
      merged.cells.push_back(std::move(result));
    }
    std::ranges::sort(merged.cells, {}, [](const CellResult& each) { return each.cell.id; });
    return merged;
  });
}

std::string summary(const Merged& merged) {
  std::map<State, std::map<std::string, std::size_t>> counts;
  for (const CellResult& cell : merged.cells)
    ++counts[cell.state][cell.cause.kind];
  std::string text;
  for (const auto& [state, kinds] : counts) {
    std::size_t sum = 0;
    std::string causes;
    for (const auto& [kind, count] : kinds) {
      sum += count;
      if (!kind.empty())
        causes += fmt::format("{}{} {}", causes.empty() ? "" : ", ", escaped(kind), count);
    }
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ", sum, to_string(state),
                        causes.empty() ? "" : " (" + causes + ')');
  }
  return text.empty() ? "no cells" : text;
}

} // namespace hostpin::matrix
