// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/archive/wheel_file.hpp"
#include "hooks/wheel/repair/plan.hpp"
#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"

#include <map>
#include <string>
#include <string_view>

namespace hostpin::wheel {

/// The package of a Linux distribution that a packed file was installed by.
struct Origin {
  std::string purl;    ///< `pkg:deb/debian/libgomp1@12.2.0-14?arch=amd64&distro=debian-12`
  std::string version; ///< of the package
  std::string license; ///< as the package says; empty: it does not

  bool operator==(const Origin&) const = default;
};
using Origins = std::map<std::string, Origin, std::less<>>; ///< by member of the wheel

/// Asks dpkg or rpm, whichever knows the file. Files that no package has are left out.
Origins origins_of(const std::vector<Graft>& grafts, const Files& files, const Processes& processes);

/// Those that the CycloneDX document of an earlier repair has, of members that the wheel still has.
Origins recorded_origins(const WheelFile& wheel);

/// Lines of `dpkg-query -S`, as packages by path: `libgomp1:amd64: /usr/lib/...`.
std::map<std::string, std::string> dpkg_owners(std::string_view text);

} // namespace hostpin::wheel
