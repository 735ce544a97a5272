// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two packages of a distribution, one after another in one tree. Whatever they are, nothing is created
// outside of it, and no link leads out of a tree that was accepted.
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
#include <sys/mman.h>

using namespace hostpin;

namespace fs = std::filesystem;

namespace {

void examine(const fs::path& root) {
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const auto type = entry.symlink_status().type();
    if (type == fs::file_type::symlink) {
      const auto target = fs::weakly_canonical(entry.path().parent_path() / read_symlink(entry.path()));
      if (!target.string().starts_with(root.string()))
        std::abort();
    } else if (type != fs::file_type::regular && type != fs::file_type::directory) {
      std::abort();
    }
  }
}

std::optional<std::string> place(const std::string& path) {
  if (path.starts_with("out/"))
    return std::nullopt;
  return path.starts_with("lib/") ? "usr/" + path : path;
}

} // namespace

std::vector<std::string> seeds() {
  const std::string good = test::tar({{"./", '5', ""},
                                      {"./usr/f", '0', ""},
                                      {"./lib/l", '2', "/usr/f"},
                                      {"./usr/h", '1', "./usr/f"},
                                      {"./out/f", '0', ""}});
  const std::string hostile =
      test::tar({{"usr/l", '2', "../.."}, {"usr/l/../../f", '0', ""}, {"lib/pipe", '6', ""}});
  // Made by Python's zipfile: a symbolic link bin/nvcc to ../../x.
  const std::string zip(
      "PK\003\004\024\000\000\000\000\000\000\000!\000\2503%B\007\000\000\000\007\000\000\000"
      "\010\000\000\000bin/nvcc../../xPK\001\002\024\003\024\000\000\000\000\000\000\000!\000"
      "\2503%B\007\000\000\000\007\000\000\000\010\000\000\000\000\000\000\000\000\000\000\000"
      "\377\241\000\000\000\000bin/nvccPK\005\006\000\000\000\000\001\000\001\0006\000\000\000-"
      "\000\000\000\000\000",
      121);
  return {zip, test::ar({{"debian-binary", "2.0\n"}, {"data.tar.xz", test::xz(good)}}), test::xz(good),
          test::ar({{"data.tar.xz", test::xz(hostile)}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto scratch = ScratchDirectory::make(test::in_memory());
  if (!scratch)
    return 0;
  const Descriptor file(::memfd_create("package", MFD_CLOEXEC));
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (file.number() < 0 || !write_all(file.number(), bytes))
    return 0;
  const std::string into = scratch->path() + "/into",
                    package = "/proc/self/fd/" + std::to_string(file.number());
  fs::create_directory(into);
  UnpackLimits limits;
  limits.members = 100;
  limits.bytes = limits.ratio_from = std::uint64_t{1} << 20U;
  PackageUnpacker unpacker(into, place, limits);
  const std::atomic<bool> stop = false;
  const auto first = unpacker.add(package, stop);
  const auto second = unpacker.add(package, stop); // all of its files are there already
  if (unpacker.finish())
    examine(fs::canonical(into));
  for (const auto& entry : fs::directory_iterator(scratch->path()))
    if (entry.path() != into)
      std::abort();
  static_cast<void>(first && second);
  return 0;
}
