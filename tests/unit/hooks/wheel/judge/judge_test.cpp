// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/hooks/wheel/judge/wheels.hpp"

#include <map>
#include <string>
#include <utility>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::leak;
using namespace hostpin::test;
using WheelFile = hostpin::wheel::WheelFile;

namespace {

using Found = std::map<std::string, Severity>;

/// The rules that a wheel breaks, each with the highest severity.
Found found(const WheelFile& wheel, std::deque<WheelFile> others = {}, const wheel::Terms& terms = {}) {
  auto site = wheel::Site::make(wheel, std::move(others), "");
  REQUIRE(site);
  const wheel::Required required = wheel::required_by(wheel, *site, tables().cuda_wheels, tables().packages);
  site->assume(tables().cuda_wheels, required);
  const wheel::Checked checked{wheel, *site, required, tables(), terms};
  Found rules;
  WheelFile with_record = wheel;
  for (const Finding& one : wheel::findings_of(checked, wheel::needs_of(checked)).found) {
    const auto [at, fresh] = rules.emplace(std::string(text_of(one.rule).name), one.severity);
    at->second = std::max(at->second, one.severity);
    CHECK_FALSE((one.fix.empty() && one.rule != Rule::too_large));
  }
  return rules;
}

void require(WheelFile& wheel, const char* text) {
  wheel.requirements.push_back(*wheel::read_requirement(text));
}

void add_source(WheelFile& wheel, const std::string& member, const char* text) {
  wheel::Member one;
  one.entry.name = member;
  one.hash = "sha256=x";
  one.python = wheel::read_python_source(text);
  wheel.record->push_back({member, one.hash, 0});
  wheel.members.push_back(std::move(one));
}

/// A wheel that loads the shared runtime from NVIDIA's wheel, as it should.
WheelFile sound() {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libc.so.6", "libcudart.so.13"}).image.runpath =
      "$ORIGIN/../nvidia/cu13/lib";
  require(wheel, "nvidia-cuda-runtime>=13.0,<14");
  return wheel;
}

WheelFile nvidia() {
  WheelFile wheel = wheel_of("nvidia_cuda_runtime");
  add_library(wheel, "nvidia/cu13/lib/libcudart.so.13", "libcudart.so.13").cuda_runtime = "libcudart.so.13";
  return wheel;
}

WheelFile torch() {
  WheelFile wheel = wheel_of("torch");
  add_module(wheel, "torch/_C.so", {"libcudart.so.13"}).image.rpath = "$ORIGIN/../nvidia/cu13/lib";
  require(wheel, "nvidia-cuda-runtime>=13.0,<14");
  return wheel;
}

} // namespace

TEST_CASE("a sound wheel breaks no rule but that LD_LIBRARY_PATH comes before its RUNPATH") {
  CHECK(found(sound()) == Found{{"system-shadows-wheel", Severity::note}});
  WheelFile rpath = sound();
  std::swap(rpath.members[0].elf->image.runpath, rpath.members[0].elf->image.rpath);
  CHECK(found(rpath).empty());
  CHECK(found(rpath, {nvidia()}).empty());
}

TEST_CASE("without a run path the library is found only after another package, or never") {
  WheelFile wheel = sound();
  wheel.members[0].elf->image.runpath.reset();
  CHECK(found(wheel)["run-path-missing"] == Severity::error);
  require(wheel, "torch");
  const Found after = found(wheel, {torch(), nvidia()});
  CHECK_FALSE(after.contains("run-path-missing"));
  CHECK(after.at("order-dependent") == Severity::warning);
  CHECK(after.at("system-shadows-wheel") == Severity::warning);
}

TEST_CASE("a package that is installed and not required does not count as imported before") {
  WheelFile wheel = sound();
  wheel.members[0].elf->image.runpath.reset();
  CHECK(found(wheel, {torch(), nvidia()})["run-path-missing"] == Severity::error);
}

