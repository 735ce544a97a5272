// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/judge/judge.hpp"

#include "hooks/lto-check/judge/cures.hpp"
#include "hooks/lto-check/judge/rules.hpp"
#include "hooks/lto-check/judge/words.hpp"

#include <array>

namespace hostpin {

namespace {

constexpr auto verdict_names =
    std::to_array<const char*>({"ok", "mismatch", "risky", "silent-loss", "unreadable", "none"});

struct Finding {
  LtoVerdict verdict = LtoVerdict::ok;
  std::string reason;
  std::string expected;
};

std::string lto_version(const GccReader& reader) {
  return "LTO " + std::to_string(reader.major) + '.' + std::to_string(reader.minor);
}

Finding same_version(const Bitstream& stream, const LinkContext& context) {
  const GccReader& reader = *context.linker.gcc;
  if (!stream.major)
    return {LtoVerdict::risky, "it does not tell its version", lto_version(reader)};
  if (*stream.major == reader.major && stream.minor == reader.minor)
    return {};
  return {LtoVerdict::mismatch, gcc_name(reader) + " takes its own LTO code only", lto_version(reader)};
}

Finding older_version(const Bitstream& stream, const LinkContext& context) {
  const LlvmReader& reader = *context.linker.llvm;
  const std::string expected = "LLVM " + std::to_string(reader.major) + " or older";
  if (!stream.major || !stream.producer.starts_with("LLVM"))
    return {LtoVerdict::risky, "it names no release of LLVM", expected};
  const int producer = static_cast<int>(*stream.major);
  if (producer <= reader.major)
    return {};
  if (loads_by_luck(producer, reader.major))
    return {LtoVerdict::risky, "bitcode of a newer LLVM loads only by luck", expected};
  return {LtoVerdict::mismatch,
          "LLVM " + std::to_string(reader.major) + " cannot read bitcode of a newer one", expected};
}

/// The toolkits that may have written a container: the known one, or all between two known ones.
struct Toolkits {
  std::optional<Version> exact, after, before;
};

Toolkits toolkits_of(const Version& container, const std::vector<StreamRelease>& known) {
  Toolkits result;
  for (const StreamRelease& row : known) {
    if (row.stream == container)
      result.exact = row.release;
    if (row.stream < container)
      result.after = row.release;
    if (row.stream > container && !result.before)
      result.before = row.release;
  }
  return result;
}

Finding newer_toolkit(const Version& linker) {
  // Seen: 11.x says `Uncompress failed` to what 12.4 wrote, exits 0 and leaves the kernels out.
  if (linker.major <= 11)
    return {LtoVerdict::silent_loss, "this nvlink can leave newer device code out and exit 0", {}};
  return {LtoVerdict::mismatch, "nvlink takes no device code of a newer toolkit", {}};
}

Finding device_finding(const Version& container, const Version& linker,
                       const std::vector<StreamRelease>& known) {
  const Toolkits made = toolkits_of(container, known);
  if (made.exact) {
    if (made.exact->major == linker.major && *made.exact <= Version{linker.major, linker.minor, 0})
      return {};
    if (*made.exact > linker)
      return newer_toolkit(linker);
    const bool near = made.exact->major >= 12; // 12.4 into 13.0 was seen to link; NVIDIA does not support it
    return {near ? LtoVerdict::risky : LtoVerdict::mismatch,
            "nvlink supports device code of its own major only",
            {}};
  }
  if (made.after && *made.after >= Version{linker.major, linker.minor, 0})
    return newer_toolkit(linker);
  if (made.before && made.before->major < linker.major)
    return {LtoVerdict::mismatch, "nvlink supports device code of its own major only", {}};
  const bool own_major = made.after && made.after->major == linker.major;
  if (own_major && made.before && *made.before <= Version{linker.major, linker.minor, 0})
    return {};
  return {LtoVerdict::risky, "it is not known which toolkit writes this version of LTO-IR", {}};
}

Finding device_version(const Bitstream& stream, const LinkContext& context) {
  const Version& linker = context.linker.version;
  const std::string expected =
      "CUDA " + std::to_string(linker.major) + ".0 to " + to_string(Version{linker.major, linker.minor, 0});
  if (!context.shape.device_lto)
    return stream.slim ? Finding{LtoVerdict::mismatch,
                                 "nvlink without -dlto takes no LTO-IR, and there is no other code in it",
                                 "machine code"}
                       : Finding{};
  if (!stream.major)
    return {LtoVerdict::risky, "it does not tell its version", expected};
  Finding finding = device_finding({static_cast<int>(*stream.major), static_cast<int>(stream.minor), 0},
                                   linker, context.releases.cuda);
  if (finding.verdict != LtoVerdict::ok)
    finding.expected = expected;
  return finding;
}

Finding finding(const Bitstream& stream, const LinkContext& context, Treatment treated) {
  const bool gcc = stream.format == LtoFormat::gcc_lto;
  const char* const format = gcc ? "GCC's LTO code" : "LLVM bitcode";
  switch (treated) {
  case Treatment::reads_same:
    return same_version(stream, context);
  case Treatment::reads_older:
    return older_version(stream, context);
  case Treatment::reads_device:
    return device_version(stream, context);
  case Treatment::machine_code:
  case Treatment::carries:
    return {};
  case Treatment::rejects:
    return {LtoVerdict::mismatch, std::string("this link has no plugin that reads ") + format,
            gcc ? "machine code" : "machine code"};
  case Treatment::drops:
    return {LtoVerdict::silent_loss,
            std::string("this link does not read GCC's LTO code, and there is no machine code in it: it "
                        "would be left out"),
            "machine code"};
  case Treatment::misses_first: {
    Finding version = same_version(stream, context);
    if (version.verdict == LtoVerdict::ok)
      version = {LtoVerdict::risky,
                 "without the linker plugin a first link of the machine code must work, and it has none",
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
    const Treatment treated = treatment(stream, context.linker, context.shape);
    Finding found = finding(stream, context, treated);
    Judgement judgement{input.path,
                        input.member,
                        stream,
                        found.verdict,
                        found.verdict != LtoVerdict::ok,
                        std::move(found.expected),
                        std::move(found.reason),
                        {}};
    if (judgement.refused)
      judgement.cure = cure(stream, treated, context);
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

void doubt(Judgement& judgement, Need need, const LinkContext& context) {
  if (!judgement.refused || need == Need::certain || !judgement.stream)
    return;
  const bool device = judgement.stream->format == LtoFormat::cuda_ltoir;
  if (device && judgement.verdict != LtoVerdict::silent_loss)
    return; // nvlink reads every member
  const bool certain_to_be_read = !device && reads_every_member(*judgement.stream, context.linker);
  judgement.verdict = LtoVerdict::risky;
  judgement.refused = device;
  const char* const what =
      certain_to_be_read
          ? "; this linker looks into every member of an archive, even those that it does not need"
      : need == Need::unlikely ? "; nothing in this link seems to need this member"
                               : "; it cannot be told whether this link needs this member";
  judgement.reason += what;
}

} // namespace hostpin
