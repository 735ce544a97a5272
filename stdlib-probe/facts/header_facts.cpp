// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/header_facts.hpp"

#include "stdlib-probe/facts/facts.hpp"
#include "stdlib-probe/facts/preprocess.hpp"
#include "stdlib-probe/parse/layout.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/compiler/probe.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace hostpin::probe {

namespace {

// The target for loose headers if no directory names one: no answer depends on it.
constexpr const char* any_triple = "x86_64-linux-gnu";

/// Flags after `--`, sorted by what uses them.
struct HeaderFlags {
  std::vector<std::string> preprocessor;
  std::string stdlib; ///< of -stdlib=; empty: any
  bool archives = false, library_as_archive = false, standard = false;
};

Result<HeaderFlags> header_flags(const std::vector<std::string>& flags) {
  constexpr auto passed =
      std::to_array<std::string_view>({"-D", "-U", "-std=", "-isystem", "-I", "-include"});
  HeaderFlags sorted;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string_view flag = flags[i];
    const auto* const known = std::find_if(passed.begin(), passed.end(),
                                           [&](std::string_view each) { return flag.starts_with(each); });
    if (flag.starts_with("-stdlib=")) {
      sorted.stdlib = flag.substr(std::string_view("-stdlib=").size());
    } else if (flag == "-static" || flag == "-static-pie") {
      sorted.archives = true;
    } else if (flag == "-static-libstdc++") {
      sorted.library_as_archive = true;
    } else if (known != passed.end()) {
      sorted.standard = sorted.standard || *known == "-std=";
      sorted.preprocessor.push_back(flags[i]);
      if (flag == *known && i + 1 < flags.size())
        sorted.preprocessor.push_back(flags[++i]);
    } else {
      return failure(
          "the flag '" + flags[i] + "' needs a compiler",
          "--sysroot and --headers accept -D, -U, -I, -isystem, -include, -std=, -stdlib=, -static and "
          "-static-libstdc++");
    }
  }
  if (!sorted.stdlib.empty() && sorted.stdlib != "libc++" && sorted.stdlib != "libstdc++")
    return failure("there is no standard library '" + sorted.stdlib + "'",
                   "use -stdlib=libstdc++ or -stdlib=libc++");
  return sorted;
}

bool wanted(const HeaderSet& set, const FactsOptions& options, const HeaderFlags& flags) {
  if (!flags.stdlib.empty() && set.libcxx != (flags.stdlib == "libc++"))
    return false;
  const bool gcc =
      options.gcc.empty() || set.version == options.gcc || set.version.starts_with(options.gcc + '.');
  const bool target = options.target.empty() || set.triple.empty() ||
                      normalised_target(set.triple, 0) == normalised_target(options.target, 0);
  return gcc && target;
}

/// What a driver of this set would pass to the linker.
cmdline::LinkerCommand link_of(const HeaderSet& set, const HeaderFlags& flags, const std::string& sysroot) {
  cmdline::LinkerCommand command;
  command.directories = set.libraries;
  command.sysroot = sysroot;
  command.emulation = emulation_of(set.triple);
  command.inputs.push_back(
      {set.libcxx ? "c++" : "stdc++", true, !flags.archives && !flags.library_as_archive});
  for (const char* const name : {"gcc_s", "c"})
    if (name != std::string_view("gcc_s") || !flags.archives)
      command.inputs.push_back({name, true, !flags.archives});
  return command;
}

void explain(const HeaderSet& set, const HeaderFlags& flags, const Preprocessed& read, Facts& facts) {
  Compiler& compiler = facts.compiler;
  explain_headers(facts);
  if (!flags.standard) {
    compiler.default_cplusplus = 0;
    facts.unknown["cplusplus"] = "the default standard depends on the compiler, and none was run";
  }
  if (compiler.c_library.empty() && set.triple.find("musl") != std::string::npos)
    compiler.c_library = "musl";
  if (compiler.c_library.empty())
    facts.unknown["libc"] = facts.unknown["glibc"] =
        std::find(read.missing.begin(), read.missing.end(), "features.h") != read.missing.end()
            ? "no directory has <features.h>"
            : "the headers of the C library do not identify it";
  if (set.triple.empty())
    facts.unknown["target"] = "no directory is named after a target";
}

