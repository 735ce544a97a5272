// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/check.hpp"

#include "stdlib-probe/facts/driver_facts.hpp"
#include "stdlib-probe/why/compile_command.hpp"
#include "stdlib-probe/why/explain.hpp"
#include "stdlib-probe/why/object.hpp"
#include "stdlib-probe/why/syntax.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/search.hpp"
#include "toolchains/base/termination.hpp"
#include "toolchains/compiler/driver_output.hpp"
#include "toolchains/library/library.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <future>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace hostpin::probe {

namespace {

// If a source takes longer, its compiler hangs.
constexpr std::chrono::minutes longest_compile{10};

/// The flags that decide which headers and libraries a driver uses; -include does not.
std::vector<std::string> flags_for_facts(const std::vector<std::string>& flags) {
  constexpr auto left_out = std::to_array<std::string_view>({"-include", "-imacros", "-include-pch", "-x"});
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (std::find(left_out.begin(), left_out.end(), flags[i]) != left_out.end())
      ++i;
    else if (!flags[i].starts_with("-include") && !flags[i].starts_with("-x"))
      kept.push_back(flags[i]);
  }
  return kept;
}

/// Compiles the source; an error has the compiler's message.
Result<std::string> compiled(const Invocation& invocation, Family family, const std::string& source,
                             const ScratchDirectory& workplace) {
  const std::string object = workplace.path() + "/object.o";
  Command command{object_command(invocation, family, source, object), "", {}};
  // These make a compiler write additional files.
  command.unset = {"DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "GCC_EXTRA_DIAGNOSTIC_OUTPUT"};
  command.own_temporary = true; // a compiler that is killed leaves its temporary files
  HostProcesses::Limits limits;
  limits.time = longest_compile;
  limits.ending = termination_signals();
  const HostProcesses processes(limits);
  const Outcome outcome = processes.run({&command, 1}).front();
  if (outcome.end != Outcome::End::exited || outcome.code != 0)
    return failure(fmt::format("{} cannot be compiled by its command: the compiler {}{}", source,
                               describe(outcome),
                               outcome.errors.empty() ? "" : ": " + complaint(lines_of(outcome.errors))),
                   "compile it once by hand, with the same command and in the same directory");
  return object;
}

/// Symbols of the syntax tree that a library may have to define.
std::vector<std::string> predicted_symbols(const Syntax& syntax) {
  std::vector<std::string> symbols;
  // Headers of GCC 13 and later refer to some by `.globl`.
  for (const Syntax::Assembly& assembly : syntax.assembly)
    for (const std::string_view word : words_of(assembly.text, 16))
      symbols.emplace_back(word);
  for (const Syntax::Node& node : syntax.nodes)
    if (node.may_be_absent)
      symbols.insert(symbols.end(), node.symbols.begin(), node.symbols.end());
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  return symbols;
}

} // namespace

Checker::Checker(const ProbeContext& context, const Limit& limit, const std::vector<SymbolRelease>& releases,
                 std::string library, bool predict)
    : context_(context), limit_(limit), releases_(releases), library_(std::move(library)), predict_(predict) {
}

Result<Facts> Checker::facts_of(const Invocation& invocation, const std::string& directory) {
  const auto driver = executable(invocation.driver, context_.environment);
  if (!driver)
    return failure("there is no compiler '" + invocation.driver + "'");
  DriverCandidate candidate{{absolute_path(*driver, directory)}, "compile command"};
  const std::vector<std::string> flags = flags_for_facts(invocation.flags);
  candidate.command.insert(candidate.command.end(), flags.begin(), flags.end());
  std::vector<std::string> key = candidate.command;
  key.push_back(directory);
  if (const auto known = facts_.find(key); known != facts_.end())
    return known->second;
  Result<Facts> facts = driver_facts(context_.files, context_.processes, {&candidate, 1}).front();
  return facts_.emplace(std::move(key), std::move(facts)).first->second;
}

