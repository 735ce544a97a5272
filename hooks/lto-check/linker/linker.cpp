// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/linker.hpp"

#include "hooks/lto-check/bitstream/bitstream.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/binary/elf.hpp"
#include "toolchains/binary/machine.hpp"
#include "toolchains/cmdline/launchers.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/probe.hpp"
#include "toolchains/library/library.hpp"
#include "toolchains/library/link_search.hpp"

#include <array>
#include <charconv>
#include <fstream>

namespace hostpin::lto {

namespace {

struct Family {
  const char* name;
  std::string_view mark; ///< in the first lines of its --version, before the number
};
// In the order of LinkerFamily. GNU ld and gold print the distribution's name in parentheses before the
// number, NVIDIA its copyright; gold's own number comes after that of binutils.
constexpr auto families = std::to_array<Family>(
    {{"bfd", "GNU ld "}, {"gold", "GNU gold "}, {"mold", "mold "}, {"lld", "LLD "}, {"nvlink", "release "}});

constexpr std::string_view digits = "0123456789";

/// The first number after a part in parentheses: `2.40` in `(GNU Binutils for Debian) 2.40`.
Version first_number(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.starts_with('('))
    if (const std::size_t close = text.find(')'); close != std::string_view::npos)
      text.remove_prefix(close + 1);
  const std::size_t begin = text.find_first_of(digits);
  if (begin == std::string_view::npos)
    return {};
  text.remove_prefix(begin);
  text = text.substr(0, text.find_first_not_of("0123456789."));
  while (!text.empty()) {
    if (const auto version = parse_version(text))
      return *version;
    text = text.substr(0, text.find_last_of('.') == std::string_view::npos ? 0 : text.find_last_of('.'));
  }
  return {};
}

/// A command that makes the linker load a plugin and do nothing else. GNU ld and gold load it before they
/// answer -v; mold at the first input for a plugin, `trial`.
std::vector<std::string> loading(const Linker& linker, const std::string& plugin,
                                 const std::string& emulation, const std::string& trial) {
  if (linker.family != LinkerFamily::mold)
    return {linker.path, "-plugin", plugin, "-v"};
  return {linker.path, "-m", emulation, "-plugin", plugin, trial, "-o", trial + ".out"};
}

/// The linker's message if it cannot load a plugin: one of another installation may need a newer C library
/// than the linker has loaded.
std::string load_complaint(const Linker& linker, const std::string& plugin, const std::string& emulation,
                           const LinkTools& tools, const LinkerRun& run) {
  const std::string real = tools.files.real_path(linker.path).value_or(linker.path);
  std::vector<std::string> words{"loads", linker.path, real, plugin,
                                 tools.environment["LD_LIBRARY_PATH"].value_or("")};
  words.insert(words.end(), run.set.begin(), run.set.end());
  words.insert(words.end(), run.unset.begin(), run.unset.end());
  const CachedQuestion question(tools, std::move(words));
  if (question.answer())
    return {};
  const DeferTermination held;
  const auto scratch = ScratchDirectory::make(tools.environment);
  const std::string trial = scratch ? scratch->path() + "/trial.o" : std::string();
  const bool mold = linker.family == LinkerFamily::mold;
  // Only the magic of bitcode: no plugin takes that.
  if (mold && !(std::ofstream(trial, std::ios::binary) << "BC\xC0\xDE").flush())
    return {};
  const std::string used = emulation.empty() ? emulation_of(binary::own_triple()) : emulation;
  const Command ask{loading(linker, plugin, used, trial), "", {}};
  const Outcome outcome = AsLinker(tools.processes, run).run({&ask, 1}).front();
  for (const std::string_view mark :
       {"could not load plugin library: ", "error loading plugin: ", "could not open plugin file: "})
    if (const std::size_t at = outcome.errors.find(mark); at != std::string::npos) {
      const std::size_t begin = at + mark.size();
      return outcome.errors.substr(begin, outcome.errors.find('\n', begin) - begin);
    }
  // Only success is cached: no file shows when another missing library is installed.
  if (outcome.ok() || mold)
    question.store("", {linker.path, real, plugin, tools.files.real_path(plugin).value_or(plugin)});
  return {};
}

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

constexpr std::size_t largest_plugin = std::size_t{32} << 20U; // one that contains LLVM has 100 MB

int number_at(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int number_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.rfind(mark);
  return at == std::string_view::npos ? 0 : number_at(text.substr(at + mark.size()));
}

} // namespace

