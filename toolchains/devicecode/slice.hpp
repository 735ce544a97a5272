// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/binary/fatbin.hpp"
#include "toolchains/devicecode/host_digest.hpp"
#include "toolchains/devicecode/image.hpp"
#include "toolchains/gpus/capability.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::devicecode {

/// The device code of an object, program, library, raw fatbin or slice, fatbin by fatbin, and the host half
/// that it belongs to.
struct DeviceContent {
  struct Part {
    bool relocatable = false; ///< input of a device link
    std::vector<binary::EmbeddedCode> entries;
    std::size_t section = 0, fatbin = 0; ///< indices in the image, if there is one
    bool fixed = false;                  ///< it has to stay where it is, unchanged
  };

  HostDigest host;
  /// Checksum of the build id of the link that the code is from, which strip and slim keep; 0 if it has none.
  std::uint64_t build = 0;
  /// In the order of their wrappers, then those without wrappers, and the relocatable ones last.
  std::vector<Part> fatbins;
  std::optional<gpus::Capability> slice_of{}; ///< of a slice
  std::optional<Image> image{};               ///< of an ELF file
};

/// Reads any of them; nothing if it is something else or has no fatbins. Damage, as the end of a sentence
/// about the file, also for a slice of an unknown version, or whose checksum is wrong.
binary::Reading<std::optional<DeviceContent>> read_device_code(const binary::Bytes& file);

/// One entry: header, texts and payload. Nothing if it cannot be read.
std::optional<std::string> entry_bytes(const binary::Bytes& file, const binary::EmbeddedCode& entry);

/// The bytes of a slice: the entries of one capability, variants apart. README.md describes the format. The
/// error says that there is none, or that the file cannot be read.
Result<std::string> slice_of(const binary::Bytes& file, const DeviceContent& code,
                             gpus::Capability capability);

} // namespace hostpin::devicecode