Result<std::string> Checker::library_of(const Facts& facts) const {
  if (!library_.empty())
    return library_;
  if (facts.compiler.library.kind == "libc++")
    return failure("its compile command uses libc++, whose symbols have no versions",
                   "there is nothing of libstdc++ in it to check");
  if (facts.library && facts.library->shared)
    return facts.library->path;
  // A C driver (gcc) links no C++ library, but can print its path.
  auto asked = library_facts(context_.files, context_.processes, facts.compiler);
  if (!asked)
    return tl::unexpected(Error{asked.error().message, "name a libstdc++.so.6 with --library"});
  return asked->library.path;
}

Result<const LibrarySymbols*> Checker::symbols_of(const std::string& path) {
  if (const auto known = libraries_.find(path); known != libraries_.end())
    return &known->second;
  TRY_ASSIGN(auto symbols, library_symbols(context_.files, path));
  return &libraries_.emplace(path, std::move(symbols)).first->second;
}

void Checker::add_need(const std::string& symbol, const std::string& version, SourceAnswer& answer) const {
  switch (standing(limit_, symbol, version)) {
  case Standing::within:
    return;
  case Standing::not_comparable:
    answer.notes.push_back(fmt::format("{} has the version {}, which cannot be compared with the limit",
                                       demangled(symbol), version));
    return;
  case Standing::above:
    answer.needs.push_back({symbol, demangled(symbol), version, introduced_by(releases_, version), {}});
    return;
  }
}

Result<void> Checker::fill(const CompileCommand& command, SourceAnswer& answer) {
  TRY_ASSIGN(const auto words, expanded_words(context_.files, command.words, command.directory));
  TRY_ASSIGN(const auto call, invocation(words));
  answer.compiler = call.driver;
  for (const std::string& word : call.sources)
    if (word.starts_with('@') && !context_.files.status(absolute_path(word, command.directory)))
      return failure("there is no response file " + word.substr(1) + " in " + command.directory,
                     "its flags are needed: build again, as some build systems remove it afterwards");
  const auto status = context_.files.status(command.source);
  if (!status)
    return failure("there is no " + command.source, "the compile command runs in " + command.directory);
  // A pipe would block the compiler.
  if (status->kind != FileStatus::Kind::regular)
    return failure(command.source + " is not a file", "name a source file");
  std::error_code failed;
  std::filesystem::current_path(command.directory, failed);
  if (failed)
    return failure("cannot work in " + command.directory + ": " + failed.message(),
                   "that is the directory of the compile command");

  const Result<Facts> facts = facts_of(call, command.directory);
  const bool runs = facts.has_value() && !predict_;
  answer.predicted = !runs;
  if (!facts && library_.empty())
    return tl::unexpected(
        Error{facts.error().message,
              "without its compiler the need can only be predicted, for a library named with --library"});
  const auto library = library_of(facts.value_or(Facts{}));
  if (!library)
    return tl::unexpected(library.error());
  TRY_ASSIGN(const auto symbols, symbols_of(*library));
  answer.library = *library;

  const std::vector<std::string> own = own_directories(call.flags);
  std::vector<std::string> system;
  if (facts)
    system = system_directories(context_.files, facts->compiler, own);
  const std::vector<std::string> searched = system;
  for (std::string& directory : named_system_directories(call.flags))
    system.push_back(std::move(directory));
  const DeferTermination held;
  TRY_ASSIGN(const auto workplace, ScratchDirectory::make(context_.environment));
  std::future<Result<std::string>> compiling;
  if (runs)
    compiling =
        std::async(std::launch::async | std::launch::deferred, [&] { // deferred if there is no thread left
          return compiled(call, facts->compiler.family, command.source, workplace);
        });
  Result<Syntax> syntax = read_syntax(
      parse_plan(call, command, facts ? &facts->compiler : nullptr, searched, context_.resources));

  std::optional<ObjectGraph> object;
  if (runs) {
    TRY_ASSIGN(const auto path, compiling.get());
    auto graph = ObjectGraph::read(path);
    if (!graph)
      return tl::unexpected(Error{graph.error().message, "the command has to write an ELF object"});
    object = std::move(*graph);
    for (const ObjectGraph::Undefined& undefined : object->undefined())
      if (const auto known = symbols->linked.find(undefined.symbol); known != symbols->linked.end())
        add_need(known->first, known->second, answer);
  } else {
    if (!syntax)
      return tl::unexpected(syntax.error());
    if (syntax->errors > 0)
      return failure(fmt::format("{} cannot be predicted: Clang finds {} errors in it, first {}",
                                 command.source, syntax->errors, syntax->first_error),
                     "give the flags of its real compile command, with a compiler that runs");
    answer.notes.emplace_back(
        "this is a prediction from the source alone, an upper bound: it was not compiled");
    for (const std::string& symbol : predicted_symbols(*syntax))
      if (const auto known = symbols->linked.find(symbol); known != symbols->linked.end())
        add_need(known->first, known->second, answer);
  }
  if (!answer.needs.empty() && (!syntax || syntax->errors > 0))
    answer.notes.push_back(
        fmt::format("Clang does not understand all of the source, so names may be GCC's: {}",
                    syntax ? syntax->first_error : syntax.error().message));

  for (const std::string& file : syntax ? syntax->system_files : std::vector<std::string>{})
    if (!facts)
      system.push_back(std::filesystem::path(file).parent_path().string());
  const Ownership ownership(context_.files, system, own);
  const Explanation explanation(object ? &*object : nullptr, syntax ? &*syntax : nullptr, ownership);
  for (Need& need : answer.needs)
    need.uses = explanation.uses_of(need.symbol);
  std::sort(answer.needs.begin(), answer.needs.end(), [](const Need& a, const Need& b) {
    return a.version == b.version ? a.demangled < b.demangled : newer(a.version, b.version);
  });
  return {};
}

