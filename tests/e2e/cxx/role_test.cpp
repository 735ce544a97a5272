// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a call links, by hostpin's table and by real drivers run with -###. They must agree whenever both
// accept the line.
#include "tests/e2e/cxx/drivers.hpp"
#include "toolchains/cmdline/driver_options.hpp"
#include "wrapper/cxx/role.hpp"

#include <algorithm>
#include <array>
#include <random>

using namespace hostpin;
using namespace hostpin::e2e;

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t random_lines = 200;

/// The program of a job line that -### prints: ` "/usr/bin/ld" ...` or ` /usr/lib/gcc/.../collect2 ...`.
std::string_view program_of(std::string_view line) {
  if (!line.starts_with(' '))
    return {};
  line.remove_prefix(std::min(line.find_first_not_of(" \""), line.size()));
  line = line.substr(0, line.find_first_of(" \""));
  return line.substr(line.rfind('/') + 1);
}

bool links(std::string_view jobs) {
  while (!jobs.empty()) {
    const std::string_view line = jobs.substr(0, jobs.find('\n'));
    jobs.remove_prefix(std::min(line.size() + 1, jobs.size()));
    const std::string_view program = program_of(line);
    // Without a separate linker for a target, Clang links through gcc.
    if (program == "collect2" || program == "gcc" || program == "ld" || program.starts_with("ld.") ||
        program.ends_with("-ld"))
      return true;
  }
  return false;
}

/// An argument that one family, or its older releases, interprets in an unintended way.
struct Exception {
  Family family;
  int below;   ///< only releases older than this
  bool joined; ///< also with something attached
  const char* word;
  const char* reason;
};
constexpr int every = 1000;
constexpr std::array exceptions = {
    Exception{Family::gcc, every, true, "-emit-", "GCC reads `-e mit-...`"},
    Exception{Family::gcc, every, true, "-extract-api", "GCC reads `-e xtract-api`"},
    Exception{Family::gcc, every, true, "-dependency-", "GCC reads letters of -d"},
    Exception{Family::gcc, every, true, "-dsym-dir", "GCC reads letters of -d"},
    Exception{Family::gcc, every, true, "-include-pch", "GCC reads `-include -pch`"},
    Exception{Family::gcc, every, true, "-isystem-after", "GCC reads `-isystem -after`"},
    Exception{Family::gcc, 11, false, "-dumpbase-ext", "came with GCC 11"},
    Exception{Family::gcc, every, false, "-fmodule-header",
              "GCC does it to sources and headers, not to an object"},
    Exception{Family::gcc, every, false, "-wrapper", "-### prints the wrapper where the program stands"},
    Exception{Family::clang, every, false, "--entry", "Clang takes no separate value"},
    Exception{Family::clang, every, true, "-aux-info", "Clang takes no separate value"},
    Exception{Family::clang, every, false, "-R", "Clang takes no separate value"},
    Exception{Family::clang, every, false, "-Tbss", "Clang reads `-T bss`"},
    Exception{Family::clang, every, false, "-Tdata", "Clang reads `-T data`"},
    Exception{Family::clang, every, false, "-Ttext", "Clang reads `-T text`"},
    Exception{Family::clang, every, false, "-target", "no target is called -c"},
    Exception{Family::clang, every, true, "-dumpbase", "Clang reads letters of -d"},
    Exception{Family::clang, 14, true, "-extract-api", "came later"},
    Exception{Family::clang, 17, true, "-dumpdir", "came later"},
    Exception{Family::clang, 19, true, "-Xclangas", "came later"},
    Exception{Family::clang, every, true, "-Xoffload-linker",
              "came later, and takes joined values of its own"},
    Exception{Family::clang, 19, true, "-emit-cir", "came later"},
    Exception{Family::clang, 17, false, "--cuda-device-only", "linked objects all the same"},
    Exception{Family::clang, 17, false, "--offload-device-only", "linked objects all the same"},
    Exception{Family::clang, every, false, "@missing.rsp", "newer Clangs stop there"},
};

bool excepted(const Compiler& compiler, const Words& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(exceptions.begin(), exceptions.end(), [&](const Exception& one) {
      return one.family == compiler.family && compiler.version.major < one.below &&
             (word == one.word || (one.joined && word.starts_with(one.word)));
    });
  });
}

