// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/path_text.hpp"
#include "toolchains/judge/judge.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace hostpin {

namespace {

const char* name_of(Family family) {
  return family == Family::gcc ? "GCC" : family == Family::clang ? "Clang" : "compiler";
}

/// All three parts, as compilers write their versions.
std::string full_version(const Version& version) {
  if (version == Version{})
    return "-";
  return std::to_string(version.major) + '.' + std::to_string(version.minor) + '.' +
         std::to_string(version.patch);
}

std::string driver_of(const Compiler& compiler) {
  return compiler.command.empty() ? "-" : compiler.command.front();
}

bool same_compiler(const Compiler& left, const Compiler& right) {
  return left.command == right.command || (!left.front_end.empty() && left.front_end == right.front_end &&
                                           left.target == right.target && left.version == right.version);
}

const Judgement* find(const Compiler& compiler, const std::vector<Judgement>& judged) {
  // The same command first: two drivers of one compiler may have different options.
  for (const bool exact : {true, false})
    for (const Judgement& judgement : judged)
      if (exact ? judgement.compiler.command == compiler.command
                : same_compiler(judgement.compiler, compiler))
        return &judgement;
  return nullptr;
}

using Row = std::array<std::string, 4>;

/// Why a candidate was rejected: its verdict, or what makes it unsuitable for the stdenv.
std::pair<std::string, std::string> refusal(const Judgement& judgement, const Compiler& stdenv,
                                            Family family) {
  if (judgement.verdict != Verdict::fits)
    return {judgement.reason, judgement.source};
  if (judgement.compiler.family != family)
    return {std::string("fits, but is not a ") + name_of(family), "the stdenv's family"};
  return {"fits, but " + obstacle(judgement.compiler, stdenv).value_or("was not chosen"), "the stdenv"};
}

/// One row for each candidate in aligned columns, with base names if they are unique.
/// If that is too wide, reasons are on separate lines.
std::string table_of(const std::vector<Judgement>& judged, const SelectionRules& rules,
                     const Compiler& stdenv, Family family) {
  std::vector<Row> rows;
  for (const Judgement& judgement : judged) {
    const std::string name(base_name(driver_of(judgement.compiler)));
    const auto same = std::count_if(judged.begin(), judged.end(), [&](const Judgement& other) {
      return base_name(driver_of(other.compiler)) == name;
    });
    auto [reason, source] = refusal(judgement, stdenv, family);
    rows.push_back({same == 1 ? name : driver_of(judgement.compiler),
                    full_version(judgement.compiler.version), std::move(reason), std::move(source)});
  }
  for (const BrokenCompiler& each : rules.broken)
    rows.push_back({each.command.empty() ? "-" : std::string(base_name(each.command.front())), "-",
                    each.reason, each.origin});
  std::array<std::size_t, 4> width{};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      width[i] = std::max(width[i], row[i].size());
  const bool is_wide = 2 + width[0] + 2 + width[1] + 2 + width[2] + 2 + width[3] > rules.width;
  std::string text;
  for (const Row& row : rows) {
    if (is_wide) {
      text += "\n  " + row[0] + "  " + row[1] + "\n      " + row[2] + "  " + row[3];
      continue;
    }
    std::string line = "\n ";
    for (std::size_t i = 0; i < row.size(); ++i)
      line += ' ' + row[i] + std::string(width[i] - row[i].size() + 1, ' ');
    text += line.substr(0, line.find_last_not_of(' ') + 1);
  }
  return text;
}

/// How to name another one: the newest fitting one of another family, if there is one.
std::string named_instead(const Compiler& stdenv, const std::vector<Judgement>& judged,
                          const SelectionRules& rules, Family family) {
  const Compiler* best = nullptr;
  for (const Judgement& judgement : judged)
    if (judgement.verdict == Verdict::fits && judgement.compiler.family != family &&
        judgement.compiler.command.size() == 1 && !obstacle(judgement.compiler, stdenv) &&
        (best == nullptr || best->version < judgement.compiler.version))
      best = &judgement.compiler;
  if (best == nullptr)
    return "name one with " + rules.name_option;
  return std::string("use one that fits but is not a ") + name_of(family) + ": " + rules.name_option + ' ' +
         shell_word(best->command.front());
}

Error nothing_fits(const Compiler& stdenv, const std::vector<Judgement>& judged, const Toolkit& toolkit,
                   const Acceptance& acceptance, const SelectionRules& rules, Family family) {
  const std::string wants = wanted(acceptance);
  std::string message = "no host compiler fits CUDA " +
                        to_string(Version{toolkit.version.major, toolkit.version.minor}) +
                        (wants.empty() ? "" : " (wants " + wants + ')');
  message += judged.empty() && rules.broken.empty() ? ": no compiler was found"
                                                    : table_of(judged, rules, stdenv, family);
  // If there is no major to install, a broken row names what else must change, such as the toolkit.
  const bool broken = std::any_of(judged.begin(), judged.end(), [](const Judgement& judgement) {
    return judgement.verdict == Verdict::broken;
  });
  std::string hint = rules.install;
  if (!rules.fetch.empty())
    hint += (hint.empty() ? "" : ", or ") + rules.fetch;
  if (hint.empty() && broken)
    hint = "see the reasons above";
  hint += (hint.empty() ? "" : ", or ") + named_instead(stdenv, judged, rules, family);
  const bool unanswered = std::ranges::any_of(
      rules.broken, [](const BrokenCompiler& each) { return each.kind == ErrorKind::no_answer; });
  return {std::move(message), std::move(hint), unanswered ? ErrorKind::no_answer : ErrorKind::no_fit};
}

/// A driver as a person would type it for this family and major.
std::string versioned_driver(Family family, int major) {
  return (family == Family::clang ? "clang++-" : "g++-") + std::to_string(major);
}

} // namespace

