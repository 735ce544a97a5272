// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"

#include "toolchains/cmdline/nvcc_options.hpp"

#include <map>
#include <random>

namespace hostpin::e2e {
namespace {

using Words = std::vector<std::string>;
using cmdline::NvccOption;

Words dry(Words words) {
  words.insert(words.begin(), "--dryrun");
  return words;
}

// A value that nvcc accepts, for options that do not take any text.
std::string value_for(std::string_view spelling) {
  static const std::map<std::string_view, std::string> values = {
      {"--Ofast-compile", "mid"},
      {"--Werror", "all-warnings"},
      {"--brief-diagnostics", "true"},
      {"--compiler-options", "-Wall,-fno-strict-aliasing"},
      {"--compress-mode", "size"},
      {"--cuda-api-version", "11.0"},
      {"--cudadevrt", "none"},
      {"--cudart", "shared"},
      {"--cudafe-options", "--diag_suppress=177"},
      {"--default-stream", "per-thread"},
      {"--define-macro", "NAME=\"a b\""},
      {"--device-compilation", "C++"},
      {"--device-entity-has-hidden-visibility", "false"},
      {"--device-stack-protector", "false"},
      {"--diag-error", "177"},
      {"--diag-suppress", "177,550"},
      {"--diag-warn", "177"},
      {"--dopt", "on"},
      {"--extern-mode", "all"},
      {"--fmad", "false"},
      {"--ftemplate-depth", "100"},
      {"--ftz", "true"},
      {"--generate-code", "arch=compute_80,code=[compute_80,sm_80]"},
      {"--gpu-architecture", "sm_80"},
      {"--gpu-code", "sm_80"},
      {"--host-linker-script", "use-lcs"},
      {"--include-path", "include"},
      {"--intern-mode", "all"},
      {"--library", "cudart"},
      {"--linker-options", "--no-as-needed,-z,now"},
      {"--machine", "64"},
      {"--maxrregcount", "32"},
      {"--no-libdevice", "false"},
      {"--optimization-info", "inline"},
      {"--optimize", "2"},
      {"--options-file", "options.txt"},
      {"--output-file", "out.o"},
      {"--prec-div", "false"},
      {"--prec-sqrt", "false"},
      {"--pre-include", "pre.h"},
      {"--relocatable-device-code", "true"},
      {"--run-args", "1,2"},
      {"--static-global-template-stub", "true"},
      {"--std", "c++17"},
      {"--system-include", "include"},
      {"--target-directory", "x86_64-linux"},
      {"--version-ident", "true"},
      {"--x", "cu"},
  };
  const auto found = values.find(spelling);
  return found == values.end() ? "1" : found->second;
}

void add_spelling(std::vector<CommandLine>& calls, const NvccOption& option, std::string_view spelling) {
  const std::string name(spelling);
  const auto call = [&](Words words) {
    words.insert(words.end(), {"-c", "x.cu"});
    calls.push_back({dry(words)});
  };
  if (option.arity == NvccOption::Arity::none || option.arity == NvccOption::Arity::optional)
    call({name});
  if (option.arity == NvccOption::Arity::none)
    return;
  call({name, value_for(option.spelling)});
  call({name + "=" + value_for(option.spelling)});
  if (option.place == NvccOption::Place::attached && spelling == option.alias)
    call({name + value_for(option.spelling)});
}

const Words cmake_compile = {"-forward-unknown-to-host-compiler",
                             "-DNAME=\\\"text\\\"",
                             "-Dsaxpy_EXPORTS",
                             "-I/usr/include",
                             "-isystem",
                             "include",
                             "-O3",
                             "-DNDEBUG",
                             "-std=c++17",
                             "--generate-code=arch=compute_80,code=[compute_80,sm_80]",
                             "-Xcompiler=-fPIC",
                             "-Wall",
                             "-MD",
                             "-MT",
                             "CMakeFiles/saxpy.dir/x.cu.o",
                             "-MF",
                             "x.cu.o.d",
                             "-x",
                             "cu"};

const Words torch_compile = {"--generate-dependencies-with-compile",
                             "--dependency-output",
                             "x.cuda.o.d",
                             "-DTORCH_EXTENSION_NAME=extension",
                             "-DTORCH_API_INCLUDE_EXTENSION_H",
                             "-DPYBIND11_BUILD_ABI=\\\"_cxxabi1011\\\"",
                             "-isystem",
                             "include",
                             "-D_GLIBCXX_USE_CXX11_ABI=1",
                             "-D__CUDA_NO_HALF_OPERATORS__",
                             "-D__CUDA_NO_HALF_CONVERSIONS__",
                             "--expt-relaxed-constexpr",
                             "-gencode=arch=compute_80,code=compute_80",
                             "-gencode=arch=compute_80,code=sm_80",
                             "--compiler-options",
                             "'-fPIC'",
                             "-std=c++17"};

const Words kokkos_compile = {"-expt-extended-lambda",
                              "-Wext-lambda-captures-this",
                              "-arch=sm_80",
                              "-Xcudafe",
                              "--diag_suppress=esa_on_defaulted_function_ignored",
                              "-x",
                              "cu",
                              "-Xcompiler",
                              "-Wall,-Wunused-parameter,-Wshadow",
                              "-std=c++17",
                              "-DKOKKOS_DEPENDENCE"};

const Words samples_compile = {"-I../../../Common",
                               "-m64",
                               "--threads",
                               "0",
                               "--std=c++14",
                               "-gencode",
                               "arch=compute_80,code=sm_80",
                               "-gencode",
                               "arch=compute_80,code=compute_80"};

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

} // namespace

std::string shown(const CommandLine& line) {
  std::string text;
  for (const auto& [name, value] : line.variables)
    text += name + "='" + value + "' ";
  for (const std::string& argument : line.arguments)
    text += " [" + argument + "]";
  return text;
}

void write_sources(const Scratch& scratch) {
  scratch.write("x.cu", "#include <cstdio>\n"
                        "__global__ void k(float* p) { p[threadIdx.x] *= 2; }\n"
                        "int main(int argc, char**) { std::puts(\"ran\"); return argc == 1 ? 7 : argc; }\n");
  scratch.write("lib.cu", "__device__ int twice(int i) { return 2 * i; }\n");
  scratch.write("plain.cpp", "int one() { return 1; }\n");
  scratch.write("wrong.cu", "int main() { return nothing_of_that_name; }\n");
  scratch.write("CMakeCUDACompilerId.cu",
                "int main(int argc, char** argv) { return argc > 1 ? argv[1][0] : 0; }\n");
  scratch.write("pre.h", "#define PRE 1\n");
  scratch.write("options.txt", "-DFROM_FILE \"-DQUOTED=a b\" -I include\n");
  scratch.write("include/empty.h", "\n");
  scratch.write("objects.rsp", "x.o lib.o\n");
}

std::vector<CommandLine> build_system_calls() {
  const Words object = {"-c", "x.cu", "-o", "CMakeFiles/x.cu.o"};
  return {
      {{"--version"}},
      {{"-v", "__cmake_determine_cuda"}},
      {{"--dryrun", "--keep", "--keep-dir", "tmp", "-v", "CMakeCUDACompilerId.cu"}},
      {dry({"-forward-unknown-to-host-compiler", "--generate-code=arch=compute_80,code=[compute_80,sm_80]",
            "-Xcompiler=-v", "-MD", "-MT", "x.cu.o", "-MF", "x.cu.o.d", "-x", "cu", "-c", "x.cu", "-o",
            "x.cu.o"})},
      {dry(cmake_compile + object)},
      {dry(cmake_compile + object + Words{"--options-file", "options.txt"})},
      {dry(cmake_compile + object + Words{"-optf=options.txt"})},
      {dry(cmake_compile + Words{"-rdc=true", "-dc", "lib.cu", "-o", "lib.o"})},
      {dry({"-forward-unknown-to-host-compiler", "-O3",
            "--generate-code=arch=compute_80,code=[compute_80,sm_80]", "-Xcompiler=-fPIC",
            "-Wno-deprecated-gpu-targets", "-shared", "-dlink", "x.o", "lib.o", "-o", "cmake_device_link.o",
            "-lcudadevrt", "-lcudart_static", "-lrt", "-lpthread", "-ldl"})},
      {dry({"-forward-unknown-to-host-compiler", "-shared", "-dlink", "--options-file", "objects.rsp", "-o",
            "cmake_device_link.o"})},
      {dry(torch_compile + Words{"-c", "x.cu", "-o", "x.cuda.o"})},
      {dry(torch_compile + Words{"-c", "x.cu", "-o", "x.cuda.o"}),
       {{"NVCC_APPEND_FLAGS", "-lineinfo --threads 2"}}},
      {dry(kokkos_compile + Words{"-c", "x.cu", "-o", "x.o"})},
      {dry(kokkos_compile + Words{"x.o", "-o", "x", "-lcuda", "-Xlinker", "-rpath,/usr/lib"})},
      {dry(samples_compile + Words{"-o", "x.o", "-c", "x.cu"})},
      {dry(samples_compile + Words{"-o", "x", "x.o", "-lcublas"})},
      {dry({"x.cu", "plain.cpp", "-o", "x"})},
      {dry({"-E", "x.cu"}),
       {{"NVCC_PREPEND_FLAGS", "-DPRE -Xcompiler=-Wall"}, {"NVCC_APPEND_FLAGS", "-DPOST"}}},
      {{}},
      {{"-c"}},
      {{"--no-such-option", "x.cu"}},
      {{"-c", "missing.cu"}},
      {{"-optf", "missing.txt", "x.cu"}},
      {{"-Xcompiler"}},
      {{"--help"}},
      {{"--list-gpu-arch"}},
      {{"--list-gpu-code", "--list-gpu-arch"}},
  };
}

std::vector<CommandLine> single_option_calls() {
  std::vector<CommandLine> calls;
  for (const NvccOption& option : cmdline::nvcc_options()) {
    // --tool-name takes part in how nvcc names itself in its messages, and --tdump prints addresses.
    if (option.meaning == cmdline::NvccMeaning::host_compiler || option.spelling == "--tdump")
      continue;
    add_spelling(calls, option, option.spelling);
    if (!option.alias.empty())
      add_spelling(calls, option, option.alias);
  }
  return calls;
}

CommandLine random_call(unsigned seed) {
  static const std::vector<Words> pieces = {{"-O3"},
                                            {"-g"},
                                            {"-G"},
                                            {"-lineinfo"},
                                            {"-v"},
                                            {"-rdc=true"},
                                            {"-std=c++17"},
                                            {"--std", "c++14"},
                                            {"-DA"},
                                            {"-D", "B=1"},
                                            {"-Iinclude"},
                                            {"-I", "."},
                                            {"-isystem=include"},
                                            {"-Xcompiler", "-fPIC"},
                                            {"-Xcompiler=-O2,-Wall"},
                                            {"-Xptxas", "-v"},
                                            {"-Xlinker=-z,now"},
                                            {"-lm"},
                                            {"-L."},
                                            {"-use_fast_math"},
                                            {"--threads=2"},
                                            {"-t", "2"},
                                            {"-optf", "options.txt"},
                                            {"-arch=sm_80"},
                                            {"-gencode", "arch=compute_80,code=sm_80"},
                                            {"-cudart=none"},
                                            {"-cudart", "shared"},
                                            {"-w"},
                                            {"-res-usage"},
                                            {"-maxrregcount=64"},
                                            {"-hls"},
                                            {"-MD"},
                                            {"-MF", "d"},
                                            {"-include", "pre.h"},
                                            {"-allow-unsupported-compiler"},
                                            {"--extended-lambda"},
                                            {"-default-stream=legacy"},
                                            {"-forward-unknown-to-host-compiler"},
                                            {"-fno-rtti"},
                                            {"-dlto"},
                                            {"--keep"},
                                            {"-objtemp"},
                                            {"-shared"}};
  static const std::vector<Words> phases = {{"-c"}, {"-dc"},   {"-ptx"},           {"-cubin"}, {"-fatbin"},
                                            {"-E"}, {"-M"},    {"-lib"},           {"-run"},   {},
                                            {},     {"-cuda"}, {"-c", "-o", "o.o"}};
  static const std::vector<Words> inputs = {
      {"x.cu"}, {"x.cu"}, {"x.cu", "plain.cpp"}, {"-x", "cu", "plain.cpp"}, {"plain.cpp"}, {"x.o", "lib.o"}};
  std::mt19937 engine(seed);
  const auto one_of = [&](const std::vector<Words>& some) { return some[engine() % some.size()]; };
  CommandLine line{dry(one_of(phases))};
  for (std::size_t left = 1 + engine() % 6; left > 0; --left)
    line.arguments = line.arguments + one_of(pieces);
  line.arguments = line.arguments + one_of(inputs);
  for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
    if (engine() % 5 == 0)
      line.variables[name] = one_of(pieces)[0] + " \t-DV=\"x y\"";
  return line;
}

std::vector<CommandLine> real_calls() {
  return {{{"-c", "x.cu", "-o", "x.o"}},
          {{"-ptx", "x.cu"}},
          {{"-cubin", "-arch=sm_80", "x.cu", "-o", "x.cubin"}},
          {{"-E", "plain.cpp"}},
          {{"-M", "x.cu"}},
          {{"-c", "-MD", "-MF", "x.d", "-MT", "target", "x.cu"}},
          {{"-cuda", "lib.cu"}},
          {{"-lib", "x.cu", "lib.cu", "-o", "libx.a"}},
          {{"-dc", "lib.cu"}},
          {{"--keep", "--keep-dir", "include", "-c", "lib.cu"}},
          {{"-c", "lib.cu", "-Xcompiler=-v"}},
          {{"x.cu", "plain.cpp", "-o", "program"}},
          {{"-shared", "-Xcompiler=-fPIC", "lib.cu", "-o", "lib.so"}},
          {{"-run", "x.cu"}},
          {{"-run", "x.cu", "-run-args", "one,two"}},
          {{"-c", "wrong.cu"}},
          {{"wrong.cu", "-o", "program", "-Xcompiler=-fmax-errors=1"}},
          {{"x.cu", "-o", "no/such/directory/program"}},
          {{"-c", "x.cu", "-Xcompiler=-no-such-flag"}},
          {{"x.cu", "-lno_such_library"}}};
}

} // namespace hostpin::e2e
