// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/cmdline/nvcc_command.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// Replaces the GPUs that a call of nvcc names by those of a binding. docs/gpu-enforcement.md has the rules.

namespace hostpin::nvcc {

/// Arguments of a list at most, and different codes that a call may name.
inline constexpr std::size_t most_gpus = 96;

/// A binding's list as the plan has it.
struct GpuList {
  /// Options ready to be passed, such as `-gencode=arch=compute_80,code=sm_80`: machine code first, then PTX.
  /// A NUL follows each.
  std::span<const std::string_view> arguments;
  /// `ASKED SERVED`, such as `90a 90a` or `100f 103f`: what a call compiles for a GPU of the list if it names
  /// that variant.
  std::span<const std::string_view> variants;
};

/// Device code for one GPU, as after `code=`. Without initializers, so that arrays of it cost nothing.
struct GpuCode {
  enum class Kind : std::uint8_t { sm, compute, lto };
  Kind kind;
  char variant;         ///< 'a', 'f' or NUL
  std::uint16_t number; ///< such as 90 or 103

  bool operator==(const GpuCode&) const = default;
};

/// Reads `sm_90a`, `compute_80` or `lto_86`; false for anything else.
bool read_gpu_code(std::string_view text, GpuCode& code);

/// The list for messages: `sm_80 compute_80`.
std::string list_text(const GpuList& list);

/// A few codes without memory from the heap.
class GpuCodes {
public:
  /// False if there is no room.
  bool add(GpuCode code) {
    if (size_ == most_gpus)
      return false;
    codes_[size_++] = code;
    return true;
  }
  std::span<const GpuCode> all() const { return {codes_.data(), size_}; }
  bool has(GpuCode code) const;

private:
  std::size_t size_ = 0;
  std::array<GpuCode, most_gpus> codes_; // only the first `size_` have a value
};

/// What a call names, and what it is changed to.
class GpuChange {
public:
  enum class Kind {
    none,     ///< the call stays: it names the same, or compiles nothing
    unread,   ///< the call stays, because its GPU options are not understood: nvcc refuses them
    replaced, ///< its GPU options are replaced by `arguments`
    left,     ///< the call stays, although it compiles for GPUs that are not on the list: see `reason`
  };

  GpuChange() {} // NOLINT(modernize-use-equals-default): `= default` would let callers clear the arrays
  GpuChange(const GpuChange&) = delete;
  GpuChange& operator=(const GpuChange&) = delete;

  /// Decides. `command` and the text of `list` have to outlive the result.
  void decide(const cmdline::NvccCommand& command, const GpuList& list);

  Kind kind() const { return kind_; }
  /// What to pass instead of the call's own options; a NUL follows each.
  std::span<const char* const> arguments() const { return {arguments_.data(), count_}; }
  /// Whether -dlto and -rdc have to be left out as well: `arguments` have LTO IR, which nvcc does not accept
  /// with -dlto, and the -rdc=true that -dlto implies whatever the call has.
  bool drops_device_lto() const { return drops_device_lto_; }
  /// Why the call is left as it is; a clause.
  std::string_view reason() const { return reason_; }

  // What the call names, with `all`, `all-major` or `native` as its -arch, and what it is compiled for.
  std::span<const GpuCode> asked() const { return asked_.all(); }
  std::string_view word() const { return word_; }
  std::span<const GpuCode> made() const { return made_.all(); }

  /// The first for messages: `sm_70 compute_70`, `-arch=all`.
  std::string asked_text() const;
  /// The second, likewise.
  std::string made_text() const;

private:
  bool read_options(const cmdline::NvccCommand& command, bool lto);
  bool read_architecture(std::string_view value, bool lto);
  bool read_generate_code(std::string_view value);
  bool read_codes(std::string_view list, std::string_view architecture, bool of_option);
  bool ask(GpuCode code, GpuCode architecture);
  bool asks_for(GpuCode::Kind kind) const;
  bool asks_variants_alone() const;

  void make_all(const GpuList& list, bool lto);
  bool make_variants(const GpuList& list, GpuCode listed, bool machine_code, bool lto_code);
  bool make_one(const GpuList& list, cmdline::NvccMeaning output);
  bool same() const;
  void put(const char* ready, GpuCode code);
  void spell(GpuCode code);
  void leave(std::string_view reason);

  Kind kind_ = Kind::none;
  bool drops_device_lto_ = false;
  bool lto_architecture_ = false;   // LTO IR is named by -arch=lto_NN
  bool older_architecture_ = false; // a code is compiled from another GPU's PTX: `arch=compute_80,code=sm_86`
  bool several_architectures_ = false;
  bool overflows_ = false;
  std::string_view reason_;
  std::string_view word_; // `all`, `all-major` or `native`
  GpuCode architecture_;  // of the last code
  GpuCodes asked_, made_;
  std::size_t count_ = 0, used_ = 0;
  std::array<const char*, most_gpus + 1> arguments_; // only the first `count_` have a value
  std::array<char, 4096> text_;                      // of arguments that are not ready, NUL after each
};

} // namespace hostpin::nvcc
