// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/loader/places.hpp"

#include <string>

namespace hostpin {

/// What is known of a glibc loader without running it: one in a system directory searches where the
/// distributions' do, of one elsewhere only run paths are known. Processor capabilities are unknown.
LoaderDescription presumed_loader(const std::string& loader, const std::string& target);

} // namespace hostpin
