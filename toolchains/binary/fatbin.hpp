// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace hostpin::binary {

/// The header of a fatbin, which its entries follow.
struct FatbinHead {
  static constexpr std::size_t bytes = 16;
  static constexpr std::uint32_t known_version = 1; ///< in all releases

  // Properties that every reader of a section of fatbins uses.
  static constexpr std::uint64_t alignment = 8, most_padding = 4096; ///< between consecutive ones
  static constexpr std::size_t most_entries = 4096;                  ///< of one; more is damage

  std::uint32_t version = 0;
  std::uint64_t header = 0;  ///< bytes before the first entry
  std::uint64_t content = 0; ///< bytes of all entries; may be anything in a damaged file
};

/// Whether a fatbin begins here.
bool is_fatbin(std::string_view head);

/// Nothing if no fatbin begins here or the header is truncated.
std::optional<FatbinHead> fatbin_head(std::string_view bytes);

enum class DeviceCode { ptx, cubin, ltoir, other };
/// The GPUs that code runs on, by the suffix of its capability: none, `a`, `f`.
enum class DeviceVariant { baseline, architecture_specific, family_specific };
/// `bundle`: one zstd frame with several pieces of code, as `nvcc --concat` writes it since 13.4.
enum class DevicePacking { none, lz4, zstd, bundle };

/// The header of one entry. Sizes are in bytes and may have any value in a damaged file.
struct DeviceCodeHead {
  static constexpr std::size_t least_bytes = 0x20; ///< of a header that can be read
  static constexpr std::size_t bytes = 0x40;       ///< of a header with all fields

  DeviceCode code = DeviceCode::other;
  std::uint32_t architecture = 0; ///< compute capability times ten
  DeviceVariant variant = DeviceVariant::baseline;
  std::uint32_t major = 0, minor = 0; ///< of the PTX ISA, of the LTO-IR container, of the cubin
  std::uint64_t header = 0;           ///< of the header itself, with the texts in it
  std::uint64_t payload = 0;          ///< size after the header, with padding
  std::uint64_t size = 0;             ///< of the payload without padding, if known
  std::uint64_t unpacked = 0;         ///< of the decompressed code
  DevicePacking packing = DevicePacking::none;
  /// The name of the source, if the compiler stored it: its offset in the header, and its length.
  std::uint32_t name_at = 0, name_size = 0;
  std::uint64_t begins = 0; ///< of a piece of a bundle: its offset in the decompressed code
};

/// Reads as many fields as the bytes contain; `DeviceCodeHead::bytes` bytes are enough. Nothing if there are
/// too few or the header itself claims to be shorter.
std::optional<DeviceCodeHead> device_code_head(std::string_view bytes);

/// One piece of device code in a fatbin; header and payload are inside it.
struct EmbeddedCode : DeviceCodeHead {
  std::uint64_t at = 0;     ///< offset of its header in the bytes that were read
  std::uint64_t fatbin = 0; ///< offset of its fatbin
  /// The pieces of a bundle, whose own code is `other`. Names are in the bundle's header, `payload` is each
  /// one's share of the bundle's bytes, `begins` its offset after decompression.
  std::vector<DeviceCodeHead> bundled{};
};

/// The pieces of a fatbin: its entries, and instead of a bundle what is in it.
struct DevicePieces {
  std::vector<EmbeddedCode> pieces;
  std::vector<std::size_t> entries; ///< for each piece the index of its entry
};

DevicePieces pieces_of(const std::vector<EmbeddedCode>& entries);

/// A fatbin among the bytes that were read.
struct EmbeddedFatbin : FatbinHead {
  std::uint64_t at = 0; ///< offset of its header
  std::vector<EmbeddedCode> entries;
};

/// What the CUDA runtime gets for each fatbin: __fatBinC_Wrapper_t of fatbinary_section.h.
struct FatbinWrapper {
  static constexpr std::uint64_t bytes = 24;
  static constexpr std::uint32_t magic = 0x466243b1;
  /// Versions: of a whole program, and of what a device link wrote.
  static constexpr std::uint32_t whole = 1, linked = 2;

  std::uint32_t version = 0;
};

/// The versions of the wrappers in a section `.nvFatBinSegment`, in its order, up to `most` of them; 0 for
/// what is not a wrapper.
std::vector<std::uint32_t> wrapper_versions(const Bytes& segment, std::uint64_t most);

/// For each of the consecutive fatbins in an object's or program's only section of them, whether it is the
/// stub of nvcc's link: that adds a fatbin for what a device link makes, without entries if there was nothing
/// to link, as for sources with PTX alone. Nothing in it can be missing. `versions`: of the wrappers, which
/// are in the order of the fatbins; if there are more or fewer, no fatbin is known to be a stub.
std::vector<bool> link_stubs(const std::vector<bool>& is_empty, const std::vector<std::uint32_t>& versions);

/// Visits the consecutive fatbins of a section or file with their headers, also those without entries, until
/// the visitor returns false.
Reading<bool> each_whole_fatbin(const Bytes& bytes,
                                const std::function<Reading<bool>(const EmbeddedFatbin&)>& visit,
                                bool damaged_too = false);

/// Visits the consecutive fatbins of a section or file, each as its entries. Only their headers are read, so
/// that no code has to be decompressed. The visitor returns whether to continue; it gets a damaged fatbin
/// only if `damaged_too`, with the entries before the damage.
Reading<bool> each_fatbin(const Bytes& bytes,
                          const std::function<Reading<bool>(const std::vector<EmbeddedCode>&)>& visit,
                          bool damaged_too = false);

} // namespace hostpin::binary
