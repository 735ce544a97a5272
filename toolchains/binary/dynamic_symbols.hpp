// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/bytes.hpp"

#include <functional>
#include <string_view>

namespace hostpin::binary {

/// A symbol of a dynamic symbol table. The name is valid during the visit only.
struct DynamicSymbol {
  std::string_view name;
  bool is_defined = false; ///< here; otherwise another file has to define it
  bool is_weak = false;
};

/// Visits the named global symbols in the table's order until `visit` returns false. Nothing is visited in a
/// file without section headers. False if the file is not ELF or has no such table; damage if the table or
/// the names are outside the file.
Reading<bool> each_dynamic_symbol(const Bytes& file, const std::function<bool(const DynamicSymbol&)>& visit);

} // namespace hostpin::binary
