// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/setup/packages.hpp"

#include <span>
#include <string>

namespace hostpin::setup {

/// Which C library's headers a compiler reads. Those of CUDA declare functions (cospi, rsqrt) that clash with
/// those of newer C libraries, so it is often not the compiler's own.
struct HeaderChoice {
  enum class From {
    machine, ///< those in /usr/include, so what is installed there later is another's to provide
    suite,   ///< the packages of the compiler's own suite
    tree     ///< a directory that make_headers made
  };
  From from = From::machine;
  std::string tree; ///< that directory, as it will be called in the end
};

/// The launchers of a compiler, as they will be called in the end.
struct CompilerRoot {
  std::string driver; ///< of C++, such as `PLACE/bin/g++-13`
  std::string cc;     ///< of C
};

/// Makes a compiler from its packages (from `compiler_packages`, with all that they depend on): unpacked
/// into `work`, which must not exist, relocated to run once that directory is called `place`, with launchers
/// in bin/. An error if the path of `place` has characters that compilers and loaders split paths at, or the
/// file system is mounted noexec.
Result<CompilerRoot> make_compiler(std::span<const std::string> archives, const std::string& work,
                                   const std::string& place, const CompilerOffer& compiler,
                                   const HeaderChoice& headers);

/// Makes a GCC whose programs run with the machine's own loader and C library, in the same way: it compiles
/// and links with the headers, start files and libraries of its packages, which come from the machine's
/// own suite. The machine's own libraries for links come after them. GCC's own shared libraries that the
/// machine lacks are in runtime/ (see runtime.hpp), which is then the run path of all
/// programs. bin/ also has c++, cc and the programs of binutils.
Result<CompilerRoot> make_stdenv(std::span<const std::string> archives, const std::string& work,
                                 const std::string& place, const CompilerOffer& compiler);

/// Unpacks the C library's headers, from the archives of `header_packages`, into `work`, which must not
/// exist.
Result<void> make_headers(const Context& context, std::span<const std::string> archives,
                          const std::string& work, const std::string& place);

} // namespace hostpin::setup
