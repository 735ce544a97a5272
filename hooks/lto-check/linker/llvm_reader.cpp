// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/linker/llvm_reader.hpp"

#include "toolchains/binary/elf.hpp"

#include <array>
#include <charconv>

namespace hostpin {

namespace {

constexpr std::size_t largest_plugin = std::size_t{32} << 20U; // one that contains LLVM has 100 MB

int number_at(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int number_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.rfind(mark);
  return at == std::string_view::npos ? 0 : number_at(text.substr(at + mark.size()));
}

} // namespace

int llvm_of_soname(std::string_view soname) {
  for (const std::string_view mark : {"libLLVM.so.", "libLLVM-"})
    if (soname.starts_with(mark))
      return number_at(soname.substr(mark.size()));
  return 0;
}

Result<LlvmReader> learn_llvm_plugin(const std::string& path, const Files& files) {
  const std::string real = files.real_path(path).value_or(path);
  const auto status = files.status(real);
  if (!status)
    return failure("there is no linker plugin " + path, "install it, or link with -fuse-ld=lld");
  if (status->size <= largest_plugin) {
    const auto bytes = files.read(real, largest_plugin);
    if (!bytes)
      return failure("the linker plugin " + path + " cannot be read: " + bytes.error().message,
                     "reinstall it");
    const auto object = read_shared_object(*bytes);
    if (!object)
      return failure("the linker plugin " + path + " cannot be used: " + object.error().message,
                     "reinstall it");
    for (const std::string& needed : object->needed)
      if (const int major = llvm_of_soname(needed); major > 0)
        return LlvmReader{major, path};
  }
  // A plugin that contains LLVM, as upstream builds it, is in that release's own directory.
  for (const std::string_view mark : {"/llvm-", "/llvm", "LLVM-", "/clang+llvm-"})
    if (const int major = number_after(real, mark); major > 0)
      return LlvmReader{major, path};
  return failure("the linker plugin " + path + " does not name its LLVM release", "link with -fuse-ld=lld");
}

} // namespace hostpin
