// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/fatbin.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::fatbin {

/// Decompresses a payload that is small and in memory: one LZ4 block, or one zstd frame, which padding may
/// follow. Nothing if it is damaged or exceeds `limit` bytes.
std::optional<std::string> decompressed(binary::DevicePacking packing, std::string_view compressed,
                                        std::size_t limit);

/// The beginning of a decompressed LZ4 block: `enough` bytes and a few more, or all of it. Nothing if it is
/// damaged before that, or exceeds `limit` bytes before it is enough.
std::optional<std::string> decompressed_lz4(std::string_view compressed, std::size_t limit,
                                            std::size_t enough);

// nvcc writes machine code and PTX even if there is nothing to run: for sources without device code, and in
// each link, for every capability of the link. No such piece makes a program run anywhere.

/// Code with more decompressed bytes is assumed to have functions. A piece without any has 1 to 3 KB by nvcc
/// 11.2 to 13.0; with debug information nvlink adds 0.4 KB for each object that it is given.
constexpr std::uint64_t most_bytes_without_functions = std::uint64_t{64} << 10U;
/// The same for compressed code, which is at most a third as large.
constexpr std::uint64_t most_compressed_without_functions = std::uint64_t{8} << 10U;

/// Whether the payload has to be examined to determine that: it is machine code or PTX, and not large. LTO-IR
/// is not examined: since 11.8 its encoding is NVIDIA's own.
bool may_lack_functions(const binary::DeviceCodeHead& head);

/// Whether machine code or PTX has neither functions nor variables, by its sections and directives.
/// `payload`: as in the file, `head.size` bytes of it. False if it cannot be read.
bool lacks_functions(const binary::DeviceCodeHead& head, std::string_view payload);

/// The same for each piece of a bundle; `payload` is the bundle's. Empty if none can lack them.
std::vector<bool> lack_functions(const binary::EmbeddedCode& bundle, std::string_view payload);
/// Whether the payload has to be examined for that.
bool may_lack_functions(const binary::EmbeddedCode& entry);

} // namespace hostpin::fatbin
