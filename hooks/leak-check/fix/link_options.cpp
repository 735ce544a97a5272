// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/leak-check/fix/link_options.hpp"

#include "toolchains/cmdline/driver_options.hpp"
#include "toolchains/cmdline/linker_options.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace hostpin {

namespace {

/// Words whose value is the next word, besides the options of compilers and linkers: libtool's, nvcc's, those
/// of Apple's linker, and CMake's words for a configuration.
constexpr auto takes_next = std::to_array<std::string_view>({
    "debug",
    "optimized",
    "general",
    "-V",
    "-allowable_client",
    "-bindir",
    "-bundle_loader",
    "-ccbin",
    "-code",
    "-compatibility_version",
    "-current_version",
    "-dlopen",
    "-dlpreopen",
    "-dyld_prefix",
    "-export-symbols",
    "-export-symbols-regex",
    "-exported_symbols_list",
    "-filelist",
    "-force_load",
    "-gencode",
    "-inst-prefix-dir",
    "-install_name",
    "-needed_framework",
    "-objectlist",
    "-odir",
    "-precious-files-regex",
    "-reexport_library",
    "-release",
    "-sectcreate",
    "-shrext",
    "-unexported_symbols_list",
    "-version-info",
    "-version-number",
    "-weak",
    "-weak_framework",
    "-weak_library",
});
/// Of the options that begin like those of `may_take_next`, those that are known to take none.
constexpr auto takes_none = std::to_array<std::string_view>({
    "-m16",
    "-m32",
    "-m64",
    "-mx32",
    "-mthreads",
    "-mwindows",
    "-mt",
    "--as-needed",
    "--no-as-needed",
    "--start-group",
    "--end-group",
    "--whole-archive",
    "--no-whole-archive",
    "--no-undefined",
    "--gc-sections",
    "--enable-new-dtags",
    "--disable-new-dtags",
    "--export-dynamic",
    "--push-state",
    "--pop-state",
    "--no-allow-shlib-undefined",
    "--allow-shlib-undefined",
    "--coverage",
    "--static",
    "--shared",
});
constexpr std::array<std::string_view, 7> include_options = {
    "-I", "-isystem", "-iquote", "-idirafter", "-isysroot", "--sysroot", "-B"};
constexpr std::array<std::string_view, 5> run_path_options = {"-rpath", "--rpath", "-rpath-link",
                                                              "--rpath-link", "-R"};

bool is_any(std::string_view text, const auto& all) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

} // namespace

bool may_take_next(std::string_view option) {
  const cmdline::DriverOption* const known = cmdline::find_driver_option(option);
  if (is_any(option, takes_next) || (known != nullptr && cmdline::takes_next(*known, option)) ||
      cmdline::linker_argument(option).takes_next())
    return true;
  return (option.starts_with("-X") || option.starts_with("-m") || option.starts_with("--")) &&
         option.find('=') == std::string_view::npos && !is_any(option, takes_none);
}

bool is_header_option(std::string_view word) {
  return std::any_of(include_options.begin(), include_options.end(),
                     [&](std::string_view option) { return word.starts_with(option); });
}

bool is_run_path_option(std::string_view word) {
  return is_any(word, run_path_options);
}

std::string_view linker_prefix(std::string_view word) {
  for (const std::string_view prefix : {"-Wl,", "LINKER:"})
    if (word.starts_with(prefix))
      return prefix;
  return {};
}

std::string_view last_linker_word(std::string_view word) {
  word.remove_prefix(linker_prefix(word).size());
  const std::size_t comma = word.rfind(',');
  return comma == std::string_view::npos ? word : word.substr(comma + 1);
}

} // namespace hostpin
