// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/show.hpp"

#include "hooks/lto-check/linker/driver_answer.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/cmdline/driver_options.hpp"
#include "toolchains/cmdline/launchers.hpp"
#include "toolchains/cmdline/response.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "toolchains/library/link_search.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace hostpin::lto {

namespace {

constexpr auto linker_names = std::to_array<std::string_view>(
    {"ld", "ld.bfd", "ld.gold", "ld.lld", "ld.mold", "gold", "mold", "lld", "collect2", "nvlink"});
template <typename Names>
bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_linker(std::string_view program) {
  const std::string_view name = base_name(program);
  return holds(linker_names, name) || name.starts_with("ld.lld-") || name.ends_with("-ld") ||
         name.starts_with("ld.") || name.find("-ld.") != std::string_view::npos;
}

bool is_nvcc(std::string_view program) {
  return base_name(program) == "nvcc";
}

std::string directory_search(const std::vector<std::string>& directories, const std::string& name,
                             const Files& files) {
  for (const std::string& directory : directories) {
    std::string path = directory;
    path.append(directory.ends_with('/') ? "" : "/").append(name);
    const auto status = files.status(path);
    if (status && status->kind == FileStatus::Kind::regular && status->executable)
      return path;
  }
  return {};
}

/// Where collect2 finds its linker if it does not show that, according to GCC's collect2.cc: three names in
/// the directories of the compiler, then the last one on PATH.
std::string linker_of_collect2(const cmdline::LinkerCommand& words, std::string_view shown,
                               const LinkTools& tools) {
  const std::string name = words.use_linker.empty() ? "ld" : "ld." + words.use_linker;
  std::vector<std::string> directories;
  for (const std::string_view line : marked(shown, "COMPILER_PATH="))
    directories = filled_parts(line, ":");
  for (const std::string& candidate : {std::string("real-ld"), std::string("collect-ld"), name})
    if (std::string path = directory_search(directories, candidate, tools.files); !path.empty())
      return path;
  return executable(name, tools.environment).value_or("");
}

/// Files that the command itself writes, according to -### and -dryrun: each -o of a step before the link.
std::vector<std::string> outputs_of(const std::vector<std::string>& words) {
  std::vector<std::string> outputs;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "-o")
      outputs.push_back(words[i + 1]);
  return outputs;
}

/// Whether the program is hostpin's `c++`, which runs another driver with the same arguments.
bool is_launcher(const std::string& driver, const LinkTools& tools) {
  const std::string program = executable(driver, tools.environment).value_or(driver);
  const std::string directory = program.substr(0, program.rfind('/') + 1);
  return base_name(program) == "c++" &&
         (tools.files.status(directory + "plan") || tools.files.status(directory + "lto-check"));
}

/// The Clang that printed an answer, which names only its directory and release; empty if it was another
/// program.
std::string clang_that_printed(std::string_view shown, const Files& files) {
  const auto directories = marked(shown, "InstalledDir: ");
  if (directories.empty())
    return {};
  constexpr std::string_view before_release = "clang version ";
  const std::size_t release = shown.find(before_release);
  const std::string_view number =
      release == std::string_view::npos ? std::string_view() : shown.substr(release + before_release.size());
  const std::string name = "clang++",
                    versioned = name + '-' + std::string(number.substr(0, number.find('.')));
  for (const std::string& program : {name, versioned})
    if (std::string path = directory_search({std::string(directories.front())}, program, files);
        !path.empty())
      return path;
  return {};
}

