// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/setup/package_index.hpp"
#include "toolchains/setup/repository_client.hpp"

#include <cstdlib>

using namespace hostpin;
using namespace hostpin::setup;

std::vector<std::string> seeds() {
  return {
      "<metadata><package type=\"rpm\"><name>gcc13-c++</name><arch>x86_64</arch><version epoch=\"1\" "
      "ver=\"13.3\" "
      "rel=\"1\"/><checksum type=\"sha256\">ab</checksum><size package=\"7\"/><location href=\"x/g.rpm\"/>"
      "</package></metadata>",
      "%FILENAME%\ngcc13-13.3.1-3-x86_64.pkg.tar.zst\n\n%NAME%\ngcc13\n\n%VERSION%\n13-1\n\n%CSIZE%\n40\n\n"
      "%SHA256SUM%\nab\n\n%ARCH%\nx86_64\n",
      "<stream><message type=\"error\">No provider</message><repo alias=\"a\"><url>http://h</url></repo>"
      "<to-install><solvable type=\"package\" name=\"g\" edition=\"1-1\" "
      "arch=\"x86_64\"/></to-install></stream>"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto packages = read_rpm_index_text(text))
    for (const Package& each : *packages)
      if (each.name.empty() || each.file.empty() || each.file.find('/') != std::string::npos)
        std::abort();
  if (read_pacman_desc(text).file.find('/') != std::string::npos)
    std::abort();
  read_zypper_output(text);
  if (client_error(text, "dnf").message.empty())
    std::abort();
  return 0;
}
