// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock. One that is read has safe paths only, and its own text is read as the same lock.
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/redist/lock.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin::redist;

std::vector<std::string> seeds() {
  const std::string digest(64, 'a');
  Lock lock;
  lock.manifests.push_back({"cuda", "1", "2024-04-16", digest, "https://example.org/"});
  lock.archives.push_back(
      {"cuda", "1", "p", "2", "linux-sbsa", "cuda12", "L", "p/n.tar.xz", digest, 17, digest});
  return {lock_text(lock), lock_text({}), "{}"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lock = read_lock({reinterpret_cast<const char*>(data), size}, "redist.lock");
  if (!lock)
    return 0;
  for (const LockedArchive& archive : lock->archives)
    if (!is_safe_path(archive.path) || url_of(*lock, archive).empty())
      std::abort();
  const std::string text = lock_text(*lock);
  const auto again = read_lock(text, "redist.lock");
  if (!again || lock_text(*again) != text)
    std::abort();
  return 0;
}
