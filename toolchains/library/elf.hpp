// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hostpin {

/// What the dynamic loader would read of a shared library.
struct SharedObject {
  std::string soname;                           ///< empty when it has none
  std::vector<std::string> version_definitions; ///< names such as `GLIBCXX_3.4.30`, in the file's order
};

/// Reads an ELF shared object of either class and byte order through its dynamic segment, as the loader does,
/// so that a library without section headers is read too. Never looks outside `bytes`; what is not a
/// well-formed shared object is an error that says what is wrong.
Result<SharedObject> read_shared_object(std::string_view bytes);

} // namespace hostpin
