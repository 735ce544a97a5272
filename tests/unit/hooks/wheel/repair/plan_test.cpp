// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/repair/plan.hpp"
#include "hooks/wheel/repair/rewrite.hpp"
#include "hooks/wheel/repair/sbom.hpp"
#include "tests/unit/hooks/wheel/judge/wheels.hpp"

#include <algorithm>
#include <map>
#include <string>

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::test;
using hostpin::wheel::CudaSource;
using WheelFile = hostpin::wheel::WheelFile;

namespace {

/// Libraries of this machine, by name; the first stands in for all others.
using Machine = std::map<std::string, std::string>;

Result<wheel::RepairPlan> planned(const WheelFile& file, CudaSource cuda = CudaSource::wheels,
                                  const Machine& machine = {}, std::vector<std::string> excluded = {}) {
  auto site = wheel::Site::make(file, {}, "");
  REQUIRE(site);
  const wheel::Required required = wheel::required_by(file, *site, tables().cuda_wheels, tables().packages);
  site->assume(tables().cuda_wheels, required);
  const wheel::Terms terms;
  return wheel::plan_repair({file, *site, required, tables(), terms}, {cuda, false, std::move(excluded)},
                            [&](const binary::Image&, const std::string&, const std::string& name) {
                              const auto found = machine.find(name);
                              return found != machine.end() ? std::optional(found->second)
                                     : machine.empty()      ? std::nullopt
                                                            : std::optional(machine.begin()->second);
                            });
}

WheelFile with_runtime(const char* run_path) {
  WheelFile file = wheel_of("pkg");
  add_module(file, "pkg/_C.so", {"libc.so.6", "libcudart.so.13", "libcuda.so.1"}).image.rpath = run_path;
  return file;
}

} // namespace

TEST_CASE("a run path to NVIDIA's wheel replaces those of the build machine, and the wheel requires it") {
  const auto plan = planned(with_runtime("/ci/lib:$ORIGIN/../../../elsewhere"));
  REQUIRE(plan);
  const auto& edit = plan->edits.at("pkg/_C.so");
  CHECK(edit.run_path->directories == "$ORIGIN/../nvidia/cu13/lib");
  CHECK(edit.run_path->is_rpath);
  CHECK(plan->requirements ==
        std::map<std::string, std::string>{{"nvidia-cuda-runtime", "nvidia-cuda-runtime>=13,<14"}});
  CHECK(plan->grafts.empty());
  CHECK(plan->policy(tables().policies)->name == "manylinux_2_17"); // that of NVIDIA's wheel
}

TEST_CASE("with a toolkit of the system there is neither a run path nor a requirement") {
  const auto plan = planned(with_runtime("/ci/lib"), CudaSource::system);
  REQUIRE(plan);
  CHECK(plan->edits.at("pkg/_C.so").run_path->directories.empty());
  CHECK(plan->requirements.empty());
}

TEST_CASE("what is right already does not change") {
  WheelFile file = with_runtime("$ORIGIN/../nvidia/cu13/lib");
  file.requirements.push_back(*wheel::read_requirement("nvidia-cuda-runtime>=13.0,<14"));
  const auto plan = planned(file);
  REQUIRE(plan);
  CHECK(plan->edits.empty());
  CHECK(plan->requirements.empty());
}

TEST_CASE("requirements without an upper bound, and on another major, are replaced") {
  for (const char* const text : {"nvidia-cuda-runtime", "nvidia-cuda-runtime<13"}) {
    WheelFile file = with_runtime("$ORIGIN/../nvidia/cu13/lib");
    file.requirements.push_back(*wheel::read_requirement(text));
    const auto plan = planned(file);
    REQUIRE(plan);
    CHECK(plan->requirements.at("nvidia-cuda-runtime") == "nvidia-cuda-runtime>=13,<14");
  }
}