/// The compiler driver that LTO calls back, with the options that it needs to find its own programs.
std::vector<std::string> driver_with_directories(const std::vector<std::string>& command,
                                                 std::string_view shown, const LinkTools& tools) {
  const auto reported = marked(shown, "COLLECT_GCC=");
  std::vector<std::string> words =
      cmdline::driver_words(command, reported.empty() ? std::string_view() : reported.back());
  std::vector<std::string> options(command.begin() + static_cast<std::ptrdiff_t>(words.size()),
                                   command.end());
  const auto passed = marked(shown, "COLLECT_GCC_OPTIONS=");
  const bool replaced = !reported.empty() && !passed.empty() && is_launcher(words.back(), tools);
  if (replaced) {
    words = {std::string(reported.front())};
    options = cmdline::command_words(passed.front()).value_or(std::move(options));
  } else if (is_launcher(words.back(), tools)) {
    if (std::string clang = clang_that_printed(shown, tools.files); !clang.empty())
      words = {std::move(clang)};
  }
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (replaced && (options[i].starts_with("--sysroot=") || options[i].starts_with("-specs=")))
      words.push_back(options[i]); // of the stdenv's or the host compiler's command
    if (!options[i].starts_with("-B"))
      continue;
    words.push_back(options[i]);
    if (options[i] == "-B" && i + 1 < options.size())
      words.push_back(options[++i]);
  }
  // Directories that are not GCC's own are from a script's COMPILER_PATH, which only the launcher's call had.
  for (const std::string_view line : marked(shown, "COMPILER_PATH="))
    for (const std::string& directory : replaced ? filled_parts(line, ":") : std::vector<std::string>{})
      if (directory.find("/gcc/") == std::string::npos)
        words.push_back("-B" + directory);
  return words;
}

/// nvcc sets both variables for the programs that it starts.
bool inside_nvcc(const Environment& environment) {
  return environment["_HERE_"] && environment["_THERE_"];
}

Result<std::vector<ShownLink>> show_driver(const std::vector<std::string>& command, const LinkTools& tools) {
  if (holds(command, "-###"))
    return std::vector<ShownLink>{}; // prints a link and runs none
  const Placeholders shortened = replace_inputs(command);
  TRY_ASSIGN(const auto text, driver_answer(shortened.command, "-###", tools));
  std::vector<std::string> words = shown_linker_words(text);
  if (words.empty())
    return std::vector<ShownLink>{};
  words = put_inputs_back(words, shortened);
  words = cmdline::with_responses(words, tools.files); // of -Wl,@file, which the driver passes on
  if (auto pipe = cmdline::unread_response(words, tools.files))
    return tl::unexpected(*std::move(pipe));
  ShownLink link{words.front(),
                 driver_with_directories(command, text, tools),
                 cmdline::linker_command(words),
                 inside_nvcc(tools.environment),
                 {}};
  for (const std::string_view line : marked(text, " ")) {
    const auto step = cmdline::command_words(line);
    if (step && !step->empty() && step->front() != words.front())
      std::ranges::move(outputs_of(*step), std::back_inserter(link.made));
  }
  if (base_name(link.linker) == "collect2") {
    link.run = run_of_collect2(command, text, tools);
    link.linker = link.run.linker.empty() ? linker_of_collect2(link.words, text, tools) : link.run.linker;
    if (link.linker.empty())
      return failure(cmdline::driver_words(command).back() + " links with ld" +
                         (link.words.use_linker.empty() ? "" : ".") + link.words.use_linker +
                         ", which was not found",
                     "install it, or choose another with -fuse-ld=");
  }
  if (link.linker.find('/') == std::string::npos)
    link.linker = executable(link.linker, tools.environment).value_or(link.linker);
  return std::vector<ShownLink>{std::move(link)};
}

Result<std::vector<ShownLink>> show_itself(const std::vector<std::string>& command, const LinkTools& tools) {
  const auto program = executable(command.front(), tools.environment);
  if (!program)
    return failure("there is no linker " + command.front(), "check its name and PATH");
  // GCC's plugin uses this variable too.
  std::vector<std::string> driver;
  if (const auto gcc = tools.environment["COLLECT_GCC"])
    driver.push_back(*gcc);
  return std::vector<ShownLink>{{*program, std::move(driver), cmdline::linker_command(command), false, {}}};
}

