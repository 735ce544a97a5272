// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/policy.hpp"

#include "toolchains/base/demangle.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/loader/refused.hpp"
#include "toolchains/loader/symbols.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <utility>

namespace hostpin::loader {

namespace {

constexpr std::size_t most_needs = 5; // in a message
constexpr std::size_t most_symbols = 3;
constexpr std::size_t most_lines = 3;

/// `GLIBC_` and {2, 28} of `GLIBC_2.28`; no numbers for `GLIBC_PRIVATE`.
struct NumberedVersion {
  std::string_view kind;
  std::vector<unsigned> numbers;
};

NumberedVersion numbered(std::string_view version) {
  constexpr unsigned most = 1'000'000;
  NumberedVersion read;
  const std::size_t end = version.find('_');
  read.kind = version.substr(0, end == std::string_view::npos ? end : end + 1);
  unsigned number = 0;
  bool is_number = false;
  for (const char c : version.substr(read.kind.size())) {
    const bool is_digit = c >= '0' && c <= '9';
    if ((!is_digit && (c != '.' || !is_number)) || number > most)
      return {read.kind, {}};
    if (!is_digit)
      read.numbers.push_back(std::exchange(number, 0));
    else
      number = number * 10 + static_cast<unsigned>(c - '0');
    is_number = is_digit;
  }
  if (!is_number)
    return {read.kind, {}};
  read.numbers.push_back(number);
  return read;
}

/// 7.0.0 and 7.0 are the same version.
bool at_most(std::vector<unsigned> version, std::vector<unsigned> newest) {
  const std::size_t parts = std::max(version.size(), newest.size());
  version.resize(parts);
  newest.resize(parts);
  return version <= newest;
}

bool allows_version(const LinkPolicy& policy, std::string_view version) {
  const NumberedVersion wanted = numbered(version);
  bool is_restricted = false;
  for (const std::string& each : filled_parts(policy.versions, " ")) {
    const NumberedVersion newest = numbered(each);
    if (newest.kind != wanted.kind)
      continue;
    is_restricted = true;
    if (each == version ||
        (!wanted.numbers.empty() && !newest.numbers.empty() && at_most(wanted.numbers, newest.numbers)))
      return true;
  }
  return !is_restricted;
}

bool allows_library(const LinkPolicy& policy, std::string_view library) {
  const auto names = filled_parts(policy.libraries, " ");
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return name.ends_with('*') ? library.starts_with(name.substr(0, name.size() - 1)) : name == library;
  });
}

/// The newest version of that kind; empty if none is listed.
std::string newest_of_kind(const LinkPolicy& policy, std::string_view version) {
  const std::string_view kind = numbered(version).kind;
  for (const std::string& each : filled_parts(policy.versions, " "))
    if (const NumberedVersion one = numbered(each); one.kind == kind && !one.numbers.empty())
      return each;
  return {};
}

class PolicyWording {
public:
  PolicyWording(const LinkToProve& link, const LinkPolicy& policy, const std::vector<ExcessNeed>& needs,
                const SymbolLines& lines)
      : link_(link), policy_(policy), needs_(needs), lines_(lines) {}

  Proof proof(bool is_program) {
    Proof result;
    result.outcome = is_program ? Proof::Outcome::doubtful : Proof::Outcome::disproved;
    result.message = link_.output + " needs what systems of " + std::string(policy_.name) +
                     " do not have, the policy of this binding:";
    for (std::size_t i = 0; i < needs_.size() && i < most_needs; ++i)
      result.message += need(needs_[i]);
    if (needs_.size() > most_needs)
      result.message += "\n  and " + std::to_string(needs_.size() - most_needs) + " more";
    result.hint =
        is_program ? "a program in a wheel has to meet the policy too; others, such as tests, do not" : fix();
    return result;
  }

private:
  std::string need(const ExcessNeed& excess) {
    if (excess.version.empty())
      return "\n  " + excess.library + ", a library that they need not have";
    const std::string newest = newest_of_kind(policy_, excess.version);
    std::string text = "\n  " + excess.version + " of " + excess.library;
    if (!newest.empty())
      text += ", where the newest is " + newest;
    const auto file = binary::MappedFile::open(link_.output);
    const std::vector<std::string> symbols =
        file ? symbols_wanting(file->bytes(), excess.library, excess.version) : std::vector<std::string>();
    for (std::size_t i = 0; i < symbols.size() && i < most_symbols; ++i)
      text += "\n    " + demangled(symbols[i]) + origin(symbols[i]);
    if (symbols.size() > most_symbols)
      text += "\n    and " + std::to_string(symbols.size() - most_symbols) + " more symbols";
    return text;
  }

