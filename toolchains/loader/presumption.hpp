// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/loader/places.hpp"

#include <string>

namespace hostpin {

/// What can be said of a glibc loader without asking it: one in a place of the system looks where the
/// distributions' do, of one elsewhere nothing but run paths is known. Of processors nothing is said.
LoaderDescription presumed_loader(const std::string& loader, const std::string& target);

} // namespace hostpin
