// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/variants/format.hpp"
#include "hooks/wheel/variants/nvidia.hpp"

#include <doctest/doctest.h>

using namespace hostpin;
using namespace hostpin::wheel;

namespace {

using Labels = std::vector<std::string>;

VariantsFile gpus_and_null(std::initializer_list<const char*> values) {
  VariantsFile file = nvidia_variants();
  file.variants.emplace("null", Properties{});
  for (const char* const value : values)
    file.variants.emplace(std::string("v_").append(value, 3), nvidia_properties(value, {12, 0, 0}));
  return file;
}

Labels order(const VariantsFile& file, gpus::Capability gpu, Version cuda = {13, 0, 0}) {
  return ordered_variants(file, nvidia_machine(gpu, cuda));
}

} // namespace

TEST_CASE("a variants file reads back as it was written, and has the keys of PEP 825") {
  const VariantsFile file = gpus_and_null({"80_real", "90_real"});
  const std::string text = variants_text(file);
  const auto read = read_variants(text);
  REQUIRE(read);
  CHECK(read->variants == file.variants);
  CHECK(read->namespaces == file.namespaces);
  CHECK(read->features == file.features);
  CHECK(variants_text(*read) == text);
  for (const char* const key : {"\"$schema\": \"https://variants-schema.wheelnext.dev/peps/825/v0.1.0.json\"",
                                "\"default-priorities\"", "\"namespace\": [\n      \"nvidia\"",
                                "\"null\": {}", "\"cuda_version_lower_bound\": [\n          \"12.0\""})
    CHECK(text.find(key) != std::string::npos);
}

TEST_CASE("what is not the format is an error that names it") {
  const auto error = [](const std::string& text) {
    const auto read = read_variants(text);
    return read ? std::string("none") : read.error().message;
  };
  const std::string schema =
      R"({"$schema":"https://variants-schema.wheelnext.dev/peps/825/v0.1.0.json","default-priorities":{"namespace":["a"]},)";
  CHECK(error(schema + R"("variants":{"x":{"a":{"b":["1"]}}}})") == "none");
  CHECK(error("{") == "it is not JSON");
  CHECK(error("[]") == "it is not an object");
  CHECK(error("{}") == "it has no $schema");
  CHECK(error(R"({"$schema":"https://example.org/v9.json"})").find("another version") != std::string::npos);
  CHECK(error(schema + R"("variants":{"X":{}}})").find("a label is") == 0);
  CHECK(error(schema + R"("variants":{"x":{"b":{"c":["1"]}}}})") == "the namespace b has no priority");
  CHECK(error(schema + R"("variants":{"x":{"a":{"b":[]}}}})") == "b has no value");
  CHECK(error(schema + R"("variants":{"x":{"a":{"b":[1]}}}})").find("a name in b") == 0);
  CHECK(error(schema + R"("variants":{"null":{"a":{"b":["1"]}}}})") == "the null variant has properties");
  CHECK(error(schema + R"("variants":3})") == "variants is not an object");
}

TEST_CASE("a GPU takes its own variant, else the nearest lower one of its major, else the null variant") {
  const VariantsFile file = gpus_and_null({"80_real", "86_real", "90_real"});
  CHECK(order(file, {8, 6}) == Labels{"v_86_", "v_80_", "null"});
  CHECK(order(file, {8, 9}) == Labels{"v_86_", "v_80_", "null"});
  CHECK(order(file, {8, 0}) == Labels{"v_80_", "null"});
  CHECK(order(file, {9, 0}) == Labels{"v_90_", "null"});
  CHECK(order(file, {7, 5}) == Labels{"null"});
  CHECK(order(file, {12, 0}) == Labels{"null"});
  CHECK(order(file, {9, 0}, {11, 8, 0}) == Labels{"null"}); // an older driver than 12.0
  CHECK(ordered_variants(file, {}) == Labels{"null"});
}

TEST_CASE("machine code comes before PTX, and priorities of the file before the machine's") {
  VariantsFile file = gpus_and_null({"80_real", "80_virtual"});
  file.variants.erase("v_80_");
  file.variants.emplace("code", nvidia_properties("80_real", {12, 0, 0}));
  file.variants.emplace("ptx", nvidia_properties("80_virtual", {12, 0, 0}));
  CHECK(order(file, {8, 6}) == Labels{"code", "ptx", "null"});
  file.values[nvidia_namespace][sm_arch] = {"80_virtual"};
  CHECK(order(file, {8, 6}) == Labels{"ptx", "code", "null"});
}

TEST_CASE("of variants that differ in the number of properties, the one with more comes first") {
  VariantsFile file = nvidia_variants();
  file.variants.emplace("a", nvidia_properties("90_real", {}));
  file.variants.emplace("b", nvidia_properties("90_real", {12, 4, 0}));
  CHECK(order(file, {9, 0}) == Labels{"b", "a"});
  CHECK(order(file, {9, 0}, {12, 3, 0}) == Labels{"a"});
}

TEST_CASE("a property of a namespace that the machine does not know fits nothing") {
  Properties properties;
  properties["blas"]["library"] = {"mkl", "openblas"};
  CHECK(incompatible(properties, nvidia_machine({9, 0}, {13, 0, 0})) == "blas :: library :: mkl openblas");
  CHECK(incompatible({}, {}).empty());
}

TEST_CASE("files of two wheels of a version are merged unless they contradict each other") {
  VariantsFile file = gpus_and_null({"80_real"});
  CHECK(merge_variants(file, gpus_and_null({"90_real"})));
  CHECK(file.variants.size() == 3);
  VariantsFile other = gpus_and_null({});
  other.variants.emplace("v_80_", nvidia_properties("86_real", {12, 0, 0}));
  CHECK(merge_variants(file, other).error().message.find("v_80_") != std::string::npos);
  other = {};
  CHECK_FALSE(merge_variants(file, other));
}

TEST_CASE("names of labels, files and values") {
  CHECK(is_label("sm_90"));
  for (const char* const label : {"", "SM_90", "sm-90", "12345678901234567"})
    CHECK_FALSE(is_label(label));
  CHECK(variants_file_name("Torch_Vision", "1.0") == "torch_vision-1.0-variants.json");
  CHECK(variants_file_name("a.-b", "1.0+cu130") == "a_b-1.0+cu130-variants.json");
  CHECK(sm_value({9, 0, gpus::Capability::Variant::architecture_specific}, false) == "90_real");
  CHECK(sm_value({12, 1}, true) == "120_virtual");
  CHECK(read_sm_value("121_real")->capability == gpus::Capability{12, 1});
  CHECK(read_sm_value("80_virtual")->is_ptx);
  for (const char* const value : {"90", "90a_real", "_real", "9_real", "1000_real", "x_virtual"})
    CHECK_FALSE(read_sm_value(value));
}
