// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/fatbin.hpp"
#include "toolchains/fatbin/choice.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace hostpin::wheel {

/// The fatbins of a program or library, in its order.
struct DeviceFile {
  struct Part {
    bool relocatable = false; ///< input of a device link
    std::vector<binary::EmbeddedCode> entries;
    bool is_stub = false; ///< of nvcc's link, without entries
  };

  binary::Blob blob;
  std::vector<Part> fatbins; ///< empty if it has no device code
};

/// Reads headers only. The error is the end of a sentence about the file.
Result<DeviceFile> read_device_file(binary::Blob blob);

/// What a GPU gets of one fatbin.
struct FatbinService {
  std::size_t fatbin = 0;         ///< in the file, from 0
  bool is_served = false;         ///< something in it is loaded
  bool is_compiled = false;       ///< that is PTX
  std::string reason;             ///< why not: `it has 8.0 machine code`, `its PTX is newer than the driver`
  std::vector<std::string> names; ///< of some of its kernels or sources, if it is not served
};

/// What the NVIDIA driver loads of each fatbin of a file, by fatbin::choice; fatbins without functions,
/// stubs, and the input of a device link that wrote the others, are left out.
std::vector<FatbinService> services(const DeviceFile& file, const fatbin::ChoiceTerms& terms);

/// The first fatbin of which the driver selects other code in another file with the same host half, and how
/// the code differs; empty if there is none. The error says that one cannot be read.
Result<std::string> difference(const DeviceFile& before, const DeviceFile& after,
                               const fatbin::ChoiceTerms& terms);

} // namespace hostpin::wheel
