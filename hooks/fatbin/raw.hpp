// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/lto-check/bitstream/bytes.hpp"
#include "hooks/lto-check/bitstream/damage.hpp"
#include "toolchains/fatbin/heads.hpp"

#include <optional>
#include <string_view>

namespace hostpin {

// Device code outside of any fatbin, as `nvcc -cubin`, `-ptx` and `-ltoir` write it.

/// Whether an ELF file is machine code for NVIDIA's GPUs.
bool is_cubin(const Bytes& elf);

/// Reads what a cubin was compiled for: the architecture from its ELF header, the variant from there or, as
/// CUDA 13 writes it, from the note of ptxas.
Reading<DeviceCodeHead> read_cubin(const Bytes& cubin);

/// What a PTX text is for by its directives .version and .target; nothing when it is other text.
std::optional<DeviceCodeHead> read_ptx(const Bytes& text);

/// Whether these are the first bytes of LTO-IR.
bool is_ltoir(std::string_view head);
Reading<DeviceCodeHead> read_ltoir(const Bytes& ltoir);

} // namespace hostpin
