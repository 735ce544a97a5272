// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/dry_run.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/cmdline/tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace hostpin::slices {

namespace {

constexpr std::string_view command_mark = "#$ ";
constexpr std::string_view filter_mark = "-- Filter Dependencies -- > ";
constexpr std::string_view temporary = "tmpxft_";

struct ToolName {
  std::string_view name;
  Tool tool;
};
constexpr ToolName device_tools[] = {{"cicc", Tool::cicc},         {"ptxas", Tool::ptxas},
                                     {"tileiras", Tool::tileiras}, {"cudafe++", Tool::cudafe},
                                     {"nvlink", Tool::nvlink},     {"fatbinary", Tool::fatbinary}};
constexpr ToolName host_tools[] = {{"preprocess", Tool::preprocess},
                                   {"compile", Tool::compile},
                                   {"link", Tool::link},
                                   {"dependencies", Tool::dependencies}};

/// Options of the tools that are followed by an output, and those that contain it.
constexpr auto before_output =
    std::to_array<std::string_view>({"--gen_c_file_name", "--gen_device_file_name", "--stub_file_name",
                                     "--tile_bc_file_name", "-o", "-olto"});
constexpr std::array<std::string_view, 3> with_output{
    "--create=", "--embedded-fatbin=", "--register-link-binaries="};

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// `tmpxft_00002f92_00000000-8_a.ii`: where the parts of such a name are.
struct TemporaryName {
  std::size_t begin = 0;     // of the name
  std::size_t rest = 0;      // what follows the number and its underscore
  std::uint64_t number = 0;  // 8
  std::string_view ending{}; // `a.ii`
};

std::optional<TemporaryName> next_name(std::string_view text, std::size_t from) {
  constexpr std::size_t digits = 8;
  for (std::size_t at = text.find(temporary, from); at != std::string_view::npos;
       at = text.find(temporary, at + 1)) {
    const std::string_view ids = text.substr(at + temporary.size());
    if (ids.size() < 2 * digits + 4 || !is_hex(ids.substr(0, digits)) || ids[digits] != '_' ||
        !is_hex(ids.substr(digits + 1, digits)) || ids[2 * digits + 1] != '-')
      continue;
    const char* const number = ids.data() + 2 * digits + 2;
    TemporaryName name{at};
    const auto [end, error] = std::from_chars(number, ids.data() + ids.size(), name.number);
    if (error != std::errc() || end == ids.data() + ids.size() || *end != '_')
      continue;
    name.rest = static_cast<std::size_t>(end + 1 - text.data());
    name.ending = text.substr(name.rest, text.substr(name.rest).find_first_of(" \t\n\"'\\,;"));
    return name;
  }
  return std::nullopt;
}

std::optional<Tool> host_tool(const std::vector<std::string>& words) {
  const bool reads_source = contains(words, "-x");
  if (reads_source && contains(words, "-E"))
    return Tool::preprocess;
  if (reads_source && contains(words, "-c"))
    return Tool::compile;
  if (contains(words, "-Wl,--start-group"))
    return Tool::link;
  return std::nullopt;
}

std::optional<Tool> tool_of(const std::vector<std::string>& words) {
  const std::string_view name = base_name(words.front());
  for (const ToolName& row : device_tools)
    if (row.name == name)
      return row.tool;
  return host_tool(words);
}

/// The value of the first of these options, as `-x v`, `-x=v`.
std::string value_of(const std::vector<std::string>& words, std::initializer_list<std::string_view> options) {
  for (std::size_t at = 0; at < words.size(); ++at)
    for (const std::string_view option : options) {
      if (words[at] == option && at + 1 < words.size())
        return words[at + 1];
      if (words[at].starts_with(option) && words[at].size() > option.size() &&
          words[at][option.size()] == '=')
        return words[at].substr(option.size() + 1);
    }
  return {};
}

/// The temporary file that a word is or contains; empty if there is none.
std::string file_in(std::string_view word, const std::string& directory) {
  const std::size_t at = word.find(directory + '/');
  if (at == std::string_view::npos)
    return {};
  std::string_view file = word.substr(at);
  while (file.ends_with('"') || file.ends_with('\\'))
    file.remove_suffix(1);
  return std::string(file);
}

bool is_output(const std::vector<std::string>& words, std::size_t at) {
  for (const std::string_view option : with_output)
    if (words[at].starts_with(option))
      return true;
  if (at == 0)
    return false;
  const std::string& option = words[at - 1];
  return std::find(before_output.begin(), before_output.end(), option) != before_output.end() ||
         (option == "--module_id_file_name" && contains(words, generates_module_id));
}

/// The part of an output's word that is its path.
std::string path_in(const std::string& word) {
  for (const std::string_view option : with_output)
    if (word.starts_with(option))
      return word.substr(option.size());
  return word;
}

void find_files(Step& step, const std::string& directory) {
  for (std::size_t at = 1; at < step.words.size(); ++at) {
    const std::string& option = step.words[at - 1];
    const bool included = option == "--include_file_name" || option == "--include_alt_file_name" ||
                          (step.tool == Tool::cudafe && option == "--stub_file_name");
    if (included)
      step.included.push_back(directory + '/' + step.words[at]);
    else if (is_output(step.words, at))
      step.outputs.push_back(path_in(step.words[at]));
    else if (std::string file = file_in(step.words[at], directory); !file.empty())
      step.inputs.push_back(std::move(file));
  }
}

tl::unexpected<Error> not_understood(std::string_view why, std::string_view line) {
  constexpr std::size_t shown = 60;
  return failure(std::string("nvcc would run a command ")
                     .append(why)
                     .append(": ")
                     .append(line.substr(0, line.size() > shown ? shown : line.size()))
                     .append(line.size() > shown ? " ..." : ""));
}

/// nvcc --threads collects the output of its commands in files.
std::string_view without_redirection(std::string_view line, const std::string& directory) {
  return line.substr(0, line.find(" > " + directory + '/'));
}

Result<Step> step_of(std::string_view text, const std::string& directory) {
  Step step;
  step.line = without_redirection(text, directory);
  auto words = cmdline::command_words(step.line);
  if (!words || words->empty())
    return not_understood("that is not a shell command", text);
  step.words = *std::move(words);
  const auto tool = tool_of(step.words);
  if (!tool)
    return not_understood("that this release of hostpin does not know", text);
  step.tool = *tool;
  find_files(step, directory);
  if (step.storable())
    step.gpu = value_of(step.words, {"-arch", "--arch"});
  step.source = value_of(step.words, {"--orig_src_file_name"});
  return step;
}

Step filter_step(std::string_view line) {
  Step step;
  step.tool = Tool::dependencies;
  step.line = line;
  step.outputs.emplace_back(line.substr(filter_mark.size()));
  return step;
}

/// Connects steps, one after another.
class Graph {
public:
  explicit Graph(std::string directory) : directory_(std::move(directory)) {}

