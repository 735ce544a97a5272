// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A lock in every form that it is emitted in: what is made is text or an error, and JSON where it has to be.
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/document/json.hpp"
#include "toolchains/redist/emit/emit.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin::redist;

std::vector<std::string> seeds() {
  const std::string digest(64, 'a');
  Lock lock;
  lock.manifests.push_back({"cuda", "1", "2024-04-16", digest, "https://example.org/\"${x}\\/"});
  lock.archives.push_back(
      {"cuda", "1", "p", "2", "linux-sbsa", "cuda12", "L\n", "p/n.tar.xz", digest, 17, digest});
  lock.archives.push_back({"cuda", "1", "p.q", "2", "source", {}, "MIT", "p/n.zip", digest, {}, {}});
  return {lock_text(lock), lock_text({})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto lock = read_lock({reinterpret_cast<const char*>(data), size}, "redist.lock");
  if (!lock)
    return 0;
  Facts facts;
  facts.products.push_back({"cuda", "https://example.org/", "cuda", "label", {}});
  for (const Form& form : forms()) {
    const auto text = form.text({facts, *lock, "/opt/x"});
    if (text ? text->empty() || (form.name == "spdx" && !hostpin::document::parse_json(*text))
             : text.error().message.empty())
      std::abort();
  }
  return 0;
}
