// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/stored.hpp"

#include "toolchains/archive/sha256.hpp"
#include "wrapper/matrix/key.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

namespace hostpin::matrix {

namespace {

namespace fs = std::filesystem;

std::string list_path(const StoredResult& stored, const std::string& list) {
  return (fs::path(stored.directory + '/' + stored.path).parent_path() / "inputs" / list).string();
}

/// The list at a path, whose name is the SHA-256 of its bytes.
Result<std::vector<Input>> read_list(const Files& files, const std::string& path) {
  TRY_ASSIGN(const auto text, files.read(path, largest_file));
  if (sha256_of(text) != fs::path(path).filename())
    return failure(path + " is damaged: its bytes have another SHA-256");
  return read_inputs(text, path);
}

} // namespace

Results load_results(const Files& files, const std::string& directory) {
  Results loaded;
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".json" && entry->path().filename() != "plan.json")
      paths.push_back(entry->path().string());
  if (error)
    loaded.damaged.push_back({fmt::format("cannot list {}: {}", directory, error.message()), {}});
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    const auto text = files.read(path, largest_file);
    auto result = text ? read_result(*text, path) : Result<CellResult>(tl::unexpected(text.error()));
    if (result)
      loaded.results.emplace_back(path.substr(directory.size() + 1), *std::move(result));
    else
      loaded.damaged.push_back(result.error());
  }
  return loaded;
}

void StoredResults::take(const std::string& directory, const std::string& path, CellResult result) {
  const StoredResult& stored = results_.emplace_back(StoredResult{directory, path, std::move(result)});
  by_cell_.emplace(stored.result.cell.id, &stored);
}

void StoredResults::load(const std::string& directory, std::vector<std::string>& notes) {
  Results loaded = load_results(files_, directory);
  for (const Error& each : loaded.damaged)
    notes.push_back(each.message);
  for (auto& [path, result] : loaded.results)
    take(directory, path, std::move(result));
}

bool StoredResults::add(const std::string& directory, const std::string& path) {
  const std::string file = directory + '/' + path;
  const auto text = files_.read(file, largest_file);
  auto result = text ? read_result(*text, file) : Result<CellResult>(tl::unexpected(text.error()));
  differing_.clear();
  for (auto& [source, states] : states_)
    states.forget_places();
  if (result)
    take(directory, path, *std::move(result));
  return result.has_value();
}

const std::vector<Input>& StoredResults::differing(const std::string& source, const std::string& path,
                                                   const std::string& list) {
  if (const auto known = differing_.find({source, list}); known != differing_.end())
    return known->second;
  const auto inputs = read_list(files_, path);
  if (!inputs) // there may be another copy of the list, next to another result
    return differing_[{source, path}] = {{path, 0, "unreadable"}};
  std::vector<Input>& those = differing_[{source, list}];
  auto& states = states_.try_emplace(source, places_of(source)).first->second;
  for (const Input& input : *inputs)
    if (states.of(input, *inputs) != input.state)
      those.push_back(input);
  return those;
}

Holding StoredResults::holding(const std::string& cell, const Project& project, const std::string& question) {
  Holding holding;
  std::set<State> states;
  std::set<std::string> held;
  const auto [first, last] = by_cell_.equal_range(cell);
  for (auto each = first; each != last; ++each) {
    const CellResult& result = each->second->result;
    if (result.state != State::passed && result.state != State::failed)
      continue;
    if (result.question != question) {
      if (holding.none == Holding::None::no_result)
        holding.none = Holding::None::other_question;
      holding.outdated.push_back(result.key);
      continue;
    }
    std::vector<Input> differing_inputs;
    if (key_of(result.question, result.inputs) != result.key)
      differing_inputs.push_back({each->second->path, 0, "damaged"});
    for (const std::string& list : result.inputs) {
      const auto& some = differing(project.source, list_path(*each->second, list), list);
      differing_inputs.insert(differing_inputs.end(), some.begin(), some.end());
    }
    if (differing_inputs.empty()) {
      states.insert(result.state);
      held.insert(result.key);
      holding.result = each->second;
    } else {
      holding.none = Holding::None::differs;
      holding.differing = std::move(differing_inputs);
      holding.outdated.push_back(result.key);
    }
  }
  // another copy of one that holds may have lost its lists
  std::erase_if(holding.outdated, [&](const std::string& key) { return held.contains(key); });
  if (states.size() > 1) {
    holding.result = nullptr;
    holding.none = Holding::None::noise;
  }
  return holding;
}

std::optional<std::vector<Input>> StoredResults::inputs_of(const StoredResult& stored) const {
  std::vector<Input> inputs;
  for (const std::string& list : stored.result.inputs) {
    const auto some = read_list(files_, list_path(stored, list));
    if (!some)
      return std::nullopt;
    inputs.insert(inputs.end(), some->begin(), some->end());
  }
  return inputs;
}

std::string path_in_tree(const std::string& input, const std::string& place) {
  std::string path;
  for (const auto& [name, directory] :
       {std::pair<std::string, std::string>{source_name, place}, {repository_name, "."}})
    if (input == name || input.starts_with(name + '/'))
      path = (fs::path(directory) / fs::path(input).lexically_relative(name)).lexically_normal().string();
  if (path.ends_with('/'))
    path.pop_back();
  return path;
}

} // namespace hostpin::matrix
