// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/command/options.hpp"

#include "hooks/leak-check/finding/rules.hpp"
#include "hooks/leak-check/text/words.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace hostpin {

namespace {

tl::unexpected<Error> misuse(std::string message) {
  return failure(std::move(message), "hostpin leak-check --help says what it takes");
}

struct Flag {
  std::string_view name;
  bool LeakOptions::*set;
};
constexpr std::array flags = {
    Flag{"--help", &LeakOptions::help},
    Flag{"-h", &LeakOptions::help},
    Flag{"--rules", &LeakOptions::rules},
    Flag{"--json", &LeakOptions::json},
    Flag{"--sarif", &LeakOptions::sarif},
    Flag{"--strict", &LeakOptions::strict},
    Flag{"--fix", &LeakOptions::fix},
    Flag{"--notes", &LeakOptions::notes},
    Flag{"--merge", &LeakOptions::merge},
    Flag{"--metadata", &LeakOptions::metadata},
    Flag{"--no-unpack", &LeakOptions::no_unpack},
    Flag{"--no-binding", &LeakOptions::no_binding},
};

struct Value {
  std::string_view name;
  std::string LeakOptions::*one;
  std::vector<std::string> LeakOptions::*many;
};
constexpr std::array values = {
    Value{"--binding", &LeakOptions::binding, nullptr},
    Value{"--exceptions", &LeakOptions::exceptions, nullptr},
    Value{"--files-from", &LeakOptions::files_from, nullptr},
    Value{"--below", &LeakOptions::below, nullptr},
    Value{"--root", &LeakOptions::root, nullptr},
    Value{"--driver-dir", &LeakOptions::driver_directory, nullptr},
    Value{"--compat-dir", &LeakOptions::compat_directory, nullptr},
    Value{"--no-fix", nullptr, &LeakOptions::unfixed},
    Value{"--forbid", nullptr, &LeakOptions::forbidden},
    Value{"--forbid-file", nullptr, &LeakOptions::forbidden_files},
    Value{"--vendor", nullptr, &LeakOptions::vendor},
    Value{"--build-dir", nullptr, &LeakOptions::build_directories},
    Value{"--store", nullptr, &LeakOptions::stores},
};

struct Threshold {
  std::string_view name;
  std::optional<Severity> severity;
};
constexpr std::array thresholds = {
    Threshold{"error", Severity::error},
    Threshold{"warning", Severity::warning},
    Threshold{"note", Severity::note},
    Threshold{"never", std::nullopt},
};

/// `64M`, `1G`, `500K`, or bytes; nothing for what is no size, or 0.
std::optional<std::uint64_t> size_of(std::string_view text) {
  constexpr std::string_view units = "KMG";
  const std::size_t unit = text.empty() ? std::string_view::npos : units.find(text.back());
  if (unit != std::string_view::npos)
    text.remove_suffix(1);
  std::uint64_t number = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  const unsigned shift = unit == std::string_view::npos ? 0 : 10 * (static_cast<unsigned>(unit) + 1);
  if (wrong != std::errc() || end != text.data() + text.size() || number == 0 ||
      number > (~std::uint64_t{0} >> shift))
    return std::nullopt;
  return number << shift;
}

/// `2/4`; nothing for what is no part of anything.
std::optional<ShardNumber> shard_of(std::string_view text) {
  ShardNumber number;
  const char* const end = text.data() + text.size();
  const auto index = std::from_chars(text.data(), end, number.index);
  if (index.ec != std::errc() || index.ptr == end || *index.ptr != '/')
    return std::nullopt;
  const auto of = std::from_chars(index.ptr + 1, end, number.of);
  if (of.ec != std::errc() || of.ptr != end || number.index == 0 || number.index > number.of ||
      number.of > ShardNumber::most)
    return std::nullopt;
  return number;
}

bool is(std::string_view word, std::string_view name) {
  return word.starts_with(name) && (word.size() == name.size() || word[name.size()] == '=');
}

Result<void> take_value(LeakOptions& options, std::string_view name, const std::string& value) {
  if (name == "--fail-on") {
    const auto* const known = std::find_if(thresholds.begin(), thresholds.end(),
                                           [&](const Threshold& one) { return one.name == value; });
    if (known == thresholds.end())
      return misuse("--fail-on takes error, warning, note or never, and not " + value);
    options.fail_on = known->severity;
    return {};
  }
  if (name == "--memory") {
    const auto size = size_of(value);
    if (!size)
      return misuse("--memory takes a size such as 64M, and not " + value);
    options.memory = *size;
    return {};
  }
  if (name == "--shard") {
    options.shard = shard_of(value);
    return options.shard ? Result<void>()
                         : misuse("--shard takes a part such as 2/4, of " +
                                  std::to_string(ShardNumber::most) + " at most, and not " + value);
  }
  const auto* const row =
      std::find_if(values.begin(), values.end(), [&](const Value& one) { return one.name == name; });
  if (row->one != nullptr)
    options.*row->one = value;
  else
    (options.*row->many).push_back(value);
  return {};
}

std::string_view value_name(std::string_view word) {
  for (const std::string_view name : {"--fail-on", "--memory", "--shard"})
    if (is(word, name))
      return name;
  const auto* const row =
      std::find_if(values.begin(), values.end(), [&](const Value& one) { return is(word, one.name); });
  return row == values.end() ? std::string_view() : row->name;
}

Result<void> take(LeakOptions& options, std::span<const char* const> arguments, std::size_t& at) {
  const std::string_view word = arguments[at];
  const auto* const flag =
      std::find_if(flags.begin(), flags.end(), [&](const Flag& one) { return one.name == word; });
  if (flag != flags.end()) {
    options.*flag->set = true;
    return {};
  }
  if (const std::string_view name = value_name(word); !name.empty()) {
    std::string value;
    if (word.size() > name.size())
      value = word.substr(name.size() + 1);
    else if (at + 1 < arguments.size())
      value = arguments[++at];
    if (value.empty())
      return misuse(std::string(name) + " needs a value");
    return take_value(options, name, value);
  }
  if (word.size() > 1 && word.starts_with('-'))
    return misuse("leak-check has no option " + std::string(word));
  options.paths.emplace_back(word);
  return {};
}

/// The first option that was given and is not of `taken`, for what takes few; empty: none.
std::string_view beyond(const LeakOptions& options, std::initializer_list<std::string_view> taken) {
  const auto is_taken = [&](std::string_view name) {
    return std::find(taken.begin(), taken.end(), name) != taken.end();
  };
  for (const Flag& flag : flags)
    if (options.*flag.set && !is_taken(flag.name))
      return flag.name;
  for (const Value& value : values)
    if ((value.one != nullptr ? !(options.*value.one).empty() : !(options.*value.many).empty()) &&
        !is_taken(value.name))
      return value.name;
  return options.shard && !is_taken("--shard") ? "--shard" : "";
}

/// A shard changes nothing, and says nothing that only all of them together know.
Result<void> fit_together(const LeakOptions& options) {
  if (options.merge) {
    const std::string_view other = beyond(options, {"--merge", "--json", "--sarif", "--strict", "--notes"});
    if (!other.empty())
      return failure(std::string(other) +
                         " does not go with --merge: what was looked at, and judged by what, is in "
                         "the reports",
                     "give it to each --shard");
    if (options.paths.empty())
      return misuse("--merge needs the reports of all shards");
  }
  if (!options.shard)
    return {};
  if (options.fix || !options.unfixed.empty())
    return failure("--fix does not go with --shard: whoever repairs a file has to know of all the others",
                   "repair with a scan of all, by one process");
  for (const auto& [name, given] :
       {std::pair("--sarif", options.sarif), std::pair("--strict", options.strict),
        std::pair("--notes", options.notes)})
    if (given)
      return failure(std::string(name) + " does not go with --shard, which writes a report for --merge",
                     "give it to --merge");
  return {};
}

} // namespace

