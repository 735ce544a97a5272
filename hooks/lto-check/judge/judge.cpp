// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/judge/judge.hpp"

#include "hooks/lto-check/judge/rules.hpp"
#include "hooks/lto-check/judge/text.hpp"

#include <array>
#include <string>

namespace hostpin::lto {

namespace {

/// What is wrong with a stream; with the verdict `ok` the texts are empty.
struct StreamFinding {
  LtoVerdict verdict = LtoVerdict::ok;
  std::string reason;
  std::string expected;
};

/// The toolkits that may have written a container: `first` to `last` if it is known, else those between
/// `after` and `before`, the nearest known ones.
struct Toolkits {
  std::optional<Version> first, last, after, before;
};

Toolkits toolkits_of(const Bitstream& stream, const std::vector<StreamRelease>& known) {
  const Version container{static_cast<int>(*stream.major), static_cast<int>(stream.minor), 0};
  Toolkits result;
  for (const StreamRelease& row : known) {
    if (row.stream == container) {
      result.last = row.release;
      if (!result.first)
        result.first = row.release;
    }
    if (row.stream < container)
      result.after = row.release;
    if (row.stream > container && !result.before)
      result.before = row.release;
  }
  return result;
}

/// Whether every toolkit that may have written it is newer. What comes after the newest known toolkit may
/// also be from a later point release of that one.
bool is_newer(const Toolkits& made, const Version& linker) {
  if (made.first)
    return *made.first > linker;
  return made.after && (*made.after > linker || (*made.after == linker && made.before));
}

std::string supported(const Version& linker) {
  return "CUDA " + std::to_string(linker.major) + ".0 to " + to_string(linker);
}

StreamFinding newer_toolkit(const Version& linker) {
  // Observed: 11.x prints `Uncompress failed` for code of 12.4, exits 0 and omits the kernels.
  if (linker.major <= 11)
    return {LtoVerdict::silent_loss, "this nvlink can omit newer device code and exit 0", {}};
  return {LtoVerdict::mismatch, "nvlink does not accept device code of a newer toolkit", {}};
}

/// Whether every toolkit that may have written it is of an older major version.
bool is_of_older_major(const Toolkits& made, const Version& linker) {
  return made.last ? made.last->major < linker.major : made.before && *made.before <= Version{linker.major};
}

/// Only what is certain is refused: a container that several toolkits write, or that is not in the table, is
/// left to nvlink. It ends with an error if it does not read it, except those of 11.x.
StreamFinding with_device_lto(const Toolkits& made, const Version& linker) {
  if (is_newer(made, linker))
    return newer_toolkit(linker);
  if (is_of_older_major(made, linker)) {
    const auto& oldest = made.first ? made.first : made.after;
    // Code of 12.4 linked with 13.0, code of 11.x not with 12.4; NVIDIA supports neither.
    return {oldest && oldest->major >= 12 ? LtoVerdict::risky : LtoVerdict::mismatch,
            "nvlink supports device code of its own major version only",
            {}};
  }
  if (linker.major <= 11 && !made.first && !(made.before && *made.before <= linker))
    return {LtoVerdict::risky, "it is not known which toolkit writes this version of LTO-IR", {}};
  return {};
}

/// Without -dlto nvlink takes machine code or PTX from the same file, if its toolkit is new enough.
StreamFinding without_device_lto(const Bitstream& stream, const Toolkits& made, const Version& linker) {
  const bool has_ptx = stream.producer.starts_with("PTX");
  // Observed: 11.x warns `SM Arch not found` and exits 0.
  if (stream.slim && !has_ptx)
    return {linker.major <= 11 ? LtoVerdict::silent_loss : LtoVerdict::mismatch,
            "nvlink without -dlto does not accept LTO-IR, and there is no other code in it",
            "machine code or PTX"};
  if (is_newer(made, linker))
    return {LtoVerdict::mismatch, "nvlink does not accept device code of a newer toolkit", supported(linker)};
  return {};
}

/// What nvlink does with LTO-IR. NVIDIA documents that it takes code of its own toolkit and of older ones of
/// the same major; which toolkit writes which version of the container comes from the table.
StreamFinding device_finding(const Bitstream& stream, const LinkContext& context) {
  const Version linker{context.linker.version.major, context.linker.version.minor, 0};
  const Toolkits made = stream.major ? toolkits_of(stream, context.releases.cuda) : Toolkits{};
  if (!context.shape.device_lto)
    return without_device_lto(stream, made, linker);
  if (!stream.major)
    return {LtoVerdict::risky, "its version is not known", supported(linker)};
  StreamFinding finding = with_device_lto(made, linker);
  if (finding.verdict != LtoVerdict::ok)
    finding.expected = supported(linker);
  return finding;
}

constexpr auto verdict_names =
    std::to_array<const char*>({"ok", "mismatch", "risky", "silent-loss", "unreadable", "none"});

std::string lto_version(const GccReader& reader) {
  return "LTO " + std::to_string(reader.major) + '.' + std::to_string(reader.minor);
}

StreamFinding same_version(const Bitstream& stream, const LinkContext& context) {
  const GccReader& reader = *context.linker.gcc;
  if (!stream.major)
    return {LtoVerdict::risky, "its version is not known", lto_version(reader)};
  if (*stream.major == reader.major && stream.minor == reader.minor)
    return {};
  return {LtoVerdict::mismatch, gcc_name(reader) + " reads LTO code of its own version only",
          lto_version(reader)};
}

StreamFinding older_version(const Bitstream& stream, const LinkContext& context) {
  const LlvmReader& reader = *context.linker.llvm;
  const std::string expected = "LLVM " + std::to_string(reader.major) + " or older";
  if (!stream.major || !stream.producer.starts_with("LLVM"))
    return {LtoVerdict::risky, "its LLVM release is not known", expected};
  const int producer = static_cast<int>(*stream.major);
  if (producer <= reader.major)
    return {};
  if (may_load_newer(producer, reader.major))
    return {LtoVerdict::risky, "bitcode of a newer LLVM may or may not load", expected};
  return {LtoVerdict::mismatch,
          "LLVM " + std::to_string(reader.major) + " cannot read bitcode of a newer one", expected};
}

/// Whether no intermediate code of a host compiler can be linked, because the plugin cannot be loaded.
bool is_stopped(const Bitstream& stream, const Linker& linker) {
  return !linker.unloadable.empty() && stream.format != LtoFormat::cuda_ltoir;
}

StreamFinding finding(const Bitstream& stream, const LinkContext& context, Treatment treated) {
  const char* const format = stream.format == LtoFormat::gcc_lto ? "GCC's LTO code" : "LLVM bitcode";
  if (is_stopped(stream, context.linker))
    return {LtoVerdict::mismatch,
            "this linker cannot load the plugin for it, and fails: " + context.linker.unloadable,
            {}};
  switch (treated) {
  case Treatment::reads_same:
    return same_version(stream, context);
  case Treatment::reads_older:
    return older_version(stream, context);
  case Treatment::reads_device:
    return device_finding(stream, context);
  case Treatment::machine_code:
  case Treatment::carries:
    return {};
  case Treatment::rejects:
    return {LtoVerdict::mismatch, std::string("this link has no plugin that reads ") + format,
            "machine code"};
  case Treatment::drops:
    return {
        LtoVerdict::silent_loss,
        std::string("this link does not read GCC's LTO code, and there is no machine code in it: the code "
                    "would be omitted"),
        "machine code"};
  case Treatment::misses_first: {
    StreamFinding version = same_version(stream, context);
    if (version.verdict == LtoVerdict::ok)
      version = {LtoVerdict::risky,
                 "without the linker plugin the machine code is linked first, and this input has none",
                 "machine code"};
    return version;
  }
  }
  return {};
}

} // namespace

const char* to_string(LtoVerdict verdict) {
  return verdict_names[static_cast<std::size_t>(verdict)];
}

std::vector<Judgement> judge(const LtoInput& input, const LinkContext& context) {
  std::vector<Judgement> judgements;
  for (const Bitstream& stream : input.streams) {
    const Treatment treated = treatment(stream, context.linker, context.shape, !input.member.empty());
    StreamFinding found = finding(stream, context, treated);
    Judgement judgement{input.path,
                        input.member,
                        stream,
                        found.verdict,
                        found.verdict != LtoVerdict::ok,
                        std::move(found.expected),
                        std::move(found.reason),
                        {},
                        input.offset};
    if (judgement.refused)
      judgement.fix = fix(stream, treated, context);
    judgements.push_back(std::move(judgement));
  }
  if (input.unreadable)
    judgements.push_back({input.path,
                          input.member,
                          std::nullopt,
                          LtoVerdict::unreadable,
                          false,
                          {},
                          input.unreadable->message,
                          input.unreadable->hint});
  if (judgements.empty())
    judgements.push_back({input.path, input.member, std::nullopt, LtoVerdict::none, false, {}, {}, {}});
  return judgements;
}

bool judge_for_symbols(Judgement& judgement, const Linker& linker) {
  constexpr int first_without_bitcode = 15;
  if (linker.family != LinkerFamily::lld || !judgement.stream)
    return false;
  const LtoFormat format = judgement.stream->format;
  if (format == LtoFormat::llvm_bitcode && linker.version.major < first_without_bitcode)
    return false; // older ones treat it as any other input
  if (format != LtoFormat::llvm_bitcode && !(format == LtoFormat::gcc_lto && judgement.stream->slim))
    return false;
  const bool fails = format == LtoFormat::llvm_bitcode;
  judgement.verdict = fails ? LtoVerdict::mismatch : LtoVerdict::risky;
  judgement.refused = fails;
  judgement.expected = "machine code";
  judgement.reason = fails ? "it is an input for its symbols only, and lld takes symbols of machine code only"
                           : "it is an input for its symbols only, and lld sees none in GCC's LTO code: "
                             "symbols that this link needs are missing";
  judgement.fix = "compile it without -flto, or with -ffat-lto-objects";
  return true;
}

bool goes_by_plugin(const Judgement& judgement, const Linker& linker) {
  if (!judgement.stream || !judgement.stream->slim)
    return false;
  const LtoFormat format = judgement.stream->format;
  return (format == LtoFormat::gcc_lto && linker.gcc) || (format == LtoFormat::llvm_bitcode && linker.llvm);
}

void refuse_unlisted(Judgement& judgement, const LinkShape& shape) {
  const bool gcc = judgement.stream->format == LtoFormat::gcc_lto;
  judgement.verdict = shape.undefined ? LtoVerdict::silent_loss : LtoVerdict::mismatch;
  judgement.refused = true;
  judgement.reason =
      "the archive's index does not list its symbols, so that this linker would not find it: the index "
      "was written by an ar without the plugin for it";
  judgement.fix = std::string("create the archive again with ") +
                  (gcc ? "gcc-ar, or its index with gcc-ranlib, of the GCC that compiled it"
                       : "llvm-ar, or its index with llvm-ranlib, or link with -fuse-ld=lld");
}

void refuse_unindexed(Judgement& judgement) {
  const bool gcc = judgement.stream->format == LtoFormat::gcc_lto;
  judgement.verdict = LtoVerdict::mismatch;
  judgement.refused = true;
  judgement.expected.clear();
  judgement.reason = "the archive has no index, and this linker requires one";
  judgement.fix = std::string("write one with ") +
                  (gcc ? "gcc-ranlib, of the GCC that compiled it" : "llvm-ranlib") +
                  ", or create the archive without the `S` of ar";
}

bool holds_device_label(const Judgement& judgement, const LinkContext& context) {
  if (judgement.verdict != LtoVerdict::ok || !judgement.stream || !judgement.stream->device_label ||
      context.shape.relocatable)
    return false;
  const Treatment treated =
      treatment(*judgement.stream, context.linker, context.shape, !judgement.member.empty());
  return treated == Treatment::reads_same || treated == Treatment::reads_older;
}

void refuse_device_label(Judgement& judgement, const LinkContext& context) {
  judgement.verdict = LtoVerdict::mismatch;
  judgement.refused = true;
  judgement.reason =
      "all full LTO code of a link is compiled as one, and each .cu file's host half defines the "
      "label fatbinData: the link would fail with `symbol 'fatbinData' is already defined`";
  judgement.fix = device_label_fix(*judgement.stream, context);
}

void doubt(Judgement& judgement, Need need, const LinkContext& context, Glance glance) {
  if (!judgement.refused || need == Need::certain || !judgement.stream ||
      is_stopped(*judgement.stream, context.linker))
    return;
  // mold passes each member to its plugins, and fails at the first that none of them takes: observed with
  // 1.10, not known of others.
  if (context.linker.family == LinkerFamily::mold && context.linker.version.major == 1 &&
      treatment(*judgement.stream, context.linker, context.shape, true) == Treatment::rejects)
    return;
  const bool device = judgement.stream->format == LtoFormat::cuda_ltoir;
  if (device && judgement.verdict != LtoVerdict::silent_loss)
    return; // nvlink reads every member
  const bool certain_to_be_read = glance == Glance::unexamined
                                      ? !device && reads_every_member(*judgement.stream, context.linker)
                                      : glance != Glance::passes;
  constexpr const char* read_anyway =
      "; this linker reads every member of an archive, even those that it does not need";
  if (glance == Glance::fails) {
    judgement.verdict = LtoVerdict::mismatch;
    judgement.reason = "LLVM " + std::to_string(context.linker.llvm->major) +
                       " does not know an attribute in it" + read_anyway;
    return;
  }
  judgement.verdict = LtoVerdict::risky;
  judgement.refused = device;
  const char* const what = certain_to_be_read       ? read_anyway
                           : need == Need::unlikely ? "; nothing in this link seems to need this member"
                                                    : "; whether this link needs this member is not known";
  judgement.reason += what;
}

} // namespace hostpin::lto
