// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/devicecode/slice.hpp"
#include "toolchains/fatbin/holding.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace hostpin::devicecode {

/// A file that is merged.
struct Source {
  std::string name; ///< for messages
  binary::Bytes bytes;
  DeviceContent code;
};

struct Merged {
  std::vector<std::string> fatbins; ///< the new bytes of each, in the order of `DeviceContent::fatbins`
  std::vector<bool> changed;        ///< likewise: whether it got entries
  std::map<fatbin::HeldCode, std::size_t> added;
  std::size_t present = 0; ///< entries that the file had already
};

/// The fatbins of `file` with the entries of all others, in nvcc's order: capabilities ascend, and of one,
/// machine code comes first. The error says why they do not belong together: another host half, other code
/// for the same GPU, or a kernel or variable of another size.
Result<Merged> merged(const Source& file, const std::vector<Source>& others);

} // namespace hostpin::devicecode
