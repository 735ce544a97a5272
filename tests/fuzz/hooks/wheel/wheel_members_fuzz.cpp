// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wheels whose members were changed, not their bytes: the input chooses changes of a sample's files, of their
// fields, of rows of RECORD and of headers of ELF files, and the zip is right. What can be read is judged and
// repaired, and a repaired wheel can be read.
#include "hooks/leak-check/finding/report.hpp"
#include "hooks/wheel/repair/rewrite.hpp"
#include "tests/fuzz/devicecode/samples.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/fuzz/redist/in_memory.hpp"
#include "tests/unit/hooks/wheel/judge/tables.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"
#include "tests/unit/toolchains/binary/elf_builder.hpp"
#include "toolchains/archive/sha256.hpp"

#include <array>
#include <cstdlib>
#include <utility>

using namespace hostpin;
using namespace hostpin::wheel;
using test::Node;

namespace {

constexpr std::array<const char*, 3> samples{
    R"({"file": "p-1.0-cp312-cp312-manylinux_2_28_x86_64.whl", "files": {
"p/__init__.py": {"text": "import ctypes\n"},
"p/_C.so": {"elf": {"soname": "_C.so", "run_path": "$ORIGIN/../nvidia/cu13/lib", "versions": ["V_1"], "needs": {
  "libcudart.so.13": ["libcudart.so.13"], "libstdc++.so.6": ["GLIBCXX_3.4.29", "CXXABI_1.3.9"], "libc.so.6": ["GLIBC_2.17"]}}},
"p.libs/libx-0123abcd.so.1": {"elf": {"soname": "libx-0123abcd.so.1", "run_path": "", "versions": [], "needs": {"libc.so.6": ["GLIBC_2.34"]}}},
"p-1.0.dist-info/METADATA": {"fields": {"Metadata-Version": "2.1", "Name": "p", "Version": "1.0", "Requires-Python": ">=3.9",
  "Requires-Dist": "nvidia-cuda-runtime>=13,<14", "Provides-Extra": "x", "requires-dist": "q[x]~=1.0; extra == 'x'"}},
"p-1.0.dist-info/WHEEL": {"fields": {"Wheel-Version": "1.0", "Root-Is-Purelib": "false", "Tag": "cp312-cp312-manylinux_2_28_x86_64"}},
"p-1.0.dist-info/RECORD": {"record": {"hash": "right", "size": "right", "rows": {"p/other.py": "sha256=AA,1"}}}},
"with": {"file": "q-1.0-py3-none-any.whl", "files": {"q/libx.so.1": {"elf": {"soname": "libx.so.1", "needs": {"liby.so": []}}},
"q-1.0.dist-info/METADATA": {"fields": {"Name": "q", "Version": "1.0", "Requires-Dist": "p"}},
"q-1.0.dist-info/WHEEL": {"fields": {"Tag": "py3-none-any"}}}}})",
    R"({"file": "p-1.0-py3-none-linux_x86_64.whl", "files": {
"p-1.0.data/purelib/p/libd.so": {"device": {"linked": 1, "fatbins": [[{"kind": 2, "gpu": 80}, {"kind": 1, "gpu": 90}]], "relocatables": []}},
"p-1.0.data/scripts/run": {"text": "#!python\n"},
"p/libcudart.so.13": {"elf": {"soname": "libcudart.so.13", "versions": ["libcudart.so.13"], "needs": {"libdl.so.2": ["GLIBC_2.2.5"]}}},
"p/program": {"elf": {"soname": "", "interpreter": "/lib64/ld-linux-x86-64.so.2", "needs": {"libcudart.so.13": []}}},
"p-1.0.dist-info/METADATA": {"fields": {"Name": "p", "Version": "1.0"}},
"p-1.0.dist-info/WHEEL": {"fields": {"Root-Is-Purelib": "true", "Tag": "py3-none-linux_x86_64"}},
"p-1.0.dist-info/sboms/auditwheel.cdx.json": {"json": {"bomFormat": "CycloneDX", "components": [{"name": "libx", "purl": "pkg:deb/x"}]}},
"p-1.0.dist-info/RECORD": {"record": {"hash": "right", "size": "right"}}}})",
    R"({"file": "p-1.0-py3-none-manylinux_2_17_x86_64-sm_90.whl", "files": {
"p/libd.so": {"device": {"linked": 3, "fatbins": [[{"kind": 2, "gpu": 90, "flags": 1048576}], [{"kind": 2, "gpu": 80}]], "relocatables": []}},
"p-1.0.dist-info/METADATA": {"fields": {"Name": "p", "Version": "1.0", "Requires-Dist": "nvidia-cublas==13.*"}},
"p-1.0.dist-info/WHEEL": {"fields": {"Tag": "py3-none-manylinux_2_17_x86_64"}},
"p-1.0.dist-info/variant.json": {"json": {"$schema": "https://variants-schema.wheelnext.dev/peps/825/v0.1.0.json",
  "default-priorities": {"namespace": ["nvidia"], "feature": {}, "property": {}},
  "variants": {"sm_90": {"nvidia": {"sm_arch": ["90_real"], "cuda_version_lower_bound": ["13.0"]}}}}},
"p-1.0.dist-info/RECORD": {"record": {"hash": "right", "size": "right"}}}})"};

std::vector<std::string> names_of(const Node* list) {
  std::vector<std::string> names;
  for (std::size_t index = 0; list != nullptr && index < list->members.size(); ++index)
    names.push_back(list->members[index].node.text);
  return names;
}

