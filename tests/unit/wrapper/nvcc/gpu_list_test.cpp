// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/cmdline/calls.hpp"
#include "wrapper/nvcc/gpu_list.hpp"
#include "wrapper/nvcc/rewrite.hpp"

#include <doctest/doctest.h>

using namespace hostpin::cmdline;
using namespace hostpin::nvcc;
using Words = std::vector<std::string>;
using Views = std::vector<std::string_view>;

namespace {

std::string gencode(const std::string& number, const std::string& code) {
  return "-gencode=arch=compute_" + number + ",code=" + code;
}

// "8.0;9.0", with PTX of 9.0 for later GPUs
const Views usual = {"-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90",
                     "-gencode=arch=compute_90,code=compute_90"};
const Views usual_variants = {"80a 80a", "90a 90a"};
const Views families = {"-gencode=arch=compute_100f,code=sm_100f", "-gencode=arch=compute_103,code=sm_103"};
const Views family_variants = {"100a 100a", "100f 100f", "103a 103a", "100f 103f", "103f 103f"};
const Views ptx_alone = {"-gencode=arch=compute_90,code=compute_90"};
const Words all_of_usual = {usual[0].data(), usual[1].data(), usual[2].data()};

struct Changed {
  std::string kind;
  Words arguments = {};
  bool operator==(const Changed&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Changed& changed) {
  out << changed.kind;
  for (const std::string& each : changed.arguments)
    out << "  " << each;
  return out;
}

const Changed same{"none"};
const Changed unread{"unread"};
const Changed left{"left"};
Changed to(Words arguments) {
  return {"replaced", std::move(arguments)};
}

Changed changed(OwnedCall call, const Views& list = usual, const Views& variants = usual_variants,
                TextMap files = {}) {
  MappedTexts texts(std::move(files));
  const NvccCommand command = nvcc_command(call.call(), texts);
  GpuChange change;
  change.decide(command, {list, variants});
  if (change.kind() == GpuChange::Kind::none)
    return same;
  if (change.kind() == GpuChange::Kind::unread)
    return unread;
  if (change.kind() == GpuChange::Kind::left)
    return left;
  return to({change.arguments().begin(), change.arguments().end()});
}

/// The command line that results; variables are appended.
Words rewritten(OwnedCall call, const Views& list = usual, TextMap files = {}) {
  MappedTexts texts(std::move(files));
  const NvccCommand command = nvcc_command(call.call(), texts);
  GpuChange change;
  change.decide(command, {list, usual_variants});
  const Rewrite result = as_given(call.call(), command, &change);
  Words words(result.arguments.begin(), result.arguments.end());
  for (const VariableChange& each : result.variables)
    words.push_back(each.name + '=' + each.value.value_or("(unset)"));
  return words;
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

} // namespace

TEST_CASE("a number of a GPU has two digits or is 1xx, and at most one letter") {
  GpuCode code{};
  CHECK(read_gpu_code("sm_90a", code));
  CHECK(code == GpuCode{GpuCode::Kind::sm, 'a', 90});
  CHECK(read_gpu_code("compute_121", code));
  CHECK(code == GpuCode{GpuCode::Kind::compute, '\0', 121});
  CHECK(read_gpu_code("lto_103f", code));
  CHECK(code == GpuCode{GpuCode::Kind::lto, 'f', 103});
  for (const char* const wrong : {"", "sm_", "sm_9", "sm_08", "sm_999", "sm_1000", "sm_90b", "sm_90aa",
                                  "SM_90", "sm-90", "sm_9a", "sm_ 90", "compute90", "90", "sm_a"}) {
    CAPTURE(wrong);
    CHECK_FALSE(read_gpu_code(wrong, code));
  }
}

TEST_CASE("each spelling of other GPUs is replaced by the list") {
  for (const Words& options : std::vector<Words>{
           {},
           {"-arch=sm_70"},
           {"-arch", "sm_35"},
           {"--gpu-architecture=compute_75"},
           {"--gpu-architecture", "compute_75", "--gpu-code", "sm_75,sm_80,compute_75"},
           {"-code=sm_80", "-arch=compute_75"},
           {"-arch=compute_70", "-code=sm_70", "-code", " sm_72 ,, sm_75"},
           {"-gencode", "arch=compute_70,code=sm_70"},
           {"-gencode=arch=compute_70,code=[sm_70,compute_70]"},
           {"--generate-code", "code=\"sm_70,compute_70\", arch=compute_70"},
           {"--generate-code=arch=compute_86,code=sm_86", "-gencode=arch=compute_90,code=sm_90"},
           {"-arch=sm_70", "-gencode=arch=compute_90,code=sm_90"},
           {"-arch=all"},
           {"-arch", "all-major"},
           {"-arch=native"},
           {"-arch=sm_90", "-arch=sm_70"},
           {"-arch=sm_70", "-code="},
           {"-code=,"},
           {"-gencode=,arch=compute_70,, ,code=sm_70,"},
           {"-gencode=arch=compute_80,code=sm_90", "-gencode=arch=compute_80,code=[sm_80]",
            "-gencode=arch=compute_90,code=compute_90"}}) {
    CAPTURE(options);
    CHECK(changed({joined(options, {"-c", "x.cu"})}) == to(all_of_usual));
  }
}

TEST_CASE("a call that names exactly the list stays") {
  CHECK(changed({{"-gencode=arch=compute_80,code=[sm_80]", "-c", "-gencode",
                  "arch=compute_90,code=[compute_90,sm_90]"}}) == same);
  CHECK(changed({{"-arch=sm_90", "x.cu"}}, {usual[1], usual[2]}) == same);
  CHECK(changed({all_of_usual}) == same);
  CHECK(changed({{"-c"}, std::nullopt, usual[0].data() + std::string(" ") + usual[1].data()},
                {usual[0], usual[1]}) == same);
}

TEST_CASE("options that nvcc refuses stay, so that its own error is printed") {
  for (const Words& options : std::vector<Words>{
           {"-arch=foo"},
           {"-arch="},
           {"-arch=80"},
           {"-arch=sm_999"},
           {"-arch=SM_80"},
           {"-arch=sm_80,sm_90"},
           {"-arch= sm_80"},
           {"-arch=sm_80", "-code=sm_80"},
           {"-arch=all", "-code=sm_80"},
           {"-code=sm_80"},
           {"-arch=compute_80", "-code=[sm_80]"},
           {"-arch=compute_80", "-code=all"},
           {"-gencode=arch=compute_80"},
           {"-gencode=code=sm_80"},
           {"-gencode=arch=sm_80,code=sm_80"},
           {"-gencode=arch=compute_80,code=sm_80,compute_80"},
           {"-gencode=arch=compute_80,code=[sm_80,compute_80"},
           {"-gencode=arch=compute_80,code=[ sm_80 , compute_80 ]"},
           {"-gencode=arch=compute_80,code=sm_80,arch=compute_90,code=sm_90"},
           {"-gencode=arch=compute_90,code=sm_80"},
           {"-gencode=arch=compute_80,code=compute_90"},
           {"-gencode=arch=compute_90a,code=sm_90"},
           {"-gencode=arch=all,code=all"},
           {"-gencode="},
           {"-gencode=arch=compute_70,code=sm_70", "-gencode=foo"},
           {"-dlto", "-gencode=arch=compute_70,code=sm_70", "-c"},
           {"-dlto", "-arch=compute_70", "-code=lto_70", "-c"},
           {"-ptx", "-gencode=arch=compute_70,code=sm_70", "-gencode=arch=compute_75,code=sm_75"},
           {"-ptx", "-arch=all"},
           {"-ptx", "-dlto", "-arch=sm_70"},
           {"-cubin", "-dlto", "-arch=sm_70"},
           {"-cubin", "-arch=compute_70"},
           {"-cubin", "-gencode=arch=compute_70,code=[sm_70,sm_75]"},
           {"-gencode=arch=compute_100f,code=sm_120f"},
           {"-gencode=arch=compute_100f,code=sm_101f"},
           {"-gencode=arch=compute_100f,code=sm_110"},
           {"-gencode=arch=compute_90,code=sm_100f"},
           {"-gencode=arch=compute_100a,code=sm_100f"},
           {"-gencode=arch=compute_80,code=[sm_80,,compute_80]"},
           {"-gencode=arch=compute_80,code=,sm_80"},
           {"-ptx", "-gencode=arch=compute_70,code=lto_70"},
           {"-ltoir"},
           {"-ltoir", "-arch=lto_70"},
           {"-dlto", "-ewp", "-c"},
           {"-ewp", "-dlto"},
           {"-dlto", "-dc", "-rdc=false"},
           {"-dlto", "-dw", "-rdc", "true"},
           {"-dlto", "-rdc=FALSE", "-c"},
           {"-ltoir", "-arch=sm_70"}}) {
    CAPTURE(options);
    CHECK(changed({joined(options, {"x.cu"})}) == unread);
    CHECK(rewritten({joined(options, {"x.cu"})}) == joined(options, {"x.cu"}));
  }
}

TEST_CASE("a call that compiles nothing stays") {
  for (const char* const option : {"--version", "--help", "--list-gpu-arch", "-code-ls"})
    CHECK(changed({{option, "-arch=sm_70"}}) == same);
}

TEST_CASE("a variant that a file asks for stays the variant of a GPU on the list") {
  const std::string hopper = gencode("90a", "sm_90a");
  CHECK(changed({{"-gencode=arch=compute_90a,code=sm_90a", "-c"}}) == same);
  CHECK(changed({{"-gencode=arch=compute_90a,code=[sm_90a,compute_90a]", "-c"}}) == to({hopper}));
  CHECK(changed({{"-arch=sm_90a"}}) == to({hopper}));
  // With other GPUs, the variant takes the place of its own GPU only; PTX is as the list says.
  CHECK(changed({{"-gencode=arch=compute_75,code=sm_75", "-gencode=arch=compute_90a,code=sm_90a"}}) ==
        to({usual[0].data(), hopper, usual[2].data()}));
  CHECK(changed({{"-arch=all", "-gencode=arch=compute_90a,code=sm_90a"}}) ==
        to({usual[0].data(), hopper, usual[2].data()}));
  CHECK(changed({{"-gencode=arch=compute_80,code=sm_90a"}}) == to({hopper}));
}

TEST_CASE("a file that needs the features of a GPU off the list stays, which is reported") {
  CHECK(changed({{"-gencode=arch=compute_100a,code=sm_100a"}}) == left);
  CHECK(changed({{"-gencode=arch=compute_100a,code=sm_100a", "-gencode=arch=compute_90a,code=sm_90a"}}) ==
        to({gencode("90a", "sm_90a")}));
  CHECK(changed({{"-gencode=arch=compute_100a,code=sm_100a", "-gencode=arch=compute_70,code=sm_70"}}) ==
        to(all_of_usual));
  CHECK(changed({{"-arch=sm_90a"}}, usual, {}) == left); // the toolkit has no such variant
}

TEST_CASE("code for a family is compiled for the members on the list") {
  const std::string first = gencode("100f", "sm_100f"), second = gencode("103f", "sm_103f");
  const auto of = [](Words words) { return changed({std::move(words)}, families, family_variants); };
  CHECK(of({"-gencode=arch=compute_100f,code=sm_100f"}) == to({first, second}));
  CHECK(of({"-gencode=arch=compute_100f,code=sm_103"}) == to({second})); // nvcc compiles sm_103f
  CHECK(of({"-gencode=arch=compute_103f,code=sm_103f"}) == same);
  // Code for 100a does not run on 10.3, which the list's own 100f serves as well.
  CHECK(of({"-arch=sm_80", "-gencode=arch=compute_100a,code=sm_100a"}) ==
        to({gencode("100a", "sm_100a"), first, families[1].data()}));
}

TEST_CASE("a list of variants is compiled as it is") {
  const Views list = {"-gencode=arch=compute_90a,code=sm_90a", "-gencode=arch=compute_80,code=compute_80"};
  CHECK(changed({{"-arch=sm_90"}}, list) == to({list[0].data(), list[1].data()}));
  CHECK(changed({{"-gencode=arch=compute_90a,code=sm_90a"}}, list) == same);
}

TEST_CASE("LTO IR stays LTO IR") {
  const std::string first = gencode("80", "lto_80"), second = gencode("90", "lto_90");
  const std::string ptx = usual[2].data();
  CHECK(changed({{"-dc", "-gencode=arch=compute_70,code=lto_70"}}) == to({first, second, ptx}));
  CHECK(changed({{"-rdc=true", "-arch=lto_70", "-c"}}) == to({first, second, ptx}));
  CHECK(changed({{"-dc", "-gencode=arch=compute_70,code=[sm_70,lto_70]"}}) ==
        to({usual[0].data(), first, usual[1].data(), second, ptx}));
  CHECK(changed({{"-dc", "-gencode=arch=compute_90a,code=lto_90a"}}) == same);
  // nvcc refuses -dlto with -gencode, and it implies -rdc=true.
  CHECK(changed({{"-dlto", "-c", "-arch=sm_70"}}) == to({"-rdc=true", first, second, ptx}));
  CHECK(changed({{"-lto", "-dc"}}) == to({"-rdc=true", first, second, ptx}));
  CHECK(changed({{"--dlink-time-opt", "-c", "-arch=all-major"}}) == to({"-rdc=true", first, second, ptx}));
  CHECK(changed({{"-dlto", "-c", "-arch=sm_90"}}, {usual[1], usual[2]}) == same);
  CHECK(rewritten({{"-c", "-dlto", "x.cu", "-arch=sm_70"}}) ==
        Words{"-rdc=true", first, second, ptx, "-c", "x.cu"});
}

TEST_CASE("-dlto implies -rdc=true, whatever -rdc the call has") {
  const Words lto = {"-rdc=true", gencode("80", "lto_80"), gencode("90", "lto_90"), usual[2].data()};
  CHECK(rewritten({{"-dlto", "-rdc=false", "-arch=sm_70", "-c", "x.cu"}}) == joined(lto, {"-c", "x.cu"}));
  CHECK(rewritten({{"-c", "--relocatable-device-code", "false", "x.cu"}, "-dlto -w", "-rdc=false"}) ==
        joined(lto, {"-w", "-c", "x.cu", "NVCC_PREPEND_FLAGS=(unset)", "NVCC_APPEND_FLAGS=(unset)"}));
  CHECK(rewritten({{"-rdc=true", "-arch=sm_70", "-c", "x.cu"}}) ==
        joined(all_of_usual, {"-rdc=true", "-c", "x.cu"}));
  CHECK(changed({{"-dlto", "-dw", "-arch=sm_70", "x.cu"}}) == left); // -dw is refused with -rdc=true
}

TEST_CASE("LTO IR of -arch stays where nvcc compiles it for one GPU only") {
  for (const Words& options : std::vector<Words>{
           {"-c"}, {"-dw"}, {"-o", "x"}, {"-E"}, {"-rdc=false", "-c"}, {"-rdc=true", "-rdc=false", "-c"}}) {
    CAPTURE(options);
    CHECK(changed({joined(options, {"-arch=lto_70", "x.cu"})}) == left);
  }
  const Changed made = to({gencode("80", "lto_80"), gencode("90", "lto_90"), usual[2].data()});
  for (const Words& options :
       std::vector<Words>{{"-dc"}, {"-rdc=true", "-c"}, {"-rdc=false", "-rdc", "true"}, {"-fatbin"}}) {
    CAPTURE(options);
    CHECK(changed({joined(options, {"-arch=lto_70", "x.cu"})}) == made);
  }
  CHECK(changed({{"-arch=lto_70", "x.o", "-o", "x"}}) == made);
  CHECK(changed({{"-arch=lto_80", "-c", "x.cu"}}, {usual[0]}) == same);
}

TEST_CASE("a link with -dlto makes machine code") {
  CHECK(rewritten({{"-dlink", "-dlto", "-arch=sm_70", "a.o", "-o", "d.o"}}) ==
        joined(all_of_usual, {"-dlink", "-dlto", "a.o", "-o", "d.o"}));
  CHECK(changed({{"-dlto", "-arch=sm_70", "a.o", "libb.a", "libc.so.1"}}) == to(all_of_usual));
  CHECK(changed({{"-dlto", "-arch=sm_70", "a.cu", "-o", "a"}}) == left); // for one GPU only
  CHECK(changed({{"-dlto", "-arch=sm_70", "a.cu", "-o", "a", "--dryrun"}}) ==
        left); // prints that call's commands
  CHECK(changed({{"-dlto", "-arch=sm_70", "a.o", "-o", "a", "--dryrun"}}) == to(all_of_usual));
}

TEST_CASE("output for one GPU stays if that is on the list, else it is for the nearest one") {
  for (const char* const kind : {"-ptx", "-optix-ir"}) {
    CAPTURE(kind);
    CHECK(changed({{kind, "-arch=compute_80"}}) == same);
    CHECK(changed({{kind, "-arch=sm_90"}}) == same);
    CHECK(changed({{kind, "-arch=compute_70"}}) == to({gencode("80", "compute_80")}));
    CHECK(changed({{kind, "-gencode=arch=compute_86,code=[sm_86,sm_89]"}}) ==
          to({gencode("90", "compute_90")}));
    CHECK(changed({{kind, "-arch=compute_120"}}) == to({gencode("90", "compute_90")}));
    CHECK(changed({{kind}}) == to({gencode("80", "compute_80")}));
    CHECK(changed({{kind, "-arch=native"}}) == to({gencode("80", "compute_80")}));
    CHECK(changed({{kind, "-arch=compute_90a"}}) == same);
    CHECK(changed({{kind, "-arch=compute_100a"}}) == left);
    CHECK(changed({{kind, "-arch=compute_80"}}, ptx_alone) == to({gencode("90", "compute_90")}));
  }
  CHECK(changed({{"-cubin", "-arch=sm_80"}}) == same);
  CHECK(changed({{"-cubin", "-arch=sm_70"}}) == to({gencode("80", "sm_80")}));
  CHECK(changed({{"-cubin", "-gencode=arch=compute_75,code=sm_86"}}) == to({gencode("90", "sm_90")}));
  CHECK(changed({{"-cubin"}}) == to({gencode("80", "sm_80")}));
  CHECK(changed({{"-cubin", "-arch=sm_100a"}}) == left);
  CHECK(changed({{"-cubin", "-arch=sm_80"}}, ptx_alone) == left);
  CHECK(changed({{"-ptx", "-arch=compute_100f"}}, {families[1]}, {"100f 103f", "103f 103f"}) ==
        to({gencode("103f", "compute_103f")}));
  CHECK(changed({{"-ltoir", "-gencode=arch=compute_70,code=lto_70"}}) == to({gencode("80", "lto_80")}));
  CHECK(changed({{"-ltoir", "-dlto", "-arch=sm_70"}}) == to({"-rdc=true", gencode("80", "lto_80")}));
  CHECK(changed({{"-ltoir", "-dlto", "-arch=sm_80"}}) == same);
}

TEST_CASE("GPU options are removed where they are, and nothing else changes") {
  CHECK(rewritten({{"-c", "-arch", "sm_70", "x.cu", "-Xcompiler", "-arch=sm_70", "-o", "x.o"}}) ==
        joined(all_of_usual, {"-c", "x.cu", "-Xcompiler", "-arch=sm_70", "-o", "x.o"}));
  CHECK(
      rewritten({{"-c", "x.cu"}, "-arch=sm_70 -w", "-gencode=arch=compute_70,code=sm_70"}) ==
      joined(all_of_usual, {"-w", "-c", "x.cu", "NVCC_PREPEND_FLAGS=(unset)", "NVCC_APPEND_FLAGS=(unset)"}));
  CHECK(rewritten({{"-c", "x.cu", "-arch"}, std::nullopt, "sm_70 -w"}) ==
        joined(all_of_usual, {"-c", "x.cu", "-w", "NVCC_APPEND_FLAGS=(unset)"}));
  CHECK(rewritten({{"sm_70", "-c", "x.cu"}, "-w -arch"}) ==
        joined(all_of_usual, {"-w", "-c", "x.cu", "NVCC_PREPEND_FLAGS=(unset)"}));
  CHECK(rewritten({{"-c", "-optf", "f", "x.cu"}}, usual, {{"f", {"-DA \"-DB=1 2\" -arch=sm_70"}}}) ==
        joined(all_of_usual, {"-c", "-DA", "-DB=1 2", "x.cu"}));
  // An options file without GPU options stays, as do variables without them.
  CHECK(rewritten({{"-c", "-optf", "f", "x.cu", "-arch=sm_70"}, "-w"}, usual, {{"f", {"-DA"}}}) ==
        joined(all_of_usual, {"-c", "-optf", "f", "x.cu"}));
}

TEST_CASE("messages have both lists") {
  OwnedCall call{{"-arch=all", "-gencode=arch=compute_90a,code=sm_90a"}};
  const MappedTexts texts(TextMap{});
  const NvccCommand command = nvcc_command(call.call(), texts);
  GpuChange change;
  change.decide(command, {usual, usual_variants});
  CHECK(change.asked_text() == "sm_90a -arch=all");
  CHECK(change.made_text() == "sm_80 sm_90a compute_90");
  CHECK(list_text({usual, {}}) == "sm_80 sm_90 compute_90");
}