/// Each row of the table: options without a value link or stop, those with one take even `-c` as it.
void add_rows(std::vector<Words>& lines) {
  for (const cmdline::DriverOption& option : cmdline::driver_options()) {
    const std::string spelling(option.spelling);
    if (spelling.starts_with("-cc1") || option.meaning == cmdline::DriverMeaning::rest_inputs)
      continue; // only as the first argument
    const bool attaches = option.value == cmdline::DriverValue::joined ||
                          option.value == cmdline::DriverValue::joined_or_separate;
    if (attaches)
      lines.push_back({"a.o", spelling + "value", "-c"});
    if (option.value == cmdline::DriverValue::none)
      lines.push_back({"a.o", spelling});
    else if (option.value != cmdline::DriverValue::joined)
      lines.push_back({"a.o", spelling, "-c"});
  }
}

void add_literals(std::vector<Words>& lines) {
  const std::vector<Words> literals = {
      {"a.o"},
      {"a.cpp"},
      {"a.cpp", "a.o", "lib.a"},
      {"a.s"},
      {"script.ld"},
      {"noextension"},
      {"a.h"},
      {"b.hpp"},
      {"a.h", "a.o"},
      {"a.h", "-lm"},
      {"-x", "c++", "a.h"},
      {"-xc++", "a.h"},
      {"-x", "c++-header", "a.cpp"},
      {"-x", "c++-header", "a.cpp", "-x", "none", "a.o"},
      {"-x", "c++", "-"},
      {"-x", "c++", "-E", "-"},
      {"-shared", "a.o"},
      {"-shared", "-c", "a.cpp"},
      {"-r", "a.o"},
      {"-static", "a.o"},
      {"-pie", "a.o"},
      {"-static-pie", "a.o"},
      {"-E", "a.o"},
      {"-E", "-c", "a.cpp"},
      {"-M", "-c", "a.cpp"},
      {"-MM", "a.cpp"},
      {"-MD", "a.cpp"},
      {"-MMD", "-MF", "d", "a.cpp"},
      {"-MD", "-c", "a.cpp"},
      {"-MG", "-MP", "a.cpp"},
      {"-S", "-fsyntax-only", "a.cpp"},
      {"-fsyntax-only", "a.o"},
      {"-fmodules", "a.cpp"},
      {"-v", "a.o"},
      {"-###", "a.o"},
      {"-v"},
      {"-shared"},
      {"-lm"},
      {"-l", "m"},
      {"-Wl,--as-needed"},
      {"-Xlinker", "-c"},
      {"-save-temps", "a.cpp"},
      {"-pipe", "-O2", "-g", "a.cpp", "-o", "prog", "-L.", "-Wl,-rpath,."},
      {"@compile.rsp"},
      {"@link.rsp"},
      {"@nested.rsp"},
      {"@quoted.rsp"},
      {"@missing.rsp"},
      {"-o", "@name.rsp", "a.o"},
      {"@link.rsp", "-c"},
      {"@empty.rsp", "a.o"},
  };
  lines.insert(lines.end(), literals.begin(), literals.end());
}

void add_random(std::vector<Words>& lines, unsigned seed) {
  const std::vector<Words> pieces = {
      {"a.cpp"},
      {"a.o"},
      {"a.h"},
      {"b.hpp"},
      {"lib.a"},
      {"a.s"},
      {"-c"},
      {"-S"},
      {"-E"},
      {"-M"},
      {"-MM"},
      {"-MD"},
      {"-fsyntax-only"},
      {"-o", "-c"},
      {"-oout"},
      {"-o", "out"},
      {"-x", "c++"},
      {"-x", "none"},
      {"-xc++-header"},
      {"-include", "-S"},
      {"-Xlinker", "-E"},
      {"-Xpreprocessor", "-c"},
      {"-Xassembler", "-c"},
      {"-T", "-c"},
      {"-u", "-S"},
      {"-z", "now"},
      {"-L", "-c"},
      {"-lm"},
      {"-I", "-E"},
      {"-D", "-M"},
      {"-U", "-c"},
      {"-isystem", "-S"},
      {"-MF", "-c"},
      {"-MT", "-E"},
      {"-MQ", "-S"},
      {"--param", "ssp-buffer-size=4"},
      {"--sysroot", "/"},
      {"-shared"},
      {"-static"},
      {"-r"},
      {"-O2"},
      {"-Wall"},
      {"-fPIC"},
      {"-Wl,-z,now"},
      {"-pthread"},
      {"-v"},
      {"@compile.rsp"},
      {"@link.rsp"},
      {"@nested.rsp"},
      {"-B", "-c"},
      {"-idirafter", "-E"},
      {"-flto"},
      {"-e", "-c"},
      {"-iquote", "-S"},
  };
  std::mt19937 random(seed); // NOLINT(cert-msc51-cpp): the same every time
  for (std::size_t i = 0; i < random_lines; ++i) {
    Words line;
    for (auto count = 1 + random() % 6; count > 0; --count) {
      const Words& piece = pieces[random() % pieces.size()];
      line.insert(line.end(), piece.begin(), piece.end());
    }
    lines.push_back(line);
  }
}