std::string elf_of(const Node& elf) {
  test::ElfBuilder::Needs needs;
  if (const Node* const all = elf.find("needs"))
    for (const test::Member& member : all->members)
      needs.emplace_back(member.name, names_of(&member.node));
  return test::ElfBuilder(true, true)
      .build(elf.text_of("soname"), names_of(elf.find("versions")), needs, elf.text_of("run_path"),
             elf.text_of("interpreter"));
}

std::string fields_text(const Node& fields) {
  std::string text;
  for (const test::Member& member : fields.members)
    text += member.name + ": " + member.node.text + '\n';
  return text + '\n';
}

/// What a file of a sample contains, but for RECORD.
std::string content_of(const Node& file) {
  if (const Node* const elf = file.find("elf"))
    return elf_of(*elf);
  if (const Node* const device = file.find("device"))
    return test::device_file(*device);
  if (const Node* const fields = file.find("fields"))
    return fields_text(*fields);
  if (const Node* const json = file.find("json"))
    return test::json_text(*json);
  return file.text_of("text");
}

/// Rows of all files so far, with what the node says instead of hashes and sizes unless that is `right`.
std::string record_of(const Node& record, const test::Packed& files) {
  std::string text;
  const std::string hash = record.text_of("hash"), size = record.text_of("size");
  for (const auto& [name, content] : files)
    text += name + ',' + (hash == "right" ? record_hash(sha256_of(content)) : hash) + ',' +
            (size == "right" ? std::to_string(content.size()) : size) + '\n';
  if (const Node* const rows = record.find("rows"))
    for (const test::Member& member : rows->members)
      text += member.name + ',' + member.node.text + '\n';
  return text;
}

/// The members of a wheel. One of its ELF files may get other headers.
test::Packed members_of(const Node& sample, test::Choices& choices) {
  test::Packed members;
  const Node* const files = sample.find("files");
  if (files == nullptr)
    return members;
  for (const test::Member& member : files->members)
    members.emplace_back(member.name, content_of(member.node));
  for (std::size_t count = choices.below(3); count > 0 && !members.empty(); --count)
    test::change_binary(members[choices.below(members.size())].second, choices);
  for (std::size_t index = 0; index < members.size(); ++index)
    if (const Node* const record = files->members[index].node.find("record"))
      members[index].second =
          record_of(*record, {members.begin(), members.begin() + static_cast<std::ptrdiff_t>(index)});
  return members;
}

void require(bool holds) {
  if (!holds)
    std::abort();
}

struct Opened {
  binary::Blob zip;
  WheelFile wheel;
};

std::optional<Opened> opened(const Node& sample, test::Choices& choices) {
  const char* const format = choices.below(2) == 0 ? "zip" : "stored zip";
  Opened result;
  result.zip = binary::Blob(test::packed(format, "none", members_of(sample, choices)));
  auto wheel = read_wheel(result.zip, sample.text_of("file"), {1, Depth::all, true});
  if (!wheel) {
    require(!wheel.error().message.empty());
    return std::nullopt;
  }
  result.wheel = *std::move(wheel);
  return result;
}

void write_repaired(const Opened& file, const RepairPlan& plan) {
  const auto name = repaired_name(file.wheel, plan, test::tables().policies);
  if (!name)
    return;
  auto files = repaired_files(file.zip, file.wheel, plan, *name, std::nullopt, test::in_memory());
  if (!files)
    return;
  const auto scratch = binary::open_scratch(test::in_memory());
  if (!scratch || !write_wheel(*std::move(files), file.wheel.info, {}, (*scratch)->descriptor()))
    return;
  const auto zip = binary::written_blob((*scratch)->descriptor());
  require(zip && read_wheel(*zip, name->file_name(), {1, Depth::all, true}).has_value());
}

void judge_and_repair(const Opened& file, std::deque<WheelFile> others) {
  const auto site = Site::make(file.wheel, std::move(others), "");
  if (!site)
    return;
  Site whole = *site;
  const Required required =
      required_by(file.wheel, whole, test::tables().cuda_wheels, test::tables().packages);
  whole.assume(test::tables().cuda_wheels, required);
  const Terms terms;
  const Checked checked{file.wheel, whole, required, test::tables(), terms};
  const leak::Findings findings = findings_of(checked, needs_of(checked));
  require(!leak::report_text(findings, true).empty() && !leak::report_json(findings).empty());
  for (const Member& member : file.wheel.members)
    if (!member.trouble.empty())
      return; // `repair` refuses it
  for (const CudaSource source : {CudaSource::wheels, CudaSource::bundle, CudaSource::system})
    if (const auto plan = plan_repair(checked, {source, false, {}},
                                      [](const binary::Image&, const std::string&, const std::string&) {
                                        return std::optional<std::string>();
                                      }))
      write_repaired(file, *plan);
}

} // namespace

std::vector<std::string> seeds() {
  return test::random_inputs(24, 20);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  test::Choices choices({reinterpret_cast<const char*>(data), size});
  Node sample = test::parsed(samples[choices.below(samples.size())]);
  for (std::size_t count = choices.below(6); count > 0; --count)
    test::change(sample, choices);
  const auto file = opened(sample, choices);
  if (!file)
    return 0;
  std::deque<WheelFile> others;
  if (const Node* const with = sample.find("with"))
    if (auto other = opened(*with, choices))
      others.push_back(std::move(other->wheel));
  judge_and_repair(*file, std::move(others));
  return 0;
}