  Result<void> add(Step step, std::vector<Step>& steps) {
    std::set<std::size_t> after;
    for (std::size_t at = 0; at < step.inputs.size(); ++at) { // grows
      const auto maker = makers_.find(step.inputs[at]);
      if (maker == makers_.end())
        return not_understood("that reads a file which no other one writes", step.line);
      after.insert(maker->second);
      if (step.tool == Tool::compile)
        add_included(steps[maker->second], step);
    }
    for (const std::string& word : step.words)
      if (const auto maker = makers_.find(word); maker != makers_.end() && !contains(step.outputs, word))
        after.insert(maker->second);
    if (step.tool == Tool::dependencies)
      for (std::size_t at = 0; at < steps.size(); ++at)
        if (steps[at].tool == Tool::preprocess)
          after.insert(at);
    step.after.assign(after.begin(), after.end());
    for (const std::string& output : step.outputs)
      make(output, steps);
    for (const std::string& output : step.outputs)
      makers_[output] = steps.size();
    steps.push_back(std::move(step));
    return {};
  }

private:
  /// A source that cudafe++ or cicc wrote includes other temporary files by name.
  void add_included(const Step& maker, Step& step) const {
    for (const std::string& file : maker.included)
      if (makers_.contains(file) && !contains(step.inputs, file))
        step.inputs.push_back(file);
  }