TEST_CASE("a renamed runtime is a second one after a package that loads the other") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libcudart-1.so.13"}).image.runpath = "$ORIGIN/../pkg.libs";
  add_library(wheel, "pkg.libs/libcudart-1.so.13", "libcudart-1.so.13").cuda_runtime = "libcudart.so.13";
  CHECK(found(wheel).empty());
  require(wheel, "torch");
  CHECK(found(wheel, {torch(), nvidia()})["second-cuda-runtime"] == Severity::error);
  // Under the same name the loader takes the one that is there.
  WheelFile same = wheel_of("pkg");
  add_module(same, "pkg/_C.so", {"libcudart.so.13"}).image.rpath = "$ORIGIN/../pkg.libs";
  add_library(same, "pkg.libs/libcudart.so.13", "libcudart.so.13").cuda_runtime = "libcudart.so.13";
  require(same, "torch");
  CHECK_FALSE(found(same, {torch(), nvidia()}).contains("second-cuda-runtime"));
}

TEST_CASE(
    "so it is if what loads it is a library without an init function, as torch.ops.load_library takes") {
  WheelFile wheel = wheel_of("pkg");
  add_library(wheel, "pkg/image.so", "image.so", {"libcudart-1.so.13"}).image.runpath = "$ORIGIN/../pkg.libs";
  add_library(wheel, "pkg.libs/libcudart-1.so.13", "libcudart-1.so.13").cuda_runtime = "libcudart.so.13";
  require(wheel, "torch");
  CHECK(found(wheel, {torch(), nvidia()})["second-cuda-runtime"] == Severity::error);
}

TEST_CASE("a renamed runtime may be a second one next to a package that requires NVIDIA's") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libcudart-1.so.13"}).image.runpath = "$ORIGIN/../pkg.libs";
  add_library(wheel, "pkg.libs/libcudart-1.so.13", "libcudart-1.so.13").cuda_runtime = "libcudart.so.13";
  CHECK_FALSE(found(wheel, {nvidia()}).contains("second-cuda-runtime"));
  for (const char* const requirement :
       {"nvidia-cuda-runtime>=13.0; extra == 'with-cuda'", "cuda-toolkit[cudart]==13.*"}) {
    WheelFile plugin = wheel_of("jax_cuda13_plugin"); // opens it by name
    add_module(plugin, "jax_cuda13_plugin/_versions.so");
    require(plugin, requirement);
    CHECK(found(wheel, {plugin, nvidia()})["second-cuda-runtime"] == Severity::warning);
    // Under the same name the loader takes the one that is there.
    WheelFile same = wheel_of("pkg");
    add_module(same, "pkg/_C.so", {"libcudart.so.13"}).image.rpath = "$ORIGIN/../pkg.libs";
    add_library(same, "pkg.libs/libcudart.so.13", "libcudart.so.13").cuda_runtime = "libcudart.so.13";
    CHECK_FALSE(found(same, {plugin, nvidia()}).contains("second-cuda-runtime"));
    CHECK_FALSE(found(sound(), {plugin, nvidia()}).contains("second-cuda-runtime"));
  }
  // Not packed: another major of the runtime next to a sound wheel is not a defect of that wheel.
  WheelFile plugin = wheel_of("jax_cuda12_plugin"), runtime = wheel_of("nvidia_cuda_runtime_cu12");
  add_module(plugin, "jax_cuda12_plugin/_versions.so");
  require(plugin, "nvidia-cuda-runtime-cu12");
  add_library(runtime, "nvidia/cuda_runtime/lib/libcudart.so.12", "libcudart.so.12").cuda_runtime =
      "libcudart.so.12";
  CHECK_FALSE(found(sound(), {plugin, runtime, nvidia()}).contains("second-cuda-runtime"));
  CHECK(found(wheel, {plugin, runtime})["second-cuda-runtime"] == Severity::warning);
  // Code in Python may load it as well; a package without code loads nothing.
  WheelFile metapackage = wheel_of("cuda_toolkit");
  require(metapackage, "nvidia-cuda-runtime==13.0.96; extra == 'cudart'");
  CHECK_FALSE(found(wheel, {metapackage, nvidia()}).contains("second-cuda-runtime"));
  WheelFile loader = wheel_of("cuda_loader");
  add_source(loader, "cuda_loader/load.py", "ctypes.CDLL(path)\n");
  require(loader, "nvidia-cuda-runtime");
  CHECK(found(wheel, {metapackage, loader, nvidia()})["second-cuda-runtime"] == Severity::warning);
}

