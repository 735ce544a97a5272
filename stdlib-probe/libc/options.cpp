// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/libc/options.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace hostpin {

const char* const libc_usage =
    "usage: hostpin stdlib-probe libc [OPTION...] TOOLKIT DRIVER [FLAGS...]\n"
    "       hostpin stdlib-probe libc [OPTION...] TOOLKIT --sysroot DIR | --headers DIR...\n\n"
    "Which functions the toolkit and the C library of a host compiler declare with different exception\n"
    "specifications: nvcc refuses every .cu file over them, whatever the compiler. Exit code 1 when there "
    "are some.\n\n"
    "  --headers DIR...    include directories in place of a compiler, in the order of search\n"
    "  --sysroot DIR       the usual include directories of an unpacked system\n"
    "  --compiler VERSION  with either: release of the compiler that is to read them (12.2, or clang-16)\n"
    "  --target TRIPLE     with either: what is compiled for\n"
    "  --toolkit-include DIR  the toolkit's include directories in place of TOOLKIT\n"
    "  --release R         release of the toolkit, where it cannot be told\n"
    "  --json              the same for programs; see stdlib-probe/libc/README.md\n";

namespace {

tl::unexpected<Error> misuse(std::string message) {
  return failure(std::move(message), "hostpin stdlib-probe libc --help says what it takes");
}

Result<void> set_compiler(LibcOptions& options, std::string_view value) {
  constexpr std::string_view clang = "clang-";
  options.clang = value.starts_with(clang);
  options.compiler = parse_version(value.substr(options.clang ? clang.size() : 0));
  if (!options.compiler)
    return misuse(fmt::format("'{}' is no release of a compiler", value));
  return {};
}

Result<bool> set_value(LibcOptions& options, std::string_view option, const std::string& value) {
  if (option == "--headers") {
    options.headers.push_back(value);
  } else if (option == "--toolkit-include") {
    options.toolkit_include.push_back(value);
  } else if (option == "--sysroot") {
    options.sysroot = value;
  } else if (option == "--target") {
    options.target = value;
  } else if (option == "--release") {
    options.release = parse_version(value);
    if (!options.release)
      return misuse(fmt::format("'{}' is no release", value));
  } else if (option == "--compiler") {
    if (auto set = set_compiler(options, value); !set)
      return tl::unexpected(set.error());
  } else {
    return false;
  }
  return true;
}

Result<void> check(const LibcOptions& options) {
  const int ways =
      int{!options.driver.empty()} + int{!options.headers.empty()} + int{!options.sysroot.empty()};
  if (options.toolkit.empty() == options.toolkit_include.empty())
    return misuse("libc needs a toolkit, or its include directories");
  if (ways != 1)
    return misuse("libc needs a driver, or --headers, or --sysroot, and only one of them");
  return {};
}

} // namespace

Result<LibcOptions> libc_options(std::span<const char* const> arguments) {
  LibcOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "--json" || word == "--help" || word == "-h") {
      (word == "--json" ? options.json : options.help) = true;
    } else if (word.starts_with("-") && options.driver.empty()) {
      const std::string value = i + 1 < arguments.size() ? arguments[i + 1] : "";
      const auto known = set_value(options, word, value);
      if (!known)
        return tl::unexpected(known.error());
      if (!*known)
        return misuse(fmt::format("libc has no option {}", word));
      if (++i == arguments.size())
        return misuse(fmt::format("{} needs a value", word));
    } else if (options.toolkit.empty() && options.toolkit_include.empty()) {
      options.toolkit = word;
    } else if (!options.headers.empty()) {
      options.headers.emplace_back(word);
    } else {
      options.driver.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
      break; // the rest is the driver's
    }
  }
  if (!options.help)
    if (auto wrong = check(options); !wrong)
      return tl::unexpected(wrong.error());
  return options;
}

} // namespace hostpin
