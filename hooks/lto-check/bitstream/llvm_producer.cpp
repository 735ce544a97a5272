// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/bitstream.hpp"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBufferRef.h>

namespace hostpin::lto {

Result<std::string> llvm_producer(std::string_view bitcode) {
  auto producer =
      llvm::getBitcodeProducerString(llvm::MemoryBufferRef({bitcode.data(), bitcode.size()}, "bitcode"));
  if (!producer)
    return failure(llvm::toString(producer.takeError()));
  return *std::move(producer);
}

void scan_lto_input(const std::string& path, const LtoVisitor& visit) {
  scan_lto_input(path, llvm_producer, visit);
}

} // namespace hostpin::lto