TEST_CASE("a static runtime next to the shared one is a note") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so").has_static_runtime = true;
  CHECK(found(wheel).empty());
  WheelFile both = sound();
  both.members[0].elf->has_static_runtime = true;
  CHECK(found(both)["runtime-of-its-own"] == Severity::note);
}

TEST_CASE("run paths must not leave the directory of wheels") {
  struct Row {
    const char* path;
    std::optional<Severity> severity;
  };
  for (const Row& row : {Row{"$ORIGIN/../nvidia/cu13/lib", std::nullopt},
                         Row{"/__w/_temp/lib:$ORIGIN/../nvidia/cu13/lib", Severity::error},
                         Row{"lib:$ORIGIN/../nvidia/cu13/lib", Severity::error},
                         Row{"/usr/local/cuda/lib64:$ORIGIN/../nvidia/cu13/lib", Severity::warning},
                         Row{"$ORIGIN/../../../../../../x:$ORIGIN/../nvidia/cu13/lib", Severity::warning},
                         Row{"$ORIGIN/../../../../lib:$ORIGIN/../nvidia/cu13/lib", std::nullopt}}) {
    CAPTURE(row.path);
    WheelFile wheel = sound();
    wheel.members[0].elf->image.runpath = row.path;
    const Found rules = found(wheel);
    CHECK(rules.contains("run-path-leaves-site") == row.severity.has_value());
    if (row.severity)
      CHECK(rules.at("run-path-leaves-site") == *row.severity);
  }
}

TEST_CASE("requirements have to name the distribution, of the right major and with an upper bound") {
  WheelFile wheel = sound();
  wheel.requirements.clear();
  CHECK(found(wheel)["requires-missing"] == Severity::error);
  require(wheel, "numpy"); // which may require it
  CHECK(found(wheel)["requires-missing"] == Severity::warning);
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime; extra == 'x'")};
  CHECK(found(wheel)["requires-missing"] == Severity::note);
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime-cu12")};
  CHECK(found(wheel)["requires-wrong-major"] == Severity::error);
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime<13")};
  CHECK(found(wheel)["requires-wrong-major"] == Severity::error);
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime>=13.0")};
  CHECK(found(wheel)["requires-loose"] == Severity::warning);
  wheel.members[0].elf->cuda.needed = {"cudaGreenCtxCreate"}; // since 13.1
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime>=13.0,<14")};
  CHECK(found(wheel)["requires-loose"] == Severity::warning);
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime>=13.1,<14")};
  CHECK_FALSE(found(wheel).contains("requires-loose"));
  wheel.members[0].elf->cuda.needed.clear();
  wheel.requirements = {*wheel::read_requirement("cuda-toolkit[cudart]==13.0.2")};
  CHECK(found(wheel) == Found{{"system-shadows-wheel", Severity::note}});
}

