// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first byte says which kind of text the rest is.
#include "hooks/leak-check/scan/sniff.hpp"
#include "hooks/leak-check/scan/text.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <cstdlib>

using namespace hostpin;

std::vector<std::string> seeds() {
  return {"0dependency_libs=' -L/opt/x /usr/lib/y.la'\n",
          "1prefix=/opt\nlibdir=${prefix}/lib\nLibs: -L${libdir}\n",
          "2set(X \"/opt/x;/usr\") # c\n  IMPORTED_LOCATION /opt/y)\n", "3#!/usr/bin/env -S /opt/x\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)leak::sniff(bytes.substr(0, leak::sniffed_bytes));
  if (size == 0)
    return 0;
  const auto kind = static_cast<leak::TextFacts::Kind>(data[0] % 4);
  for (const leak::TextReference& one : leak::read_text(kind, bytes.substr(1)).references)
    if (!one.path.starts_with('/') || one.offset >= size || one.line == 0)
      std::abort();
  return 0;
}