  /// The input that refers to a symbol, and its lines.
  std::string origin(const std::string& symbol) {
    if (!inputs_)
      inputs_ = link_.inputs();
    for (const std::string& input : *inputs_) {
      const auto file = binary::MappedFile::open(input);
      const std::string where = file ? reference(input, file->bytes(), symbol) : std::string();
      if (where.empty())
        continue;
      std::string text = ", from " + where;
      const std::vector<std::string> lines = lines_ ? lines_(input, symbol) : std::vector<std::string>();
      has_lines_ |= !lines.empty();
      for (std::size_t i = 0; i < lines.size() && i < most_lines; ++i)
        text += "\n      " + lines[i];
      if (lines.size() > most_lines)
        text += "\n      and " + std::to_string(lines.size() - most_lines) + " more lines";
      return text;
    }
    return {};
  }

  bool needs_version(std::string_view kind) const {
    return std::any_of(needs_.begin(), needs_.end(),
                       [&](const ExcessNeed& one) { return one.version.starts_with(kind); });
  }

  std::string fix() const {
    std::vector<std::string> ways;
    const bool needs_cxx = needs_version("GLIBCXX_") || needs_version("CXXABI_") || needs_version("GCC_");
    if (needs_cxx)
      ways.emplace_back("link with -static-libstdc++ -static-libgcc, or with a stdenv that has an older "
                        "libstdc++ (hostpin bind --refresh --stdenv)");
    if (needs_version("GLIBC_ABI_DT_RELR"))
      ways.emplace_back("link without -z pack-relative-relocs");
    else if (needs_version("GLIBC_"))
      ways.emplace_back("link in the image of the policy, or with a --sysroot that has its C library");
    if (!has_lines_ && (needs_cxx || needs_version("GLIBC_")))
      ways.emplace_back(lines_ ? "compile with -g to see the source lines"
                               : "install hostpin's component checks to see the source lines");
    for (const ExcessNeed& one : needs_)
      if (one.version.empty()) {
        ways.push_back("link " + one.library +
                       " statically, or put it into the wheel and allow it: "
                       "hostpin bind --refresh --allow-library " +
                       one.library);
        break;
      }
    std::string text;
    for (const std::string& way : ways)
      text += (text.empty() ? "" : "; ") + way;
    return text;
  }

  const LinkToProve& link_;
  const LinkPolicy& policy_;
  const std::vector<ExcessNeed>& needs_;
  const SymbolLines& lines_;
  std::optional<std::vector<std::string>> inputs_;
  bool has_lines_ = false;
};

/// The glibc of the policy's systems and all newer ones.
GlibcRange range_of(const LinkPolicy& policy) {
  GlibcRange range;
  range.promised = true;
  const std::string newest = newest_of_kind(policy, "GLIBC_2.0");
  if (const NumberedVersion glibc = numbered(newest); glibc.numbers.size() > 1)
    range.oldest = static_cast<int>(glibc.numbers[1]);
  return range;
}

} // namespace

std::vector<ExcessNeed> excess_needs(const binary::Image& image, const LinkPolicy& policy,
                                     const std::function<bool(const std::string& library)>& is_of_system) {
  std::vector<ExcessNeed> excess;
  for (const binary::VersionNeed& need : image.version_needs)
    for (const std::string& version : need.versions)
      if (!allows_version(policy, version))
        excess.push_back({need.library, version});
  for (const std::string& library : image.needed)
    if (!allows_library(policy, library) && is_of_system(library))
      excess.push_back({library, {}});
  return excess;
}

Proof prove_policy(const LinkToProve& link, const LinkPolicy& policy, bool finds_libraries,
                   const SymbolLines& lines) {
  errno = 0;
  const auto image = image_on_disk(link.output);
  if (!image && is_trouble(errno))
    return unproven(link.output, link.output, errno);
  if (!image)
    return {Proof::Outcome::skipped, link.output + " is not a program or library that loads others", {}};
  const Use use = image->interpreter.empty() ? Use::opened : Use::program;
  for (const Verdict& one : verdicts(image->refusals, use, range_of(policy)))
    if (one.severity == Severity::error)
      return {Proof::Outcome::disproved, link.output + ' ' + one.described, std::string(one.fix)};
  std::optional<Closure> closure;
  const auto is_of_system = [&](const std::string& library) {
    if (!finds_libraries)
      return false;
    if (!closure)
      closure = load(link.output, *image, link.places);
    const LoadedImage* const found = closure->serving(library);
    return found != nullptr && (found->found_by == FoundBy::cache || found->found_by == FoundBy::directories);
  };
  const std::vector<ExcessNeed> excess = excess_needs(*image, policy, is_of_system);
  if (excess.empty())
    return {};
  return PolicyWording(link, policy, excess, lines).proof(!image->interpreter.empty());
}

} // namespace hostpin::loader
