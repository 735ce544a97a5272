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

/// The variables that determine what one call of nvcc does; those that are unset have no value.
struct NvccEnvironment {
  std::optional<std::string_view> prepend_flags; ///< NVCC_PREPEND_FLAGS
  std::optional<std::string_view> append_flags;  ///< NVCC_APPEND_FLAGS
  std::optional<std::string_view> ccbin;         ///< NVCC_CCBIN
  bool inside_nvcc = false; ///< an outer nvcc has exported _HERE_ and _THERE_ and runs this call
};

/// Reads a null-terminated `NAME=value` array once; the views point into it.
NvccEnvironment read_nvcc_environment(const char* const* environment);

/// Variables of an outer nvcc that an inner one appends to instead of replacing: search paths that would then
/// lead into the outer toolkit, its libraries first. To be removed only for a call made inside an nvcc.
std::span<const std::string_view> outer_nvcc_variables();

/// Undoes the directories that the calling nvcc has added at the front of PATH and LD_LIBRARY_PATH, so that a
/// decision made below nvcc is the same as one made outside it.
std::vector<VariableChange> around_nvcc(const char* const* environment);

/// The null-terminated array to execute with: `environment` in its order with the changes made. Without
/// changes it has the same pointers. `owned` holds the new text and must outlive the result.
std::vector<const char*> changed_environment(const char* const* environment,
                                             std::span<const VariableChange> changes,
                                             std::vector<std::string>& owned);

} // namespace hostpin::nvcc