TEST_CASE("a requirement that no release with a function fits is an error") {
  WheelFile wheel = wheel_of("pkg");
  wheel::ElfFacts& module = add_module(wheel, "pkg/_C.so", {"libcudart.so.12"});
  module.image.rpath = "$ORIGIN/../nvidia/cuda_runtime/lib";
  module.cuda.needed = {"cudaLibraryLoadData"}; // since 12.8
  struct Row {
    const char* text;
    std::string_view rule;
  };
  for (const Row& row : {Row{"nvidia-cuda-runtime-cu12==12.1.105", "requires-too-old"},
                         Row{"nvidia-cuda-runtime-cu12<12.8", "requires-too-old"},
                         Row{"nvidia-cuda-runtime-cu12<12.9", "requires-loose"},
                         Row{"nvidia-cuda-runtime-cu12==12.8.90", ""}}) {
    CAPTURE(row.text);
    wheel.requirements = {*wheel::read_requirement(row.text)};
    const Found rules = found(wheel);
    for (const char* const one : {"requires-too-old", "requires-loose"})
      CHECK(rules.contains(one) == (one == row.rule));
  }
  wheel.requirements = {*wheel::read_requirement("nvidia-cuda-runtime-cu12==12.1.105")};
  CHECK(found(wheel)["requires-too-old"] == Severity::error);
}

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

TEST_CASE("versions of a library that the wheel packs are not needed of the system") {
  WheelFile wheel = wheel_of("pkg");
  wheel::ElfFacts& module = add_module(wheel, "pkg/_C.so", {"libstdc++-1.so.6"});
  module.image.runpath = "$ORIGIN/../pkg.libs";
  module.image.version_needs = {{"libstdc++-1.so.6", {"GLIBCXX_3.4.99"}}};
  add_library(wheel, "pkg.libs/libstdc++-1.so.6", "libstdc++-1.so.6").image.version_definitions = {
      "GLIBCXX_3.4.99"};
  CHECK(found(wheel).empty());
  wheel.members[1].elf->image.version_definitions = {"GLIBCXX_3.4.98"};
  CHECK(found(wheel)["unmet-version-need"] == Severity::error);
}

TEST_CASE("names, tags and RECORD have to agree") {
  WheelFile wheel = sound();
  wheel.wheel = {{"tag", "py3-none-linux_x86_64"}};
  CHECK(found(wheel)["tag-names-differ"] == Severity::warning);
  for (const char* const no_tag : {"", "-manylinux_2_28_x86_64", "py3-none", "py3-none-any-any"}) {
    CAPTURE(no_tag);
    wheel.wheel = {{"tag", "py3-none-manylinux_2_28_x86_64"}, {"tag", no_tag}};
    CHECK(found(wheel)["tag-names-differ"] == Severity::error);
  }
  wheel.wheel.clear();
  CHECK(found(wheel).at("tag-names-differ") == Severity::warning);
  wheel = sound();
  wheel.metadata = {{"name", "other"}, {"version", "1.0"}};
  CHECK(found(wheel)["tag-names-differ"] == Severity::error);
  wheel = sound();
  wheel.record->clear();
  CHECK(found(wheel)["record-incomplete"] == Severity::error);
  wheel = sound();
  wheel.record->push_back({"gone.py", "sha256=x", 1});
  CHECK(found(wheel)["record-incomplete"] == Severity::error);
  wheel = sound();
  wheel.record->push_back(wheel.record->front());
  CHECK(found(wheel)["record-incomplete"] == Severity::warning);
  wheel.record->back().hash = "sha256=y";
  CHECK(found(wheel)["record-incomplete"] == Severity::error);
  wheel = sound();
  wheel.members[0].entry.size = 5;
  CHECK(found(wheel)["record-incomplete"] == Severity::error);
}

TEST_CASE("a wheel for every machine has no machine code, and one for a machine only its own") {
  WheelFile any = wheel_of("pkg", "any");
  add_module(any, "pkg/_C.so");
  CHECK(found(any)["tag-below-needs"] == Severity::error);
  WheelFile arm = wheel_of("pkg", "manylinux_2_28_aarch64");
  add_module(arm, "pkg/_C.so");
  CHECK(found(arm)["foreign-machine"] == Severity::error);
}

