// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hostpin::devicecode {

/// What a host half relies on in machine code: the bytes of each kernel's parameters, and of each variable.
/// It is the same for all GPUs, unless the source makes it depend on them: `varying`.
using Interface = std::map<std::string, std::uint64_t>;
constexpr std::uint64_t varying = ~std::uint64_t{0};

/// The interface of a cubin; empty if it is not an ELF file that can be read.
Interface interface_of(std::string_view cubin);

/// Adds the names of `more`, code of the same build for another GPU, to `all`.
void add_interface(Interface& all, const Interface& more);

/// Adds the names of `more`, code of another build, to `all`. Returns a name that has another size there, or
/// nothing.
std::optional<std::string> conflict(Interface& all, const Interface& more);

} // namespace hostpin::devicecode
