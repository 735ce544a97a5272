// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/cmdline/nvcc_options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace hostpin::cmdline {
namespace {

using enum NvccOption::Arity;
using enum NvccOption::Place;

// Sources: `nvcc --help` of 11.2, 11.8, 12.4 and 13.0 to 13.5; the hidden rows and every arity were measured
// on the same. -r is --host-relocatable-link before 13.0 and --relocatable-link since; both are flags.
constexpr auto table = [] {
  using enum NvccMeaning;
  using enum NvccOption::Help;
  return std::to_array<NvccOption>({
      {"--Ofast-compile", "-Ofc", optional},
      {"--Wconversion", "-Wconversion", none},
      {"--Wdefault-stream-launch", "-Wdefault-stream-launch", none},
      {"--Werror", "-Werror", list},
      {"--Wext-lambda-captures-this", "-Wext-lambda-captures-this", none},
      {"--Wmissing-launch-bounds", "-Wmissing-launch-bounds", none},
      {"--Wno-deprecated-declarations", "-Wno-deprecated-declarations", none},
      {"--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", none},
      {"--Wreorder", "-Wreorder", none},
      {"--aggressive-inline", "-aggressive-inline", none, apart, plain, hidden},
      {"--all-prefix", "", one, apart, plain, hidden},
      {"--allow-unsupported-compiler", "-allow-unsupported-compiler", none, apart, allow_unsupported},
      {"--apply-controls", "-apply-controls", one},
      {"--archive-options", "-Xarchive", list},
      {"--archiver-binary", "-arbin", one},
      {"--augment-host-linker-script", "-aug-hls", none},
      {"--brief-diagnostics", "-brief-diag", one},
      {"--cicc-options", "-Xcicc", list, apart, plain, hidden},
      {"--cicc-prefix", "", one, apart, plain, hidden},
      {"--cl-version", "", one, apart, plain, hidden},
      {"--clean-targets", "-clean", none},
      {"--compile", "-c", none, apart, no_link},
      {"--compile-as-tools-patch", "-astoolspatch", none},
      {"--compiler-bindir", "-ccbin", one, apart, host_compiler},
      {"--compiler-options", "-Xcompiler", list},
      {"--compress-mode", "-compress-mode", one},
      {"--concat", "-concat", none},
      {"--cpp-prefix", "", one, apart, plain, hidden},
      {"--cubin", "-cubin", none, apart, cubin_file},
      {"--cuda", "-cuda", none, apart, no_link},
      {"--cuda-api-version", "-cuda-api-version", one, apart, plain, hidden},
      {"--cudadevrt", "-cudadevrt", one},
      {"--cudafe-options", "-Xcudafe", list, apart, plain, hidden},
      {"--cudafe-prefix", "", one, apart, plain, hidden},
      {"--cudart", "-cudart", one},
      {"--dD", "-dD", none, apart, plain, hidden},
      {"--debug", "-g", none},
      {"--default-stream", "-default-stream", one},
      {"--define-macro", "-D", list, attached},
      {"--dependency-drive-prefix", "-ddp", one},
      {"--dependency-output", "-MF", one},
      {"--dependency-target-name", "-MT", one},
      {"--device-c", "-dc", none, apart, relocatable_file},
      {"--device-compilation", "", one, apart, plain, hidden},
      {"--device-debug", "-G", none},
      {"--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility", one},
      {"--device-link", "-dlink", none},
      {"--device-stack-protector", "-device-stack-protector", one},
      {"--device-w", "-dw", none, apart, whole_file},
      {"--diag-error", "-diag-error", list},
      {"--diag-suppress", "-diag-suppress", list},
      {"--diag-warn", "-diag-warn", list},
      {"--disable-warnings", "-w", none},
      {"--display-error-number", "-err-no", none},
      {"--dlink-time-opt", "-dlto", none, apart, device_lto},
      {"--dont-use-profile", "-noprof", none},
      {"--dopt", "-dopt", one},
      {"--drive-prefix", "-dp", one},
      {"--dryrun", "-dryrun", none, apart, dry_run},
      {"--enable-tile", "-enable-tile", none},
      {"--entries", "-e", list},
      {"--export-dir", "-dir", one, apart, plain, hidden},
      {"--expt-extended-lambda", "-expt-extended-lambda", none},
      {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr", none},
      {"--extended-lambda", "-extended-lambda", none},
      {"--extensible-whole-program", "-ewp", none, apart, extensible},
      {"--extern-mode", "-ext", one, apart, plain, hidden},
      {"--extra-device-vectorization", "-extra-device-vectorization", none},
      {"--fassociative-math", "-fassociative-math", none, apart, plain, hidden},
      {"--fatbin", "-fatbin", none, apart, fatbin_file},
      {"--fatbin-options", "-Xfatbin", list, apart, plain, hidden},
      {"--fdevice-sanitize", "-fdevice-sanitize", one},
      {"--fdevice-syntax-only", "-fdevice-syntax-only", none},
      {"--fdevice-time-trace", "-fdevice-time-trace", one},
      {"--fdevice-time-trace-granularity", "-fdevice-time-trace-granularity", one},
      {"--fmad", "-fmad", one},
      {"--fmax-errors", "-fmax-errors", one},
      {"--force-cl-env-setup", "-force-cl-env-setup", none},
      {"--forward-unknown-opts", "-forward-unknown-opts", none},
      {"--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler", none},
      {"--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", none},
      {"--frandom-seed", "-frandom-seed", one},
      {"--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", one},
      {"--ftemplate-depth", "-ftemplate-depth", one},
      {"--ftz", "-ftz", one},
      {"--gen-opt-lto", "-gen-opt-lto", none},
      {"--generate-code", "-gencode", list, apart, generate_code},
      {"--generate-dependencies", "-M", none, apart, no_link},
      {"--generate-dependencies-with-compile", "-MD", none},
      {"--generate-dependency-targets", "-MP", none},
      {"--generate-line-info", "-lineinfo", none},
      {"--generate-nonsystem-dependencies", "-MM", none, apart, no_link},
      {"--generate-nonsystem-dependencies-with-compile", "-MMD", none},
      {"--global_var", "-global_var", none, apart, plain, hidden},
      {"--gpu-architecture", "-arch", one, apart, gpu_architecture},
      {"--gpu-code", "-code", list, apart, gpu_code},
      {"--help", "-h", none, apart, informational},
      {"--host-linker-script", "-hls", optional},
      {"--host-relocatable-link", "-host-r", none},
      {"--include-path", "-I", list, attached},
      {"--input-drive-prefix", "-idp", one},
      {"--intern-mode", "-int", one, apart, plain, hidden},
      {"--jobserver", "-jobserver", none},
      {"--jump-table-density", "-jtd", one},
      {"--keep", "-keep", none},
      {"--keep-device-functions", "-keep-device-functions", none},
      {"--keep-dir", "-keep-dir", one},
      {"--legacy-launch-seq", "-legacy-launch-seq", none, apart, plain, hidden},
      {"--lib", "-lib", none, apart, no_link},
      {"--libdevice-directory", "-ldir", one},
      {"--library", "-l", list, attached, library},
      {"--library-path", "-L", list, attached, library_directory},
      {"--link", "-link", none},
      {"--linker-options", "-Xlinker", list},
      {"--list-gpu-arch", "-arch-ls", none, apart, informational},
      {"--list-gpu-code", "-code-ls", none, apart, informational},
      {"--lto", "-lto", none, apart, device_lto},
      {"--ltoir", "-ltoir", none, apart, ltoir_file},
      {"--m32", "-m32", none},
      {"--m64", "-m64", none},
      {"--machine", "-m", one},
      {"--maxrregcount", "-maxrregcount", one},
      {"--no-align-double", "", none},
      {"--no-compress", "-no-compress", none},
      {"--no-device-inline", "-nodinline", none, apart, plain, hidden},
      {"--no-device-link", "-nodlink", none},
      {"--no-display-error-number", "-no-err-no", none},
      {"--no-exceptions", "-noeh", none},
      {"--no-host-device-initializer-list", "-nohdinitlist", none},
      {"--no-host-device-move-forward", "-nohdmoveforward", none},
      {"--no-libdevice", "-no-libdevice", one, apart, plain, hidden},
      {"--no-shadow-functions", "-no-shadow-functions", none, apart, plain, hidden},
      {"--nvasm-loopback", "-nvasm-loopback", none, apart, plain, hidden},
      {"--nvasm-options", "-Xnvasm", list, apart, plain, hidden},
      {"--nvdisasm-options", "-Xnvdisasm", list, apart, plain, hidden},
      {"--nvlink-options", "-Xnvlink", list},
      {"--nvlink-prefix", "", one, apart, plain, hidden},
      {"--nvprune-options", "-Xnvprune", list},
      {"--nvvm-version", "-nvvm-version", one, apart, plain, hidden},
      {"--objdir-as-tempdir", "-objtemp", none},
      {"--okey", "-ok", one, apart, plain, hidden},
      {"--optimization-info", "-opt-info", list},
      {"--optimize", "-O", one, attached},
      {"--options-file", "-optf", list, apart, options_file},
      {"--optix-ir", "-optix-ir", none, apart, ptx_file},
      {"--output-directory", "-odir", one},
      {"--output-file", "-o", one},
      {"--pre-include", "-include", list},
      {"--prec-div", "-prec-div", one},
      {"--prec-sqrt", "-prec-sqrt", one},
      {"--preprocess", "-E", none, apart, preprocess},
      {"--profile", "-pg", none},
      {"--prune", "-prune", none},
      {"--ptx", "-ptx", none, apart, ptx_file},
      {"--ptxas-options", "-Xptxas", list},
      {"--ptxas-prefix", "", one, apart, plain, hidden},
      {"--qpp-config", "-qpp-config", one},
      {"--relocatable-device-code", "-rdc", one, apart, relocatable},
      {"--relocatable-link", "-r", none},
      {"--relocatable-ptx", "-reloc-ptx", none},
      {"--resource-usage", "-res-usage", none},
      {"--restrict", "-restrict", none},
      {"--restrict-in-struct", "-restrict-in-struct", none, apart, plain, hidden},
      {"--run", "-run", none, apart, run},
      {"--run-args", "-run-args", list},
      {"--safety-compatibility", "-safety-compat", none},
      {"--sanitize", "-sanitize", one},
      {"--save-temps", "-save-temps", none},
      {"--shared", "-shared", none},
      {"--simt-only", "-simt-only", none},
      {"--skip-ptx-semantics-check", "-skip-ptx-semantics-check", none},
      {"--source-in-ptx", "-src-in-ptx", none},
      {"--split-compile", "-split-compile", one},
      {"--split-compile-extended", "-split-compile-extended", one},
      {"--static-global-template-stub", "-static-global-template-stub", one},
      {"--std", "-std", one},
      {"--stdlib", "-stdlib", one},
      {"--system-include", "-isystem", list},
      {"--target-directory", "-target-dir", one, apart, target_directory},
      {"--tdump", "-tdump", none, apart, plain, hidden},
      {"--threads", "-t", one, attached},
      {"--tile-only", "-tile-only", none},
      {"--tile-preview", "-tile-preview", one},
      {"--tilebc", "-tilebc", none, apart, no_link},
      {"--tilecubin", "-tilecubin", none, apart, cubin_file},
      {"--tilefatbin", "-tilefatbin", none, apart, no_link},
      {"--tileiras-options", "-Xtileiras", list},
      {"--time", "-time", one},
      {"--tool-name", "-tool-name", one, apart, plain, hidden},
      {"--undefine-macro", "-U", list, attached},
      {"--use-cubin", "-use-cubin", list, apart, plain, hidden},
      {"--use-local-env", "-use-local-env", none},
      {"--use_fast_math", "-use_fast_math", none},
      {"--utf-8", "-utf-8", none},
      {"--verbose", "-v", none},
      {"--verbose2", "-v2", none},
      {"--version", "-V", none, apart, informational},
      {"--version-ident", "-dQ", one},
      {"--x", "-x", one},
      {"-no-lineinfo-ia", "", none, apart, plain, hidden},
  });
}();
static_assert(std::ranges::is_sorted(table, {}, &NvccOption::spelling), "keep the rows sorted by spelling");

struct Spelling {
  std::string_view text;
  std::uint8_t row = 0;
};

// By length first: a search then only compares the few spellings of the given length.
constexpr bool before(const Spelling& a, const Spelling& b) {
  return a.text.size() != b.text.size() ? a.text.size() < b.text.size() : a.text < b.text;
}

constexpr std::size_t spelling_count =
    std::size(table) + std::ranges::count_if(table, [](const NvccOption& o) { return !o.alias.empty(); });
static_assert(std::size(table) <= 256, "a row number is one byte");

constexpr std::array<Spelling, spelling_count> sorted_spellings() {
  std::array<Spelling, spelling_count> all{};
  std::size_t n = 0;
  for (std::size_t row = 0; row < std::size(table); ++row) {
    all[n++] = {table[row].spelling, static_cast<std::uint8_t>(row)};
    if (!table[row].alias.empty())
      all[n++] = {table[row].alias, static_cast<std::uint8_t>(row)};
  }
  std::ranges::sort(all, before);
  return all;
}

constexpr auto spellings = sorted_spellings();
static_assert(std::ranges::adjacent_find(spellings, [](const Spelling& a,
                                                       const Spelling& b) { return a.text == b.text; }) ==
                  spellings.end(),
              "a spelling may belong to one row only");

constexpr std::size_t longest = spellings.back().text.size();

// Element n is the index of the first spelling of n or more characters.
constexpr std::array<std::uint16_t, longest + 2> starts_by_length() {
  std::array<std::uint16_t, longest + 2> starts{};
  for (std::size_t length = 0; length < starts.size(); ++length)
    starts[length] = static_cast<std::uint16_t>(
        std::ranges::count_if(spellings, [=](const Spelling& s) { return s.text.size() < length; }));
  return starts;
}

constexpr auto starts = starts_by_length();

const NvccOption* find(std::string_view name) {
  if (name.size() > longest)
    return nullptr;
  std::size_t low = starts[name.size()];
  std::size_t high = starts[name.size() + 1];
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    const int order = name.compare(spellings[middle].text);
    if (order == 0)
      return &table[spellings[middle].row];
    (order < 0 ? high : low) = order < 0 ? middle : middle + 1;
  }
  return nullptr;
}

constexpr bool is_attaching(char letter) {
  constexpr std::string_view letters = "DILOUlt";
  return letters.find(letter) != std::string_view::npos;
}
static_assert(std::ranges::all_of(table, [](const NvccOption& o) {
  return o.place == apart || (o.alias.size() == 2 && is_attaching(o.alias[1]) && o.arity != none);
}));

// The most common arguments need no search for a longer name, because there is none.
constexpr bool always_attaches(char letter) {
  return letter == 'D' || letter == 'I' || letter == 'L' || letter == 'U';
}
static_assert(std::ranges::none_of(spellings, [](const Spelling& s) {
  return s.text.size() > 2 && always_attaches(s.text[1]);
}));

} // namespace

std::span<const NvccOption> nvcc_options() {
  return table;
}

NvccArgument nvcc_argument(std::string_view argument) {
  if (argument.size() < 2 || argument[0] != '-')
    return {};
  const bool long_enough = argument.size() > 2;
  if (!long_enough || !always_attaches(argument[1])) {
    const std::size_t equals = argument.find('=');
    if (const NvccOption* option = find(argument.substr(0, equals))) {
      if (equals == std::string_view::npos)
        return {option};
      return {option, true, argument.substr(equals + 1)};
    }
  }
  if (long_enough && is_attaching(argument[1]))
    return {find(argument.substr(0, 2)), true, argument.substr(2)};
  return {};
}

bool takes_next(const NvccArgument& argument, std::string_view next) {
  if (argument.option == nullptr || argument.has_value || argument.option->arity == none)
    return false;
  return argument.option->arity != optional || !next.starts_with('-');
}

} // namespace hostpin::cmdline
