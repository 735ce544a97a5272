// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/cxx/options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hostpin {

namespace {

// Read off `--help=joined`, `--help=separate` of GCC 12 and 16 and `--autocomplete=-` of Clang 14 and 22,
// then tried: tests/e2e/cxx asks the real drivers with -### whether `ROW -c` still links.
constexpr std::array options = {
    // clang-format off
    CxxOption{"-###", CxxValue::none, CxxMeaning::show},
    CxxOption{"--", CxxValue::none, CxxMeaning::rest_inputs},
    CxxOption{"--analyze", CxxValue::none, CxxMeaning::check},
    CxxOption{"--analyzer-output", CxxValue::separate},
    CxxOption{"--assemble", CxxValue::none, CxxMeaning::translate},
    CxxOption{"--assert", CxxValue::separate},
    CxxOption{"--autocomplete=", CxxValue::joined, CxxMeaning::ask_host},
    CxxOption{"--compile", CxxValue::none, CxxMeaning::translate},
    CxxOption{"--completion=", CxxValue::joined, CxxMeaning::ask_host},
    CxxOption{"--config", CxxValue::separate},
    CxxOption{"--coverage", CxxValue::none, CxxMeaning::runtime_on, CxxSwitch::coverage},
    CxxOption{"--cuda-device-only", CxxValue::none, CxxMeaning::translate},
    CxxOption{"--define-macro", CxxValue::separate},
    CxxOption{"--dependencies", CxxValue::none, CxxMeaning::preprocess},
    CxxOption{"--dump", CxxValue::separate},
    CxxOption{"--dumpbase", CxxValue::separate},
    CxxOption{"--dumpbase-ext", CxxValue::separate},
    CxxOption{"--dumpdir", CxxValue::separate},
    CxxOption{"--entry", CxxValue::separate},
    CxxOption{"--for-assembler", CxxValue::separate},
    CxxOption{"--for-linker", CxxValue::separate, CxxMeaning::link_input},
    CxxOption{"--for-linker=", CxxValue::joined, CxxMeaning::link_input},
    CxxOption{"--force-link", CxxValue::separate},
    CxxOption{"--help", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--help-hidden", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--help=", CxxValue::joined, CxxMeaning::ask_host},
    CxxOption{"--imacros", CxxValue::separate},
    CxxOption{"--include", CxxValue::separate},
    CxxOption{"--include-directory", CxxValue::separate},
    CxxOption{"--include-directory-after", CxxValue::separate},
    CxxOption{"--include-prefix", CxxValue::separate},
    CxxOption{"--include-with-prefix", CxxValue::separate},
    CxxOption{"--include-with-prefix-after", CxxValue::separate},
    CxxOption{"--include-with-prefix-before", CxxValue::separate},
    CxxOption{"--language", CxxValue::separate, CxxMeaning::language},
    CxxOption{"--language=", CxxValue::joined, CxxMeaning::language},
    CxxOption{"--library-directory", CxxValue::separate, CxxMeaning::directory},
    CxxOption{"--offload-device-only", CxxValue::none, CxxMeaning::translate},
    CxxOption{"--output", CxxValue::separate, CxxMeaning::output},
    CxxOption{"--output=", CxxValue::joined, CxxMeaning::output},
    CxxOption{"--param", CxxValue::separate},
    CxxOption{"--precompile", CxxValue::none, CxxMeaning::translate},
    CxxOption{"--prefix", CxxValue::separate},
    CxxOption{"--preprocess", CxxValue::none, CxxMeaning::preprocess},
    CxxOption{"--print-diagnostic-options", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--print-effective-triple", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--print-enabled-extensions", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--print-file-name", CxxValue::separate, CxxMeaning::ask_file},
    CxxOption{"--print-file-name=", CxxValue::joined, CxxMeaning::ask_file},
    CxxOption{"--print-libgcc-file-name", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"--print-library-module-manifest-path", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--print-multi-directory", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"--print-multi-flags-experimental", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"--print-multi-lib", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"--print-multi-os-directory", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"--print-multiarch", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"--print-prog-name", CxxValue::separate, CxxMeaning::ask_program},
    CxxOption{"--print-prog-name=", CxxValue::joined, CxxMeaning::ask_program},
    CxxOption{"--print-resource-dir", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--print-rocm-search-dirs", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--print-runtime-dir", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"--print-search-dirs", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"--print-supported-cpus", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--print-supported-extensions", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--print-sysroot", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"--print-sysroot-headers-suffix", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--print-target-triple", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--print-targets", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--serialize-diagnostics", CxxValue::separate},
    CxxOption{"--specs", CxxValue::separate},
    CxxOption{"--sysroot", CxxValue::separate, CxxMeaning::sysroot},
    CxxOption{"--sysroot=", CxxValue::joined, CxxMeaning::sysroot},
    CxxOption{"--target-help", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--undefine-macro", CxxValue::separate},
    CxxOption{"--user-dependencies", CxxValue::none, CxxMeaning::preprocess},
    CxxOption{"--verbose", CxxValue::none, CxxMeaning::verbose},
    CxxOption{"--version", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"--vfsoverlay", CxxValue::separate},
    CxxOption{"-A", CxxValue::joined_or_separate},
    CxxOption{"-B", CxxValue::joined_or_separate, CxxMeaning::directory},
    CxxOption{"-D", CxxValue::joined_or_separate},
    CxxOption{"-E", CxxValue::none, CxxMeaning::preprocess},
    CxxOption{"-F", CxxValue::joined_or_separate},
    CxxOption{"-G", CxxValue::joined_or_separate},
    CxxOption{"-I", CxxValue::joined_or_separate},
    CxxOption{"-J", CxxValue::joined_or_separate},
    CxxOption{"-L", CxxValue::joined_or_separate, CxxMeaning::directory},
    CxxOption{"-M", CxxValue::none, CxxMeaning::preprocess},
    CxxOption{"-MF", CxxValue::joined_or_separate},
    CxxOption{"-MJ", CxxValue::joined_or_separate},
    CxxOption{"-MM", CxxValue::none, CxxMeaning::preprocess},
    CxxOption{"-MQ", CxxValue::joined_or_separate},
    CxxOption{"-MT", CxxValue::joined_or_separate},
    CxxOption{"-R", CxxValue::joined_or_separate},
    CxxOption{"-S", CxxValue::none, CxxMeaning::translate},
    CxxOption{"-T", CxxValue::joined_or_separate, CxxMeaning::script},
    CxxOption{"-Tbss", CxxValue::joined_or_separate},
    CxxOption{"-Tdata", CxxValue::joined_or_separate},
    CxxOption{"-Ttext", CxxValue::joined_or_separate},
    CxxOption{"-U", CxxValue::joined_or_separate},
    CxxOption{"-Wl,", CxxValue::joined, CxxMeaning::link_input},
    CxxOption{"-Xanalyzer", CxxValue::separate},
    CxxOption{"-Xarch_", CxxValue::joined_and_separate},
    CxxOption{"-Xarch_device", CxxValue::separate},
    CxxOption{"-Xarch_host", CxxValue::separate},
    CxxOption{"-Xassembler", CxxValue::separate},
    CxxOption{"-Xclang", CxxValue::separate},
    CxxOption{"-Xclangas", CxxValue::separate},
    CxxOption{"-Xcuda-fatbinary", CxxValue::separate},
    CxxOption{"-Xcuda-ptxas", CxxValue::separate},
    CxxOption{"-Xlinker", CxxValue::separate, CxxMeaning::link_input},
    CxxOption{"-Xoffload-linker", CxxValue::separate},
    CxxOption{"-Xoffload-linker-", CxxValue::joined_and_separate},
    CxxOption{"-Xopenmp-target", CxxValue::separate},
    CxxOption{"-Xopenmp-target=", CxxValue::joined_and_separate},
    CxxOption{"-Xpreprocessor", CxxValue::separate},
    CxxOption{"-arch", CxxValue::separate},
    CxxOption{"-aux-info", CxxValue::separate},
    CxxOption{"-b", CxxValue::joined_or_separate},
    CxxOption{"-c", CxxValue::none, CxxMeaning::translate},
    CxxOption{"-cc1", CxxValue::none, CxxMeaning::translate},
    CxxOption{"-cc1as", CxxValue::none, CxxMeaning::translate},
    CxxOption{"-ccc-gcc-name", CxxValue::separate},
    CxxOption{"-ccc-install-dir", CxxValue::separate},
    CxxOption{"-ccc-print-bindings", CxxValue::none, CxxMeaning::check},
    CxxOption{"-ccc-print-phases", CxxValue::none, CxxMeaning::check},
    CxxOption{"-coverage", CxxValue::none, CxxMeaning::runtime_on, CxxSwitch::coverage},
    CxxOption{"-cxx-isystem", CxxValue::joined_or_separate},
    CxxOption{"-dependency-dot", CxxValue::separate},
    CxxOption{"-dependency-file", CxxValue::separate},
    CxxOption{"-dsym-dir", CxxValue::separate},
    CxxOption{"-dumpbase", CxxValue::separate},
    CxxOption{"-dumpbase-ext", CxxValue::separate},
    CxxOption{"-dumpdir", CxxValue::separate},
    CxxOption{"-dumpfullversion", CxxValue::none, CxxMeaning::ask_now},
    CxxOption{"-dumpmachine", CxxValue::none, CxxMeaning::ask_now},
    CxxOption{"-dumpspecs", CxxValue::none, CxxMeaning::ask_now},
    CxxOption{"-dumpversion", CxxValue::none, CxxMeaning::ask_now},
    CxxOption{"-e", CxxValue::joined_or_separate},
    CxxOption{"-emit-ast", CxxValue::none, CxxMeaning::translate},
    CxxOption{"-emit-cir", CxxValue::none, CxxMeaning::translate},
    CxxOption{"-extract-api", CxxValue::none, CxxMeaning::check},
    CxxOption{"-fcs-profile-generate", CxxValue::none, CxxMeaning::runtime_on, CxxSwitch::cs_generate},
    CxxOption{"-fcs-profile-generate=", CxxValue::joined, CxxMeaning::runtime_on, CxxSwitch::cs_generate},
    CxxOption{"-fdebug-compilation-dir", CxxValue::separate},
    CxxOption{"-fdriver-only", CxxValue::none, CxxMeaning::check},
    CxxOption{"-flto", CxxValue::none, CxxMeaning::runtime_on, CxxSwitch::lto},
    CxxOption{"-flto=", CxxValue::joined, CxxMeaning::runtime_on, CxxSwitch::lto},
    CxxOption{"-fmodule-header", CxxValue::none, CxxMeaning::translate},
    CxxOption{"-fmodule-header=", CxxValue::joined, CxxMeaning::translate},
    CxxOption{"-fmodules-user-build-path", CxxValue::joined_or_separate},
    CxxOption{"-fno-lto", CxxValue::none, CxxMeaning::runtime_off, CxxSwitch::lto},
    CxxOption{"-fno-openacc", CxxValue::none, CxxMeaning::runtime_off, CxxSwitch::openacc},
    CxxOption{"-fno-openmp", CxxValue::none, CxxMeaning::runtime_off, CxxSwitch::openmp},
    CxxOption{"-fno-profile-arcs", CxxValue::none, CxxMeaning::runtime_off, CxxSwitch::arcs},
    CxxOption{"-fno-profile-generate", CxxValue::none, CxxMeaning::runtime_off, CxxSwitch::generate},
    CxxOption{"-fno-profile-instr-generate", CxxValue::none, CxxMeaning::runtime_off, CxxSwitch::instr_generate},
    CxxOption{"-fno-sanitize=", CxxValue::joined, CxxMeaning::sanitize_off},
    CxxOption{"-fopenacc", CxxValue::none, CxxMeaning::runtime_on, CxxSwitch::openacc},
    CxxOption{"-fopenacc=", CxxValue::joined, CxxMeaning::runtime_on, CxxSwitch::openacc},
    CxxOption{"-fopenmp", CxxValue::none, CxxMeaning::runtime_on, CxxSwitch::openmp},
    CxxOption{"-fopenmp=", CxxValue::joined, CxxMeaning::runtime_on, CxxSwitch::openmp},
    CxxOption{"-fprofile-arcs", CxxValue::none, CxxMeaning::runtime_on, CxxSwitch::arcs},
    CxxOption{"-fprofile-generate", CxxValue::none, CxxMeaning::runtime_on, CxxSwitch::generate},
    CxxOption{"-fprofile-generate=", CxxValue::joined, CxxMeaning::runtime_on, CxxSwitch::generate},
    CxxOption{"-fprofile-instr-generate", CxxValue::none, CxxMeaning::runtime_on, CxxSwitch::instr_generate},
    CxxOption{"-fprofile-instr-generate=", CxxValue::joined, CxxMeaning::runtime_on, CxxSwitch::instr_generate},
    CxxOption{"-fsanitize=", CxxValue::joined, CxxMeaning::sanitize_on},
    CxxOption{"-fsyntax-only", CxxValue::none, CxxMeaning::check},
    CxxOption{"-ftrapv-handler", CxxValue::separate},
    CxxOption{"-gen-cdb-fragment-path", CxxValue::separate},
    CxxOption{"-help", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-iapinotes-modules", CxxValue::separate},
    CxxOption{"-idirafter", CxxValue::joined_or_separate},
    CxxOption{"-iframework", CxxValue::joined_or_separate},
    CxxOption{"-imacros", CxxValue::joined_or_separate},
    CxxOption{"-imultilib", CxxValue::joined_or_separate},
    CxxOption{"-include", CxxValue::joined_or_separate},
    CxxOption{"-include-pch", CxxValue::separate},
    CxxOption{"-iprefix", CxxValue::joined_or_separate},
    CxxOption{"-iquote", CxxValue::joined_or_separate},
    CxxOption{"-isysroot", CxxValue::joined_or_separate},
    CxxOption{"-isystem", CxxValue::joined_or_separate},
    CxxOption{"-isystem-after", CxxValue::joined_or_separate},
    CxxOption{"-ivfsoverlay", CxxValue::separate},
    CxxOption{"-iwithprefix", CxxValue::joined_or_separate},
    CxxOption{"-iwithprefixbefore", CxxValue::joined_or_separate},
    CxxOption{"-iwithsysroot", CxxValue::joined_or_separate},
    CxxOption{"-l", CxxValue::joined_or_separate, CxxMeaning::library},
    CxxOption{"-mllvm", CxxValue::separate},
    CxxOption{"-mmlir", CxxValue::separate},
    CxxOption{"-module-file-info", CxxValue::none, CxxMeaning::check},
    CxxOption{"-mthread-model", CxxValue::separate},
    CxxOption{"-o", CxxValue::joined_or_separate, CxxMeaning::output},
    CxxOption{"-p", CxxValue::none, CxxMeaning::runtime_on, CxxSwitch::gprof},
    CxxOption{"-pg", CxxValue::none, CxxMeaning::runtime_on, CxxSwitch::gprof},
    CxxOption{"-print-diagnostic-options", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-print-effective-triple", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-print-enabled-extensions", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-print-file-name", CxxValue::separate, CxxMeaning::ask_file},
    CxxOption{"-print-file-name=", CxxValue::joined, CxxMeaning::ask_file},
    CxxOption{"-print-libgcc-file-name", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"-print-library-module-manifest-path", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-print-multi-directory", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"-print-multi-flags-experimental", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"-print-multi-lib", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"-print-multi-os-directory", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"-print-multiarch", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"-print-prog-name", CxxValue::separate, CxxMeaning::ask_program},
    CxxOption{"-print-prog-name=", CxxValue::joined, CxxMeaning::ask_program},
    CxxOption{"-print-resource-dir", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-print-rocm-search-dirs", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-print-runtime-dir", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"-print-search-dirs", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"-print-supported-cpus", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-print-supported-extensions", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-print-sysroot", CxxValue::none, CxxMeaning::ask_link},
    CxxOption{"-print-sysroot-headers-suffix", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-print-target-triple", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-print-targets", CxxValue::none, CxxMeaning::ask_host},
    CxxOption{"-resource-dir", CxxValue::separate},
    CxxOption{"-rewrite-legacy-objc", CxxValue::none, CxxMeaning::check},
    CxxOption{"-rewrite-objc", CxxValue::none, CxxMeaning::check},
    CxxOption{"-rpath", CxxValue::separate},
    CxxOption{"-serialize-diagnostics", CxxValue::separate},
    CxxOption{"-specs", CxxValue::separate},
    CxxOption{"-stdlib++-isystem", CxxValue::joined_or_separate},
    CxxOption{"-target", CxxValue::separate},
    CxxOption{"-u", CxxValue::joined_or_separate},
    CxxOption{"-undef", CxxValue::none},
    CxxOption{"-v", CxxValue::none, CxxMeaning::verbose},
    CxxOption{"-verify-pch", CxxValue::none, CxxMeaning::check},
    CxxOption{"-vfsoverlay", CxxValue::separate},
    CxxOption{"-working-directory", CxxValue::joined_or_separate},
    CxxOption{"-wrapper", CxxValue::separate},
    CxxOption{"-x", CxxValue::joined_or_separate, CxxMeaning::language},
    CxxOption{"-z", CxxValue::joined_or_separate},
    // clang-format on
};

constexpr bool strictly_sorted() {
  for (std::size_t i = 1; i < options.size(); ++i)
    if (!(options[i - 1].spelling < options[i].spelling))
      return false;
  return true;
}
static_assert(strictly_sorted(), "the table is searched by bisection");

constexpr std::uint16_t no_parent = 0xffff;
static_assert(options.size() < no_parent);

// The longest other spelling that each one begins with. Whatever begins an argument is the row just before
// the argument in byte order, or one of that row's parents.
constexpr auto parents = [] {
  std::array<std::uint16_t, options.size()> result{};
  for (std::size_t i = 0; i < options.size(); ++i) {
    result[i] = no_parent;
    for (std::size_t j = i; j-- > 0;)
      if (options[i].spelling.starts_with(options[j].spelling)) {
        result[i] = static_cast<std::uint16_t>(j);
        break;
      }
  }
  return result;
}();

constexpr bool attaches(CxxValue value) {
  return value == CxxValue::joined || value == CxxValue::joined_or_separate ||
         value == CxxValue::joined_and_separate;
}

bool matches(const CxxOption& option, std::string_view argument) {
  return argument.starts_with(option.spelling) &&
         (argument.size() == option.spelling.size() || attaches(option.value));
}

} // namespace

RuntimeFeature feature_of(CxxSwitch toggle) {
  constexpr auto count = static_cast<std::size_t>(CxxSwitch::count);
  constexpr std::array<RuntimeFeature, count> features = {
      RuntimeFeature::lto, // `none` is not asked for
      RuntimeFeature::coverage, RuntimeFeature::coverage, RuntimeFeature::profile,
      RuntimeFeature::profile,  RuntimeFeature::profile,  RuntimeFeature::openmp,
      RuntimeFeature::openmp,   RuntimeFeature::pg,       RuntimeFeature::lto};
  return features[static_cast<std::size_t>(toggle)];
}

std::span<const CxxOption> cxx_options() {
  return options;
}

const CxxOption* find_cxx_option(std::string_view argument) {
  const auto* const after = std::upper_bound(
      options.begin(), options.end(), argument,
      [](std::string_view sought, const CxxOption& option) { return sought < option.spelling; });
  if (after == options.begin())
    return nullptr;
  auto index = static_cast<std::uint16_t>(after - options.begin() - 1);
  while (index != no_parent && !matches(options[index], argument))
    index = parents[index];
  return index == no_parent ? nullptr : &options[index];
}

} // namespace hostpin
