// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/binary/fatbin.hpp"
#include "toolchains/gpus/capability.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace hostpin::fatbin {

/// The capability that a piece of device code was compiled for. An invalid architecture gives invalid
/// numbers.
gpus::Capability capability_of(const binary::DeviceCodeHead& head);

/// The purpose of a piece of device code.
enum class CodeUse {
  run,  ///< the NVIDIA driver loads it, or a link makes loadable code of it
  link, ///< relocatable code that is left in a finished program, and is never loaded
  none, ///< without functions and variables, like nvlink's stubs for each capability of a link
};

/// `run`, `link`, `none`.
const char* word_of(CodeUse use);

/// One kind of code for one capability.
struct HeldCode {
  gpus::Capability capability; ///< major 0: not in the file, as in a raw .ltoir
  binary::DeviceCode code = binary::DeviceCode::other;
  CodeUse use = CodeUse::run;

  auto operator<=>(const HeldCode&) const = default;
};

/// `9.0a machine code`, `8.0 relocatable PTX`, `8.6 machine code without functions`.
std::string to_string(const HeldCode& held);

/// The same without the capability, for lines that name the kind of code otherwise.
std::string with_use(const std::string& code, CodeUse use);

/// `machine code`, `PTX`, `LTO-IR`, `other code`.
const char* name_of(binary::DeviceCode code);

/// For programs: `cubin`, `ptx`, `ltoir`, `other`.
const char* word_of(binary::DeviceCode code);

struct HeldAmount {
  std::uint64_t entries = 0;
  std::uint64_t fatbins = 0;             ///< that have at least one of them
  std::uint64_t bytes = 0;               ///< in the file, with headers and padding
  std::uint64_t unpacked = 0;            ///< of all the code after decompression
  std::array<std::uint64_t, 4> packed{}; ///< entries by DevicePacking
  /// Oldest and newest version of the PTX ISA or the LTO-IR container, as major and minor.
  std::pair<std::uint32_t, std::uint32_t> oldest{}, newest{};
  std::uint64_t last_fatbin = 0; ///< the ordinal of the last fatbin that was counted
};

/// The device code of a file, a member of an archive or a tree. Its memory is bounded, whatever a damaged
/// file claims to contain.
class Holding {
public:
  static constexpr std::size_t most_codes = 1024; ///< gpus.toml has some 30 capabilities
  static constexpr std::size_t most_source_bytes = std::size_t{16} << 20U;

  /// Fatbins with machine code of one capability.
  struct GpuAmount {
    std::uint64_t fatbins = 0, last_fatbin = 0; ///< as in HeldAmount
  };

  std::map<HeldCode, HeldAmount> codes;
  /// Of runnable machine code, with the code of `a` and `f` variants counted for the capability itself, whose
  /// GPUs run it.
  std::map<gpus::Capability, GpuAmount> machine_code;
  std::uint64_t fatbins = 0;     ///< a raw cubin, PTX or LTO-IR counts as one
  std::uint64_t idle = 0;        ///< of them, those with pieces, none of which can run, and stubs of links
  std::uint64_t linked = 0;      ///< of them, those with runnable code that a device link wrote
  std::set<std::string> sources; ///< names of sources, if a compiler stored them (-g, -lineinfo)
  bool overflown = false;        ///< there was more than the limits, and more than in any real file

  bool empty() const { return codes.empty(); }
  /// Whether nothing can be missing or surplus: no fatbins, or only fatbins whose pieces have no functions.
  /// An empty fatbin counts as missing its code.
  bool is_idle() const;
  std::uint64_t bytes() const;
  std::uint64_t unpacked() const;

  /// The entries that are added next belong to another fatbin.
  void begin_fatbin();
  void add(const binary::DeviceCodeHead& head, CodeUse use = CodeUse::run);
  void add_source(std::string name);
  void add(const Holding& other);

private:
  HeldAmount* amount_of(const HeldCode& held);

  enum class Begun { empty, idle, running }; ///< the content so far of the current fatbin

  std::uint64_t source_bytes_ = 0;
  Begun begun_ = Begun::empty;
};

/// A sum that saturates: a damaged file may claim any number.
std::uint64_t sum(std::uint64_t a, std::uint64_t b);

} // namespace hostpin::fatbin
