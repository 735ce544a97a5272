// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/run_path.hpp"

#include "hooks/leak-check/judge/world.hpp"
#include "hooks/leak-check/needles/path_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace hostpin {

namespace {

enum class Action { replace, remove, remove_relative, to_directory, to_front, to_back };

struct Row {
  Rule rule;
  Action action;
};
constexpr std::array table = {
    Row{Rule::forbidden_runpath, Action::replace},
    Row{Rule::build_directory, Action::remove},
    Row{Rule::cuda_stub_runpath, Action::remove},
    Row{Rule::dangling_runpath, Action::remove_relative},
    Row{Rule::runpath_not_a_directory, Action::to_directory},
    Row{Rule::cuda_compat_order, Action::to_front},
    Row{Rule::driver_runpath, Action::to_back},
};

/// An entry that depends on the current directory. (An absolute one that does not exist here may exist on the
/// machine that runs the program.)
bool is_relative(std::string_view entry) {
  return !entry.starts_with('/') && !entry.starts_with('$');
}

void remove(std::vector<std::string>& entries, const std::string& entry) {
  entries.erase(std::remove(entries.begin(), entries.end(), entry), entries.end());
}

bool has(const std::vector<std::string>& entries, const std::string& entry) {
  return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

/// Whether the right entry is known.
bool to_directory(std::vector<std::string>& entries, const std::string& entry, const Files& files) {
  const std::string directory = entry.substr(0, entry.rfind('/'));
  const auto status = files.status(directory);
  if (directory.empty() || !status || status->kind != FileStatus::Kind::directory)
    return false;
  if (has(entries, directory))
    remove(entries, entry);
  else
    *std::find(entries.begin(), entries.end(), entry) = directory;
  return true;
}

/// Whether that changed anything. Only an entry that is moved to an end may be missing.
bool apply(std::vector<std::string>& entries, const std::string& entry, Action action, const Files& files,
           const std::string& instead) {
  switch (action) {
  case Action::to_front:
    remove(entries, entry);
    entries.insert(entries.begin(), entry);
    return true;
  case Action::to_back:
    entries.push_back(entry);
    return true;
  case Action::replace:
    if (!instead.empty() && !has(entries, instead))
      *std::find(entries.begin(), entries.end(), entry) = instead;
    break;
  case Action::to_directory:
    return to_directory(entries, entry, files);
  case Action::remove_relative:
    if (!is_relative(entry))
      return false;
    break;
  case Action::remove:
    break;
  }
  remove(entries, entry);
  return true;
}

/// Adds the directory of a library, unless an entry leads there already.
bool add_directory_of(std::vector<std::string>& entries, const std::string& library, const std::string& file,
                      const Files& files) {
  const auto real = [&](const std::string& path) { return files.real_path(path).value_or(path); };
  const std::string origin = file.substr(0, file.rfind('/'));
  const std::string directory = real(library.substr(0, library.rfind('/')));
  const bool known = std::any_of(entries.begin(), entries.end(), [&](std::string entry) {
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"})
      if (entry.starts_with(token))
        entry.replace(0, token.size(), origin);
    return real(entry) == directory;
  });
  const std::string way = run_path_to(library, file);
  if (known || has(entries, way))
    return false;
  entries.push_back(way);
  return true;
}

bool is_fixable(const Finding& finding) {
  return finding.where.section == ".dynamic" && finding.severity != Severity::note;
}

} // namespace

std::optional<std::string> mended_run_path(const std::string& list, std::span<const Finding* const> findings,
                                           const Files& files, const std::string& file,
                                           const std::string& instead) {
  std::vector<std::string> entries;
  if (!list.empty())
    entries = split(list, ":");
  std::vector<std::string> named;
  bool changed = false;
  for (const Finding* const finding : findings) {
    const auto* const row =
        std::find_if(table.begin(), table.end(), [&](const Row& one) { return one.rule == finding->rule; });
    if (row == table.end() || !is_fixable(*finding) || has(named, finding->reference))
      continue;
    const bool added = row->action == Action::to_front || row->action == Action::to_back;
    if (!added && !has(entries, finding->reference))
      return std::nullopt;
    changed = apply(entries, finding->reference, row->action, files, instead) || changed;
    named.push_back(finding->reference);
  }
  for (const Finding* const finding : findings)
    if (finding->rule == Rule::missing_library && is_fixable(*finding) && !finding->resolved.empty())
      changed = add_directory_of(entries, finding->resolved, file, files) || changed;
  return changed ? std::optional(joined(entries, ':')) : std::nullopt;
}

} // namespace hostpin
