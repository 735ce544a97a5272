// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::nvcc {

/// A variable to set, or, without a value, to remove.
struct VariableChange {
  std::string name;
  std::optional<std::string> value;
};

/// The variables that decide what one call of nvcc does; those that are not set have no value.
struct NvccEnvironment {
  std::optional<std::string_view> prepend_flags; ///< NVCC_PREPEND_FLAGS
  std::optional<std::string_view> append_flags;  ///< NVCC_APPEND_FLAGS
  std::optional<std::string_view> ccbin;         ///< NVCC_CCBIN
  bool inside_nvcc = false; ///< an outer nvcc has exported _HERE_ and _THERE_ and started us
};

/// Reads a null-terminated `NAME=value` array once; the views point into it.
NvccEnvironment read_nvcc_environment(const char* const* environment);

/// What an nvcc leaves behind that an nvcc inside it would add to, rather than replace: search paths that
/// would then lead into the outer toolkit, its libraries first. To be removed for a call made inside an nvcc,
/// and for no other.
std::span<const std::string_view> outer_nvcc_variables();

/// What takes back that the nvcc which runs us has put its own directories in front of PATH and
/// LD_LIBRARY_PATH, so that whatever is decided below it is what is decided around it.
std::vector<VariableChange> around_nvcc(const char* const* environment);

/// The null-terminated array to execute with: `environment` in its order with the changes made. Without
/// changes it is the same pointers. Text is kept in `owned`, which must outlive the result.
std::vector<const char*> changed_environment(const char* const* environment,
                                             std::span<const VariableChange> changes,
                                             std::vector<std::string>& owned);

} // namespace hostpin::nvcc
