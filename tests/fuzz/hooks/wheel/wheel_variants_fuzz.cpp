// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// variant.json and {name}-{version}-variants.json: what is read is written, read and ordered again as before.
#include "hooks/wheel/variants/format.hpp"
#include "hooks/wheel/variants/nvidia.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <cstdlib>
#include <string_view>

using namespace hostpin::wheel;

std::vector<std::string> seeds() {
  VariantsFile file = nvidia_variants();
  file.variants.emplace("null", Properties{});
  file.variants.emplace("sm_90", nvidia_properties("90_real", {13, 0, 0}));
  file.values[nvidia_namespace][sm_arch] = {"80_real"};
  return {variants_text(file), R"({"$schema":"https://variants-schema.wheelnext.dev/peps/825/v0.1.0.json",)"
                               R"("default-priorities":{"namespace":["a"],"feature":{"a":["b"]}},)"
                               R"("variants":{"x":{"a":{"b":["1.0","2"]}}}})"};
}

namespace {

void check(bool holds) {
  if (!holds)
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(read_sm_value(text.substr(0, 20)));
  const auto file = read_variants(text);
  if (!file)
    return 0;
  const std::string written = variants_text(*file);
  auto again = read_variants(written);
  check(again && variants_text(*again) == written);
  check(merge_variants(*again, *file).has_value());
  const Compatible machine = nvidia_machine({9, 0}, {13, 0, 0});
  const auto order = ordered_variants(*file, machine);
  check(order.size() <= file->variants.size());
  for (const std::string& label : order)
    check(is_label(label) && incompatible(file->variants.at(label), machine).empty());
  return 0;
}
