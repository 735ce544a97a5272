// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/fatbin/heads.hpp"

#include <cstdint>
#include <string_view>

namespace hostpin {

// nvcc writes machine code and PTX also where there is nothing to run: of sources without device code, and
// with each link, for every capability that the link is called for. No such piece makes a program run
// anywhere.

/// Code of so many unpacked bytes may be without functions: such a piece of nvcc 11.2 to 13.0 has 1 to 3 KB,
/// the smallest kernel about as many. Debug information of 11.2 makes more of it, which then counts as code.
constexpr std::uint64_t most_bytes_without_functions = 4096;

/// Whether the payload has to be looked at to tell: it is machine code or PTX, and small.
bool may_lack_functions(const DeviceCodeHead& head);

/// Whether machine code or PTX has neither functions nor variables, by its sections and directives.
/// `payload`: as in the file, `head.size` bytes of it. What cannot be read does not lack them.
bool lacks_functions(const DeviceCodeHead& head, std::string_view payload);

} // namespace hostpin