TEST_CASE("the lowest version is the first with all functions that the wheel refers to") {
  WheelFile file = with_runtime("$ORIGIN/../nvidia/cu13/lib");
  file.members.front().elf->cuda.needed = {"cudaMalloc", "cudaGreenCtxCreate", "cuInit"};
  CHECK(planned(file)->requirements.at("nvidia-cuda-runtime") == "nvidia-cuda-runtime>=13.1,<14");
  file.requirements.push_back(*wheel::read_requirement("nvidia-cuda-runtime>=13.0,<14"));
  CHECK(planned(file)->requirements.at("nvidia-cuda-runtime") == "nvidia-cuda-runtime>=13.1,<14");
  file.requirements.back() = *wheel::read_requirement("nvidia-cuda-runtime==13.2.51");
  CHECK(planned(file)->requirements.empty());
  WheelFile older = wheel_of("pkg");
  add_module(older, "pkg/_C.so", {"libcudart.so.12", "libcudnn.so.9"}).cuda.needed = {"cudaLibraryLoadData"};
  const auto plan = planned(older);
  CHECK(plan->requirements.at("nvidia-cuda-runtime-cu12") == "nvidia-cuda-runtime-cu12>=12.8");
  CHECK(plan->requirements.at("nvidia-cudnn-cu12") == "nvidia-cudnn-cu12>=9,<10");
}

TEST_CASE("a requirement on a distribution with the major in its name needs no versions") {
  WheelFile file = wheel_of("pkg");
  add_module(file, "pkg/_C.so", {"libcudart.so.12"}).cuda.needed = {"cudaMalloc"};
  file.requirements.push_back(*wheel::read_requirement("nvidia-cuda-runtime-cu12"));
  CHECK(planned(file)->requirements.empty());
}

TEST_CASE("excluded libraries are neither packed nor searched for") {
  WheelFile file = wheel_of("pkg");
  add_module(file, "pkg/_C.so", {"libfoo.so.1", "libcudart.so.13"});
  const Machine machine = {{"libfoo.so.1", "/proc/self/exe"}};
  CHECK(planned(file, CudaSource::wheels, {}, {"libfoo.*"})->excluded ==
        std::set<std::string, std::less<>>{"libfoo.so.1"});
  CHECK(planned(file, CudaSource::wheels, machine, {"/proc/*"})->grafts.empty());
  CHECK_FALSE(planned(file, CudaSource::wheels, machine, {"libfoo.so"})
                  ->grafts.empty()); // the whole name has to match
  // CUDA's are required and found all the same.
  const auto plan = planned(file, CudaSource::wheels, {}, {"lib*"});
  CHECK(plan->edits.at("pkg/_C.so").run_path->directories == "$ORIGIN/../nvidia/cu13/lib");
  CHECK(plan->requirements.contains("nvidia-cuda-runtime"));
}

TEST_CASE("a renamed copy of NVIDIA's runtime goes, in favour of NVIDIA's wheel") {
  WheelFile file = wheel_of("pkg");
  add_module(file, "pkg/_C.so", {"libcudart-1.so.13"}).image.runpath = "$ORIGIN/../pkg.libs";
  add_library(file, "pkg.libs/libcudart-1.so.13", "libcudart-1.so.13").cuda_runtime = "libcudart.so.13";
  const auto plan = planned(file);
  REQUIRE(plan);
  CHECK(plan->dropped.at("pkg.libs/libcudart-1.so.13") == "libcudart.so.13");
  const auto& edit = plan->edits.at("pkg/_C.so");
  CHECK(edit.renamed.at("libcudart-1.so.13") == "libcudart.so.13");
  CHECK(edit.run_path->directories == "$ORIGIN/../nvidia/cu13/lib");
  CHECK_FALSE(edit.run_path->is_rpath);
  CHECK(planned(file, CudaSource::bundle)->dropped.empty());
}

TEST_CASE("the driver is never in a wheel, whatever its name") {
  WheelFile file = wheel_of("pkg");
  add_module(file, "pkg/_C.so", {"libcuda-1.so.1"}).image.runpath = "$ORIGIN";
  add_library(file, "pkg/libcuda-1.so.1", "libcuda-1.so.1").is_driver = true;
  const auto plan = planned(file);
  REQUIRE(plan);
  CHECK(plan->dropped.contains("pkg/libcuda-1.so.1"));
  CHECK(plan->edits.at("pkg/_C.so").renamed.at("libcuda-1.so.1") == "libcuda.so.1");
}

TEST_CASE("what only has the name of libcuda stays, and the wheel's files need what they needed") {
  WheelFile file = wheel_of("pkg");
  add_module(file, "pkg/_C.so", {"libcuda.so.1"}).image.runpath = "$ORIGIN/mock";
  add_library(file, "pkg/mock/libcuda.so.1", "libcuda.so.1");
  const auto plan = planned(file);
  REQUIRE(plan);
  CHECK(plan->dropped.empty());
  CHECK(plan->edits.empty());
}

