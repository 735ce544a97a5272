// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// The global symbols of one linker input, by name.
struct Symbols {
  std::vector<std::string> defined;
  std::vector<std::string> common;    ///< tentative definitions: whoever defines one for good replaces it
  std::vector<std::string> undefined; ///< without the weak ones, which pull no archive member
  bool bytecode = false;              ///< a compiler's, which a plugin would take
};

/// Those of a relocatable object (of machine code or of GCC's bytecode, whose own table is read then), of a
/// shared library (what it exports and needs), or of LLVM bitcode, of newer releases too. Nothing when the
/// bytes do not tell.
std::optional<Symbols> symbols_of(std::string_view bytes);

/// The table in a section `.gnu.lto_.symtab.*`; nothing when it is damaged. Its layout is that of GCC's
/// lto-streamer-out.cc (write_symbol), the same since 4.5.
std::optional<Symbols> symbols_of_gcc_table(std::string_view table);

/// The table in the symbol and string blocks of bitcode; nothing when it is damaged or of another layout. It
/// is llvm/Object/IRSymtab.h's, read here because LLVM reads only those that its own release wrote.
std::optional<Symbols> symbols_of_bitcode_table(std::string_view table, std::string_view strings);

} // namespace hostpin
