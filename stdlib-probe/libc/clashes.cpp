// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/libc/clashes.hpp"

#include "stdlib-probe/libc/declaration.hpp"
#include "stdlib-probe/parse/parse.hpp"

#include <algorithm>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Preprocessor.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::probe {

namespace {

struct ReadingPlan {
  SourceText source;                            ///< represents any .cu file
  std::vector<std::string> toolkit_directories; ///< absolute; declarations below them are the toolkit's
  std::vector<std::string> absent;              ///< headers that would be read if they existed
};

namespace fs = std::filesystem;

constexpr const char* stubs = "/hostpin-stubs"; // in memory only

// C headers that C++ provides under another name.
constexpr const char* c_headers[] = {"assert", "complex", "ctype",  "errno",  "fenv",   "float",  "inttypes",
                                     "limits", "locale",  "math",   "setjmp", "signal", "stdarg", "stddef",
                                     "stdint", "stdio",   "stdlib", "string", "time",   "wchar",  "wctype"};

// Macros of <math.h> that are functions in C++: each C++ library undefines them.
constexpr const char* functions_in_cxx[] = {"fpclassify", "isfinite",    "isinf",         "isnan",
                                            "isnormal",   "signbit",     "isgreater",     "isgreaterequal",
                                            "isless",     "islessequal", "islessgreater", "isunordered"};

// Clang has no builtin _Float32, which glibc expects from GCC 13 on. No toolkit declares a function of such a
// type.
constexpr Version newest_gcc{12, 99, 0};

std::string stub(std::string_view header) {
  std::string text = fmt::format("#include <{}.h>\n", header);
  if (header == "math")
    for (const char* const macro : functions_in_cxx)
      text += fmt::format("#undef {}\n", macro);
  return text;
}

/// A C++ library's own headers have no suffix. The kernel's are in a separate package, and declare no
/// function.
bool may_lack(std::string_view name) {
  const bool kernel =
      name.starts_with("linux/") || name.starts_with("asm/") || name.starts_with("asm-generic/");
  return kernel || name.find_first_of("./") == std::string_view::npos;
}

std::string text_of(const Version& release) {
  return fmt::format("#define __CUDACC__ 1\n#define __NVCC__ 1\n"
                     "#define __CUDACC_VER_MAJOR__ {0}\n#define __CUDACC_VER_MINOR__ {1}\n"
                     "#define __CUDACC_VER_BUILD__ {2}\n#define __CUDA_API_VER_MAJOR__ {0}\n"
                     "#define __CUDA_API_VER_MINOR__ {1}\n#define __CUDA_ARCH_LIST__ 750\n"
                     "#define __NVCC_DIAG_PRAGMA_SUPPORT__ 1\n#define __NV_NO_HOST_COMPILER_CHECK 1\n"
                     "#define device_builtin annotate(\"{3}\")\n"
                     "#include <cuda_runtime.h>\n#include <math.h>\n",
                     release.major, release.minor, release.patch, builtin_mark);
}

bool has(const std::string& directory, const char* header) {
  std::error_code ignored;
  return fs::exists(directory + '/' + header, ignored);
}

bool is_cxx_library(const std::string& directory) {
  return has(directory, "cmath") || has(directory, "bits/c++config.h") ||
         has(directory, "backward_warning.h") || has(directory, "__config_site");
}

std::string normal(const std::string& path) {
  std::string text = fs::absolute(path).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/')
    text.pop_back();
  return text;
}

std::vector<std::string> compiler_macros(const HostHeaders& host) {
  const Version& version = host.compiler;
  if (host.clang)
    return {"-fgnuc-version=4.2.1", fmt::format("-D__clang_major__={}", version.major),
            fmt::format("-D__clang_minor__={}", version.minor)};
  std::vector<std::string> words = {"-fgnuc-version=" + to_full_string(std::min(version, newest_gcc))};
  for (const char* const macro :
       {"__clang__", "__clang_major__", "__clang_minor__", "__clang_patchlevel__", "__llvm__"})
    words.insert(words.end(), {"-U", macro});
  return words;
}

struct Directories {
  std::vector<std::string> toolkit, host;
};

std::vector<std::string> arguments(const HostHeaders& host, const Directories& directories,
                                   const std::string& resources) {
  std::vector<std::string> words = {"-triple",
                                    host.target.empty() ? "x86_64-linux-gnu" : host.target,
                                    "-x",
                                    "c++",
                                    "-std=gnu++17",
                                    "-fcxx-exceptions",
                                    "-fexceptions",
                                    "-fdeprecated-macro",
                                    "-fno-builtin",
                                    "-Wno-dynamic-exception-spec",
                                    "-nostdsysteminc",
                                    "-nobuiltininc",
                                    "-D_GNU_SOURCE"};
  const std::vector<std::string> macros = compiler_macros(host);
  words.insert(words.end(), macros.begin(), macros.end());
  // Like GCC, Clang ignores a -I that names a system directory: its headers remain system headers.
  for (const std::string& directory : directories.toolkit)
    words.insert(words.end(), {"-I", directory});
  words.insert(words.end(), {"-internal-isystem", stubs});
  for (const std::string& directory : directories.host)
    words.insert(words.end(), {"-internal-isystem", directory});
  if (!resources.empty())
    words.insert(words.end(), {"-internal-isystem", resources + "/include"});
  return words;
}

/// A toolkit in /usr/include shares the directory with the C library; its own declarations are in crt/.
std::vector<std::string> own_directories(const Directories& directories) {
  std::vector<std::string> own = directories.toolkit;
  for (std::string& directory : own)
    for (const std::string& other : directories.host) {
      std::error_code ignored;
      if (fs::equivalent(directory, other, ignored)) {
        directory = other + "/crt";
        break;
      }
    }
  return own;
}

/// The paths of that header in directories before the one that has it: a file there would be read instead.
std::vector<std::string> absent_before(const std::vector<std::string>& directories, const char* header) {
  std::vector<std::string> absent;
  for (const std::string& directory : directories) {
    if (has(directory, header))
      return absent;
    absent.push_back(directory + '/' + header);
  }
  return absent;
}

bool anywhere(const std::vector<std::string>& directories, const char* header) {
  return std::any_of(directories.begin(), directories.end(),
                     [&](const std::string& directory) { return has(directory, header); });
}

std::string listed(const std::vector<std::string>& directories) {
  return directories.empty() ? "no directory" : fmt::format("{}", fmt::join(directories, ", "));
}

/// How to read a toolkit after a C library. The C++ library is reduced to what includes the C library's
/// headers. An error if either side lacks the one required header.
Result<ReadingPlan> plan_reading(const ToolkitHeaders& toolkit, const HostHeaders& host,
                                 const std::string& resources) {
  Directories directories;
  for (const std::string& directory : toolkit.directories)
    directories.toolkit.push_back(normal(directory));
  for (const std::string& directory : host.directories)
    if (!is_cxx_library(directory))
      directories.host.push_back(normal(directory));
  if (!anywhere(directories.toolkit, "cuda_runtime.h"))
    return failure("no cuda_runtime.h in " + listed(directories.toolkit),
                   "name the directory of a toolkit, with include/cuda_runtime.h in it");
  if (!anywhere(directories.host, "math.h"))
    return failure("no <math.h> of a C library in " + listed(host.directories),
                   "install the C library's headers (libc6-dev, glibc-devel), or name their directories");
  ReadingPlan plan;
  plan.source.name = std::string(stubs) + "/main.cpp";
  plan.source.text = text_of(toolkit.release.value_or(Version{}));
  plan.source.may_lack = may_lack;
  plan.source.arguments = arguments(host, directories, resources);
  for (const char* const header : c_headers)
    plan.source.memory.emplace_back(fmt::format("{}/c{}", stubs, header), stub(header));
  plan.toolkit_directories = own_directories(directories);
  plan.absent = absent_before(directories.host, "math.h");
  return plan;
}

// Real pairs share some two hundred functions. If far fewer are found, something hides them, and the absence
// of a clash means nothing.
constexpr unsigned fewest_compared = 20;

constexpr const char* advice =
    "are these the include directories of the toolkit and of a C library for this target?";

/// The value of a macro that is defined as a number; else empty.
std::string number_of(clang::Preprocessor& preprocessor, llvm::StringRef macro) {
  const clang::IdentifierInfo* const name = preprocessor.getIdentifierInfo(macro);
  const clang::MacroInfo* const info = preprocessor.getMacroInfo(name);
  if (info == nullptr || info->getNumTokens() != 1 ||
      info->getReplacementToken(0).isNot(clang::tok::numeric_constant))
    return {};
  return preprocessor.getSpelling(info->getReplacementToken(0));
}

std::string c_library(clang::Preprocessor& preprocessor) {
  // uClibc claims to be glibc as well.
  if (preprocessor.isMacroDefined("__UCLIBC__"))
    return "uClibc";
  const std::string major = number_of(preprocessor, "__GLIBC__");
  const std::string minor = number_of(preprocessor, "__GLIBC_MINOR__");
  if (!major.empty() && !minor.empty())
    return fmt::format("glibc {}.{}", major, minor);
  return preprocessor.isMacroDefined("__BIONIC__") ? "bionic" : "";
}

/// Names a declaration that could not be parsed and that the other side declares too; empty if there is none.
std::string not_understood(const Declarations& declarations) {
  for (const Declarations::NotUnderstood& each : declarations.not_understood)
    for (const FunctionDeclaration& other : declarations.all)
      if (other.name == each.name && other.toolkit != each.toolkit)
        return fmt::format("the declaration of {} cannot be parsed: {}", each.name, each.why);
  return {};
}

} // namespace

