// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/fatbin.hpp"

#include <optional>
#include <string_view>

namespace hostpin {

// Device code outside of any fatbin, as `nvcc -cubin`, `-ptx` and `-ltoir` write it.

/// Whether an ELF file is machine code for NVIDIA's GPUs.
bool is_cubin(const binary::Bytes& elf);

/// Reads the target of a cubin: the architecture from its ELF header, the variant from there or, as CUDA 13
/// writes it, from the note of ptxas.
binary::Reading<binary::DeviceCodeHead> read_cubin(const binary::Bytes& cubin);

/// The target of a PTX text by its directives .version and .target; nothing if it is other text.
std::optional<binary::DeviceCodeHead> read_ptx(const binary::Bytes& text);

/// Whether these are the first bytes of LTO-IR.
bool is_ltoir(std::string_view head);
binary::Reading<binary::DeviceCodeHead> read_ltoir(const binary::Bytes& ltoir);

} // namespace hostpin
