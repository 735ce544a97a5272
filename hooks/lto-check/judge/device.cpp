// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/judge/device.hpp"

namespace hostpin {

namespace {

/// The toolkits that may have written a container: the known one, or all between two known ones.
struct Toolkits {
  std::optional<Version> exact, after, before;
};

Toolkits toolkits_of(const Bitstream& stream, const std::vector<StreamRelease>& known) {
  const Version container{static_cast<int>(*stream.major), static_cast<int>(stream.minor), 0};
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

bool is_newer(const Toolkits& made, const Version& linker) {
  return made.exact ? *made.exact > linker : made.after && *made.after >= linker;
}

std::string supported(const Version& linker) {
  return "CUDA " + std::to_string(linker.major) + ".0 to " + to_string(linker);
}

StreamFinding newer_toolkit(const Version& linker) {
  // Observed: 11.x prints `Uncompress failed` for code of 12.4, exits 0 and omits the kernels.
  if (linker.major <= 11)
    return {LtoVerdict::silent_loss, "this nvlink can omit newer device code and exit 0", {}};
  return {LtoVerdict::mismatch, "nvlink takes no device code of a newer toolkit", {}};
}

StreamFinding with_device_lto(const Toolkits& made, const Version& linker) {
  constexpr const char* other_major = "nvlink supports device code of its own major only";
  if (is_newer(made, linker))
    return newer_toolkit(linker);
  if (made.exact) {
    if (made.exact->major == linker.major)
      return {};
    // Code of 12.4 linked with 13.0, code of 11.x not with 12.4; NVIDIA supports neither.
    return {made.exact->major >= 12 ? LtoVerdict::risky : LtoVerdict::mismatch, other_major, {}};
  }
  if (made.before && made.before->major < linker.major)
    return {LtoVerdict::mismatch, other_major, {}};
  const bool own_major = made.after && made.after->major == linker.major;
  if (own_major && made.before && *made.before <= linker)
    return {};
  return {LtoVerdict::risky, "it is not known which toolkit writes this version of LTO-IR", {}};
}

/// Without -dlto nvlink takes machine code or PTX from the same file, if its toolkit is new enough.
StreamFinding without_device_lto(const Bitstream& stream, const Toolkits& made, const Version& linker) {
  const bool has_ptx = stream.producer.starts_with("PTX");
  // Observed: 11.x warns `SM Arch not found` and exits 0.
  if (stream.slim && !has_ptx)
    return {linker.major <= 11 ? LtoVerdict::silent_loss : LtoVerdict::mismatch,
            "nvlink without -dlto takes no LTO-IR, and there is no other code in it", "machine code or PTX"};
  if (is_newer(made, linker))
    return {LtoVerdict::mismatch, "nvlink takes no device code of a newer toolkit", supported(linker)};
  return {};
}

} // namespace

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

} // namespace hostpin