void write_inputs() {
  for (const char* name :
       {"a.cpp", "a.o", "a.h", "b.hpp", "lib.a", "a.s", "script.ld", "noextension", "value"})
    write_file(name, "");
  write_file("compile.rsp", "-c a.cpp\n");
  write_file("link.rsp", "a.o 'lib.a' -o prog\n");
  write_file("nested.rsp", "-O2 @compile.rsp");
  write_file("quoted.rsp", R"(-D'X -c' "a.o" -DY=\ -S)");
  write_file("name.rsp", "-c");
  write_file("empty.rsp", " \n");
}

/// If there is nothing to link, Clang still passes these to the linker, and GCC does not.
bool only_linker_flags(const cxx::CxxCall& call, const Words& words) {
  return !call.generates_code && std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word == "-r" || word == "-e" || word == "-z" || word == "-rpath";
  });
}

cxx::CxxCall call_of(const Words& words) {
  const std::vector<std::string_view> views(words.begin(), words.end());
  return cxx::cxx_call(views, cmdline::DiskArgumentFiles{});
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words)
    text.append(text.empty() ? "" : " ").append(word);
  return text;
}

struct Count {
  std::size_t compared = 0;
  std::size_t wrong = 0;
};

Count compare(const Processes& processes, const Driver& driver, const std::vector<Words>& lines) {
  std::vector<Command> commands;
  for (const Words& line : lines) {
    Command command{{driver.path, "-###"}, {}, {}};
    command.argv.insert(command.argv.end(), line.begin(), line.end());
    commands.push_back(std::move(command));
  }
  // The lab's launchers add -Wl arguments, with which a driver links even without inputs.
  const std::vector<Command> question = {{{driver.path, "-###", "-x", "c++-header", "a.h"}, {}, {}}};
  const bool always_links = links(processes.run(question).front().errors);
  const std::vector<Outcome> outcomes = processes.run(commands);
  Count count;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const cxx::CxxCall call = call_of(lines[i]);
    const bool query =
        call.role == cxx::CxxCall::Role::query_host || call.role == cxx::CxxCall::Role::query_link;
    if (!outcomes[i].ok() || excepted(driver.compiler, lines[i]) || (always_links && !call.generates_code))
      continue;
    if (driver.compiler.family == Family::clang && only_linker_flags(call, lines[i]))
      continue;
    if (query && links(outcomes[i].errors) && lines[i].size() > 1)
      continue; // GCC prints the job next to the answer to --help and --version, and never runs it
    ++count.compared;
    const bool expected = links(outcomes[i].errors);
    if (expected == (call.role == cxx::CxxCall::Role::link))
      continue;
    ++count.wrong;
    std::printf("%s %s: %s\n", driver.path.c_str(), expected ? "links" : "does not link",
                joined(lines[i]).c_str());
  }
  return count;
}

} // namespace

int main(int /*argc*/, char** /*argv*/, char** envp) {
  const Environment environment = Environment::from(envp);
  const HostProcesses processes({std::chrono::seconds(30), std::size_t{1} << 20, 0});
  std::vector<Driver> drivers =
      lab_drivers(processes, environment, Family::gcc,
                  full(environment) ? std::initializer_list<int>{9, 10, 11, 12, 13, 14, 15, 16}
                                    : std::initializer_list<int>{12});
  for (Driver& clang :
       lab_drivers(processes, environment, Family::clang,
                   full(environment) ? std::initializer_list<int>{13, 14, 15, 16, 17, 18, 19, 21, 22}
                                     : std::initializer_list<int>{14}))
    drivers.push_back(std::move(clang));
  if (drivers.size() < 2)
    return lab_required(environment) ? 1 : skip_code;
  const Workplace workplace;
  write_inputs();
  std::vector<Words> lines;
  add_rows(lines);
  add_literals(lines);
  add_random(lines, 20261121);
  bool good = true;
  for (const Driver& driver : drivers) {
    const Count count = compare(processes, driver, lines);
    std::printf("%s: %zu of %zu lines accepted and compared, %zu wrong\n", driver.path.c_str(),
                count.compared, lines.size(), count.wrong);
    good = good && count.wrong == 0 && count.compared > random_lines;
  }
  return good ? 0 : 1;
}
