// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/options/options.hpp"

#include "toolchains/base/nearest.hpp"
#include "toolchains/base/terminal.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <CLI/CLI.hpp>

namespace hostpin::options {

namespace {

class UsageFirst : public CLI::Formatter {
public:
  explicit UsageFirst(std::string usage) : usage_(std::move(usage)) { column_width(24); }
  std::string make_description(const CLI::App* /*app*/) const override { return {}; }
  std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
    return usage_ + '\n' + app->get_description() + '\n';
  }

private:
  std::string usage_;
};

bool is_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

/// `leak-check` of `hostpin leak-check`.
std::string own_name(const CLI::App& app) {
  return app.get_name().substr(app.get_name().rfind(' ') + 1);
}

void set_rules(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    if (option->get_items_expected_max() == 0)
      continue;
    option->check([](const std::string& value) { return std::string(value.empty() ? "needs a value" : ""); });
    if (option->get_items_expected_max() == 1)
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  }
}

/// CLI11 would take the next argument as the value.
bool has_empty_value(const CLI::App& app, const std::string& word) {
  return word.starts_with("--") && word.ends_with('=') &&
         app.get_option_no_throw(word.substr(0, word.size() - 1)) != nullptr;
}

Error unknown_option(const CLI::App& app, const std::string& word) {
  const std::string near = option_near(app, word);
  Error error = misuse(app, own_name(app) + " has no option " + word).value();
  if (!near.empty())
    error.hint = "did you mean " + near + "? " + error.hint;
  return error;
}

} // namespace

void add_usage(CLI::App& app, std::initializer_list<const char*> calls) {
  std::string usage;
  for (const char* const call : calls)
    usage.append(usage.empty() ? "usage: " : "       ").append(app.get_name() + ' ' + call + '\n');
  app.formatter(std::make_shared<UsageFirst>(usage));
}

Result<Operands> read_options(CLI::App& app, std::span<const char* const> arguments) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  const auto dashes = std::find(words.begin(), words.end(), "--");
  Operands operands;
  if (dashes != words.end())
    operands.after_dashes.emplace(dashes + 1, words.end());
  words.erase(dashes, words.end());
  set_rules(app);
  app.allow_extras();
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend()); // the order that CLI11 expects
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    if (!unknown_command(app)) {
      operands.help = app.help();
      return operands;
    }
  } catch (const CLI::ParseError& wrong) {
    return misuse(app, in_words(wrong));
  }
  operands.words = app.remaining();
  const auto own = words.end() - (app.get_prefix_command() ? std::ssize(operands.words) : 0);
  if (const auto empty = std::find_if(words.begin(), own,
                                      [&](const std::string& word) { return has_empty_value(app, word); });
      empty != own)
    return misuse(app, empty->substr(0, empty->size() - 1) + " needs a value");
  const auto last =
      app.get_prefix_command() && !operands.words.empty() ? operands.words.begin() + 1 : operands.words.end();
  if (const auto unknown = std::find_if(operands.words.begin(), last, is_option); unknown != last)
    return tl::unexpected(unknown_option(app, *unknown));
  if (app.get_prefix_command() && !operands.words.empty() && operands.after_dashes) {
    operands.words.emplace_back("--");
    operands.words.insert(operands.words.end(), operands.after_dashes->begin(), operands.after_dashes->end());
    operands.after_dashes.reset();
  }
  return operands;
}

tl::unexpected<Error> misuse(const CLI::App& app, std::string message) {
  return failure(std::move(message), app.get_name() + " --help lists its arguments");
}

std::optional<std::string> unknown_command(const CLI::App& app) {
  const auto any = [](const CLI::App*) { return true; };
  const auto is_parsed = [](const CLI::App* one) { return one->parsed(); };
  const CLI::App* last = &app;
  for (auto parsed = app.get_subcommands(is_parsed); !parsed.empty();
       parsed = last->get_subcommands(is_parsed))
    last = parsed.front();
  if (last->get_subcommands(any).empty())
    return std::nullopt;
  for (const std::string& word : last->remaining())
    if (!is_option(word))
      return word;
  for (const CLI::Option* const option : last->get_options())
    for (const std::string& word : option->get_positional() ? option->results() : std::vector<std::string>{})
      if (std::error_code unknown; !std::filesystem::exists(word, unknown))
        return word;
  return std::nullopt;
}

std::string in_words(const CLI::ParseError& wrong) {
  const std::string text = wrong.what();
  const std::string option = text.substr(0, text.find(':'));
  if (wrong.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch) && is_option(option))
    return option + " needs a value";
  return is_option(option) && text.ends_with(": needs a value") ? option + " needs a value" : text;
}

std::string option_near(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  for (const CLI::Option* const option : app.get_options())
    for (const std::string& name : option->get_lnames())
      if (!option->get_group().empty()) // the others are not for users
        known.push_back("--" + name);
  return nearest(word.substr(0, word.find('=')), known);
}

std::string wrapped_help(const std::string& help, std::size_t width) {
  std::istringstream lines(help);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    const std::size_t gap = first == std::string::npos ? first : line.find("  ", first);
    const std::size_t second = gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
    if (line.size() <= width) {
      text += line + '\n';
      continue;
    }
    if (second == std::string::npos) { // a paragraph, a usage, or a description below a long option
      constexpr std::string_view usage = "usage: ";
      const std::size_t start = line.starts_with(usage) ? usage.size() : first;
      const std::string rest =
          columns({{{line.substr(start)}}}, Terminal(false, width), static_cast<unsigned>(start));
      text += line.substr(0, start) + rest.substr(start);
      continue;
    }
    const auto padding = static_cast<unsigned>(second);
    const std::string rest = columns({{{line.substr(second)}}}, Terminal(false, width), padding);
    text += line.substr(0, second) + rest.substr(second);
  }
  return text;
}

} // namespace hostpin::options
