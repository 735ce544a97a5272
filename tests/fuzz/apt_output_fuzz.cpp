// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/setup/apt_output.hpp"

#include <cstdlib>

using namespace hostpin;
using namespace hostpin::setup;

std::vector<std::string> seeds() {
  return {
      "'http://u:p@h/pool/g++-13_13.3.0-16_amd64.deb' g++-13_1%3a13.3.0-16_amd64.deb 18848 SHA256:0\n",
      "Repo-URI: http://h/debian/\nOrigin: Debian\nCodename: bookworm\nRelease: stable\nComponent: main\n"
      "Created-By: Packages\nSourcesentry: /etc/apt/sources.list:1\n\nPackage: g++-13\nVersion: 13\n",
      "deb [arch=amd64 signed-by=/usr/share/keyrings/a.gpg] http://h bookworm main\n",
      "Types: deb\nSigned-By:\n -----BEGIN\n .\n\nTypes: deb\nSigned-By: /a.gpg, /b.gpg\n",
      "W: GPG error: http://u:p@h trixie InRelease: NO_PUBKEY 6ED0\nE: Failed to fetch http://h/x  404  Not "
      "Found\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const PrintedFile& each : read_printed_files(text))
    if (each.file.empty() || each.file.find('/') != std::string::npos || each.name.empty())
      std::abort();
  if (const auto source = own_source(text, {"bookworm"}); source && source->address.empty())
    std::abort();
  for (const bool is_stanzas : {true, false})
    if (const std::string key = named_key(text, is_stanzas, 1); !key.empty() && !key.starts_with('/'))
      std::abort();
  if (apt_error(text, "trixie", "/k").message.empty())
    std::abort();
  if (without_user(text).size() > size)
    std::abort();
  return 0;
}
