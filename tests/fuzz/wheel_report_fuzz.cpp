// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pip's installation report, whose names, addresses and hashes an index chooses. A toolkit that is read of it
// leads out of no directory, and its addresses are single arguments without variables.
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/redist/lock.hpp"
#include "wrapper/setup/wheel_choice.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin;
using namespace hostpin::setup;

namespace {

/// A report of the compiler's wheels.
std::string sample(const std::string& address, const std::string& hash) {
  std::string items;
  for (const char* const name : {"nvidia-cuda-nvcc", "nvidia-cuda-crt", "nvidia-nvvm", "nvidia-cuda-runtime",
                                 "nvidia-cuda-nvrtc", "nvidia-cuda-cccl"})
    items += std::string(items.empty() ? "" : ",") + R"({"download_info":{"url":")" + address + name +
             R"(-1-py3-none-any.whl","archive_info":)" + hash + R"(},"metadata":{"name":")" + name +
             R"(","version":"13.3.73"}})";
  return R"({"version":"1","install":[)" + items + "]}";
}

} // namespace

std::vector<std::string> seeds() {
  const std::string digest(64, 'a');
  return {sample("https://x/", R"({"hashes":{"sha256":")" + digest + "\"}}"),
          sample("file:///x/", R"({"hash":"sha256=)" + digest + "\"}"), "{}"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto piece = wheels_piece({reinterpret_cast<const char*>(data), size}, {});
  if (!piece)
    return 0;
  constexpr std::size_t digits = 64;
  for (const Package& each : piece->packages)
    if (!redist::is_path_below(each.file) || each.file.find('/') != std::string::npos ||
        each.address.find_first_of("$ \n\"'`\\#") != std::string::npos || each.address.starts_with('-') ||
        each.sha256.size() != digits)
      std::abort();
  return 0;
}