Result<Facts> facts_of(const Files& files, const HeaderSet& set, const FactsOptions& options,
                       const HeaderFlags& flags, const std::string& resources) {
  HeaderSearchPlan plan;
  plan.triple = !options.target.empty() ? options.target : set.triple.empty() ? any_triple : set.triple;
  plan.gcc_version = set.version.empty() ? "4.2.1" : set.version;
  plan.directories = set.directories;
  plan.flags = flags.preprocessor;
  plan.resources = resources;
  TRY_ASSIGN(auto read, preprocessed(plan, probe_question()));
  const Marked marked = marked_numbers(read.words);
  Facts facts;
  facts.by_compiler = false;
  facts.compiler = library_answer(marked);
  const std::string& where = set.directories.front();
  if (facts.compiler.library.kind.empty()) {
    std::string why = read.mistake;
    if (why.empty() && !read.missing.empty())
      why = "<" + read.missing.front() + "> does not exist";
    return failure(where + " has no readable C++ standard library" + (why.empty() ? "" : ": " + why),
                   "name the directories of the target's own headers as well");
  }
  if (marked.find("end") == marked.end())
    return failure(where + ": its headers are incomplete" +
                   (read.mistake.empty() ? std::string() : ": " + read.mistake));
  const std::string triple = set.triple.empty() ? options.target : set.triple;
  facts.compiler.target = triple.empty() ? "" : normalised_target(triple, 0);
  facts.compiler.gcc_install = set.gcc_install;
  facts.compiler.include_directories = set.directories;
  facts.dependencies = read.files;
  facts.dependencies.insert(facts.dependencies.end(), set.directories.begin(), set.directories.end());
  explain(set, flags, read, facts);
  if (!set.libraries.empty()) {
    facts.sysroot = options.sysroot;
    take_linked(files, link_of(set, flags, options.sysroot), facts);
  } else {
    for (const char* const member : {"library", "c_library", "libgcc_s"})
      facts.unknown[member] = "headers alone do not determine a library: use --sysroot";
  }
  return facts;
}

/// What was found, for the message that none of it matches.
std::string names_of(const std::vector<HeaderSet>& sets) {
  std::string text;
  for (const HeaderSet& set : sets)
    text += (text.empty() ? "" : ", ") +
            (set.libcxx            ? "libc++"
             : set.version.empty() ? "libstdc++"
                                   : "GCC " + set.version) +
            (set.triple.empty() ? "" : " for " + set.triple);
  return text;
}

Result<std::vector<std::string>> absolute(const Files& files, std::vector<std::string> paths) {
  for (std::string& path : paths) {
    const auto status = files.status(path);
    if (!status || status->kind != FileStatus::Kind::directory)
      return failure(path + ' ' + (status ? "is not a directory" : absence(files, path)), "name a directory");
    path = files.real_path(path).value_or(path);
  }
  return paths;
}

} // namespace

Result<HeaderAnswers> header_facts(const Files& files, const FactsOptions& asked,
                                   const std::string& resources) {
  TRY_ASSIGN(const auto flags, header_flags(asked.flags));
  FactsOptions options = asked;
  const bool whole = !options.sysroot.empty();
  TRY_ASSIGN(const auto roots, absolute(files, whole ? std::vector{options.sysroot} : options.headers));
  HeaderLayout layout;
  if (whole) {
    options.sysroot = roots.front();
    layout = sysroot_headers(files, options.sysroot == "/" ? "" : options.sysroot);
  } else {
    layout = loose_headers(files, roots);
  }
  std::vector<HeaderSet>& sets = layout.sets;
  const std::string found = names_of(sets);
  std::erase_if(sets, [&](const HeaderSet& set) { return !wanted(set, options, flags); });
  if (sets.empty())
    return found.empty() ? failure(roots.front() + " contains no headers of a C++ standard library",
                                   whole ? "is it the root of a system, with usr/include and usr/lib/gcc?"
                                         : "name a directory with <cstddef>, or one above it")
                         : failure(roots.front() + " has no such headers", "it has headers of " + found);
  HeaderAnswers answers;
  answers.looked = std::move(layout.looked);
  for (const HeaderSet& set : sets)
    answers.facts.push_back(facts_of(files, set, options, flags, resources));
  return answers;
}

} // namespace hostpin::probe
