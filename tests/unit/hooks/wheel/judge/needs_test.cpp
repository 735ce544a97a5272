// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/wheel/judge/judging.hpp"

using namespace hostpin;
using namespace hostpin::leak;
using namespace hostpin::test;
using WheelFile = hostpin::wheel::WheelFile;

TEST_CASE("the tag covers the wheel's own needs and those of what it requires") {
  WheelFile wheel = sound();
  wheel.members[0].elf->image.version_needs = {{"libc.so.6", {"GLIBC_2.28"}}};
  CHECK_FALSE(found(wheel).contains("tag-below-needs"));
  wheel.members[0].elf->image.version_needs = {{"libc.so.6", {"GLIBC_2.34"}}};
  CHECK(found(wheel).contains("policy-version"));
  CHECK(found(wheel).contains("tag-below-needs"));
  wheel.members[0].elf->image.version_needs = {};
  WheelFile newer = nvidia();
  newer.members[0].elf->image.version_needs = {{"libc.so.6", {"GLIBC_2.34"}}};
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime==13.0.48")};
  const Found rules = found(wheel, {newer});
  CHECK(rules.at("tag-below-needs") == Severity::error);
  CHECK_FALSE(rules.contains("policy-version"));
}

TEST_CASE("a required wheel of which an older release fits as well does not limit the systems") {
  WheelFile wheel = wheel_of("pkg");
  WheelFile numpy = wheel_of("numpy");
  add_module(numpy, "numpy/_core.so", {"libc.so.6"}).image.version_needs = {{"libc.so.6", {"GLIBC_2.34"}}};
  WheelFile between = wheel_of("between");
  const auto severity = [&](const char* requirement, const char* next = "numpy") {
    wheel.requirements = {*wheel::read_requirement(requirement)};
    between.requirements = {*wheel::read_requirement(next)};
    return found(wheel, {numpy, between}).at("tag-below-needs");
  };
  CHECK(severity("numpy>=1.0") == Severity::note);
  CHECK(severity("numpy==1.*") == Severity::note);
  CHECK(severity("numpy==1.0") == Severity::error);
  CHECK(severity("between==1.0") == Severity::note);
  CHECK(severity("between", "numpy==1.0") == Severity::note); // another release of it may require another
  CHECK(severity("between==1.0", "numpy==1.0") == Severity::error);
}

TEST_CASE("NVIDIA's wheels that are assumed limit the systems as far as all releases do") {
  struct Row {
    const char* requirement;
    Severity severity;
  };
  for (const Row& row :
       {Row{"nvidia-cublas>=13,<14", Severity::error}, Row{"nvidia-cublas-cu12==12.1.3.1", Severity::note}}) {
    CAPTURE(row.requirement);
    WheelFile wheel = wheel_of("pkg", "manylinux2014_x86_64");
    add_module(wheel, "pkg/_C.so");
    require(wheel, row.requirement);
    CHECK(found(wheel).at("tag-below-needs") == row.severity);
  }
}

TEST_CASE("a tag between two policies promises the glibc that it names") {
  WheelFile wheel = wheel_of("pkg", "manylinux_2_25_x86_64");
  add_module(wheel, "pkg/_C.so", {"libc.so.6"}).image.version_needs = {{"libc.so.6", {"GLIBC_2.25"}}};
  CHECK(found(wheel).empty());
  wheel.members[0].elf->image.version_needs = {{"libc.so.6", {"GLIBC_2.26"}}};
  CHECK(found(wheel)["policy-version"] == Severity::error);
  CHECK(found(wheel)["tag-below-needs"] == Severity::error);
}

TEST_CASE("the budget and the driver are compared if they are given") {
  WheelFile wheel = sound();
  wheel.size = 2000;
  wheel::Terms terms;
  terms.budget = 2000;
  terms.driver = gpus::driver_named(tables().drivers, "580.65.06").value();
  CHECK(found(wheel, {}, terms) == Found{{"system-shadows-wheel", Severity::note}});
  terms.budget = 1999;
  terms.driver = gpus::driver_named(tables().drivers, "575.51.03").value();
  const Found rules = found(wheel, {}, terms);
  CHECK(rules.contains("too-large"));
  CHECK(rules.contains("driver-floor"));
}

TEST_CASE("what to do for an older driver names the CUDA major first, and repack only where that suffices") {
  WheelFile wheel = wheel_of("pkg");
  wheel::ElfFacts& module = add_module(wheel, "pkg/_C.so");
  const fatbin::HeldCode code{gpus::capability_named("8.0").value(), binary::DeviceCode::cubin};
  module.device_code.codes[code].packed[static_cast<std::size_t>(binary::DevicePacking::zstd)] = 1;
  const auto fix = [&](const char* driver) {
    wheel::Terms terms;
    terms.driver = gpus::driver_named(tables().drivers, driver).value();
    const auto site = wheel::Site::make(wheel, {}, "");
    REQUIRE(site);
    const wheel::Required required =
        wheel::required_by(wheel, *site, tables().cuda_wheels, tables().packages);
    const wheel::Checked checked{wheel, *site, required, tables(), terms};
    std::string text;
    for (const Finding& one : wheel::findings_of(checked, wheel::needs_of(checked)).found)
      if (one.rule == Rule::driver_floor)
        text = one.fix;
    return text;
  };
  CHECK(fix("525.60.13") ==
        "Compile its device code with -Xfatbin -compress-all -compress-mode=speed, or before "
        "it is packed: hostpin fatbin repack FILE --compress speed --all --in-place");
  CHECK(fix("580.65.06").empty());
  module.image.needed.emplace_back("libcudart.so.13");
  CHECK(fix("525.60.13").starts_with("Build it with an older CUDA major: "));
  CHECK(fix("525.60.13").find("repack") == std::string::npos);
  CHECK(fix("575.51.03").starts_with("Build it with an older CUDA major: "));
}
