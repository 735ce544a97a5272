// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// origin.json and the list of a tree's members. What is read has paths below its directory only, and its own
// text is read as the same.
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/redist/tree/members.hpp"
#include "toolchains/redist/tree/origin.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin::redist;

std::vector<std::string> seeds() {
  const std::string digest(64, 'a');
  Origin origin;
  origin.lock = "redist.lock";
  origin.lock_sha256 = digest;
  origin.host = "linux-x86_64";
  origin.targets = {"linux-sbsa"};
  LockedArchive archive;
  archive.product = "cuda";
  archive.label = "12.4.1";
  archive.package = "p";
  archive.version = "1";
  archive.platform = "linux-sbsa";
  archive.path = "a.tar.xz";
  archive.sha256 = digest;
  origin.archives = {archive};
  origin.entries = {{"a", 0, "lib/a", digest, "", "lib", "why", digest, true},
                    {"b", {}, "", "", "a", "lib", "", "", false}};
  return {origin_text(origin), members_text({{"a", "", digest, 3, true, 5}, {"b", "a", "", 0, false, 0}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto origin = read_origin(text, "origin.json")) {
    for (const OriginEntry& entry : origin->entries)
      if (!is_path_below(entry.path) || (entry.archive && *entry.archive >= origin->archives.size()))
        std::abort();
    const auto again = read_origin(origin_text(*origin), "origin.json");
    if (!again || *again != *origin)
      std::abort();
  }
  if (const auto members = read_members(text, "members")) {
    for (const Member& member : *members)
      if (!is_path_below(member.path))
        std::abort();
    const auto again = read_members(members_text(*members), "members");
    if (!again || *again != *members)
      std::abort();
  }
  return 0;
}
