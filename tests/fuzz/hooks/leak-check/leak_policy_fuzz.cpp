// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first byte says whether the rest is a file of forbidden paths or what a binding recorded. Either way
// each unwanted path is looked for or refused, and a binding never makes what everybody shares unwanted.
#include "hooks/leak-check/judge/policy.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"

#include <cstdlib>

using namespace hostpin;

namespace {

void require(bool holds) {
  if (!holds)
    std::abort();
}

void require_shared_allowed(const leak::Policy& policy) {
  for (const leak::UnwantedPath& row : policy.unwanted) {
    require(row.path == leak::lexically_normal(row.path));
    for (const char* const shared : {"/", "/usr", "/usr/lib", "/usr/bin", "/opt", "/lib64"})
      require(row.path != shared);
  }
}

} // namespace

std::vector<std::string> seeds() {
  return {"0/opt/gcc-11\n# not this\n\n/nix/store/0123456789abcdfghijklmnpqrsvwxyz-gcc\r\n/opt/link/../x//y/",
          "1format = 1\n[toolkit]\nroot = \"/opt/cuda-12\"\nnvcc = \"/opt/cuda/bin/nvcc\"\n[host]\ncommand = "
          "[\"/opt/gcc-11/bin/g++\"]\nfamily = \"gcc\"\ngcc-install = \"/opt/gcc-11/lib/gcc/x86_64/11\"\n"
          "[stdenv]\nfront-end = \"/x/cc1plus\"\ngcc-install = \"/usr/lib/gcc/x86_64/13\"\n"
          "[stdenv.libstdcxx]\nrelease = 13\npath = \"/elsewhere/lib/libstdc++.so.6\"\n",
          "1[host]\ncommand = [\"/opt/llvm/bin/clang++\"]\nfamily = \"clang\"\nfront-end = "
          "\"/opt/llvm/bin/clang\"\n"
          "[stdenv]\n[toolkit]\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0)
    return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  test::FakeFiles files;
  files.file("/b/binding.toml", text).file("/opt/gcc-11/bin/g++").link("/opt/link", "/opt/gcc-11");
  leak::Policy policy;
  const bool is_list = data[0] % 2 == 0;
  if (const auto added = is_list ? leak::add_forbidden_file(policy, files, "/b/binding.toml")
                                 : leak::add_binding(policy, files, "/b");
      !added) {
    require(!added.error().message.empty());
    return 0;
  }
  if (!is_list)
    require_shared_allowed(policy);
  const auto unwanted = leak::Unwanted::make(policy, files);
  if (!unwanted) {
    require(is_list && !unwanted.error().message.empty());
    return 0;
  }
  const std::vector<std::string>& needles = unwanted->needles().paths();
  for (std::uint32_t needle = 0; needle < needles.size(); ++needle)
    require(unwanted->row(needle).path == needles[needle]);
  for (const leak::UnwantedPath& row : policy.unwanted) {
    const leak::UnwantedPath* const found = unwanted->covering(leak::lexically_normal(row.path));
    require(found != nullptr && found->path == leak::lexically_normal(row.path));
  }
  return 0;
}
