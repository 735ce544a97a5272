// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/choice.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace hostpin::setup {

namespace {

std::string name_of(Family family, int major) {
  return fmt::format("{} {}", family == Family::clang ? "Clang" : "GCC", major);
}

/// What the suites that could be read have, and the first error of those that could not.
struct Answers {
  std::string text;
  std::optional<Error> error;

  void add(const std::string& suite, const std::string& has) {
    text += fmt::format("\n  {}  {}", suite, has.empty() ? "none" : has);
  }
  void add(const std::string& suite, const Error& failed) {
    const std::size_t first = failed.message.find('\n');
    const bool is_first = !error;
    if (is_first)
      error = failed;
    text += fmt::format("\n  {}  {}", suite, failed.message.substr(0, first));
    if (is_first && first != std::string::npos)
      for (const std::string& line : filled_parts(failed.message.substr(first), "\n"))
        text += "\n  " + line;
    else if (text.ends_with(':'))
      text.pop_back();
  }
};

std::string majors_text(const SuiteOffer& offer) {
  return joined(offer.compilers, ", ",
                [](const CompilerOffer& one) { return name_of(one.family, one.major); });
}

/// Whether headers of that C library fit the toolkit, as far as is known without comparing them.
bool glibc_fits(const Version& glibc, const ChosenToolkit& toolkit, const Table& table) {
  const NewestGlibc* const newest = table.newest_glibc(toolkit.toolkit.version);
  return newest == nullptr || glibc <= newest->glibc;
}

/// The same for the headers that the stdenv reads, which may have been compared with the toolkit.
bool own_headers_fit(const Compiler& stdenv, const ChosenToolkit& toolkit, const Table& table) {
  for (const LibcComparison& each : toolkit.acceptance.libcs)
    if (each.c_headers == stdenv.c_headers && each.clashes)
      return each.clashes->empty();
  return !stdenv.glibc || glibc_fits(*stdenv.glibc, toolkit, table);
}

/// Headers for a compiler of one suite.
struct Headers {
  std::string from; ///< as in Piece
  Version glibc;
  std::optional<SuiteOffer> suite;
};

std::optional<Headers> headers_for(PackageClient& client, const SuiteOffer& offer, const Compiler& stdenv,
                                   const ChosenToolkit& toolkit, const Table& table) {
  const Version own = stdenv.glibc.value_or(Version{});
  if (own_headers_fit(stdenv, toolkit, table))
    return Headers{"machine", own, {}};
  const auto fits = [&](const Version& glibc) {
    return glibc != Version{} && glibc < own && glibc_fits(glibc, toolkit, table);
  };
  if (fits(offer.glibc))
    return Headers{"suite", offer.glibc, {}};
  for (const std::string& name : client.suites())
    if (auto other = client.offer(name); other && fits(other->glibc))
      return Headers{"piece", other->glibc, *std::move(other)};
  return std::nullopt;
}

/// Majors that would fit, the preferred one first. One that the user asks for may be newer than the stdenv,
/// as with `hostpin bind --host`.
std::vector<int> wanted_majors(const Asked& asked, Family family, const Compiler& stdenv,
                               const ChosenToolkit& toolkit, const Version& glibc, const Table& table) {
  Compiler imagined = stdenv;
  imagined.glibc = glibc;
  imagined.c_headers.clear();
  Acceptance acceptance = toolkit.acceptance;
  acceptance.libcs.clear();
  if (!asked.family)
    return fitting_majors(family, imagined, toolkit.toolkit, acceptance, table);
  imagined.family = family;
  imagined.version = {asked.major, 0, 0};
  return judge(imagined, toolkit.toolkit, acceptance, table).verdict == Verdict::fits
             ? std::vector<int>{asked.major}
             : std::vector<int>();
}

const CompilerOffer* find(const SuiteOffer& offer, Family family, int major) {
  const auto found = std::ranges::find_if(offer.compilers, [&](const CompilerOffer& each) {
    return each.family == family && each.major == major;
  });
  return found == offer.compilers.end() ? nullptr : &*found;
}

std::string reason(const OfferedCompiler& chosen, const ChosenToolkit& toolkit) {
  std::string text =
      fmt::format("newest of {} that fits CUDA {} and the stdenv", chosen.suite.suite,
                  to_string(Version{toolkit.toolkit.version.major, toolkit.toolkit.version.minor, 0}));
  if (chosen.headers != "machine")
    text += "; the C library headers of this machine do not fit it";
  return text;
}

std::string release_of(const ChosenToolkit& toolkit) {
  return to_string(Version{toolkit.toolkit.version.major, toolkit.toolkit.version.minor, 0});
}

/// Nothing fits: an answer only if all suites could be read.
tl::unexpected<NoPlan> nothing_fits(std::string message, std::string hint, const Answers& answers,
                                    ErrorKind kind = ErrorKind::other) {
  Error error{std::move(message), std::move(hint), kind};
  if (answers.error && !answers.error->hint.empty()) {
    error.hint = answers.error->hint;
    error.kind = answers.error->kind;
  }
  return tl::unexpected(NoPlan(std::move(error), !answers.error));
}

} // namespace

