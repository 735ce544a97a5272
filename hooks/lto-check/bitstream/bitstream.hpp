// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/bytes.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::lto {

/// Intermediate code that a linker would pass to a compiler.
enum class LtoFormat {
  gcc_lto,      ///< GCC's GIMPLE bytecode in ELF sections
  llvm_bitcode, ///< an LLVM module, raw or in its wrapper
  llvm_fat,     ///< an LLVM module in the section .llvm.lto of an object with machine code
  cuda_ltoir,   ///< NVVM code in a fatbin, or a raw .ltoir
};

/// `gcc-lto`, `llvm-bitcode`, `llvm-fat`, `cuda-ltoir`.
const char* to_string(LtoFormat format);

/// One stream of intermediate code. A file may hold several, with different versions; equal ones count once.
struct Bitstream {
  LtoFormat format = LtoFormat::gcc_lto;
  /// GCC: version of the bytecode (13.1 is GCC 13.3's). LLVM: release of the producer. CUDA: version of the
  /// container. Nothing if the file does not contain it, as with bitcode of LLVM 3.7 and before, and with
  /// producers that use other version numbers than LLVM, such as Apple's.
  std::optional<std::uint32_t> major;
  std::uint32_t minor = 0;
  std::string producer; ///< its own name: `GCC: (Debian 12.2.0-14) 12.2.0`, `LLVM19.1.7`, `PTX ISA 8.4`;
                        ///< may be empty, as in an object that `ld -r` made of several compilers' objects
  bool slim = false;    ///< there is no machine code next to it; CUDA: no cubin for the same architecture
  std::uint32_t architecture = 0; ///< CUDA: compute capability times ten (90 is sm_90); 0 for the others, and
                                  ///< for a raw .ltoir
  bool device_label = false; ///< it defines the assembler label `fatbinData`, as the host half of every .cu
                             ///< file does; LLVM: and is compiled for full LTO

  bool operator==(const Bitstream&) const = default;
};

/// The content of one linker input: a file, or a member of an archive.
struct LtoInput {
  std::string path;
  std::vector<std::string> member; ///< from the outermost archive inwards; empty for a file itself
  std::vector<Bitstream> streams;  ///< empty: no intermediate code
  std::optional<Error> unreadable; ///< damaged, truncated, changed while read, ..., as a sentence about `it`,
                                   ///< so that many can share one; the rest may still be valid
  /// The offset in the archive of a member's content, because an archive may have several of one name. 0 for
  /// a file itself, and for a member that is a separate file or is in a nested archive.
  std::uint64_t offset = 0;
};

/// Called once for each input, in the file's order. An archive that cannot be read to its end is visited once
/// more, itself, as unreadable.
using LtoVisitor = std::function<void(LtoInput&&)>;

/// Reads a relocatable object, bitcode file, fatbin, raw LTO-IR, or an archive of any kind (thin and nested
/// ones too). Only headers and the few bytes that hold a version are read, through one bounds-checked reader;
/// memory does not grow with the file. Inputs that cannot be read reach the visitor as `unreadable` (a FIFO,
/// a directory, an empty file, a truncated table, archives nested deeper than any real one). A file that is
/// none of these (a linker script, text, a shared library) gives one input without streams. Defined in
/// hostpin_bitstream_llvm; the rest is in hostpin_bitstream, which does not link LLVM.
void scan_lto_input(const std::string& path, const LtoVisitor& visit);

/// The producer of a bitcode stream that begins with its identification; `""` if it names none. An error if
/// the bytes are damaged or of a later epoch.
using ProducerReader = Result<std::string> (*)(std::string_view bitcode);

/// The producer according to LLVM's own reader, in hostpin_bitstream_llvm. It reads identifications of every
/// LLVM, including newer ones, because only the module after them changes.
Result<std::string> llvm_producer(std::string_view bitcode);

/// The same with another reader of producers than LLVM's.
void scan_lto_input(const std::string& path, ProducerReader producer, const LtoVisitor& visit);

/// The same for a file that is already open.
void scan_lto_input(const std::string& path, const binary::InputFile& file, ProducerReader producer,
                    const LtoVisitor& visit);

/// The same for bytes in memory; `path` is only their name.
void scan_lto_bytes(const std::string& path, std::string_view bytes, ProducerReader producer,
                    const LtoVisitor& visit);

} // namespace hostpin::lto
