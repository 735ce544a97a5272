// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An archive. Whatever it is, nothing is created outside of its directory, and what is unpacked is a tree of
// read-only files and links that stay in it.
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/redist/in_memory.hpp"
#include "tests/fuzz/redist/xz_bytes.hpp"
#include "tests/unit/toolchains/archive/tar_bytes.hpp"
#include "toolchains/archive/unpack.hpp"
#include "toolchains/base/scratch.hpp"
#include "toolchains/base/system_call.hpp"
#include "toolchains/base/writing.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

using namespace hostpin;
using hostpin::test::tar;
using hostpin::test::xz;

namespace {

std::string gzip(std::string bytes) {
  z_stream stream{};
  std::string out(bytes.size() + 1024, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, 1, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
      deflate(&stream, Z_FINISH) != Z_STREAM_END)
    std::abort();
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Written by Python's zipfile: a file and a symbolic link.
std::string zip() {
  constexpr std::string_view digits =
      "504b030414000000080000002158162ab984070000000d00000005000000746f702f662b49ad28812300504b03041400"
      "0000000000002158e02bd376010000000100000005000000746f702f6c66504b0102140314000000080000002158162a"
      "b984070000000d000000050000000000000000000000a48100000000746f702f66504b01021403140000000000000021"
      "58e02bd3760100000001000000050000000000000000000000ffa12a000000746f702f6c504b05060000000002000200"
      "660000004e0000000000";
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  return bytes;
}

void examine(const std::filesystem::path& root) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const auto status = entry.symlink_status();
    if (status.type() == std::filesystem::file_type::regular) {
      struct stat found {};
      if (::lstat(entry.path().c_str(), &found) != 0 || (found.st_mode & 07222U) != 0)
        std::abort();
    } else if (status.type() == std::filesystem::file_type::symlink) {
      const auto target =
          std::filesystem::weakly_canonical(entry.path().parent_path() / read_symlink(entry.path()));
      if (!target.string().starts_with(root.string()))
        std::abort();
    } else if (status.type() != std::filesystem::file_type::directory) {
      std::abort();
    }
  }
}

} // namespace

std::vector<std::string> seeds() {
  const std::string good = tar({{"top/", '5', ""},
                                {"top/f", '0', ""},
                                {"top/d/g", '0', ""},
                                {"top/d/l", '2', "../f"},
                                {"top/h", '1', "top/f"},
                                {"top/d/m", '2', "l"}});
  const std::string hostile =
      tar({{"top/l", '2', "../.."}, {"top/l/../../f", '0', ""}, {"top/pipe", '6', ""}});
  return {xz(good), gzip(good), gzip(hostile), zip()};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto scratch = ScratchDirectory::make(test::in_memory());
  const Descriptor file(::memfd_create("archive", MFD_CLOEXEC));
  if (!scratch || file.number() < 0 || !write_all(file.number(), {reinterpret_cast<const char*>(data), size}))
    return 0;
  const std::string into = scratch->path() + "/into";
  std::filesystem::create_directory(into);
  UnpackLimits limits;
  limits.members = 100;
  limits.bytes = limits.ratio_from = std::uint64_t{1} << 20U;
  const std::atomic<bool> stop = false;
  if (const auto tree = unpack(file.number(), into, limits, stop))
    examine(std::filesystem::canonical(tree->path));
  // Nothing is next to the directory, whatever happened.
  for (const auto& entry : std::filesystem::directory_iterator(scratch->path()))
    if (entry.path() != into)
      std::abort();
  return 0;
}