Planned<OfferedToolkit> choose_toolkit(PackageClient& client, const Asked& asked) {
  Answers answers;
  for (const std::string& name : client.suites()) {
    auto offer = client.offer(name);
    if (!offer) {
      answers.add(name, offer.error());
      continue;
    }
    if (offer->toolkit && is_wanted(offer->toolkit->version, asked))
      return OfferedToolkit{*std::move(offer)};
    answers.add(name, offer->toolkit ? "CUDA " + to_string(offer->toolkit->version) : "");
  }
  const std::string what = asked.cuda ? "CUDA " + to_string(*asked.cuda) : "a CUDA toolkit";
  return nothing_fits(
      fmt::format("{} is in no suite that {} knows here:{}", what, client.name(), answers.text),
      "name another release with --cuda, a suite with --suite, or NVIDIA's own with "
      "--from redist or --from wheels",
      answers);
}

Result<Acceptance> documented_acceptance(const Version& toolkit, const Table& table) {
  Acceptance acceptance;
  const DocumentedRange* const row = table.documented(toolkit);
  if (row == nullptr)
    return failure(fmt::format("CUDA {} is not in the tables of this hostpin, so no compiler can be chosen "
                               "for it before it is there",
                               to_string(toolkit)),
                   "name the compiler with --gcc or --clang, or another release with --cuda");
  acceptance.documented = *row;
  return acceptance;
}

std::optional<Judgement> usable_compiler(const Compiler& stdenv, const std::vector<Judgement>& judged,
                                         const ChosenToolkit& toolkit, const Asked& asked,
                                         std::optional<Family> configured) {
  if (!asked.family) {
    SelectionRules rules;
    rules.family = configured;
    auto selection = select(stdenv, judged, toolkit.toolkit, toolkit.acceptance, rules);
    return selection ? std::optional(std::move(selection->chosen)) : std::nullopt;
  }
  for (const Judgement& each : judged)
    if (each.verdict == Verdict::fits && each.compiler.family == *asked.family &&
        each.compiler.version.major == asked.major && each.compiler.target == stdenv.target &&
        each.compiler.command.size() == 1)
      return each;
  return std::nullopt;
}

bool stdenv_fits(const Compiler& stdenv, const ChosenToolkit& toolkit, const Table& table) {
  const Judgement judged = judge(stdenv, toolkit.toolkit, toolkit.acceptance, table);
  return judged.verdict == Verdict::fits && !judged.wants_another && own_headers_fit(stdenv, toolkit, table);
}

Planned<OfferedCompiler> choose_compiler(PackageClient& client, const Asked& asked, const Compiler& stdenv,
                                         const ChosenToolkit& toolkit, const Table& table,
                                         std::optional<Family> configured) {
  const Family family = asked.family.value_or(configured.value_or(stdenv.family));
  Answers answers;
  bool no_headers = false, none_fits = false;
  for (const std::string& name : client.suites()) {
    auto offer = client.offer(name);
    if (!offer) {
      answers.add(name, offer.error());
      continue;
    }
    answers.add(name, majors_text(*offer));
    auto headers = headers_for(client, *offer, stdenv, toolkit, table);
    if (!headers) {
      no_headers = true;
      continue;
    }
    const std::vector<int> majors = wanted_majors(asked, family, stdenv, toolkit, headers->glibc, table);
    none_fits = majors.empty();
    for (const int major : majors)
      if (const CompilerOffer* const found = find(*offer, family, major)) {
        OfferedCompiler chosen{*offer, *found, std::move(headers->from), std::move(headers->suite), {}};
        chosen.why = reason(chosen, toolkit);
        return chosen;
      }
  }
  const std::string wants = wanted(toolkit.acceptance);
  if (asked.family && none_fits)
    return nothing_fits(fmt::format("{} does not fit CUDA {}{}", name_of(*asked.family, asked.major),
                                    release_of(toolkit), wants.empty() ? "" : " (wants " + wants + ')'),
                        "leave the option out, or name one that fits", {}, ErrorKind::no_fit);
  if (no_headers && !answers.error)
    return nothing_fits(fmt::format("no suite has C library headers that CUDA {} takes and that are not "
                                    "newer than this machine's",
                                    release_of(toolkit)),
                        "name an older suite with --suite, or a newer toolkit with --cuda", {});
  return nothing_fits(
      fmt::format("no suite has {} that fits CUDA {}{}:{}",
                  asked.family ? name_of(*asked.family, asked.major) : std::string("a compiler"),
                  release_of(toolkit), wants.empty() ? "" : " (wants " + wants + ')', answers.text),
      client.suites().size() > 1 ? "name another suite with --suite"
                                 : "configure a repository on this machine that has it",
      answers, ErrorKind::unavailable);
}

} // namespace hostpin::setup
