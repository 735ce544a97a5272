// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dynamic symbols of libraries, and stubs with their names: what is written is read again.
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/binary/stub_library.hpp"
#include "toolchains/redist/tree/dynamic_symbols.hpp"

#include <cstdlib>
#include <elf.h>
#include <string_view>

using namespace hostpin;
using namespace hostpin::redist;
using binary::stub_bytes;
using binary::StubLibrary;

std::vector<std::string> seeds() {
  return {stub_bytes({EM_X86_64, "libx.so", {{"one", {"V_1", "V_2"}}, {"two", {"V_1"}}}}),
          stub_bytes({EM_PPC64, "liby.so.1", {{"one", {}}}}), stub_bytes({EM_AARCH64, "libz.so", {}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto symbols = read_dynamic_symbols(bytes);
  if (!symbols)
    return 0;
  StubLibrary stub{EM_AARCH64, "libstub.so", {}};
  for (const UndefinedSymbol& symbol : symbols->undefined) {
    if (symbol.library.empty() != symbol.version.empty() || symbol.name.empty())
      std::abort();
    stub.functions[symbol.name];
    if (!symbol.version.empty())
      stub.functions[symbol.name].insert(symbol.version);
  }
  for (const std::string& name : symbols->defined)
    stub.functions[name];
  for (const std::string& symbol : symbols->exported)
    if (!symbols->defined.contains(symbol) && symbol.find('@') == std::string::npos)
      std::abort();
  if (version_count(stub) > binary::most_stub_versions)
    return 0;
  const auto again = read_dynamic_symbols(stub_bytes(stub));
  if (!again || again->defined.size() != stub.functions.size() || !again->undefined.empty())
    std::abort();
  return 0;
}
