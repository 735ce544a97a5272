// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/gcc_reader.hpp"

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "hooks/lto-check/linker/memory.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/cmdline/launchers.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/probe.hpp"

#include <array>
#include <charconv>

namespace hostpin {

namespace {

std::optional<GccReader> reader_of_object(const std::string& path) {
  std::optional<GccReader> reader;
  scan_lto_input(path, [&](LtoInput&& input) {
    for (const Bitstream& stream : input.streams)
      if (stream.format == LtoFormat::gcc_lto && stream.major)
        reader = GccReader{*stream.major, stream.minor, stream.producer, false};
  });
  return reader;
}

std::string written(const GccReader& reader) {
  return std::to_string(reader.major) + '.' + std::to_string(reader.minor) + ' ' + reader.producer;
}

std::optional<GccReader> read_back(std::string_view text) {
  GccReader reader;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, reader.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.')
    return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, reader.minor);
  if (minor.ec != std::errc() || minor.ptr == end || *minor.ptr != ' ')
    return std::nullopt;
  reader.producer.assign(minor.ptr + 1, end);
  return reader;
}

/// The command that makes a GCC write an empty object with LTO code.
std::vector<std::string> compilation(const std::vector<std::string>& driver, const char* language,
                                     const std::string& object) {
  std::vector<std::string> words = driver;
  for (const char* word : {"-flto", "-fno-use-linker-plugin", "-w", "-c", "-x", language, "/dev/null", "-o"})
    words.emplace_back(word);
  words.push_back(object);
  return words;
}

std::string lto1_of(const std::vector<std::string>& driver, const LinkTools& tools) {
  Command ask{driver, "", variables_a_probe_hides()};
  ask.argv.emplace_back("-print-prog-name=lto1");
  const Outcome outcome = tools.processes.run({&ask, 1}).front();
  return outcome.ok() ? outcome.output.substr(0, outcome.output.find('\n')) : std::string();
}

} // namespace

Result<GccReader> learn_gcc_reader(const std::vector<std::string>& driver, const std::string& lto_wrapper,
                                   const LinkTools& tools) {
  if (driver.empty())
    return failure("a linker that is called directly with GCC's plugin (" + lto_wrapper +
                       ") does not name the GCC that it calls",
                   "give the command of the compiler driver instead, or set COLLECT_GCC to that GCC");
  std::vector<std::string> question{"gcc reader"};
  question.insert(question.end(), driver.begin(), driver.end());
  question.push_back(tools.environment["COMPILER_PATH"].value_or(""));
  question.push_back(tools.environment["GCC_EXEC_PREFIX"].value_or(""));
  const std::string program = executable(driver.front(), tools.environment).value_or(driver.front());
  const std::string name = cmdline::driver_words(driver).back(); // after ccache and the like
  const std::string compiler = executable(name, tools.environment).value_or(name);
  question.push_back(program);
  question.push_back(tools.directory);
  if (const auto known = recall(tools, question))
    if (auto reader = read_back(*known))
      return *reader;

  std::vector<std::string> found = driver;
  found.front() = program;
  const DeferTermination held;
  const auto scratch = ScratchDirectory::make(tools.environment);
  if (!scratch)
    return tl::unexpected(scratch.error());
  const std::string object = scratch->path() + "/empty.o";
  std::string complaints, hint;
  // Only one of the front ends need be installed.
  for (const char* language : {"c", "c++"}) {
    const Command compile{compilation(found, language, object), "", variables_that_write_files()};
    const Outcome outcome = tools.processes.run({&compile, 1}).front();
    const auto reader = outcome.ok() ? reader_of_object(object) : std::nullopt;
    if (reader) {
      const std::string lto1 = lto1_of(found, tools);
      remember(tools, question, written(*reader),
               {program, tools.files.real_path(program).value_or(program), compiler,
                tools.files.real_path(compiler).value_or(compiler), lto1,
                tools.files.real_path(lto1).value_or(lto1)});
      return *reader;
    }
    complaints = outcome.ok()                          ? "it writes no LTO code with -flto"
                 : outcome.end == Outcome::End::exited ? complaint(lines_of(outcome.errors))
                                                       : describe(outcome);
    hint = outcome.ok() ? "install that GCC with LTO, or link with -fno-lto"
                        : "run `" + driver.front() + (driver.size() > 1 ? " ... " : " ") +
                              "-flto -c` with an empty file to see its errors, or link with -fno-lto";
  }
  return failure("cannot determine which LTO code " + name + " reads: " + complaints, hint);
}

} // namespace hostpin
