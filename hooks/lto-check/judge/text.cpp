// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/judge/text.hpp"

#include <array>

namespace hostpin::lto {

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

// Removes the LTO code from a fat object or archive; a slim one would be empty afterwards.
constexpr const char* strip_recipe =
    "strip -R '.gnu.lto_*' -R '.gnu.debuglto_*' -N __gnu_lto_v1 -N __gnu_lto_slim";

std::string driver_of(const LinkContext& context) {
  return context.driver.empty() ? "its own driver" : context.driver;
}

std::string gcc_other_version(const Bitstream& stream, const LinkContext& context) {
  const std::string again =
      "compile it again with " + gcc_name(*context.linker.gcc) + ", which this link uses";
  if (stream.slim)
    return again + ", or link with the driver of " + producer_name(stream, context.releases) +
           " and only code that it compiled; compiled without -flto it fits any link";
  return again + "; or use the machine code in it: link with -fno-lto, or remove the LTO code with " +
         strip_recipe;
}

std::string gcc_unread(const Bitstream& stream, const LinkContext& context) {
  const std::string compiler = producer_name(stream, context.releases);
  if (context.linker.family == LinkerFamily::lld)
    return "lld cannot read it: link with " + compiler +
           " and -fuse-ld=bfd, gold or mold, or compile it with -ffat-lto-objects or without -flto";
  return "link with the driver of " + compiler +
         " and without -fno-lto and -fno-use-linker-plugin, so that its plugin is used, or compile it with "
         "-ffat-lto-objects or without -flto";
}

std::string llvm_newer(const Bitstream& stream, const LinkContext& context) {
  const std::string reader = std::to_string(context.linker.llvm->major);
  std::string again =
      stream.producer.find("rust") == std::string::npos
          ? "compile it with Clang " + reader + " or older, or without -flto"
          : "build it with a rustc whose LLVM is " + reader + " or older, or without its LTO options";
  if (!stream.major)
    return again;
  const std::string needed = std::to_string(*stream.major);
  if (stream.format == LtoFormat::llvm_fat)
    return again + "; or link without --fat-lto-objects, which uses the machine code in it, or with lld " +
           needed + " or newer";
  return again + "; or link with lld " + needed +
         " or newer (--ld-path=, or -B with the directory of its ld.lld)";
}

std::string llvm_unread(const LinkContext& context) {
  const bool gcc = context.linker.gcc.has_value();
  return std::string(gcc ? "GCC cannot read it: link with clang and -fuse-ld=lld"
                         : "link with " + driver_of(context) + " -flto, or with -fuse-ld=lld") +
         ", or compile it without -flto";
}

std::string device(const Bitstream& stream, const LinkContext& context) {
  if (!context.shape.device_lto)
    return "link with -dlto, or compile it for machine code too (code=sm_NN)";
  const Version& linker = context.linker.version;
  const std::string own = std::to_string(linker.major) + '.' + std::to_string(linker.minor);
  const auto writers = stream.major ? writers_of(context.releases.cuda, {static_cast<int>(*stream.major),
                                                                         static_cast<int>(stream.minor), 0})
                                    : std::nullopt;
  return "compile it again with CUDA " + own +
         (writers ? ", or do the device link with nvcc of CUDA " + *writers + " and code that it compiled"
                  : "");
}

/// nvcc takes options of a compiler or its linker only after -Xcompiler.
std::string spelt_for_nvcc(const std::string& text) {
  std::string spelt;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    if ((at == 0 || text[at - 1] == ' ') && (rest.starts_with("-f") || rest.starts_with("--ld-path=")))
      spelt += "-Xcompiler ";
    spelt += text[at];
  }
  return spelt;
}

std::string plain_fix(const Bitstream& stream, Treatment treated, const LinkContext& context) {
  if (!context.linker.unloadable.empty() && stream.format != LtoFormat::cuda_ltoir)
    return "link with the linker that this compiler comes with, without -fuse-ld=; inputs with machine code "
           "also link with -fno-lto, which names no plugin";
  switch (stream.format) {
  case LtoFormat::gcc_lto:
    if (treated == Treatment::misses_first && context.linker.gcc &&
        stream.major == context.linker.gcc->major && stream.minor == context.linker.gcc->minor)
      return "link without -fno-use-linker-plugin, or compile it with -ffat-lto-objects";
    return treated == Treatment::reads_same || treated == Treatment::misses_first
               ? gcc_other_version(stream, context)
               : gcc_unread(stream, context);
  case LtoFormat::llvm_bitcode:
  case LtoFormat::llvm_fat:
    return treated == Treatment::reads_older ? llvm_newer(stream, context) : llvm_unread(context);
  case LtoFormat::cuda_ltoir:
    return device(stream, context);
  }
  return {};
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

std::string fix(const Bitstream& stream, Treatment treated, const LinkContext& context) {
  const std::string text = plain_fix(stream, treated, context);
  return context.by_nvcc ? spelt_for_nvcc(text) : text;
}

std::string device_label_fix(const Bitstream& stream, const LinkContext& context) {
  const std::string text = "compile all .cu files but one without -flto (nvcc -Xcompiler -fno-lto): that one "
                           "and C++ files keep it";
  if (stream.format != LtoFormat::gcc_lto)
    return text + "; or compile .cu files for ThinLTO (nvcc -Xcompiler -flto=thin)";
  if (stream.slim)
    return text;
  const std::string link = "; or use the machine code in them: link with -fno-lto";
  return text + (context.by_nvcc ? spelt_for_nvcc(link) : link);
}

} // namespace hostpin::lto