const char* to_string(LinkerFamily family) {
  return families[static_cast<std::size_t>(family)].name;
}

std::optional<LinkerName> linker_name(std::string_view text) {
  text = text.substr(0, 400);
  // Some print what they are compatible with; their own name comes first.
  std::optional<LinkerName> name;
  std::size_t first = std::string_view::npos;
  const bool nvidia = text.find("NVIDIA") != std::string_view::npos;
  for (std::size_t i = 0; i < families.size(); ++i) {
    const auto family = static_cast<LinkerFamily>(i);
    const std::size_t at = text.find(families[i].mark);
    if (at >= first || (family == LinkerFamily::nvlink) != nvidia)
      continue;
    first = at;
    name = LinkerName{family, first_number(text.substr(at + families[i].mark.size()))};
  }
  return name;
}

std::vector<std::string> own_directories(const std::string& path, const cmdline::LinkerCommand& words,
                                         const LinkTools& tools) {
  if (words.no_own_directories)
    return {};
  const std::string real = tools.files.real_path(path).value_or(path);
  const CachedQuestion question(tools, {"directories", path, real, words.emulation});
  auto script = question.answer();
  if (!script) {
    Command ask{{path, "--verbose"}, "", {}};
    if (!words.emulation.empty())
      ask.argv.insert(ask.argv.end(), {"-m", words.emulation});
    const Outcome outcome = tools.processes.run({&ask, 1}).front();
    script = outcome.ok() ? outcome.output : std::string(); // others require inputs
    question.store(*script, {path, real});
  }
  constexpr auto command = std::to_array<std::string_view>({"SEARCH_DIR"});
  std::vector<std::string> directories = script_words(*script, command);
  for (std::string& directory : directories)
    if (directory.starts_with('='))
      directory.replace(0, 1, words.sysroot);
  return directories;
}

Result<Linker> learn_linker(const std::string& path, const cmdline::LinkerCommand& words,
                            const std::vector<std::string>& driver, const LinkTools& tools,
                            const LinkerRun& run) {
  const std::string real = tools.files.real_path(path).value_or(path);
  const AsLinker as_linker(tools.processes, run);
  const CachedQuestion question(tools, {"linker", path, real});
  auto text = question.answer();
  if (!text) {
    const Command ask{{path, "--version"}, "", {}};
    Outcome outcome = as_linker.run({&ask, 1}).front();
    if (!outcome.ok())
      return failure("the linker " + path + " does not print its version: " + describe(outcome),
                     "name another with -fuse-ld=, or reinstall that one");
    text = std::move(outcome.output);
    question.store(*text, {path, real});
  }
  const auto name = linker_name(*text);
  if (!name)
    return failure(path + " is not a known linker; it prints: " + text->substr(0, text->find('\n')),
                   "link with GNU ld, gold, lld or mold, or pass -fno-lto");
  Linker linker{path, name->family, name->version, std::nullopt, std::nullopt};
  if (linker.family == LinkerFamily::nvlink)
    return linker;
  if (linker.family == LinkerFamily::lld) {
    linker.llvm = LlvmReader{linker.version.major, "lld"};
    // lld loads no plugins, and collect2 leaves LTO to the linker if the command names a plugin.
    if (!words.plugins.empty())
      return linker;
  }
  for (const std::string& plugin : words.plugins) {
    linker.unloadable = load_complaint(linker, plugin, words.emulation, tools, run);
    if (!linker.unloadable.empty())
      return linker;
    const std::string_view file = base_name(plugin);
    if (file.find("LLVMgold") != std::string::npos) {
      TRY_ASSIGN(auto reader, learn_llvm_plugin(plugin, tools.files));
      linker.llvm = reader;
    } else if (file.find("lto_plugin") != std::string::npos) {
      TRY_ASSIGN(auto reader, learn_gcc_reader(driver, words.lto_wrapper, tools));
      linker.gcc = reader;
    }
  }
  const bool collect2 = base_name(words.program) == "collect2";
  if (collect2 && words.plugins.empty() && !words.no_lto) {
    TRY_ASSIGN(auto reader, learn_gcc_reader(driver, words.lto_wrapper, tools));
    linker.gcc = reader;
    linker.gcc->by_collect2 = true;
  }
  return linker;
}

