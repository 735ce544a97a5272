// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/bind/identity_record.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/writing.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/compiler/real_driver.hpp"
#include "toolchains/loader/loader.hpp"
#include "wrapper/identity/identity.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace hostpin::bind {

namespace {

constexpr std::size_t longest_question = 32768;
constexpr std::size_t longest_record = 65536; // the launcher reads no more

/// nvcc sends its query to a script that stores it and prints nothing, so that nvcc ends at once.
Result<std::string> question_of(const std::string& nvcc, const std::string& scratch, const Files& files,
                                const Processes& processes) {
  const std::string script = scratch + "/ask";
  TRY(replace_file(script, "#!/bin/sh\ncp -- \"$2\" \"$0.cpp\"\nexit 1\n", true));
  Command command{{nvcc, "--dryrun", "-ccbin", script, scratch + "/none.cu"},
                  {},
                  {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"}};
  command.own_temporary = true;
  processes.run({&command, 1});
  auto question = files.read(script + ".cpp", longest_question);
  if (!question)
    return failure("nvcc does not run a script as its host compiler: " + question.error().message);
  if (question->empty() || question->find('\0') != std::string::npos)
    return failure("nvcc's query is not text");
  return question;
}

/// Variables that would change the answer, and must be unset while it is recorded.
std::vector<std::string> hidden_variables(const Environment& environment) {
  identity::Identity anything;
  anything.translated = anything.shared = true;
  std::vector<std::string> names = variables_a_probe_hides();
  for (const auto& [name, value] : environment.variables())
    if (!name.empty() && identity::disturbs(anything, name, value))
      names.push_back(name);
  return names;
}

/// The dependencies of the answer, each path once.
class Watched {
public:
  explicit Watched(const Files& files) : files_(files) {}

  void add(const std::string& path) {
    if (path.starts_with('/') && std::find(paths_.begin(), paths_.end(), path) == paths_.end())
      paths_.push_back(path);
  }
  void add(const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
      add(path);
  }
  /// The files' current states. Nothing may be added afterwards.
  std::vector<plan::PlanFile> take() {
    if (!std::is_sorted(paths_.begin(), paths_.end()))
      std::sort(paths_.begin(), paths_.end());
    std::vector<plan::PlanFile> identities;
    for (const std::string& path : paths_)
      identities.push_back(file_identity(path, files_));
    return identities;
  }

private:
  const Files& files_;
  std::vector<std::string> paths_; // the result's views refer to these
};

/// `# 1 "/usr/include/stdc-predef.h" 1 3 4`: the headers that were read before the query's file.
void add_headers(Watched& watched, std::string_view output, const Compiler& compiler) {
  constexpr std::string_view implied = "stdc-predef.h";
  bool found = false;
  for (const std::string_view line : lines_of(output)) {
    const std::size_t begin = line.find('"') + 1;
    const std::size_t end = line.rfind('"');
    if (!line.starts_with("# ") || begin == 0 || end <= begin)
      continue;
    const std::string path(line.substr(begin, end - begin));
    watched.add(path);
    found = found || base_name(path) == implied;
  }
  // GCC includes the first one it finds, and continues without it if there is none.
  if (found || compiler.family == Family::gcc)
    for (const std::string& directory : compiler.include_directories)
      watched.add(directory + '/' + std::string(implied));
}

/// Clang itself may be in shared libraries, as the loader finds them: `libLLVM-17.so.1 => /usr/lib/...
/// (0x...)`.
void add_libraries(Watched& watched, std::string_view listed, identity::Identity& identity) {
  for (const std::string_view line : lines_of(listed)) {
    const std::vector<std::string_view> words = words_of(line, 3);
    if (words.size() < 3 || words[1] != "=>")
      continue;
    if (words[0].starts_with("libclang") || words[0].starts_with("libLLVM")) {
      identity.shared = true;
      watched.add(std::string(words[2]));
    }
  }
}

/// The command that lists what the front end loads; nothing for one that loads nothing.
std::optional<Command> listing(const std::string& front_end, const std::vector<std::string>& hidden) {
  const auto image = loader::image_on_disk(front_end);
  if (!image || image->interpreter.empty())
    return std::nullopt;
  return Command{{image->interpreter, "--list", front_end}, {}, hidden};
}

struct Answers {
  std::string name, other_name; ///< names of the query's file
  std::string plain;            ///< output for the first name
  std::string verbose;          ///< output for the second, by a verbose driver
  std::string messages;         ///< what the driver printed on stderr
  std::string libraries;        ///< those that the front end loads, as the loader lists them
};

/// Runs the query under two names in two directories, once with a verbose driver: if the answer depended on
/// any of that, the two would differ.
Result<Answers> ask(const Binding& binding, const std::string& question, const std::string& directory,
                    const std::vector<std::string>& hidden, const Processes& processes) {
  Answers answers;
  answers.name = directory + "/question.cpp";
  answers.other_name = directory + "/elsewhere/of another name.cpp";
  TRY(make_private_directories(directory_of(answers.other_name)));
  for (const std::string& path : {answers.name, answers.other_name})
    TRY(replace_file(path, question, false));
  std::vector<Command> commands{{binding.plan.host, {}, hidden}, {binding.plan.host, {}, hidden}};
  commands[0].argv.insert(commands[0].argv.end(), {"-E", answers.name});
  commands[1].argv.insert(commands[1].argv.end(), {"-v", "-E", answers.other_name});
  if (auto list = listing(binding.host.compiler.front_end, hidden))
    commands.push_back(*std::move(list));
  std::vector<Outcome> outcomes = processes.run(commands);
  for (const Outcome& outcome : outcomes)
    if (!outcome.ok() || outcome.output.find('\0') != std::string::npos)
      return failure("its answer is not as expected: " + describe(outcome));
  if (!outcomes[0].errors.empty())
    return failure("it prints more than its answer");
  answers.plain = std::move(outcomes[0].output);
  answers.verbose = std::move(outcomes[1].output);
  answers.messages = std::move(outcomes[1].errors);
  if (outcomes.size() > 2)
    answers.libraries = std::move(outcomes[2].output);
  return answers;
}

Result<std::string> recorded_identity(const Binding& binding, const Environment& environment,
                                      const Files& files, const Processes& processes) {
  const Compiler& compiler = binding.host.compiler;
  if (compiler.family == Family::other)
    return failure("it is neither GCC nor Clang");
  TRY_ASSIGN(const auto driver, real_driver(binding.plan.host, files));
  TRY_ASSIGN(const auto scratch, ScratchDirectory::make(environment));
  const std::string& directory = scratch.path();
  if (!identity::is_repeated_as_it_is(directory))
    return failure("compilers do not repeat the name of the temporary directory " + directory);
  const auto question = question_of(binding.toolkit.nvcc, directory, files, processes);
  if (!question)
    return tl::unexpected(question.error());
  TRY_ASSIGN(const auto answers,
             ask(binding, *question, directory, hidden_variables(environment), processes));

  identity::Identity identity;
  identity.question = *question;
  identity.answer = identity::pieces(answers.plain, answers.name);
  identity.translated = compiler.family == Family::gcc;
  if (identity.answer.size() < 2 || identity::answer_for(identity, answers.other_name) != answers.verbose)
    return failure("its answers differ from call to call");

  const Lines lines = lines_of(answers.messages);
  if (!is_driver_itself(lines, driver, compiler.family, files))
    return failure(driver.program + " starts another program");
  Watched watched(files);
  watched.add(compiler.files);
  watched.add(driver.files);
  add_headers(watched, identity::answer_for(identity, ""), compiler);
  const std::vector<std::string> specs = specs_names(compiler);
  if (compiler.family == Family::gcc) {
    identity.specs.assign(specs.begin(), specs.end());
    watched.add(specs_files(lines, compiler));
  } else if (!user_configuration(lines).empty()) {
    return failure("its configuration depends on who calls it");
  } else {
    watched.add(configuration_files(lines, driver));
  }
  add_libraries(watched, answers.libraries, identity);
  identity.files = watched.take();
  // An upgrade in the middle would combine the old answer with the new files.
  const auto again = ask(binding, *question, directory, hidden_variables(environment), processes);
  if (!again || again->plain != answers.plain || watched.take() != identity.files)
    return failure("it changed while it was queried");
  std::string bytes = identity::write_identity(identity);
  if (bytes.size() > longest_record)
    return failure("its answer is too long to store");
  return bytes;
}

} // namespace

void record_identity(Binding& binding, const Environment& environment, const Files& files,
                     const Processes& processes) {
  if (!binding.answers_identity || binding.plan.untouched)
    return;
  if (auto recorded = recorded_identity(binding, environment, files, processes))
    binding.identity = *std::move(recorded);
  else
    binding.identity_because = recorded.error().message;
}

} // namespace hostpin::bind
