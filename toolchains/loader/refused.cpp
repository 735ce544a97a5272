// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/loader/refused.hpp"

#include <algorithm>
#include <optional>

namespace hostpin::loader {

namespace {

using binary::LoaderCheck;
using binary::Refusal;

std::string_view rule_of(Refusal refusal) {
  switch (refusal) {
  case Refusal::executable_stack:
    return "executable-stack";
  case Refusal::misaligned_segment:
  case Refusal::small_alignment:
    return "misaligned-segment";
  default:
    return "loader-refuses";
  }
}

std::string_view fix_of(Refusal refusal) {
  switch (refusal) {
  case Refusal::executable_stack:
    return "link it with -Wl,-z,noexecstack";
  case Refusal::misaligned_segment:
  case Refusal::small_alignment:
    return "link it again without -z max-page-size, and strip it before patchelf changes it";
  case Refusal::misplaced_segment:
    return "link it again, and strip it before patchelf changes it";
  case Refusal::read_only_dynamic_section:
    return "link it without -z rodynamic";
  case Refusal::not_for_opening:
    return "link it without -z nodlopen";
  case Refusal::program:
  case Refusal::fixed_address:
    return "link it with -shared";
  case Refusal::packed_relocations:
    return "link it with -Wl,-z,pack-relative-relocs of GNU ld 2.38 or LLD 15 and newer, or without packed "
           "relocations";
  case Refusal::static_tls:
    return "compile it without -ftls-model=initial-exec, or link it with the program";
  default:
    return "build or fetch it again: what changed the file after its link has damaged it";
  }
}

/// Whether it is meant to be so, and harmless as long as nothing opens the file.
bool is_choice(Refusal refusal) {
  return refusal == Refusal::not_for_opening || refusal == Refusal::static_tls;
}

std::string which_glibc(const LoaderCheck& check) {
  if (check.until > 0)
    return " by glibc 2." + std::to_string(check.until) + " and older";
  if (check.since > 0)
    return " by glibc 2." + std::to_string(check.since) + " and newer";
  return {};
}

std::string described(const LoaderCheck& check) {
  return std::string(check.described) + ", and is refused" + which_glibc(check) +
         (check.only_opened ? " where a process opens it" : "") + ": " + std::string(check.message);
}

/// Whether the use of a file leads to the check.
bool applies(const LoaderCheck& check, Use use) {
  const bool is_program = check.refusal == Refusal::program || check.refusal == Refusal::fixed_address;
  if (is_program)
    return use == Use::module;
  return !check.only_opened || use != Use::program;
}

Severity severity_of(const LoaderCheck& check, Use use, const GlibcRange& range) {
  if (check.refusal == Refusal::segment_outside)
    return Severity::warning; // some pages are never read
  if (check.refusal == Refusal::static_tls)
    return Severity::note; // others may leave enough
  if (check.only_opened && use == Use::installed)
    return is_choice(check.refusal) ? Severity::note : Severity::warning;
  const bool is_refused_by_newest = check.until == 0;
  return is_refused_by_newest || range.promised ? Severity::error : Severity::warning;
}

std::optional<Verdict> verdict(Refusal refusal, Use use, const GlibcRange& range) {
  const LoaderCheck& check = binary::check_of(refusal);
  if ((check.until > 0 && check.until < range.oldest) || !applies(check, use))
    return std::nullopt;
  return Verdict{rule_of(refusal), severity_of(check, use, range), check.message, described(check),
                 fix_of(refusal)};
}

} // namespace

std::vector<Verdict> verdicts(const std::vector<Refusal>& refusals, Use use, const GlibcRange& range) {
  std::vector<Verdict> all;
  for (const Refusal refusal : refusals) {
    auto one = verdict(refusal, use, range);
    if (!one)
      continue;
    const auto same = std::find_if(all.begin(), all.end(), [&](const Verdict& other) {
      return other.rule == one->rule && other.message == one->message;
    });
    if (same == all.end())
      all.push_back(*std::move(one));
    else if (one->severity > same->severity)
      *same = *std::move(one);
  }
  return all;
}

} // namespace hostpin::loader