std::vector<std::string> listed_paths(std::string_view list) {
  const char end = list.find('\0') == std::string_view::npos ? '\n' : '\0';
  std::set<std::string> paths;
  for (std::string& path : split(list, end))
    if (!path.empty())
      paths.insert(std::move(path));
  return {paths.begin(), paths.end()};
}

Result<LeakOptions> leak_options(std::span<const char* const> arguments) {
  LeakOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (std::string_view(arguments[i]) == "--") {
      options.paths.insert(options.paths.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                           arguments.end());
      break;
    }
    if (auto taken = take(options, arguments, i); !taken)
      return tl::unexpected(taken.error());
  }
  if (options.help || options.rules)
    return options;
  if (auto fit = fit_together(options); !fit)
    return tl::unexpected(fit.error());
  if (options.paths.empty() && options.files_from.empty() && !options.root.empty())
    options.paths.push_back(options.root);
  if (options.paths.empty() && options.files_from.empty())
    return misuse("leak-check needs a tree or a file to look at");
  if (options.no_binding && !options.binding.empty())
    return misuse("--binding and --no-binding exclude each other");
  if (options.json && options.sarif)
    return misuse("--json and --sarif exclude each other");
  for (const std::string& name : options.unfixed)
    if (!rule_named(name))
      return failure("--no-fix takes the name of a rule, and not " + name,
                     "hostpin leak-check --rules names them");
  return options;
}

} // namespace hostpin