TEST_CASE("the driver is never packed, under whatever name") {
  WheelFile wheel = wheel_of("pkg");
  add_library(wheel, "pkg.libs/libx.so", "libx.so").is_driver = true;
  CHECK(found(wheel)["vendored-driver"] == Severity::error);
  WheelFile other = wheel_of("pkg");
  add_library(other, "pkg.libs/libnvidia-ml.so.1", "libnvidia-ml.so.1");
  CHECK(found(other)["vendored-driver"] == Severity::error);
}

TEST_CASE("a library that only has the name of libcuda is not the driver, and a warning") {
  WheelFile wheel = wheel_of("pkg");
  add_library(wheel, "pkg/mock/libcuda.so.1", "libcuda.so.1");
  CHECK(found(wheel) == Found{{"vendored-driver", Severity::warning}});
}

TEST_CASE("a packed runtime next to one that another module needs and does not find is a second one") {
  for (const char* const runtime : {"libcudart.so.13", "libcudart-1.so.13"}) {
    WheelFile wheel = wheel_of("pkg");
    require(wheel, "nvidia-cuda-runtime>=13.0,<14; extra == 'cuda'");
    add_module(wheel, "pkg/_c.so", {"libcudart.so.13"}).image.runpath = "$ORIGIN/../nvidia/cu13/lib";
    add_module(wheel, "pkg/_d.so", {runtime}).image.runpath = "$ORIGIN/../pkg.libs";
    add_library(wheel, std::string("pkg.libs/") + runtime, runtime).cuda_runtime = "libcudart.so.13";
    const bool is_renamed =
        std::string_view(runtime) != "libcudart.so.13"; // else it is the one that both need
    CHECK(found(wheel).contains("second-cuda-runtime") == is_renamed);
  }
}

TEST_CASE("a file that the loader refuses is an error; musl's gives every library the stack that it has") {
  for (const bool is_of_musl : {false, true}) {
    WheelFile wheel = wheel_of("pkg", is_of_musl ? "musllinux_1_2_x86_64" : "manylinux_2_28_x86_64");
    add_module(wheel, "pkg/_C.so").image.refusals = {binary::Refusal::executable_stack,
                                                     binary::Refusal::misaligned_segment};
    CHECK(found(wheel).contains("executable-stack") == !is_of_musl);
    CHECK(found(wheel).at("misaligned-segment") == Severity::error);
  }
}

TEST_CASE("what a loader refuses counts by the glibc that the tag names") {
  const auto of = [](const char* platform, binary::Refusal refusal) {
    WheelFile wheel = wheel_of("pkg", platform);
    add_module(wheel, "pkg/_C.so").image.refusals = {refusal};
    return found(wheel)["loader-refuses"];
  };
  CHECK(of("manylinux_2_28_x86_64", binary::Refusal::misplaced_segment) == Severity::error);
  CHECK(of("linux_x86_64", binary::Refusal::misplaced_segment) == Severity::warning);
  CHECK(of("linux_x86_64", binary::Refusal::os_abi) == Severity::error);
  CHECK(of("manylinux_2_28_x86_64", binary::Refusal::program) == Severity::error);
  WheelFile newer = wheel_of("pkg", "manylinux_2_35_x86_64");
  add_module(newer, "pkg/_C.so").image.refusals = {binary::Refusal::misplaced_segment};
  CHECK_FALSE(found(newer).contains("loader-refuses"));
  WheelFile library = wheel_of("pkg");
  add_library(library, "pkg.libs/libx.so", "libx.so").image.refusals = {binary::Refusal::program};
  CHECK_FALSE(found(library).contains("loader-refuses")); // perhaps one without an interpreter
}

