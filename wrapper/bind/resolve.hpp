// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/survey/survey.hpp"
#include "wrapper/bind/binding.hpp"

#include <string>

namespace hostpin::bind {

/// A host compiler named on one nvcc call, on top of what is configured.
struct NamedOnCall {
  std::string words; ///< as spelt: a driver, a name for PATH, or a directory with gcc and g++
  std::string by;    ///< `-ccbin`, `NVCC_APPEND_FLAGS`, ...
};

/// Turns a survey into a binding: checks the named host compiler or selects one, plans the link, and makes
/// the rules for flags whose runtime comes with the compiler. The error is for the user.
Result<Binding> resolve(const Survey& survey, const SurveyInputs& inputs);

/// A binding that runs nvcc as it is called: the named compiler is already hostpin's, the policy requires it,
/// or the call compiles nothing and no compiler fits.
Result<Binding> resolve_untouched(const Survey& survey);

/// The driver that a name given to nvcc means: for a directory its g++, for `gcc` the g++ next to it, because
/// links must use a C++ driver. Other names are returned unchanged.
std::string driver_named_to_nvcc(const std::string& words, const Files& files);

} // namespace hostpin::bind
