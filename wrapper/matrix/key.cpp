// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/matrix/key.hpp"

#include "toolchains/archive/sha256.hpp"
#include "wrapper/matrix/revisions.hpp"

#include <algorithm>

namespace hostpin::matrix {

namespace {

/// Texts of any bytes, each with its length, so that no two lists of them are equal by accident.
void add(Sha256& hash, std::string_view text) {
  hash.update(std::to_string(text.size()) + ':');
  hash.update(text);
}

} // namespace

std::string question_of(const PlannedCell& cell, const Project& project,
                        const std::vector<std::pair<std::string, std::string>>& variables) {
  Sha256 hash;
  add(hash, "hostpin matrix 4");
  for (const std::string& value : cell.cell.at)
    add(hash, value);
  add(hash, cell.decided.text);
  add(hash, project_text(project)); // limits too: a cell that one of them ended may pass with another
  for (const auto& [name, value] : variables) {
    add(hash, name);
    add(hash, value);
  }
  return hash.hex();
}

std::string key_of(std::string_view question, std::vector<std::string> lists) {
  std::ranges::sort(lists);
  Sha256 hash;
  add(hash, question);
  for (const std::string& list : lists)
    add(hash, list);
  return hash.hex();
}

std::vector<std::vector<Input>> grouped(const std::vector<Input>& inputs, const std::string& toolkit) {
  std::vector<std::vector<Input>> groups(3);
  for (const Input& input : inputs)
    if (is_lookup(input))
      for (auto& group : groups)
        group.push_back(input);
    else if (input.path.starts_with(source_name) || input.path.starts_with(repository_name))
      groups[0].push_back(input);
    else if (!toolkit.empty() && input.path.starts_with(toolkit + '/'))
      groups[1].push_back(input);
    else
      groups[2].push_back(input);
  std::erase_if(groups,
                [](const std::vector<Input>& group) { return std::ranges::all_of(group, is_lookup); });
  return groups;
}

std::vector<Place> places_of(const std::string& source) {
  std::vector<Place> places{{source_name, source}};
  const std::string top = repository_above(source);
  if (!top.empty() && top != source && top != "/")
    places.push_back({repository_name, top});
  return places;
}

} // namespace hostpin::matrix