Result<GccReader> learn_gcc_reader(const std::vector<std::string>& driver, const std::string& lto_wrapper,
                                   const LinkTools& tools) {
  if (driver.empty())
    return failure("a linker that is called directly with GCC's plugin (" + lto_wrapper +
                       ") does not name the GCC that it calls",
                   "give the command of the compiler driver instead, or set COLLECT_GCC to that GCC");
  std::vector<std::string> words{"gcc reader"};
  words.insert(words.end(), driver.begin(), driver.end());
  append_driver_variables(words, tools);
  const std::string program = executable(driver.front(), tools.environment).value_or(driver.front());
  const std::string name = cmdline::driver_words(driver).back(); // after ccache and the like
  const std::string compiler = executable(name, tools.environment).value_or(name);
  words.push_back(program);
  words.push_back(tools.directory);
  const CachedQuestion question(tools, std::move(words));
  if (const auto known = question.answer())
    if (auto reader = read_back(*known))
      return *reader;

  std::vector<std::string> found = driver;
  found.front() = program;
  const DeferTermination held;
  TRY_ASSIGN(const auto scratch, ScratchDirectory::make(tools.environment));
  const std::string object = scratch.path() + "/empty.o";
  std::string complaints, hint;
  // Only one of the front ends need be installed.
  for (const char* language : {"c", "c++"}) {
    const Command compile{compilation(found, language, object), "", variables_that_write_files()};
    const Outcome outcome = tools.processes.run({&compile, 1}).front();
    const auto reader = outcome.ok() ? reader_of_object(object) : std::nullopt;
    if (reader) {
      const std::string lto1 = lto1_of(found, tools);
      question.store(written(*reader), {program, tools.files.real_path(program).value_or(program), compiler,
                                        tools.files.real_path(compiler).value_or(compiler), lto1,
                                        tools.files.real_path(lto1).value_or(lto1)});
      return *reader;
    }
    complaints = outcome.ok()                          ? "it does not write LTO code with -flto"
                 : outcome.end == Outcome::End::exited ? complaint(lines_of(outcome.errors))
                                                       : describe(outcome);
    hint = outcome.ok() ? "install that GCC with LTO, or link with -fno-lto"
                        : "run `" + driver.front() + (driver.size() > 1 ? " ... " : " ") +
                              "-flto -c` with an empty file to see its errors, or link with -fno-lto";
  }
  return failure("cannot determine which LTO code " + name + " reads: " + complaints, hint, ErrorKind::lto);
}

int llvm_of_soname(std::string_view soname) {
  for (const std::string_view mark : {"libLLVM.so.", "libLLVM-"})
    if (soname.starts_with(mark))
      return number_at(soname.substr(mark.size()));
  return 0;
}

Result<LlvmReader> learn_llvm_plugin(const std::string& path, const Files& files) {
  const std::string real = files.real_path(path).value_or(path);
  const auto status = files.status(real);
  if (!status)
    return failure("there is no linker plugin " + path, "install it, or link with -fuse-ld=lld");
  if (status->size <= largest_plugin) {
    const auto bytes = files.read(real, largest_plugin);
    if (!bytes)
      return failure("the linker plugin " + path + " cannot be read: " + bytes.error().message,
                     "reinstall it");
    const auto object = binary::read_shared_object(*bytes);
    if (!object)
      return failure("the linker plugin " + path + " cannot be used: " + object.error().message,
                     "reinstall it");
    for (const std::string& needed : object->needed)
      if (const int major = llvm_of_soname(needed); major > 0)
        return LlvmReader{major, path};
  }
  // A plugin that contains LLVM, as upstream builds it, is in that release's own directory.
  for (const std::string_view mark : {"/llvm-", "/llvm", "LLVM-", "/clang+llvm-"})
    if (const int major = number_after(real, mark); major > 0)
      return LlvmReader{major, path};
  return failure("the linker plugin " + path + " does not name its LLVM release", "link with -fuse-ld=lld");
}

} // namespace hostpin::lto