Result<std::vector<ShownLink>> show_nvcc(const std::vector<std::string>& command, const LinkTools& tools) {
  TRY_ASSIGN(const auto text, driver_answer(command, "-dryrun", tools));
  Environment::Variables variables = tools.environment.variables();
  for (const std::string_view path : marked(text, "#$ PATH="))
    variables["PATH"] = path;
  const Environment inside(std::move(variables));
  const LinkTools tools_inside{inside, tools.files, tools.processes, tools.cache, tools.directory};

  std::vector<ShownLink> links;
  std::vector<std::string> made;
  std::vector<std::string> last;
  for (const std::string_view line : marked(text, "#$ ")) {
    const auto words = cmdline::command_words(line);
    if (!words || words->empty() || words->front().find('=') != std::string::npos)
      continue;
    if (base_name(words->front()) == "nvlink") {
      TRY_ASSIGN(auto link, show_itself(*words, tools_inside));
      std::ranges::move(link, std::back_inserter(links));
    }
    std::ranges::move(outputs_of(*words), std::back_inserter(made));
    if (words->front() != "rm")
      last = *words;
  }
  // The last step is the host link, unless nvcc only makes an object (-dlink, -lib).
  const bool compiles = holds(last, "-c") || holds(last, "-E") || holds(last, "-S");
  const std::string_view name = last.empty() ? std::string_view() : base_name(last.front());
  if (!compiles && !name.empty() && name != "nvlink" && name != "fatbinary" && name != "ar" &&
      !is_nvcc(name)) {
    TRY_ASSIGN(auto host, show_driver(last, tools_inside));
    std::ranges::move(host, std::back_inserter(links));
  }
  for (ShownLink& link : links) {
    link.by_nvcc = true;
    link.made.insert(link.made.end(), made.begin(), made.end());
  }
  return links;
}

/// Whether the program is libtool, or a shell that runs it.
bool runs_libtool(const std::vector<std::string>& words, std::size_t program) {
  constexpr std::size_t most = 4; // `bash -x ./libtool`
  for (std::size_t i = program; i < std::min(program + most, words.size()); ++i) {
    const std::string_view name = base_name(words[i]);
    if (name == "libtool" || name.ends_with("-libtool"))
      return std::any_of(
          words.begin() + static_cast<std::ptrdiff_t>(i), words.end(),
          [](const std::string& word) { return word == "--mode" || word.starts_with("--mode="); });
  }
  return false;
}

/// The words of a command with those of its files, and those that a program such as env splits.
std::vector<std::string> all_words(const std::vector<std::string>& command, const LinkTools& tools) {
  return cmdline::with_responses(cmdline::with_split_words(command, tools.environment), tools.files);
}

} // namespace

bool names_input(const std::vector<std::string>& command, const LinkTools& tools) {
  const std::vector<std::string> words = all_words(command, tools);
  for (std::size_t i = cmdline::driver_words(words).size(); i < words.size();) {
    using Meaning = cmdline::DriverMeaning;
    const cmdline::DriverArgument read = cmdline::driver_argument(words, i);
    const Meaning meaning = read.option != nullptr ? read.option->meaning : Meaning::nothing;
    if (read.input || meaning == Meaning::link_input || meaning == Meaning::library ||
        meaning == Meaning::script || meaning == Meaning::rest_inputs)
      return true;
    i += read.size;
  }
  return false;
}

Result<std::vector<ShownLink>> show_links(const std::vector<std::string>& command, const LinkTools& tools) {
  if (command.empty())
    return failure("there is no link command", "give one after --");
  const std::vector<std::string> words = all_words(command, tools);
  if (auto pipe = cmdline::unread_response(words, tools.files))
    return tl::unexpected(*std::move(pipe));
  const std::vector<std::string> driver = cmdline::driver_words(words);
  if (runs_libtool(words, driver.size() - 1))
    return failure("libtool determines the link command when it runs, so it cannot be checked",
                   "give the link command that it prints with --dry-run");
  if (is_nvcc(driver.back()))
    return show_nvcc(words, tools);
  if (!is_linker(driver.back()))
    return show_driver(words, tools);
  return show_itself({words.begin() + static_cast<std::ptrdiff_t>(driver.size()) - 1, words.end()}, tools);
}

} // namespace hostpin::lto