TEST_CASE("what a library opens by name is searched for from where it is") {
  const std::string opened = "libnvrtc-builtins.so.13.0";
  const auto packed = [&] {
    WheelFile wheel = wheel_of("pkg");
    add_module(wheel, "pkg/_C.so", {"libnvrtc.so.13"}).image.runpath = "$ORIGIN/../pkg.libs";
    add_library(wheel, "pkg.libs/libnvrtc.so.13", "libnvrtc.so.13").opened = {opened};
    return wheel;
  };
  WheelFile wheel = packed();
  CHECK(found(wheel).at("opened-library") == Severity::error);
  add_library(wheel, "pkg.libs/" + opened, opened);
  CHECK(found(wheel).at("opened-library") == Severity::warning); // Python may open it before
  wheel.members[1].elf->image.runpath = "$ORIGIN";
  CHECK_FALSE(found(wheel).contains("opened-library"));
  wheel.members[1].elf->image.runpath.reset();
  wheel.members[0].elf->image.needed.push_back(opened);
  CHECK_FALSE(found(wheel).contains("opened-library"));
  WheelFile rpath = packed();
  add_library(rpath, "pkg.libs/" + opened, opened);
  std::swap(rpath.members[0].elf->image.runpath, rpath.members[0].elf->image.rpath);
  CHECK_FALSE(found(rpath).contains("opened-library"));
}

TEST_CASE("NVRTC of NVIDIA's wheel finds its builtins by a DT_RPATH of what loads it only") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libnvrtc.so.13"}).image.runpath = "$ORIGIN/../nvidia/cu13/lib";
  require(wheel, "nvidia-cuda-nvrtc>=13.0,<14");
  CHECK(found(wheel).at("opened-library") == Severity::note);
  std::swap(wheel.members[0].elf->image.runpath, wheel.members[0].elf->image.rpath);
  CHECK(found(wheel).empty());
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

TEST_CASE("functions of PyTorch are compared with those that it has") {
  WheelFile torch = wheel_of("torch");
  add_library(torch, "torch/lib/libc10.so", "libc10.so").torch_defined = {"_ZN3c101aEv"};
  WheelFile wheel = wheel_of("pkg");
  wheel::ElfFacts& module = add_module(wheel, "pkg/_C.so", {"libc10.so"});
  module.image.runpath = "$ORIGIN/../torch/lib";
  module.torch_needed = {"_ZN3c101aEv"};
  require(wheel, "torch");
  CHECK(found(wheel, {torch}).empty());
  wheel.members[0].elf->torch_needed = {"_ZN3c101aEv", "_ZN3c101bENSt7__cxx1112basic_stringE"};
  CHECK(found(wheel, {torch})["torch-abi"] == Severity::error);
  wheel.members[0].elf->torch_needed = {"_ZN3c101aEv"};
  wheel.members[0].elf->image.needed = {};
  CHECK(found(wheel, {torch})["torch-abi"] == Severity::error);
}

TEST_CASE("PyTorch is assumed where it is required: its libraries, CUDA's, and the order of loading") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libc10.so", "libtorch_cuda.so", "libcudart.so.13"});
  CHECK(found(wheel) == Found{{"requires-missing", Severity::error}});
  require(wheel, "torch==2.11.0");
  CHECK(found(wheel) ==
        Found{{"order-dependent", Severity::warning}, {"system-shadows-wheel", Severity::warning}});
  add_library(wheel, "pkg.libs/libcudart-faf08d9a.so.13", "libcudart-faf08d9a.so.13").cuda_runtime =
      "libcudart.so.13";
  wheel.members[0].elf->image.needed = {"libc10.so", "libcudart-faf08d9a.so.13"};
  wheel.members[0].elf->image.rpath = "$ORIGIN/../pkg.libs";
  CHECK(found(wheel)["second-cuda-runtime"] == Severity::error);
}

TEST_CASE("a library that only another release of PyTorch has is missing, one of an unknown release is not") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libnvfuser_codegen.so"});
  require(wheel, "torch==2.11.0");
  CHECK(found(wheel) == Found{{"missing-library", Severity::error}});
  wheel.requirements.clear();
  require(wheel, "torch==2.6.0+cu118");
  CHECK(found(wheel).empty());
}