Result<void> Checker::fill_from_object(const CompileCommand& command, const std::vector<std::string>& symbols,
                                       SourceAnswer& answer) {
  TRY_ASSIGN(const auto call, invocation(command.words));
  answer.compiler = call.driver;
  TRY_ASSIGN(const auto facts, facts_of(call, command.directory));
  TRY_ASSIGN(auto graphs, ObjectGraph::read_all(command.source));
  const LibrarySymbols* known = nullptr;
  if (symbols.empty()) {
    const auto library = library_of(facts);
    TRY_ASSIGN(const auto defined, library ? symbols_of(*library) : tl::unexpected(library.error()));
    answer.library = *library;
    known = defined;
  }
  const std::vector<std::string> own = own_directories(call.flags);
  std::vector<std::string> system = system_directories(context_.files, facts.compiler, own);
  for (std::string& directory : named_system_directories(call.flags))
    system.push_back(std::move(directory));
  const Ownership ownership(context_.files, system, own);
  for (const ObjectGraph& object : graphs) {
    const std::size_t before = answer.needs.size();
    for (const ObjectGraph::Undefined& undefined : object.undefined())
      if (known == nullptr) {
        if (std::find(symbols.begin(), symbols.end(), undefined.symbol) != symbols.end())
          answer.needs.push_back({undefined.symbol, demangled(undefined.symbol), {}, {}, {}});
      } else if (const auto found = known->linked.find(undefined.symbol); found != known->linked.end()) {
        add_need(found->first, found->second, answer);
      }
    const Explanation explanation(&object, nullptr, ownership);
    for (std::size_t i = before; i < answer.needs.size(); ++i)
      answer.needs[i].uses = explanation.uses_of(answer.needs[i].symbol);
  }
  return {};
}

SourceAnswer Checker::check_object(const CompileCommand& command, const std::vector<std::string>& symbols) {
  SourceAnswer answer;
  answer.source = command.source;
  if (auto done = fill_from_object(command, symbols, answer); !done)
    answer.error = done.error();
  return answer;
}

SourceAnswer Checker::check(const CompileCommand& command) {
  SourceAnswer answer;
  answer.source = command.source;
  if (auto done = fill(command, answer); !done)
    answer.error = done.error();
  return answer;
}

} // namespace hostpin::probe
