// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/process.hpp"

#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace hostpin {

/// Plays a preprocessor over the questions that evaluate_gate writes: macros, one #include per hypothesis,
/// and diagnostics as GCC or Clang prints them. The header itself is a function of the macros.
class FakePreprocessor final : public Processes {
public:
  using Macros = std::map<std::string, int>;
  struct Problem {
    unsigned line = 0;
    std::string text = "#error -- unsupported";
    std::string file = {}; ///< empty: the header itself
    const char* kind = "error";
  };
  using Header = std::function<std::vector<Problem>(const Macros&)>;

  explicit FakePreprocessor(Header header, std::string guard = "__HOST_CONFIG_H__")
      : header_(std::move(header)), guard_(std::move(guard)) {}

  enum class Style { gcc, old_gcc, clang, old_clang } style = Style::gcc;
  bool reads_once = false; ///< `#pragma once`
  std::function<void(Outcome&)> afterwards = [](Outcome&) {};
  mutable std::vector<Command> commands; ///< every one that was run

  std::vector<Outcome> run(std::span<const Command> asked) const override {
    std::vector<Outcome> outcomes;
    for (const Command& command : asked) {
      commands.push_back(command);
      outcomes.push_back(preprocessed(command.input));
    }
    return outcomes;
  }

private:
  struct Run {
    Macros macros;
    Outcome outcome;
    bool read = false;
    std::string last_stack;
  };

  Outcome preprocessed(const std::string& input) const {
    Run run;
    run.outcome.end = Outcome::End::exited;
    std::istringstream lines(input);
    std::string line;
    for (unsigned number = 1; std::getline(lines, line); ++number) {
      std::istringstream words(line);
      std::string directive, name;
      words >> directive >> name;
      if (directive == "#define")
        words >> run.macros[name];
      else if (directive == "#undef")
        run.macros.erase(name);
      if (directive == "#include" && name.front() == '"')
        include(name.substr(1, name.size() - 2), number, run);
      else if (directive.empty() || directive[0] != '#' || directive == "#define" || directive == "#undef")
        run.outcome.output += line + '\n';
    }
    run.outcome.code = run.outcome.errors.empty() ? 0 : 1;
    afterwards(run.outcome);
    return run.outcome;
  }

  void include(const std::string& path, unsigned number, Run& run) const {
    if (run.macros.count(guard_) != 0 || (reads_once && run.read))
      return;
    run.read = true;
    run.macros[guard_] = 1;
    run.outcome.output += "# 1 \"" + path + "\" 1\n#define " + guard_ + "\n#define _CRTIMP\n# " +
                          std::to_string(number + 1) + " \"<stdin>\" 2\n";
    for (const Problem& problem : header_(run.macros))
      report(problem, path, number, run);
  }

  void report(const Problem& problem, const std::string& path, unsigned number, Run& run) const {
    const bool clang = style == Style::clang || style == Style::old_clang;
    const std::string stack = "In file included from <stdin>:" + std::to_string(number) +
                              (style == Style::old_gcc ? ":0:\n" : ":\n");
    std::string& errors = run.outcome.errors;
    if (stack != run.last_stack)
      errors += stack;
    run.last_stack = stack;
    const std::string line = std::to_string(problem.line);
    const bool directive = problem.text.rfind("#error", 0) == 0;
    errors += (problem.file.empty() ? path : problem.file) + ':' + line + ":2: " + problem.kind + ": " +
              (clang && directive ? problem.text.substr(7) : problem.text) + '\n';
    if (style == Style::clang)
      errors += "  " + line + " | " + problem.text + "\n      |  ^\n";
    if (style == Style::old_clang)
      errors += problem.text + "\n ^\n";
  }

  Header header_;
  std::string guard_;
};

} // namespace hostpin