std::optional<std::string> obstacle(const Compiler& host, const Compiler& stdenv) {
  if (host.target != stdenv.target)
    return "is for " + host.target + ", the stdenv for " + stdenv.target;
  if (host.glibc.has_value() != stdenv.glibc.has_value())
    return std::string("uses ") + (host.glibc ? "glibc" : "another C library than glibc") +
           ", unlike the stdenv";
  if (host.glibc && *host.glibc > *stdenv.glibc)
    return "uses headers of glibc " + to_string(*host.glibc) + ", newer than the stdenv's (" +
           to_string(*stdenv.glibc) + ')';
  if (host.family == stdenv.family && host.version > stdenv.version)
    return "is newer than the stdenv (" + full_version(stdenv.version) +
           "): its objects could need symbols that the pinned libstdc++ lacks";
  const int own = host.library.release;
  const int pinned = stdenv.library.release;
  if (host.library.kind == stdenv.library.kind && own > 0 && pinned > 0 && own > pinned)
    return "uses headers of libstdc++ " + std::to_string(own) + ", newer than the stdenv's (" +
           std::to_string(pinned) + ')';
  return std::nullopt;
}

Result<Selection> select(const Compiler& stdenv, const std::vector<Judgement>& judged, const Toolkit& toolkit,
                         const Acceptance& acceptance, const SelectionRules& rules) {
  const Family family = rules.family.value_or(stdenv.family);
  const Judgement* const own = stdenv.family == family ? find(stdenv, judged) : nullptr;
  const bool own_fits = own != nullptr && own->verdict == Verdict::fits;
  if (own_fits && !own->wants_another)
    return Selection{*own, "the stdenv itself fits"};

  const Judgement* best = nullptr;
  for (const Judgement& judgement : judged) {
    if (judgement.verdict != Verdict::fits || judgement.compiler.family != family ||
        obstacle(judgement.compiler, stdenv))
      continue;
    const auto rank = [](const Judgement& of) { return std::pair(!of.wants_another, of.compiler.version); };
    if (best == nullptr || rank(*best) < rank(judgement))
      best = &judgement;
  }
  if (own_fits && (best == nullptr || best->wants_another))
    return Selection{*own, "the stdenv itself fits"};
  if (best == nullptr)
    return tl::unexpected(nothing_fits(stdenv, judged, toolkit, acceptance, rules, family));
  return Selection{*best, std::string("newest fitting ") + name_of(family) +
                              (own_fits ? "; the stdenv fits, but: " + own->reason : "")};
}

std::vector<int> fitting_majors(Family family, const Compiler& stdenv, const Toolkit& toolkit,
                                const Acceptance& acceptance, const Table& table) {
  const Bounds bounds = allowed(family, acceptance);
  std::vector<int> plain;
  std::vector<int> advised;
  if (!bounds.max || family == Family::other)
    return plain;
  Compiler imagined = stdenv;
  if (family != stdenv.family)
    imagined.library = {};
  imagined.family = family;
  const int newest = family == stdenv.family ? std::min(*bounds.max, stdenv.version.major) : *bounds.max;
  for (int major = newest; major >= bounds.min.value_or(1); --major) {
    imagined.version = {major, 0, 0};
    const Judgement judgement = judge(imagined, toolkit, acceptance, table);
    if (judgement.verdict == Verdict::fits)
      (judgement.wants_another ? advised : plain).push_back(major);
  }
  plain.insert(plain.end(), advised.begin(), advised.end());
  return plain;
}

std::vector<std::string> suggested_drivers(Family family, const std::vector<int>& majors) {
  std::vector<std::string> drivers;
  if (family == Family::other)
    return drivers;
  for (const int major : majors)
    drivers.push_back(versioned_driver(family, major));
  return drivers;
}

} // namespace hostpin