TEST_CASE("a function of CUDA that the library which is loaded does not define is missing") {
  WheelFile runtime = nvidia();
  runtime.members[0].elf->cuda.defined = {"cudaMalloc"};
  WheelFile wheel = sound();
  const auto rules = [&](std::vector<std::string> functions, std::deque<WheelFile> others) {
    wheel.members[0].elf->cuda.needed = std::move(functions);
    return found(wheel, std::move(others));
  };
  CHECK_FALSE(rules({"cudaMalloc"}, {runtime}).contains("missing-function"));
  CHECK(rules({"cudaMalloc", "cudaBogus"}, {runtime})["missing-function"] == Severity::error);
  CHECK_FALSE(
      rules({"cudaBogus"}, {}).contains("missing-function")); // functions of what is assumed are not known
  WheelFile other = wheel_of("other");
  add_library(other, "other/libcudart.so.13", "libcudart.so.13").cuda.defined = {"cudaBogus"};
  CHECK(rules({"cudaBogus"}, {runtime, other})["missing-function"] == Severity::error); // its name is served
  add_library(other, "other/libx.so", "libx.so").cuda.defined = {"cudaBogus"};
  CHECK_FALSE(rules({"cudaBogus"}, {runtime, other}).contains("missing-function"));
}

TEST_CASE(
    "a runtime that a required package has loaded serves the functions, not the packed one of its name") {
  WheelFile old = nvidia(), first = torch();
  old.members[0].elf->cuda.defined = {"cudaMalloc"};
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libcudart.so.13"}).image.rpath = "$ORIGIN/../pkg.libs";
  wheel.members[0].elf->cuda.needed = {"cudaNew"};
  wheel::ElfFacts& packed = add_library(wheel, "pkg.libs/libcudart.so.13", "libcudart.so.13");
  packed.cuda_runtime = "libcudart.so.13";
  packed.cuda.defined = {"cudaMalloc", "cudaNew"};
  CHECK_FALSE(found(wheel, {first, old}).contains("missing-function"));
  require(wheel, "torch");
  CHECK(found(wheel, {first, old})["missing-function"] == Severity::error);
}

TEST_CASE("a function that the runtime of the required PyTorch does not have yet is an error") {
  WheelFile wheel = wheel_of("pkg");
  add_module(wheel, "pkg/_C.so", {"libc10.so", "libcudart.so.12"}).cuda.needed = {
      "cudaGetDriverEntryPointByVersion"};
  require(wheel, "torch==2.1.2"); // with ==12.1.105
  CHECK(found(wheel)["requires-too-old"] == Severity::error);
  wheel.requirements = {*wheel::read_requirement("torch==2.8.0")};
  CHECK_FALSE(found(wheel).contains("requires-too-old"));
  wheel.requirements = {*wheel::read_requirement("torch")};
  CHECK_FALSE(found(wheel).contains("requires-too-old"));
}

namespace {

/// A package in the form of RAPIDS': its library is opened by a function of its own.
WheelFile opener(const char* name, const char* code) {
  WheelFile wheel = wheel_of(name);
  const std::string library = std::string(name) + ".so";
  add_library(wheel, std::string(name) + "/lib64/" + library, library);
  add_source(wheel, std::string(name) + "/load.py", code);
  return wheel;
}

WheelFile after_preload(const char* code) {
  WheelFile wheel = wheel_of("pkg");
  add_source(wheel, "pkg/__init__.py", code);
  add_module(wheel, "pkg/sub/_C.so", {"libx.so"});
  require(wheel, "libx");
  return wheel;
}

constexpr const char* opening = "soname = 'libx.so'\nctypes.CDLL(os.path.join(here, 'lib64', soname))\n";

} // namespace

