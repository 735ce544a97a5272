// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/headers/answer_cache.hpp"
#include "toolchains/remembered/kept_outcome.hpp"

#include <algorithm>
#include <cstdlib>

using namespace hostpin;

namespace {

constexpr std::int64_t later = 1'000'000'000;

void require(bool holds) {
  if (!holds)
    std::abort();
}

} // namespace

std::vector<std::string> seeds() {
  Kept kept;
  kept.outcome.end = Outcome::End::exited;
  kept.outcome.output = "hostpin_probe end 1\n";
  kept.ground = {"/absent", "/usr/bin/g++"};
  const std::string whole = kept_json(kept, later, test::FakeFiles().program("/usr/bin/g++")).value_or("");
  return {whole, R"({"code":1,"output":"\u0000","errors":"#$ _HERE_=/","text":"x","rests_on":[]})",
          "[[[[[[[[{\"rests_on\":[]}]]]]]]]]"};
}

/// The bytes of a file in the cache, behind its checksum.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const test::FakeFiles files = test::FakeFiles().program("/usr/bin/g++");
  const AnswerCache cache({}, files);
  cache.keep({"question"}, text);
  const auto found = cache.find({"question"});
  require(!found || *found == text);
  auto kept = read_kept(text);
  if (!kept)
    return 0;
  require(kept->outcome.end == Outcome::End::exited && kept->outcome.code >= 0 && kept->outcome.code <= 255);
  const auto again = kept_json(*kept, later, files);
  require(again.has_value());
  std::sort(kept->ground.begin(), kept->ground.end());
  kept->ground.erase(std::unique(kept->ground.begin(), kept->ground.end()), kept->ground.end());
  require(read_kept(*again) == kept);
  return 0;
}
