// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"

#include <memory>
#include <string_view>

namespace hostpin {

/// Decompresses an .xz file, of one or more streams. Blocks that have their sizes in their headers, as `xz`
/// with several threads and `dpkg-deb` write them, are decompressed at the same time, with a quarter of the
/// machine's memory at most; libarchive decompresses one after another.
class XzBlob {
public:
  /// `compressed` must outlive it.
  static Result<std::unique_ptr<XzBlob>> open(const binary::Blob& compressed);
  XzBlob(const XzBlob&) = delete;
  XzBlob& operator=(const XzBlob&) = delete;
  ~XzBlob();

  /// The next bytes, valid until the next call; empty at the end. The error is a reason, such as that the
  /// data is corrupt or cut short.
  Result<std::string_view> next();

private:
  struct State;
  explicit XzBlob(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace hostpin
