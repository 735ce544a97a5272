// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string_view>

namespace hostpin {

/// A global symbol of a linker input.
struct Symbol {
  enum class Kind {
    defined,
    common,    ///< a tentative definition: whoever defines it for good replaces it
    undefined, ///< never a weak one, which pulls no archive member
  };
  std::string_view name; ///< as long as the call lasts
  Kind kind = Kind::defined;
  bool bytecode = false; ///< a compiler's, which a plugin would take
};
using SymbolVisit = std::function<void(const Symbol&)>;

/// Visits those of a relocatable object (of machine code or of GCC's bytecode, whose own table is read then),
/// of a shared library (what it exports and needs), or of LLVM bitcode, of newer releases too. False when the
/// bytes do not tell all of them. `pause` is called now and then, when no name is in use: an object can have
/// millions.
bool each_symbol(std::string_view bytes, const SymbolVisit& visit, const std::function<void()>& pause = {});

/// The table in a section `.gnu.lto_.symtab.*`; false when it is damaged. Its layout is that of GCC's
/// lto-streamer-out.cc (write_symbol), the same since 4.5.
bool each_symbol_of_gcc_table(std::string_view table, const SymbolVisit& visit,
                              const std::function<void()>& pause = {});

/// The table in the symbol and string blocks of bitcode; false when it is damaged or of another layout. It is
/// llvm/Object/IRSymtab.h's, read here because LLVM reads only those that its own release wrote.
bool each_symbol_of_bitcode_table(std::string_view table, std::string_view strings, const SymbolVisit& visit,
                                  const std::function<void()>& pause = {});

} // namespace hostpin
