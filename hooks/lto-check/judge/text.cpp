// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/judge/words.hpp"

#include <array>

namespace hostpin {

namespace {

/// 12.2.0 from `GCC: (Debian 12.2.0-14) 12.2.0`; empty for another text.
std::string gcc_number(std::string_view producer) {
  if (!producer.starts_with("GCC: "))
    return {};
  // After the distribution's name; Fedora adds more in parentheses after the number.
  std::string_view text = producer.substr(5);
  int depth = 0;
  while (!text.empty() && (depth > 0 || text.front() == '(')) {
    depth += text.front() == '(' ? 1 : text.front() == ')' ? -1 : 0;
    text.remove_prefix(1);
  }
  while (text.starts_with(' '))
    text.remove_prefix(1);
  return std::string(text.substr(0, text.find(' ')));
}

Version version_of(const Bitstream& stream) {
  return {static_cast<int>(stream.major.value_or(0)), static_cast<int>(stream.minor), 0};
}

std::string number_of(const Bitstream& stream) {
  return std::to_string(*stream.major) + '.' + std::to_string(stream.minor);
}

std::string with_writers(const char* who, const std::vector<StreamRelease>& releases,
                         const Bitstream& stream) {
  const auto writers = stream.major ? writers_of(releases, version_of(stream)) : std::nullopt;
  return writers ? who + (' ' + *writers) : std::string("unknown ") + who;
}

} // namespace

std::string producer_name(const Bitstream& stream, const StreamReleases& releases) {
  switch (stream.format) {
  case LtoFormat::gcc_lto:
    if (const std::string number = gcc_number(stream.producer); !number.empty())
      return "GCC " + number;
    return with_writers("GCC", releases.gcc, stream);
  case LtoFormat::llvm_bitcode:
  case LtoFormat::llvm_fat:
    if (stream.producer.starts_with("LLVM") && stream.producer.size() > 4)
      return "LLVM " + stream.producer.substr(4);
    return stream.producer.empty() ? "unknown LLVM" : stream.producer;
  case LtoFormat::cuda_ltoir:
    return with_writers("CUDA", releases.cuda, stream);
  }
  return {};
}

std::string stream_version(const Bitstream& stream) {
  if (!stream.major)
    return {};
  switch (stream.format) {
  case LtoFormat::gcc_lto:
    return "LTO " + number_of(stream);
  case LtoFormat::llvm_bitcode:
  case LtoFormat::llvm_fat:
    return "LLVM " + std::to_string(*stream.major);
  case LtoFormat::cuda_ltoir:
    return "LTO-IR " + number_of(stream);
  }
  return {};
}

std::string linker_name(const Linker& linker) {
  constexpr auto names = std::to_array<const char*>({"GNU ld", "GNU gold", "mold", "lld", "nvlink of CUDA"});
  return linker.path + " (" + names[static_cast<std::size_t>(linker.family)] + ' ' +
         to_string(linker.version) + ')';
}

std::string gcc_name(const GccReader& reader) {
  const std::string number = gcc_number(reader.producer);
  return number.empty() ? "GCC with LTO " + std::to_string(reader.major) + '.' + std::to_string(reader.minor)
                        : "GCC " + number;
}

} // namespace hostpin