  /// Each nvlink of a call writes the same file, and the last one counts: the others get another name, so
  /// that they can run at the same time.
  void make(const std::string& output, std::vector<Step>& steps) {
    const auto former = makers_.find(output);
    if (former == makers_.end() || !output.starts_with(directory_ + '/'))
      return;
    Step& step = steps[former->second];
    const std::string other = output + '.' + std::to_string(former->second);
    for (std::size_t at = 0; (at = step.line.find(output, at)) != std::string::npos; at += other.size())
      step.line.replace(at, output.size(), other);
    for (std::string& word : step.words)
      if (const std::size_t at = word.find(output); at != std::string::npos)
        word.replace(at, output.size(), other);
    std::replace(step.outputs.begin(), step.outputs.end(), output, other);
  }

  std::string directory_;
  std::map<std::string, std::size_t> makers_; // file -> step
};

bool is_assignment(std::string_view line, std::size_t equals) {
  return equals != std::string_view::npos && equals > 0 &&
         line.substr(0, equals).find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

/// Adds what one line means.
Result<void> add_line(std::string_view line, const std::string& directory, Graph& graph, DryRun& run) {
  const std::size_t equals = line.find('=');
  if (is_assignment(line, equals)) {
    run.environment.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    return {};
  }
  if (line.starts_with(filter_mark))
    return graph.add(filter_step(line), run.steps);
  const std::size_t end = line.find_last_not_of(' ');
  const std::string_view command = line.substr(0, end == std::string_view::npos ? 0 : end + 1);
  if (command.starts_with("rm " + directory + '/'))
    return {}; // the directory is removed as a whole
  auto step = step_of(command, directory);
  run.for_gpus |= step && step->storable();
  return step ? graph.add(*std::move(step), run.steps) : tl::unexpected(step.error());
}

} // namespace

std::string_view to_string(Tool tool) {
  for (const ToolName& row : device_tools)
    if (row.tool == tool)
      return row.name;
  for (const ToolName& row : host_tools)
    if (row.tool == tool)
      return row.name;
  return {};
}

std::string Step::module_id_file() const {
  return contains(words, generates_module_id) ? value_of(words, {"--module_id_file_name"}) : std::string();
}

std::string_view DryRun::variable(std::string_view name) const {
  std::string_view value;
  for (const auto& [key, text] : environment)
    if (key == name)
      value = text;
  return value;
}

std::string with_fixed_names(std::string_view text, std::string_view tag) {
  std::map<std::string_view, std::set<std::uint64_t>> numbers; // by ending
  for (auto name = next_name(text, 0); name; name = next_name(text, name->rest))
    numbers[name->ending].insert(name->number);
  std::string fixed;
  std::size_t done = 0;
  for (auto name = next_name(text, 0); name; name = next_name(text, name->rest)) {
    const auto& same = numbers[name->ending];
    const auto position = std::distance(same.begin(), same.find(name->number));
    fixed.append(text.substr(done, name->begin - done)).append(temporary).append(tag);
    fixed.append("_00000000-").append(std::to_string(position)).append(1, '_');
    done = name->rest;
  }
  return fixed.append(text.substr(done));
}

bool names_symbols_after_files(std::string_view text) {
  return text.find("--orig_src_path_name") == std::string_view::npos;
}

Result<DryRun> read_dry_run(std::string_view text, const std::string& directory) {
  DryRun run;
  Graph graph(directory);
  std::optional<Error> trouble;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(command_mark)) {
      run.messages.emplace_back(line);
      continue;
    }
    if (auto added = add_line(line.substr(command_mark.size()), directory, graph, run); !added && !trouble)
      trouble = added.error();
  }
  if (trouble && run.for_gpus)
    return tl::unexpected(*std::move(trouble));
  return run;
}

} // namespace hostpin::slices
