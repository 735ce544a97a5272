// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/variants/nvidia.hpp"
#include "tests/unit/hooks/wheel/judge/wheels.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

/// A variant wheel with machine code of these capabilities, and PTX of the last if `ptx`.
wheel::WheelFile variant(const std::vector<gpus::Capability>& code, bool ptx, const std::string& json) {
  wheel::WheelFile wheel = test::wheel_of("pkg");
  wheel.name.variant = "sm_90";
  fatbin::Holding& holding = test::add_module(wheel, "pkg/_C.so").device_code;
  for (const gpus::Capability& each : code)
    holding.codes[{each, binary::DeviceCode::cubin}].fatbins = 1;
  if (ptx)
    holding.codes[{code.back(), binary::DeviceCode::ptx}].fatbins = 1;
  wheel::Member description;
  description.entry.name = wheel.info + "/variant.json";
  description.text = json;
  wheel.members.push_back(std::move(description));
  return wheel;
}

std::string described(const wheel::Properties& properties, const char* label = "sm_90") {
  wheel::VariantsFile file = wheel::nvidia_variants();
  file.variants.emplace(label, properties);
  return wheel::variants_text(file);
}

using References = std::vector<std::pair<std::string, leak::Severity>>;

References claims(const wheel::WheelFile& wheel, const wheel::Needs& needs = {}) {
  References found;
  auto site = wheel::Site::make(wheel, {}, "");
  REQUIRE(site);
  const wheel::Required required;
  const wheel::Terms terms;
  wheel::judge_claims({wheel, *site, required, test::tables(), terms}, needs, [&](leak::Finding&& finding) {
    CHECK(finding.rule == leak::Rule::variant_claims_other_code);
    CHECK_FALSE(finding.explanation.empty());
    found.emplace_back(finding.reference, finding.severity);
  });
  return found;
}

} // namespace

TEST_CASE("claims that the device code meets are no findings") {
  const auto json = described(wheel::nvidia_properties("90_real", {}));
  CHECK(claims(variant({{9, 0}}, false, json)).empty());
  CHECK(claims(variant({{9, 0, gpus::Capability::Variant::architecture_specific}}, false, json)).empty());
  CHECK(claims(variant({{8, 0}}, true, described(wheel::nvidia_properties("80_virtual", {})))).size() ==
        1);                                                              // and 8.0's code
  CHECK(claims(test::wheel_of("pkg")).empty());                          // no variant
  CHECK(claims(variant({{9, 0}, {8, 0}}, true, described({}))).empty()); // the null variant claims nothing
}

TEST_CASE("code for another GPU than a property says is an error, and code that none names a warning") {
  const auto json = described(wheel::nvidia_properties("90_real", {}));
  CHECK(claims(variant({{8, 0}}, false, json)) ==
        References{{"90_real", leak::Severity::error}, {"8.0 machine code", leak::Severity::warning}});
  CHECK(claims(variant({{9, 0}, {8, 0}}, false, json)) ==
        References{{"8.0 machine code", leak::Severity::warning}});
  // a GPU of 8.6 runs code for 8.0
  CHECK(claims(variant({{8, 0}}, false, described(wheel::nvidia_properties("86_real", {})))).empty());
  CHECK(claims(variant({{8, 6}}, false, described(wheel::nvidia_properties("80_real", {})))).size() == 2);
  // PTX of 8.6 does not reach all GPUs of the major
  CHECK(claims(variant({{8, 6}}, true, described(wheel::nvidia_properties("80_virtual", {})))).size() == 2);
  CHECK(claims(variant({{9, 0}}, false, described(wheel::nvidia_properties("sm_90", {})))).size() == 2);
}

TEST_CASE("a driver that is too old for the wheel is an error") {
  wheel::Needs needs;
  needs.driver = gpus::driver_named(test::tables().drivers, "13.0").value();
  const auto code = [](Version cuda) {
    return variant({{9, 0}}, false, described(wheel::nvidia_properties("90_real", cuda)));
  };
  CHECK(claims(code({12, 0, 0}), needs) == References{{"12.0", leak::Severity::error}});
  CHECK(claims(code({13, 0, 0}), needs).empty());
  CHECK(claims(code({12, 0, 0})).empty());
}

TEST_CASE("a variant that nothing describes is an error") {
  const auto properties = wheel::nvidia_properties("90_real", {});
  CHECK(claims(variant({{9, 0}}, false, "{")).size() == 1);
  CHECK(claims(variant({{9, 0}}, false, described(properties, "sm_80"))).size() == 1);
  wheel::WheelFile without = variant({{9, 0}}, false, described(properties));
  without.members.pop_back();
  CHECK(claims(without).size() == 1);
}
