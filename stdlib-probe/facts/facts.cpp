// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/facts.hpp"

#include "toolchains/library/library.hpp"

#include <utility>

namespace hostpin::probe {

namespace {

struct Asked {
  const char* member; ///< of the answer
  const char* name;   ///< of the -l option
  const char* absent; ///< the reason if the link does not use it
};

LinkedFacts facts_of(const LinkedLibrary& library) {
  LinkedFacts facts;
  facts.shared = library.object.has_value();
  facts.found = library.found;
  facts.path = library.path;
  if (!library.object)
    return facts;
  facts.soname = library.object->soname;
  facts.glibcxx = highest_version(*library.object, "GLIBCXX_");
  facts.cxxabi = highest_version(*library.object, "CXXABI_");
  facts.glibc = highest_version(*library.object, "GLIBC_");
  facts.gcc = highest_version(*library.object, "GCC_");
  facts.needs_glibc = highest_needed_version(*library.object, "GLIBC_");
  return facts;
}

std::optional<LinkedFacts> linked(const Files& files, const cmdline::LinkerCommand& command,
                                  const Asked& asked, Facts& facts) {
  const LibrarySearch search = linked_library(files, command, asked.name);
  facts.dependencies.insert(facts.dependencies.end(), search.dependencies.begin(), search.dependencies.end());
  if (search.library && *search.library)
    return facts_of(**search.library);
  facts.unknown[asked.member] = search.library ? asked.absent : search.library.error().message;
  return std::nullopt;
}

/// musl defines no macro; its loader and its targets have its name.
void name_c_library(const cmdline::LinkerCommand& command, Facts& facts) {
  Compiler& compiler = facts.compiler;
  const bool musl = command.loader.find("ld-musl") != std::string::npos ||
                    compiler.target.find("musl") != std::string::npos;
  if (compiler.c_library.empty() && musl)
    compiler.c_library = "musl";
}

} // namespace

void explain_headers(Facts& facts) {
  const StandardLibrary& library = facts.compiler.library;
  if (library.kind.empty())
    facts.unknown["kind"] = facts.unknown["release"] =
        "no headers of a C++ standard library are found with these flags";
  else if (library.release == 0 && library.version == 0)
    facts.unknown["release"] = "the headers do not define their release: they are older than GCC 7";
  if (!library.cxx11_abi)
    facts.unknown["cxx11_abi"] =
        library.kind == "libc++" ? "libc++ has one ABI only" : "the headers do not define it";
  if (facts.compiler.c_library != "glibc")
    facts.unknown["glibc"] = facts.compiler.c_library.empty()
                                 ? "the headers of the C library do not identify it"
                                 : "the C library is not glibc";
}

void take_linked(const Files& files, const cmdline::LinkerCommand& command, Facts& facts) {
  name_c_library(command, facts);
  constexpr const char* none = "the link does not use a C++ standard library";
  const bool libcxx = facts.compiler.library.kind == "libc++";
  // The other one is searched as well: headers of one and the library of the other is a mistake to report.
  for (const char* const name : {libcxx ? "c++" : "stdc++", libcxx ? "stdc++" : "c++"}) {
    facts.unknown.erase("library");
    facts.library = linked(files, command, {"library", name, none}, facts);
    if (facts.library || facts.unknown["library"] != none)
      break;
  }
  facts.c_library = linked(files, command, {"c_library", "c", "the link does not use a C library"}, facts);
  facts.libgcc =
      linked(files, command,
             {"libgcc_s", "gcc_s", "the link does not use libgcc_s: libgcc is linked statically"}, facts);
}

} // namespace hostpin::probe