TEST_CASE("a library that Python code opens by its path before the import is a note") {
  const Found noted{{"order-dependent", Severity::note}}, refused{{"run-path-missing", Severity::error}};
  CHECK(found(after_preload("import libx\nlibx.load_library()\n"), {opener("libx", opening)}) == noted);
  // through another package that the opener imports
  WheelFile between = opener("liby", "import libx\nctypes.CDLL('liby.so')\n");
  require(between, "libx");
  WheelFile wheel = after_preload("import liby\n");
  require(wheel, "liby");
  CHECK(found(wheel, {opener("libx", opening), between}) == noted);
  CHECK(found(after_preload("import libx\n"), {opener("libx", "ctypes.CDLL('liby.so')\n")}) == refused);
  CHECK(found(after_preload("import libx\n"), {opener("libx", "name = 'libx.so'\n")}) == refused);
  CHECK(found(after_preload("import numpy\n"), {opener("libx", opening)}) == refused);
  CHECK(found(after_preload("# import libx\n"), {opener("libx", opening)}) == refused);
  // a program, which does not run in the process that opened it
  WheelFile program = after_preload("import libx\n");
  program.members.back().elf->image.interpreter = "/lib64/ld-linux-x86-64.so.2";
  program.members.back().elf->is_module = false;
  CHECK(found(program, {opener("libx", opening)}) == Found{{"run-path-missing", Severity::warning}});
  // a package that is there, but that the wheel does not require
  WheelFile loose = after_preload("import libx\n");
  loose.requirements.clear();
  CHECK(found(loose, {opener("libx", opening)}) == refused);
}

TEST_CASE("sources of another distribution in the same directory change nothing") {
  WheelFile other = wheel_of("other");
  add_source(other, "libx/other.py", "ctypes.CDLL('libother.so')\n");
  const WheelFile wheel = after_preload("import libx\n"), libx = opener("libx", opening);
  CHECK(found(wheel, {libx, other}) == Found{{"order-dependent", Severity::note}});
  CHECK(found(wheel, {other, libx}) == Found{{"order-dependent", Severity::note}});
  const WheelFile silent = opener("libx", "name = 'libx.so'\n"); // only the other one opens
  CHECK(found(wheel, {silent, other}) == Found{{"run-path-missing", Severity::error}});
  CHECK(found(wheel, {other, silent}) == Found{{"run-path-missing", Severity::error}});
}

TEST_CASE("the wheel's own code may open what a required wheel has") {
  WheelFile wheel = wheel_of("pkg");
  add_source(wheel, "pkg/__init__.py", "from . import loader\nfrom . import _C\n");
  add_source(wheel, "pkg/loader.py", "for path in paths: ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)\n");
  add_source(wheel, "pkg/_preload_library.json", R"({"library": "libcudart.so.13"})");
  add_module(wheel, "pkg/_C.so", {"libcudart.so.13"});
  require(wheel, "nvidia-cuda-runtime>=13.0,<14");
  CHECK(found(wheel, {nvidia()})["order-dependent"] == Severity::note);
  CHECK_FALSE(found(wheel, {nvidia()}).contains("run-path-missing"));
}

TEST_CASE("DT_RPATH of a library that no module loads applies to what it loads") {
  WheelFile wheel = wheel_of("pkg");
  add_library(wheel, "pkg/lib/liba.so", "liba.so", {"libb.so"});
  add_library(wheel, "pkg/lib/libb.so", "libb.so");
  auto& first = add_library(wheel, "pkg/libz.so", "libz.so", {"liba.so"});
  first.image.rpath = "$ORIGIN/lib";
  CHECK(found(wheel).empty());
  std::swap(wheel.members.back().elf->image.rpath, wheel.members.back().elf->image.runpath);
  CHECK(found(wheel) == Found{{"run-path-missing", Severity::warning}});
}

TEST_CASE("what a module loads through a run path with .. is not judged alone") {
  WheelFile wheel = wheel_of("pkg");
  add_library(wheel, "pkg.libs/liba.so", "liba.so", {"libb.so"});
  add_library(wheel, "pkg.libs/libb.so", "libb.so");
  add_module(wheel, "pkg/_C.so", {"liba.so"}).image.rpath = "$ORIGIN/../pkg.libs";
  CHECK(found(wheel).empty());
}
