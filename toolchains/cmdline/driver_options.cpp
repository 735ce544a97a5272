// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/driver_options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hostpin::cmdline {

namespace {

// From `--help=joined`, `--help=separate` of GCC 12 and 16 and `--autocomplete=-` of Clang 14 and 22, then
// verified: tests/e2e/cxx runs the real drivers with -### to check whether `ROW -c` still links.
constexpr auto options = [] {
  using enum DriverValue;
  using enum DriverMeaning;
  using namespace driver_use;
  return std::to_array<DriverOption>({
      // clang-format off
      {"-###", none, show, not_in_question},
      {"--", none, rest_inputs},
      {"--analyze", none, check},
      {"--analyzer-output", separate},
      {"--assemble", none, translate, neither},
      {"--assert", separate},
      {"--autocomplete=", joined, ask_host},
      {"--compile", none, translate, neither},
      {"--completion=", joined, ask_host},
      {"--config", separate},
      {"--coverage", none, runtime_on, everywhere, DriverSwitch::coverage},
      {"--cuda-device-only", none, translate},
      {"--define-macro", separate},
      {"--dependencies", none, preprocess, neither},
      {"--dump", separate},
      {"--dumpbase", separate},
      {"--dumpbase-ext", separate},
      {"--dumpdir", separate},
      {"--entry", separate},
      {"--for-assembler", separate},
      {"--for-linker", separate, link_input},
      {"--for-linker=", joined, link_input},
      {"--force-link", separate},
      {"--gcc-install-dir=", joined, nothing, constant_path},
      {"--gcc-toolchain=", joined, nothing, constant_path},
      {"--help", none, ask_host},
      {"--help-hidden", none, ask_host},
      {"--help=", joined, ask_host},
      {"--imacros", separate},
      {"--include", separate},
      {"--include-directory", separate},
      {"--include-directory-after", separate},
      {"--include-prefix", separate},
      {"--include-with-prefix", separate},
      {"--include-with-prefix-after", separate},
      {"--include-with-prefix-before", separate},
      {"--language", separate, language},
      {"--language=", joined, language},
      {"--library-directory", separate, directory},
      {"--offload-device-only", none, translate},
      {"--output", separate, output, neither},
      {"--output=", joined, output, neither},
      {"--param", separate},
      {"--precompile", none, translate},
      {"--prefix", separate},
      {"--preprocess", none, preprocess, neither},
      {"--print-diagnostic-options", none, ask_host},
      {"--print-effective-triple", none, ask_host},
      {"--print-enabled-extensions", none, ask_host},
      {"--print-file-name", separate, ask_file},
      {"--print-file-name=", joined, ask_file},
      {"--print-libgcc-file-name", none, ask_link},
      {"--print-library-module-manifest-path", none, ask_host},
      {"--print-multi-directory", none, ask_link},
      {"--print-multi-flags-experimental", none, ask_link},
      {"--print-multi-lib", none, ask_link},
      {"--print-multi-os-directory", none, ask_link},
      {"--print-multiarch", none, ask_link},
      {"--print-prog-name", separate, ask_program},
      {"--print-prog-name=", joined, ask_program},
      {"--print-resource-dir", none, ask_host},
      {"--print-rocm-search-dirs", none, ask_host},
      {"--print-runtime-dir", none, ask_link},
      {"--print-search-dirs", none, ask_link},
      {"--print-supported-cpus", none, ask_host},
      {"--print-supported-extensions", none, ask_host},
      {"--print-sysroot", none, ask_link},
      {"--print-sysroot-headers-suffix", none, ask_host},
      {"--print-target-triple", none, ask_host},
      {"--print-targets", none, ask_host},
      {"--save-temps", none, auxiliary, neither},
      {"--save-temps=", joined, auxiliary, neither},
      {"--serialize-diagnostics", separate, nothing, not_in_object},
      {"--specs", separate},
      {"--std", separate},
      {"--sysroot", separate, sysroot},
      {"--sysroot=", joined, sysroot, constant_path},
      {"--target-help", none, ask_host},
      {"--target=", joined, nothing, constant},
      {"--undefine-macro", separate},
      {"--user-dependencies", none, preprocess, neither},
      {"--verbose", none, verbose},
      {"--version", none, ask_host},
      {"--vfsoverlay", separate},
      {"-A", joined_or_separate},
      {"-B", joined_or_separate, directory},
      {"-D", joined_or_separate, nothing, constant},
      {"-DFATBINFILE=", joined, registration, constant},
      {"-DREGISTERLINKBINARYFILE=", joined, registration, constant},
      {"-E", none, preprocess, neither},
      {"-F", joined_or_separate},
      {"-G", joined_or_separate},
      {"-I", joined_or_separate},
      {"-J", joined_or_separate},
      {"-L", joined_or_separate, directory, constant},
      {"-M", none, preprocess, neither},
      {"-MD", none, auxiliary, neither},
      {"-MF", joined_or_separate, nothing, neither},
      {"-MG", none, nothing, neither},
      {"-MJ", joined_or_separate, nothing, neither},
      {"-MM", none, preprocess, neither},
      {"-MMD", none, auxiliary, neither},
      {"-MP", none, nothing, neither},
      {"-MQ", joined_or_separate, nothing, neither},
      {"-MT", joined_or_separate, nothing, neither},
      {"-O", joined, nothing, constant},
      {"-R", joined_or_separate},
      {"-S", none, translate, neither},
      {"-T", joined_or_separate, script, not_in_object},
      {"-Tbss", joined_or_separate},
      {"-Tdata", joined_or_separate},
      {"-Ttext", joined_or_separate},
      {"-U", joined_or_separate, nothing, constant},
      {"-Wl,", joined, link_input, not_in_object | constant},
      {"-Wp,-M", joined, nothing, neither},
      {"-Xanalyzer", separate},
      {"-Xarch_", joined_and_separate},
      {"-Xarch_device", separate},
      {"-Xarch_host", separate},
      {"-Xassembler", separate},
      {"-Xclang", separate},
      {"-Xclangas", separate},
      {"-Xcuda-fatbinary", separate},
      {"-Xcuda-ptxas", separate},
      {"-Xlinker", separate, link_input, not_in_object},
      {"-Xoffload-linker", separate},
      {"-Xoffload-linker-", joined_and_separate},
      {"-Xopenmp-target", separate},
      {"-Xopenmp-target=", joined_and_separate},
      {"-Xpreprocessor", separate},
      {"-arch", separate},
      {"-aux-info", separate, nothing, not_in_object},
      {"-b", joined_or_separate},
      {"-c", none, translate, neither},
      {"-cc1", none, translate},
      {"-cc1as", none, translate},
      {"-ccc-gcc-name", separate},
      {"-ccc-install-dir", separate},
      {"-ccc-print-bindings", none, check},
      {"-ccc-print-phases", none, check},
      {"-coverage", none, runtime_on, everywhere, DriverSwitch::coverage},
      {"-cxx-isystem", joined_or_separate},
      {"-dD", none, nothing, not_in_question},
      {"-dI", none, nothing, not_in_question},
      {"-dM", none, nothing, not_in_question},
      {"-dN", none, nothing, not_in_question},
      {"-dU", none, nothing, not_in_question},
      {"-dependency-dot", separate},
      {"-dependency-file", separate},
      {"-dsym-dir", separate},
      {"-dumpbase", separate, nothing, neither},
      {"-dumpbase-ext", separate, nothing, not_in_object},
      {"-dumpdir", separate, nothing, neither},
      {"-dumpfullversion", none, ask_now},
      {"-dumpmachine", none, ask_now},
      {"-dumpspecs", none, ask_now},
      {"-dumpversion", none, ask_now},
      {"-e", joined_or_separate},
      {"-emit-ast", none, translate},
      {"-emit-cir", none, translate},
      {"-emit-llvm", none, nothing, not_in_object},
      {"-extract-api", none, check},
      {"-fPIC", none, nothing, constant},
      {"-fPIE", none, nothing, constant},
      {"-fanalyzer", none, nothing, not_in_object},
      {"-fcallgraph-info", joined, nothing, not_in_object},
      {"-fcs-profile-generate", none, runtime_on, everywhere, DriverSwitch::cs_generate},
      {"-fcs-profile-generate=", joined, runtime_on, everywhere, DriverSwitch::cs_generate},
      {"-fdebug-compilation-dir", separate},
      {"-fdebug-prefix-map=", joined, nothing, not_in_object},
      {"-fdeps-", joined, nothing, not_in_object},
      {"-fdiagnostics-add-output=", joined, nothing, not_in_object},
      {"-fdiagnostics-format=", joined, nothing, not_in_object},
      {"-fdriver-only", none, check},
      {"-fdump-", joined, nothing, neither},
      {"-ffat-lto-objects", none, nothing, not_in_object},
      {"-ffile-prefix-map=", joined, nothing, not_in_object},
      {"-flto", none, runtime_on, not_in_object, DriverSwitch::lto},
      {"-flto-", joined, nothing, not_in_object},
      {"-flto=", joined, runtime_on, not_in_object, DriverSwitch::lto},
      {"-fmodule-header", none, translate},
      {"-fmodule-header=", joined, translate},
      {"-fmodule-mapper=", joined, nothing, writes_module},
      {"-fmodule-only", none, nothing, writes_module},
      {"-fmodules", none, nothing, writes_module},
      {"-fmodules-ts", none, nothing, writes_module},
      {"-fmodules-user-build-path", joined_or_separate},
      {"-fno-lto", none, runtime_off, everywhere, DriverSwitch::lto},
      {"-fno-openacc", none, runtime_off, everywhere, DriverSwitch::openacc},
      {"-fno-openmp", none, runtime_off, everywhere, DriverSwitch::openmp},
      {"-fno-profile-arcs", none, runtime_off, everywhere, DriverSwitch::arcs},
      {"-fno-profile-generate", none, runtime_off, everywhere, DriverSwitch::generate},
      {"-fno-profile-instr-generate", none, runtime_off, everywhere, DriverSwitch::instr_generate},
      {"-fno-sanitize=", joined, sanitize_off},
      {"-fopenacc", none, runtime_on, everywhere, DriverSwitch::openacc},
      {"-fopenacc=", joined, runtime_on, everywhere, DriverSwitch::openacc},
      {"-fopenmp", none, runtime_on, everywhere, DriverSwitch::openmp},
      {"-fopenmp=", joined, runtime_on, everywhere, DriverSwitch::openmp},
      {"-foptimization-record-file=", joined, nothing, not_in_object},
      {"-fpic", none, nothing, constant},
      {"-fpie", none, nothing, constant},
      {"-fprofile-arcs", none, runtime_on, everywhere, DriverSwitch::arcs},
      {"-fprofile-generate", none, runtime_on, everywhere, DriverSwitch::generate},
      {"-fprofile-generate=", joined, runtime_on, everywhere, DriverSwitch::generate},
      {"-fprofile-instr-generate", none, runtime_on, everywhere, DriverSwitch::instr_generate},
      {"-fprofile-instr-generate=", joined, runtime_on, everywhere, DriverSwitch::instr_generate},
      {"-framework", separate},
      {"-fsanitize=", joined, sanitize_on},
      {"-fsave-optimization-record", joined, nothing, not_in_object},
      {"-fstack-usage", none, nothing, not_in_object},
      {"-fsyntax-only", none, check, neither},
      {"-ftest-coverage", none, auxiliary},
      {"-fthinlto-index=", joined, nothing, not_in_object},
      {"-ftime-trace", joined, nothing, not_in_object},
      {"-ftrapv-handler", separate},
      {"-fuse-linker-plugin", none, nothing, not_in_object},
      {"-fwhole-program-vtables", none, nothing, not_in_object},
      {"-gen-cdb-fragment-path", separate},
      {"-gsplit-dwarf", none, auxiliary, not_in_object},
      {"-gsplit-dwarf=", joined, nothing, not_in_object},
      {"-gz", none, nothing, not_in_object},
      {"-gz=", joined, nothing, not_in_object},
      {"-help", none, ask_host},
      {"-iapinotes-modules", separate},
      {"-idirafter", joined_or_separate},
      {"-iframework", joined_or_separate},
      {"-imacros", joined_or_separate},
      {"-imultilib", joined_or_separate},
      {"-include", joined_or_separate},
      {"-include-pch", separate},
      {"-iprefix", joined_or_separate},
      {"-iquote", joined_or_separate},
      {"-isysroot", joined_or_separate, nothing, constant_path},
      {"-isystem", joined_or_separate, nothing, constant_path},
      {"-isystem-after", joined_or_separate},
      {"-ivfsoverlay", joined_or_separate},
      {"-iwithprefix", joined_or_separate},
      {"-iwithprefixbefore", joined_or_separate},
      {"-iwithsysroot", joined_or_separate},
      {"-l", joined_or_separate, library, not_in_object},
      {"-m32", none, nothing, constant},
      {"-m64", none, nothing, constant},
      {"-mllvm", separate},
      {"-mmlir", separate},
      {"-module-file-info", none, check},
      {"-mthread-model", separate},
      {"-no-pie", none, nothing, constant},
      {"-o", joined_or_separate, output, neither},
      {"-p", none, runtime_on, everywhere, DriverSwitch::gprof},
      {"-pg", none, runtime_on, everywhere, DriverSwitch::gprof},
      {"-pie", none, nothing, constant},
      {"-print-diagnostic-options", none, ask_host},
      {"-print-effective-triple", none, ask_host},
      {"-print-enabled-extensions", none, ask_host},
      {"-print-file-name", separate, ask_file},
      {"-print-file-name=", joined, ask_file},
      {"-print-libgcc-file-name", none, ask_link},
      {"-print-library-module-manifest-path", none, ask_host},
      {"-print-multi-directory", none, ask_link},
      {"-print-multi-flags-experimental", none, ask_link},
      {"-print-multi-lib", none, ask_link},
      {"-print-multi-os-directory", none, ask_link},
      {"-print-multiarch", none, ask_link},
      {"-print-prog-name", separate, ask_program},
      {"-print-prog-name=", joined, ask_program},
      {"-print-resource-dir", none, ask_host},
      {"-print-rocm-search-dirs", none, ask_host},
      {"-print-runtime-dir", none, ask_link},
      {"-print-search-dirs", none, ask_link},
      {"-print-supported-cpus", none, ask_host},
      {"-print-supported-extensions", none, ask_host},
      {"-print-sysroot", none, ask_link},
      {"-print-sysroot-headers-suffix", none, ask_host},
      {"-print-target-triple", none, ask_host},
      {"-print-targets", none, ask_host},
      {"-pthread", none, nothing, constant},
      {"-resource-dir", separate},
      {"-rewrite-legacy-objc", none, check},
      {"-rewrite-objc", none, check},
      {"-rpath", separate},
      {"-save-temps", none, auxiliary, neither},
      {"-save-temps=", joined, auxiliary, neither},
      {"-serialize-diagnostics", separate},
      {"-specs", separate},
      {"-std=", joined, nothing, constant},
      {"-stdlib++-isystem", joined_or_separate},
      {"-stdlib=", joined, nothing, constant},
      {"-target", separate, nothing, constant},
      {"-u", joined_or_separate, nothing, not_in_object},
      {"-undef", none},
      {"-v", none, verbose},
      {"-verify-pch", none, check},
      {"-vfsoverlay", separate},
      {"-w", none, nothing, constant},
      {"-working-directory", joined_or_separate},
      {"-wrapper", separate, nothing, not_in_object},
      {"-x", joined_or_separate, language},
      {"-z", joined_or_separate, nothing, not_in_object},
      // clang-format on
  });
}();

constexpr bool strictly_sorted() {
  for (std::size_t i = 1; i < options.size(); ++i)
    if (!(options[i - 1].spelling < options[i].spelling))
      return false;
  return true;
}
static_assert(strictly_sorted(), "the table is searched by bisection");

constexpr std::uint16_t no_parent = 0xffff;
static_assert(options.size() < no_parent);

// The longest other spelling that each one begins with. The spelling that begins an argument is the row just
// before the argument in byte order, or one of that row's parents.
constexpr auto parents = [] {
  std::array<std::uint16_t, options.size()> result{no_parent};
  for (std::size_t i = 1; i < options.size(); ++i) {
    auto parent = static_cast<std::uint16_t>(i - 1);
    while (parent != no_parent && !options[i].spelling.starts_with(options[parent].spelling))
      parent = result[parent];
    result[i] = parent;
  }
  return result;
}();

constexpr bool attaches(DriverValue value) {
  return value == DriverValue::joined || value == DriverValue::joined_or_separate ||
         value == DriverValue::joined_and_separate;
}

bool matches(const DriverOption& option, std::string_view argument) {
  return argument.starts_with(option.spelling) &&
         (argument.size() == option.spelling.size() || attaches(option.value));
}

} // namespace

bool takes_next(const DriverOption& option, std::string_view argument) {
  return option.value == DriverValue::separate || option.value == DriverValue::joined_and_separate ||
         (option.value == DriverValue::joined_or_separate && argument == option.spelling);
}

std::span<const DriverOption> driver_options() {
  return options;
}

const DriverOption* find_driver_option(std::string_view argument) {
  const auto* const after = std::upper_bound(
      options.begin(), options.end(), argument,
      [](std::string_view sought, const DriverOption& option) { return sought < option.spelling; });
  if (after == options.begin())
    return nullptr;
  auto index = static_cast<std::uint16_t>(after - options.begin() - 1);
  while (index != no_parent && !matches(options[index], argument))
    index = parents[index];
  return index == no_parent ? nullptr : &options[index];
}

} // namespace hostpin::cmdline
