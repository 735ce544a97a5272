// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/toolkit/stand_in.hpp"

#include "toolchains/base/writing.hpp"
#include "toolchains/binary/machine.hpp"

namespace hostpin {

std::string host_properties(std::string_view triple) {
  const std::string_view machine = triple.substr(0, triple.find('-'));
  std::string_view name;
  if (machine == "x86_64")
    name = "__NV_X86_64__\n";
  else if (machine == "aarch64")
    name = "__NV_AARCH64__\n__NV_CHAR_UNSIGNED__\n__NV_WCHAR_UNSIGNED__\n";
  else if (machine == "powerpc64le")
    name = "__NV_PPC64LE__\n__NV_CHAR_UNSIGNED__\n";
  if (name.empty())
    return {};
  return "__NV_CPLUSPLUS 201402L\n__NV_GNUC__ 6\n__NV_GNUC_MINOR__ 1\n__NV_GNUC_PATCHLEVEL__ 0\n"
         "__NV_LINUX__\n" +
         std::string(name);
}

Result<HostStandIn> HostStandIn::make(const Environment& environment) {
  const std::string properties = host_properties(binary::own_triple());
  if (properties.empty())
    return failure("there is no CUDA for programs of " + binary::own_triple());
  TRY_ASSIGN(auto directory, ScratchDirectory::make(environment));
  HostStandIn program(std::move(directory));
  TRY(replace_file(program.path(), "#!/bin/sh\necho '" + properties + "'\n", true));
  return program;
}

std::string HostStandIn::path() const {
  return directory_.path() + "/g++";
}

} // namespace hostpin