TEST_CASE("a library of this machine is packed under a name with its hash; this program stands in for one") {
  WheelFile file = wheel_of("pkg");
  add_module(file, "pkg/sub/_C.so", {"libfoo.so.1"});
  CHECK_FALSE(planned(file)); // it is not found
  const auto plan = planned(file, CudaSource::wheels, {{"libfoo.so.1", "/proc/self/exe"}});
  REQUIRE(plan);
  const auto graft = std::find_if(plan->grafts.begin(), plan->grafts.end(), [](const wheel::Graft& one) {
    return one.member.starts_with("pkg.libs/libfoo-");
  });
  REQUIRE(graft != plan->grafts.end());
  const std::string& member = graft->member;
  CHECK(member.ends_with(".so.1"));
  const auto& edit = plan->edits.at("pkg/sub/_C.so");
  CHECK(edit.renamed.at("libfoo.so.1") == member.substr(member.find('/') + 1));
  CHECK(edit.run_path->directories == "$ORIGIN/../../pkg.libs");
  CHECK(plan->libraries.contains("libstdc++.so.6")); // of what is packed
}

TEST_CASE("what a packed library opens by name is packed under that name, and loaded before") {
  const std::string opened = "libnvrtc-builtins.so.13.0";
  WheelFile file = wheel_of("pkg");
  add_module(file, "pkg/_C.so", {"libnvrtc.so.13"}).image.runpath = "$ORIGIN/../other";
  add_library(file, "other/libnvrtc.so.13", "libnvrtc.so.13").opened = {opened};
  CHECK_FALSE(planned(file, CudaSource::bundle)); // it is not on this machine
  CHECK(planned(file, CudaSource::bundle, {}, {"libnvrtc-*"}).has_value());
  const auto plan = planned(file, CudaSource::bundle, {{opened, "/proc/self/exe"}});
  REQUIRE(plan);
  const auto& edit = plan->edits.at("pkg/_C.so");
  CHECK(edit.needed_first == std::vector<std::string>{opened});
  CHECK(edit.run_path->directories == "$ORIGIN/../other:$ORIGIN/../pkg.libs");
  const auto graft = std::find_if(plan->grafts.begin(), plan->grafts.end(), [&](const wheel::Graft& one) {
    return one.member == "pkg.libs/" + opened; // next to what this program needs
  });
  REQUIRE(graft != plan->grafts.end());
  CHECK_FALSE(graft->edit.soname);
  file.members[0].elf->image.needed.insert(file.members[0].elf->image.needed.begin(), opened);
  add_library(file, "pkg.libs/" + opened, opened);
  file.members[0].elf->image.runpath = "$ORIGIN/../other:$ORIGIN/../pkg.libs";
  CHECK(planned(file, CudaSource::bundle)->edits.empty()); // as after a repair
  WheelFile right = wheel_of("pkg");
  add_module(right, "pkg/_C.so", {"libnvrtc.so.12"}).image.runpath = "$ORIGIN/../other";
  wheel::ElfFacts& nvrtc = add_library(right, "other/libnvrtc.so.12", "libnvrtc.so.12");
  nvrtc.opened = {opened};
  nvrtc.image.runpath = "$ORIGIN:";
  add_library(right, "other/" + opened, opened);
  CHECK(planned(right, CudaSource::bundle)->edits.empty());
}

TEST_CASE("libraries of PyTorch are not packed, even if they are found") {
  WheelFile file = wheel_of("pkg");
  add_module(file, "pkg/_C.so", {"libc10.so"});
  const auto plan = planned(file, CudaSource::wheels, {{"libc10.so", "/proc/self/exe"}});
  REQUIRE(plan);
  CHECK(plan->grafts.empty());
}

TEST_CASE("the repaired name has the policy's tags, the older name first") {
  const WheelFile file = with_runtime("");
  const auto plan = planned(file);
  REQUIRE(plan);
  const auto name = wheel::repaired_name(file, *plan, tables().policies);
  REQUIRE(name);
  CHECK(name->platforms == std::vector<std::string>{"manylinux2014_x86_64", "manylinux_2_17_x86_64"});
  wheel::RepairPlan newer = *plan;
  newer.needs.add("GLIBC_2.99");
  CHECK_FALSE(wheel::repaired_name(file, newer, tables().policies));
  newer = *plan;
  newer.machine = 183;
  CHECK_FALSE(wheel::repaired_name(file, newer, tables().policies)); // its tag is for x86-64
}

