// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/driver_answer.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/cmdline/driver_options.hpp"
#include "toolchains/cmdline/driver_variables.hpp"
#include "toolchains/cmdline/launchers.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/compiler/shown.hpp"
#include "toolchains/headers/answer_cache.hpp"
#include "toolchains/library/link_search.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace hostpin::lto {

namespace {

using Json = nlohmann::json;

// Besides the variables that compiler drivers read.
constexpr auto steering = std::to_array<std::string_view>(
    {"PATH", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CUDAHOSTCXX"});

/// What options of a command and variables name: directories in which a driver looks for its linker, and
/// files with more options. A directory changes when a linker is put into it or taken out.
std::vector<std::string> named_places(const std::vector<std::string>& command, const LinkTools& tools) {
  std::vector<std::string> paths = filled_parts(tools.environment["COMPILER_PATH"].value_or(""), ":");
  if (const auto prefix = tools.environment["GCC_EXEC_PREFIX"])
    paths.push_back(*prefix);
  for (std::size_t i = 0; i < command.size(); ++i)
    for (const std::string_view option : {"-B", "-optf", "--options-file"}) {
      std::string_view word = command[i];
      if (!word.starts_with(option))
        continue;
      if (word == option)
        word = i + 1 < command.size() ? std::string_view(command[i + 1]) : std::string_view();
      else
        word.remove_prefix(option.size() + (word[option.size()] == '=' ? 1 : 0));
      paths.emplace_back(word);
      // -B takes a prefix of file names too.
      if (option == "-B" && !word.ends_with('/'))
        paths.emplace_back(word.substr(0, word.rfind('/') + 1));
    }
  std::erase(paths, "");
  return paths;
}

// A name that no linker has as an option.
constexpr std::string_view placeholder = "--hostpin-inputs=";
constexpr auto suffixes = std::to_array<std::string_view>({".o", ".obj", ".lo", ".a", ".so"});
bool is_input(std::string_view word) {
  if (word.empty() || word.front() == '-')
    return false;
  return word.find(".so.") != std::string_view::npos ||
         std::any_of(suffixes.begin(), suffixes.end(),
                     [&](std::string_view suffix) { return word.ends_with(suffix); });
}

} // namespace

CachedQuestion::CachedQuestion(const LinkTools& tools, std::vector<std::string> words)
    : tools_(tools), words_(std::move(words)), asked_(now()) {
  words_.insert(words_.begin(), "lto-check 1");
}

std::optional<std::string> CachedQuestion::answer() const {
  const auto answer = AnswerCache(tools_.cache, tools_.files).find(words_);
  if (!answer)
    return std::nullopt;
  const Json json = Json::parse(*answer, nullptr, false);
  if (!json.is_object() || !json.contains("text") || !json["text"].is_string())
    return std::nullopt;
  return json["text"].get<std::string>();
}

void CachedQuestion::store(std::string_view text, const std::vector<std::string>& dependencies) const {
  Json files = Json::array();
  for (const std::string& path : dependencies) {
    const FileStatus status = settled_status(path, asked_, tools_.files);
    files.push_back({{"path", path}, {"size", status.size}, {"modified", status.modified}});
  }
  const Json answer{{"text", text}, {"rests_on", std::move(files)}};
  // Compilers may print any bytes; the answer must be readable anyway.
  AnswerCache(tools_.cache, tools_.files)
      .keep(words_, answer.dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!tools_.cache.empty())
    forget_oldest(tools_.cache, most_answers, most_answer_bytes);
}

std::vector<std::string_view> marked(std::string_view text, std::string_view mark) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (text.starts_with(mark))
      found.push_back(text.substr(mark.size(), end - std::min(end, mark.size())));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

std::vector<std::string> driver_dependencies(const std::vector<std::string>& command,
                                             const std::string& program, std::string_view shown,
                                             const LinkTools& tools) {
  const std::string name = cmdline::driver_words(command).back();
  const std::string driver = executable(name, tools.environment).value_or(name);
  std::vector<std::string> paths = path_directories(tools.environment);
  std::ranges::move(named_places(command, tools), std::back_inserter(paths));
  for (const std::string& each : {program, driver}) {
    paths.push_back(each);
    paths.push_back(tools.files.real_path(each).value_or(each));
  }
  const std::string directory = driver.substr(0, driver.rfind('/') + 1);
  for (const char* const file : {"nvcc.profile", "plan"}) // of nvcc, and of hostpin's c++
    paths.push_back(directory + file);
  for (const std::string_view mark : {"COLLECT_GCC=", "COLLECT_LTO_WRAPPER=", "InstalledDir: "})
    for (const std::string_view line : marked(shown, mark))
      if (line.starts_with('/'))
        paths.emplace_back(line);
  for (const std::string_view mark : {"Reading specs from ", "Configuration file: "})
    for (const std::string_view line : marked(shown, mark))
      paths.emplace_back(line);
  const std::vector<std::string> words = shown_linker_words(shown);
  if (!words.empty())
    paths.push_back(words.front());
  return paths;
}

void append_driver_variables(std::vector<std::string>& words, const LinkTools& tools) {
  for (const auto& [name, value] : tools.environment.variables())
    if (cmdline::is_read_by_drivers(name))
      words.push_back(name + '=' + value);
}

CachedQuestion driver_question(const char* kind, const std::vector<std::string>& command,
                               const std::string& program, const LinkTools& tools) {
  std::vector<std::string> words{kind, program};
  words.insert(words.end(), command.begin(), command.end());
  words.push_back(tools.directory);
  for (const std::string_view variable : steering)
    words.push_back(tools.environment[variable].value_or(""));
  append_driver_variables(words, tools);
  return CachedQuestion(tools, std::move(words));
}

Result<std::string> driver_answer(const std::vector<std::string>& command, const char* option,
                                  const LinkTools& tools) {
  const std::string name = cmdline::driver_words(command).back();
  const auto program = executable(command.front(), tools.environment);
  if (!program)
    return failure("there is no program " + command.front(), "check its name and PATH");
  const CachedQuestion question = driver_question(option, command, *program, tools);
  if (auto known = question.answer())
    return *known;
  Command call{command, "", variables_that_write_files()};
  call.argv.front() = *program;
  call.argv.emplace_back(option);
  const Outcome outcome = run_shown({&call, 1}, tools.processes).front();
  // Other options can make it print on either stream.
  std::string text = outcome.errors + outcome.output;
  if (!outcome.ok())
    return failure(
        name + " does not print the commands that it would run (" + option + "): " +
            (outcome.end == Outcome::End::exited ? complaint(lines_of(outcome.errors)) : describe(outcome)),
        "run the command itself to see its errors");
  question.store(text, driver_dependencies(command, *program, text, tools));
  return text;
}

Placeholders replace_inputs(const std::vector<std::string>& command) {
  Placeholders result;
  if (!command.empty())
    result.command.push_back(command.front());
  bool in_run = false;
  for (std::size_t i = 1; i < command.size();) {
    const std::string& word = command[i];
    const cmdline::DriverArgument read = cmdline::driver_argument(command, i);
    const cmdline::DriverMeaning meaning =
        read.option != nullptr ? read.option->meaning : cmdline::DriverMeaning::nothing;
    if (meaning == cmdline::DriverMeaning::language) // after it a suffix means nothing
      return {command, {}};
    if (!read.input || !is_input(word)) {
      result.command.push_back(word);
      // Where the output goes changes nothing, and would make every program's link another question.
      if (read.size == 2)
        result.command.push_back(meaning == cmdline::DriverMeaning::output ? "hostpin-output"
                                                                           : command[i + 1]);
    } else {
      if (!in_run) {
        result.command.push_back("-Wl," + std::string(placeholder) + std::to_string(result.inputs.size()));
        result.inputs.emplace_back();
      }
      result.inputs.back().push_back(word);
    }
    in_run = read.input && is_input(word);
    i += read.size;
  }
  return result;
}

std::vector<std::string> put_inputs_back(const std::vector<std::string>& words,
                                         const Placeholders& placeholders) {
  std::vector<std::string> result;
  for (const std::string& word : words) {
    std::size_t number = 0;
    const char* const end = word.data() + word.size();
    if (!word.starts_with(placeholder) ||
        std::from_chars(word.data() + placeholder.size(), end, number).ptr != end ||
        number >= placeholders.inputs.size()) {
      result.push_back(word);
      continue;
    }
    const std::vector<std::string>& inputs = placeholders.inputs[number];
    result.insert(result.end(), inputs.begin(), inputs.end());
  }
  return result;
}

} // namespace hostpin::lto
