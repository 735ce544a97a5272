// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/linker.hpp"

#include "hooks/lto-check/linker/gcc_reader.hpp"
#include "hooks/lto-check/linker/llvm_reader.hpp"
#include "hooks/lto-check/linker/memory.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/library/library.hpp"

#include <array>
#include <fstream>

namespace hostpin {

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
                           const LinkTools& tools) {
  const std::string real = tools.files.real_path(linker.path).value_or(linker.path);
  const std::vector<std::string> question{"loads", linker.path, real, plugin};
  if (recall(tools, question))
    return {};
  const DeferTermination held;
  const auto scratch = ScratchDirectory::make(tools.environment);
  const std::string trial = scratch ? scratch->path() + "/trial.o" : std::string();
  const bool mold = linker.family == LinkerFamily::mold;
  // Only the magic of bitcode: no plugin takes that.
  if (mold && !(std::ofstream(trial, std::ios::binary) << "BC\xC0\xDE").flush())
    return {};
  const Command ask{loading(linker, plugin, emulation.empty() ? "elf_x86_64" : emulation, trial), "", {}};
  const Outcome outcome = tools.processes.run({&ask, 1}).front();
  for (const std::string_view mark :
       {"could not load plugin library: ", "error loading plugin: ", "could not open plugin file: "})
    if (const std::size_t at = outcome.errors.find(mark); at != std::string::npos) {
      const std::size_t begin = at + mark.size();
      return outcome.errors.substr(begin, outcome.errors.find('\n', begin) - begin);
    }
  // Only success is cached: no file shows when another missing library is installed.
  if (outcome.ok() || mold)
    remember(tools, question, "",
             {linker.path, real, plugin, tools.files.real_path(plugin).value_or(plugin)});
  return {};
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
  const std::vector<std::string> question{"directories", path, real, words.emulation};
  auto script = recall(tools, question);
  if (!script) {
    Command ask{{path, "--verbose"}, "", {}};
    if (!words.emulation.empty())
      ask.argv.insert(ask.argv.end(), {"-m", words.emulation});
    const Outcome outcome = tools.processes.run({&ask, 1}).front();
    script = outcome.ok() ? outcome.output : std::string(); // others require inputs
    remember(tools, question, *script, {path, real});
  }
  constexpr auto command = std::to_array<std::string_view>({"SEARCH_DIR"});
  std::vector<std::string> directories = script_words(*script, command);
  for (std::string& directory : directories)
    if (directory.starts_with('='))
      directory.replace(0, 1, words.sysroot);
  return directories;
}

Result<Linker> learn_linker(const std::string& path, const cmdline::LinkerCommand& words,
                            const std::vector<std::string>& driver, const LinkTools& tools) {
  const std::string real = tools.files.real_path(path).value_or(path);
  const std::vector<std::string> question{"linker", path, real};
  auto text = recall(tools, question);
  if (!text) {
    const Command ask{{path, "--version"}, "", {}};
    Outcome outcome = tools.processes.run({&ask, 1}).front();
    if (!outcome.ok())
      return failure("the linker " + path + " does not print its version: " + describe(outcome),
                     "name another with -fuse-ld=, or repair that one");
    text = std::move(outcome.output);
    remember(tools, question, *text, {path, real});
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
    linker.unloadable = load_complaint(linker, plugin, words.emulation, tools);
    if (!linker.unloadable.empty())
      return linker;
    const std::string_view file = base_name(plugin);
    if (file.find("LLVMgold") != std::string::npos) {
      auto reader = learn_llvm_plugin(plugin, tools.files);
      if (!reader)
        return tl::unexpected(reader.error());
      linker.llvm = *reader;
    } else if (file.find("lto_plugin") != std::string::npos) {
      auto reader = learn_gcc_reader(driver, words.lto_wrapper, tools);
      if (!reader)
        return tl::unexpected(reader.error());
      linker.gcc = *reader;
    }
  }
  const bool collect2 = base_name(words.program) == "collect2";
  if (collect2 && words.plugins.empty() && !words.no_lto) {
    auto reader = learn_gcc_reader(driver, words.lto_wrapper, tools);
    if (!reader)
      return tl::unexpected(reader.error());
    linker.gcc = *reader;
    linker.gcc->by_collect2 = true;
  }
  return linker;
}

} // namespace hostpin