TEST_CASE("an SBOM has what is packed, linked, required and expected of the system") {
  WheelFile file = wheel_of("pkg");
  file.requirements.push_back(*wheel::read_requirement("nvidia-cublas>=13,<14"));
  add_module(file, "pkg/_C.so", {"libcublas.so.13", "libgomp-0123abcd.so.1", "libcuda.so.1", "libc.so.6"})
      .has_static_runtime = true;
  add_library(file, "pkg.libs/libgomp-0123abcd.so.1", "libgomp-0123abcd.so.1");
  file.members.back().hash = "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";
  const wheel::Origin origin{"pkg:deb/debian/libgomp1@12.2.0-14?arch=amd64", "12.2.0-14", {}};
  const auto parts = wheel::parts_of(file, tables(), {{"pkg.libs/libgomp-0123abcd.so.1", origin}});
  const auto part = [&](const std::string& name) {
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const auto& one) { return one.name == name; });
    REQUIRE(found != parts.end());
    return *found;
  };
  CHECK(parts.size() == 4);
  CHECK(part("libgomp.so.1").sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(part("libgomp.so.1").version == "12.2.0-14");
  CHECK(part("libgomp.so.1").license.empty());
  CHECK(part("libcublas.so.13").from == "nvidia-cublas");
  CHECK(part("libcublas.so.13").versions == ">=13,<14");
  CHECK(part("libcublas.so.13").purl == "pkg:pypi/nvidia-cublas");
  CHECK(part("libcublas.so.13").license == "NVIDIA CUDA EULA");
  CHECK(part("libcudart_static.a").license == "NVIDIA CUDA EULA");
  CHECK(part("libcudart_static.a").delivery == wheel::Part::Delivery::linked);
  CHECK(part("libcuda.so.1").delivery == wheel::Part::Delivery::system);
  const std::string cyclonedx = wheel::cyclonedx_text(file, parts);
  CHECK(cyclonedx == wheel::cyclonedx_text(file, parts));
  wheel::Member document;
  document.entry.name = wheel::cyclonedx_member(file);
  document.text = cyclonedx;
  file.members.push_back(std::move(document));
  CHECK(wheel::recorded_origins(file) == wheel::Origins{{"pkg.libs/libgomp-0123abcd.so.1", origin}});
  for (const char* const damaged :
       {"", "[]", "{\"components\": 1}", "{\"components\": [1, {\"properties\": [1]}]}"}) {
    file.members.back().text = damaged;
    CHECK(wheel::recorded_origins(file).empty());
  }
  CHECK(wheel::spdx_text(file, parts, 0).find("\"created\": \"1970-01-01T00:00:00Z\"") != std::string::npos);
}

TEST_CASE("dpkg's owners of paths are read, diversions and several owners included") {
  const auto owners =
      wheel::dpkg_owners("libgomp1:amd64: /usr/lib/x86_64-linux-gnu/libgomp.so.1\n"
                         "diversion by glx-diversions from: /usr/lib/x86_64-linux-gnu/libGL.so.1\n"
                         "a, b: /usr/lib/libc.so\nodd\n");
  CHECK(owners ==
        std::map<std::string, std::string>{{"/usr/lib/x86_64-linux-gnu/libgomp.so.1", "libgomp1:amd64"},
                                           {"/usr/lib/libc.so", "a"}});
}

TEST_CASE("libraries of PyTorch are not packed, and what it brings is not required again") {
  WheelFile file = wheel_of("pkg");
  add_module(file, "pkg/_C.so", {"libc10.so", "libtorch_python.so", "libcudart.so.13"});
  const Machine machine = {{"libc10.so", "/usr/lib/libc10.so"},
                           {"libtorch_python.so", "/usr/lib/libtorch_python.so"}};
  const auto alone = planned(file, CudaSource::wheels, machine);
  REQUIRE(alone);
  CHECK(alone->grafts.empty());
  file.requirements.push_back(*wheel::read_requirement("torch==2.11.0"));
  const auto plan = planned(file, CudaSource::wheels, machine);
  REQUIRE(plan);
  CHECK(plan->grafts.empty());
  CHECK(plan->requirements.empty());
  CHECK(plan->edits.at("pkg/_C.so").run_path->directories ==
        "$ORIGIN/../torch/lib:$ORIGIN/../nvidia/cu13/lib");
}
