// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/command/commands.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/options/options.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace hostpin::wheel {

namespace {

using Json = nlohmann::ordered_json;

/// A property with one value, as text.
struct Property {
  const char* name;
  std::string before, after;
};

/// A property that is a list.
struct Listed {
  const char* name;
  std::vector<std::string> removed, added, changed;
};

struct Difference {
  std::vector<Property> properties; ///< that differ
  std::vector<Listed> lists;        ///< likewise
};

/// What is compared of a wheel.
struct Side {
  const WheelFile& wheel;
  Needs needs;
  std::set<std::string> requirements, tags, gpus;
  std::map<std::string, std::string> files; ///< hash by name
};

Side side_of(const WheelFile& wheel, const Tables& tables) {
  const Terms terms;
  auto site = Site::make(wheel, {}, {});
  const Required required = required_by(wheel, *site, tables.cuda_wheels, tables.packages);
  Side side{wheel, needs_of({wheel, *site, required, tables, terms}), {}, {}, {}, {}};
  for (const std::string& text : values_of(wheel.metadata, "requires-dist"))
    side.requirements.insert(text);
  for (const std::string& tag : wheel.name.tags())
    side.tags.insert(tag);
  for (const Member& member : wheel.members) {
    if (member.entry.is_directory)
      continue;
    std::string name = member.entry.name;
    if (name.starts_with(wheel.info + '/')) // its name has the version
      name.replace(0, wheel.info.size(), ".dist-info");
    side.files.emplace(std::move(name), member.hash);
    if (member.elf)
      for (const auto& [held, amount] : member.elf->device_code.codes)
        if (held.use == fatbin::CodeUse::run)
          side.gpus.insert(fatbin::to_string(held));
  }
  return side;
}

void compare(Difference& difference, const char* name, std::string before, std::string after) {
  if (before != after)
    difference.properties.push_back({name, std::move(before), std::move(after)});
}

void compare(Difference& difference, const char* name, const std::set<std::string>& before,
             const std::set<std::string>& after) {
  Listed listed{name, {}, {}, {}};
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                      std::back_inserter(listed.removed));
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(listed.added));
  if (!listed.removed.empty() || !listed.added.empty())
    difference.lists.push_back(std::move(listed));
}

void compare_files(Difference& difference, const Side& before, const Side& after) {
  Listed listed{"files", {}, {}, {}};
  for (const auto& [name, hash] : before.files) {
    const auto found = after.files.find(name);
    if (found == after.files.end())
      listed.removed.push_back(name);
    else if (found->second != hash)
      listed.changed.push_back(name);
  }
  for (const auto& [name, hash] : after.files)
    if (!before.files.contains(name))
      listed.added.push_back(name);
  if (!listed.removed.empty() || !listed.added.empty() || !listed.changed.empty())
    difference.lists.push_back(std::move(listed));
}

std::string version_text(const Version& version) {
  return version == Version{} ? "none" : to_string(version);
}

Difference difference_of(const Side& before, const Side& after) {
  Difference difference;
  const auto driver = [](const Needs& needs) {
    return needs.driver ? to_string(needs.driver->version) : std::string("none");
  };
  const auto cuda = [](const Needs& needs) { return needs.cuda == 0 ? "none" : std::to_string(needs.cuda); };
  compare(difference, "version", before.wheel.name.version, after.wheel.name.version);
  compare(difference, "size", std::to_string(before.wheel.size), std::to_string(after.wheel.size));
  compare(difference, "GLIBC", version_text(before.needs.own.glibc), version_text(after.needs.own.glibc));
  compare(difference, "GLIBCXX", version_text(before.needs.own.glibcxx),
          version_text(after.needs.own.glibcxx));
  compare(difference, "CXXABI", version_text(before.needs.own.cxxabi), version_text(after.needs.own.cxxabi));
  compare(difference, "GCC", version_text(before.needs.own.gcc), version_text(after.needs.own.gcc));
  compare(difference, "CUDA", cuda(before.needs), cuda(after.needs));
  compare(difference, "driver", driver(before.needs), driver(after.needs));
  compare(difference, "tags", before.tags, after.tags);
  compare(difference, "requirements", before.requirements, after.requirements);
  compare(difference, "libraries", before.needs.libraries, after.needs.libraries);
  compare(difference, "device code", before.gpus, after.gpus);
  compare_files(difference, before, after);
  return difference;
}

std::string text_of(const Difference& difference) {
  constexpr std::size_t most = 20;
  std::string text;
  for (const Property& one : difference.properties)
    text += fmt::format("{}: {} -> {}\n", one.name, escaped(one.before), escaped(one.after));
  for (const Listed& list : difference.lists) {
    text += fmt::format("{}:\n", list.name);
    for (const auto& [sign, names] :
         {std::pair('-', &list.removed), std::pair('+', &list.added), std::pair('~', &list.changed)}) {
      for (std::size_t i = 0; i < names->size() && i < most; ++i)
        text += fmt::format("  {} {}\n", sign, escaped((*names)[i]));
      if (names->size() > most)
        text += fmt::format("  {} and {} more; --json lists all\n", sign, names->size() - most);
    }
  }
  return text;
}

std::string json_of(const Difference& difference) {
  Json json{{"schema", 1}, {"properties", Json::object()}, {"lists", Json::object()}};
  for (const Property& one : difference.properties)
    json["properties"][one.name] = {{"before", one.before}, {"after", one.after}};
  for (const Listed& list : difference.lists)
    json["lists"][list.name] = {{"removed", list.removed}, {"added", list.added}, {"changed", list.changed}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Result<int> diff(const Context& context, const DiffOptions& options) {
  TRY_ASSIGN(const auto tables, load_tables(context, options.after));
  const WheelReading how{reading_threads(), Depth::all, true};
  TRY_ASSIGN(const auto before, read_wheel(options.before, how));
  TRY_ASSIGN(const auto after, read_wheel(options.after, how));
  for (const WheelFile* const wheel : {&before, &after})
    for (const Member& member : wheel->members)
      if (!member.trouble.empty())
        return failure(escaped(wheel->path) + ": its member " + escaped(member.entry.name) + ": " +
                       member.trouble);
  const Difference difference = difference_of(side_of(before, tables), side_of(after, tables));
  const std::string text = options.json ? json_of(difference) : text_of(difference);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return difference.properties.empty() && difference.lists.empty() ? exit_clean : exit_found;
}

} // namespace

Result<int> run_diff(const Context& context, Arguments arguments) {
  const auto options = diff_options(arguments);
  if (!options)
    return tl::unexpected(options.error());
  if (options->help.empty())
    return diff(context, *options);
  std::fputs(options::wrapped_help(options->help, context.terminal.width()).c_str(), stdout);
  return exit_clean;
}

} // namespace hostpin::wheel
