// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace hostpin::lto {

/// A global symbol of a linker input.
struct Symbol {
  enum class Kind {
    defined,
    common,    ///< a tentative definition, which a real one replaces
    undefined, ///< never weak, because weak references pull no archive member
  };
  std::string_view name; ///< valid during the call
  Kind kind = Kind::defined;
  bool bytecode = false; ///< in intermediate code, which a plugin would take
};
using SymbolVisit = std::function<void(const Symbol&)>;

/// Finds a `std::string_view` in a container of strings without a copy.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
};
using Names = std::unordered_set<std::string, NameHash, std::equal_to<>>;

/// Visits the symbols of a relocatable object (of machine code or of GCC's bytecode, from its own table), of
/// a shared library (what it exports and needs), or of LLVM bitcode, including newer releases. False if not
/// all of them can be read.
bool each_symbol(std::string_view bytes, const SymbolVisit& visit);

/// The table in a section `.gnu.lto_.symtab.*`; false if it is damaged. Its layout is defined by GCC's
/// lto-streamer-out.cc (write_symbol), unchanged since 4.5.
bool each_symbol_of_gcc_table(std::string_view table, const SymbolVisit& visit);

/// The table in the symbol and string blocks of bitcode; false if it is damaged or has another layout than
/// llvm/Object/IRSymtab.h. Read here because LLVM reads only tables that its own release wrote.
bool each_symbol_of_bitcode_table(std::string_view table, std::string_view strings, const SymbolVisit& visit);

} // namespace hostpin::lto