Result<Comparison> compare_declarations(const ToolkitHeaders& toolkit, const HostHeaders& host,
                                        const std::string& resources) {
  TRY_ASSIGN(auto plan, plan_reading(toolkit, host, resources));
  Comparison comparison;
  Declarations declarations;
  const auto parsed =
      parse(plan.source, [&](const clang::CompilerInstance& compiler, const std::vector<Mistake>& mistakes) {
        declarations = declarations_in(compiler, mistakes, plan.toolkit_directories);
        comparison.c_library = c_library(compiler.getPreprocessor());
      });
  if (!parsed)
    return tl::unexpected(parsed.error());
  for (const Mistake& mistake : parsed->mistakes)
    if (mistake.fatal || mistake.lexical)
      return failure(to_string(mistake), advice);

  comparison.clashes = clashes_among(declarations.all, comparison.compared);
  if (const std::string why = not_understood(declarations); comparison.clashes.empty() && !why.empty())
    return failure(why, advice);
  if (comparison.compared < fewest_compared)
    return failure(fmt::format("only {} functions are declared by both the toolkit and the C library",
                               comparison.compared),
                   advice);
  comparison.system =
      std::any_of(declarations.all.begin(), declarations.all.end(),
                  [](const FunctionDeclaration& each) { return each.toolkit && each.system; });
  comparison.files.assign(parsed->files.begin(), parsed->files.end());
  comparison.files.insert(comparison.files.end(), plan.absent.begin(), plan.absent.end());
  return comparison;
}

} // namespace hostpin::probe
