// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/nvcc/nvcc_environment.hpp"

#include <algorithm>
#include <array>

namespace hostpin::nvcc {
namespace {

// Each nvcc sets TOP, _HERE_, _TARGET_DIR_ and the others that it exports again; PATH and LD_LIBRARY_PATH
// only repeat a directory. nvcc.profile adds to these three with += and =+.
constexpr std::array<std::string_view, 3> accumulating = {"INCLUDES", "SYSTEM_INCLUDES", "LIBRARIES"};

std::optional<std::string_view> value_of(std::string_view entry, std::string_view name) {
  if (entry.size() <= name.size() || entry[name.size()] != '=' || !entry.starts_with(name))
    return std::nullopt;
  return entry.substr(name.size() + 1);
}

const VariableChange* change_of(std::string_view entry, std::span<const VariableChange> changes) {
  for (const VariableChange& change : changes)
    if (value_of(entry, change.name))
      return &change;
  return nullptr;
}

/// The rest of a list of directories after those of nvcc's profile: `HERE/../...`, then HERE itself.
std::string_view after_nvcc(std::string_view list, std::string_view here) {
  const auto next = [&] { return list.substr(0, list.find(':')); };
  const auto drop = [&] { list.remove_prefix(std::min(next().size() + 1, list.size())); };
  while (next().size() > here.size() + 3 && next().starts_with(here) &&
         next().substr(here.size()).starts_with("/../"))
    drop();
  if (next() == here)
    drop();
  return list;
}

} // namespace

NvccEnvironment read_nvcc_environment(const char* const* environment) {
  NvccEnvironment read;
  bool here = false;
  bool there = false;
  for (; *environment != nullptr; ++environment) {
    // Two letters are enough to skip most variables, without measuring their length.
    const char* entry = *environment;
    if (entry[0] == 'N' && entry[1] == 'V') {
      if (const auto prepend = value_of(entry, "NVCC_PREPEND_FLAGS"))
        read.prepend_flags = prepend;
      else if (const auto append = value_of(entry, "NVCC_APPEND_FLAGS"))
        read.append_flags = append;
      else if (const auto ccbin = value_of(entry, "NVCC_CCBIN"))
        read.ccbin = ccbin;
    } else if (entry[0] == '_') {
      here = here || value_of(entry, "_HERE_");
      there = there || value_of(entry, "_THERE_");
    }
  }
  read.inside_nvcc = here && there;
  return read;
}

std::span<const std::string_view> outer_nvcc_variables() {
  return accumulating;
}

std::vector<VariableChange> around_nvcc(const char* const* environment) {
  std::string_view here;
  std::vector<VariableChange> changes;
  for (const char* const* entry = environment; *entry != nullptr; ++entry)
    if (const auto value = value_of(*entry, "_HERE_"))
      here = *value;
  for (; !here.empty() && *environment != nullptr; ++environment)
    for (const std::string_view name : {"PATH", "LD_LIBRARY_PATH"})
      if (const auto value = value_of(*environment, name)) {
        const std::string_view rest = after_nvcc(*value, here);
        if (rest.size() != value->size())
          changes.push_back(
              {std::string(name), rest.empty() ? std::nullopt : std::optional(std::string(rest))});
      }
  return changes;
}

std::vector<const char*> changed_environment(const char* const* environment,
                                             std::span<const VariableChange> changes,
                                             std::vector<std::string>& owned) {
  std::size_t count = 0;
  while (environment[count] != nullptr)
    ++count;
  owned.clear();
  for (const VariableChange& change : changes)
    if (change.value)
      owned.push_back(change.name + '=' + *change.value);
  std::vector<const char*> result;
  result.reserve(count + owned.size() + 1);
  for (std::size_t i = 0; i < count; ++i)
    if (changes.empty() || change_of(environment[i], changes) == nullptr)
      result.push_back(environment[i]);
  for (const std::string& entry : owned)
    result.push_back(entry.c_str());
  result.push_back(nullptr);
  return result;
}

} // namespace hostpin::nvcc
