// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/repack.hpp"

#include <utility>

namespace hostpin::devicecode {

using binary::Bytes;
using binary::device_code_head;
using binary::DeviceCodeHead;
using binary::DevicePacking;
using binary::EmbeddedCode;

namespace {

bool is_loaded(const DeviceContent::Part& fatbin, const DeviceCodeHead& head) {
  return !fatbin.relocatable &&
         (head.code == binary::DeviceCode::cubin || head.code == binary::DeviceCode::ptx);
}

Result<std::string> repacked_entry(const Bytes& file, const DeviceContent::Part& fatbin,
                                   const EmbeddedCode& entry, fatbin::CompressMode mode) {
  auto bytes = entry_bytes(file, entry);
  if (!bytes)
    return failure("its device code cannot be read");
  return fatbin.fixed ? *std::move(bytes) : fatbin::recompressed(*bytes, mode);
}

Result<std::string> repacked_fatbin(const Bytes& file, const DeviceContent::Part& fatbin,
                                    fatbin::CompressMode mode, Repacked& result) {
  std::vector<std::string> entries;
  for (const EmbeddedCode& entry : fatbin.entries) {
    auto bytes = repacked_entry(file, fatbin, entry, mode);
    if (!bytes)
      return bytes;
    const auto head = device_code_head(*bytes);
    if (head && is_loaded(fatbin, *head)) {
      ++result.entries;
      result.zstd = result.zstd || head->packing == DevicePacking::zstd;
    }
    result.before += entry.header + entry.payload;
    result.after += bytes->size();
    entries.push_back(*std::move(bytes));
  }
  return fatbin::fatbin_of_entries({entries.begin(), entries.end()});
}

} // namespace

Result<Repacked> repacked(const Bytes& file, const DeviceContent& code, fatbin::CompressMode mode) {
  Repacked result;
  for (std::size_t i = 0; i < code.fatbins.size(); ++i) {
    auto bytes = repacked_fatbin(file, code.fatbins[i], mode, result);
    if (!bytes)
      return failure(bytes.error().message + " (fatbin " + std::to_string(i + 1) + ')');
    result.fatbins.push_back(*std::move(bytes));
  }
  return result;
}

} // namespace hostpin::devicecode
