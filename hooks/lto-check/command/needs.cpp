// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/command/needs.hpp"

#include "hooks/lto-check/symbols/attributes.hpp"
#include "toolchains/binary/blob.hpp"

#include <string_view>

namespace hostpin::lto {

namespace {

Commons commons_of(const Linker& linker) {
  switch (linker.family) {
  case LinkerFamily::bfd:
    return Commons::read;
  case LinkerFamily::lld: // 15 turned --fortran-common off
    return linker.version.major < 15 ? Commons::read : Commons::unchanged;
  case LinkerFamily::mold:
    return Commons::replaced;
  default:
    return Commons::unchanged;
  }
}

Resolving resolving(const cmdline::LinkerCommand& words, const Linker& linker) {
  Resolving how;
  how.commons = commons_of(linker);
  how.wraps = words.wraps;
  how.defined = words.defined;
  how.scripts = linker.family != LinkerFamily::mold;
  if (linker.family == LinkerFamily::mold)
    how.wrapping = Wrapping::machine_code;
  if (linker.family == LinkerFamily::lld) {
    how.wrapping = Wrapping::besides;
    how.defined.clear(); // evaluated once all inputs are loaded
  }
  return how;
}

bool is_in(const Resolution& resolution, const Judgement& judgement) {
  if (judgement.offset != 0)
    return resolution.takes(judgement.path, judgement.offset);
  const std::string member = judgement.member.empty() ? std::string() : judgement.member.front();
  return judgement.member.size() <= 1 && resolution.takes(judgement.path, member);
}

} // namespace

Needs::Needs(const std::vector<LinkFile>& files, const cmdline::LinkerCommand& words, const Linker& linker,
             MemoryBound& bound)
    : files_(files), wanted_(words.wanted), renames_(words.renames || !words.wraps.empty()),
      by_index_(linker.family == LinkerFamily::bfd || linker.family == LinkerFamily::gold),
      how_(resolving(words, linker)), linker_(linker), bound_(bound) {
  wanted_.emplace_back("_start");
  for (const LinkFile& file : files_) {
    renames_ = renames_ || file.doubtful || (!how_.scripts && !file.wanted.empty());
    any_for_symbols_ = any_for_symbols_ || file.symbols;
  }
}

Need Needs::of(const Judgement& judgement) {
  if (!is_optional(judgement))
    return Need::certain;
  const Resolution& first = by_index_ ? resolution(own_, Index::own) : resolution(members_, Index::members);
  if (is_in(first, judgement))
    return Need::certain;
  if (by_index_ && is_missed(judgement))
    return Need::certain;
  return first.complete && !renames_ ? Need::unlikely : Need::unknown;
}

bool Needs::only_symbols(const Judgement& judgement) {
  if (!any_for_symbols_ || !judgement.member.empty())
    return false;
  const auto use = uses().find(judgement.path);
  return use != uses().end() && !use->second.code;
}

bool Needs::would_miss(const Judgement& judgement) {
  return by_index_ && is_optional(judgement) && is_missed(judgement);
}

bool Needs::refuses_archive(const Judgement& judgement) {
  return by_index_ && judgement.stream && !judgement.member.empty() && is_optional(judgement) &&
         unindexed(judgement.path);
}

Glance Needs::glance(const Judgement& judgement) {
  if (!judgement.stream || judgement.stream->format != LtoFormat::llvm_bitcode || !linker_.llvm)
    return Glance::unexamined;
  const bool in_archive = !judgement.member.empty();
  const bool by_no_index = linker_.family == LinkerFamily::lld && in_archive &&
                           unindexed(judgement.path); // lld to 14; later ones read every member anyway
  if (!by_no_index && !reads_every_member(*judgement.stream, linker_))
    return Glance::unexamined;
  if (in_archive && judgement.offset == 0)
    return Glance::chance; // in a thin archive, or in a nested one
  const binary::MappedFile file = binary::MappedFile::or_empty(judgement.path);
  const std::string_view bytes = file.bytes();
  const auto newest = judgement.offset < bytes.size()
                          ? newest_attribute(bytes.substr(static_cast<std::size_t>(judgement.offset)))
                          : std::nullopt;
  return newest ? glance_of(linker_.llvm->major, *newest) : Glance::chance;
}

/// Whether only the index hides it from the linker, and no other input defines what is needed from it.
bool Needs::is_missed(const Judgement& judgement) {
  if (!lacks(judgement.path) || !is_in(resolution(members_, Index::members), judgement))
    return false;
  const Resolution& own = resolution(own_, Index::own);
  const auto [found, fresh] = missed_.try_emplace(judgement.path);
  if (fresh)
    found->second = members_that_define(judgement.path, own.missing, bound_);
  return !is_in(own, judgement) && is_in(found->second, judgement);
}

bool Needs::unindexed(const std::string& archive) {
  const auto [found, fresh] = unindexed_.try_emplace(archive, false);
  if (fresh)
    found->second = has_no_index(archive);
  return found->second;
}

bool Needs::lacks(const std::string& archive) {
  const auto [found, fresh] = lacking_.try_emplace(archive, false);
  if (fresh)
    found->second = lacks_symbols(archive);
  return found->second;
}

bool Needs::is_optional(const Judgement& judgement) {
  if (judgement.member.empty() && !waits(judgement))
    return false;
  const auto use = uses().find(judgement.path);
  if (judgement.member.empty())
    return use != uses().end() && !use->second.eagerly;
  return use == uses().end() || !use->second.whole;
}

const std::map<std::string, Needs::Use>& Needs::uses() {
  if (uses_)
    return *uses_;
  uses_.emplace();
  for (const LinkFile& file : files_) {
    Use& use = (*uses_)[file.path];
    use = {use.whole || file.whole_archive, use.eagerly || !file.lazy, use.code || !file.symbols};
  }
  return *uses_;
}

/// Whether the linker loads such an object lazily after --start-lib. GNU ld to 2.40 has no such option, gold
/// passes each to its plugin, and lld up to 14 reads bitcode there.
bool Needs::waits(const Judgement& judgement) const {
  const bool bitcode = judgement.stream && judgement.stream->format == LtoFormat::llvm_bitcode;
  return linker_.family == LinkerFamily::mold ||
         (linker_.family == LinkerFamily::lld && (!bitcode || linker_.version.major >= 15));
}

const Resolution& Needs::resolution(std::optional<Resolution>& kept, Index index) {
  if (!kept) {
    how_.order = by_index_ ? Order::in_turn : Order::together;
    how_.index = index;
    kept = resolve(files_, wanted_, how_, bound_);
  }
  return *kept;
}

} // namespace hostpin::lto
