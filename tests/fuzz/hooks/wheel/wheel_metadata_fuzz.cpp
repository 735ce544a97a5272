// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a wheel says of itself: METADATA or WHEEL, RECORD, requirements, a file name and Python code, by the
// first byte. Names are normalised once, and fields are parts of the text. Requirements and tags that are
// added are read back.
#include "hooks/wheel/archive/python_source.hpp"
#include "hooks/wheel/metadata/fields.hpp"
#include "hooks/wheel/metadata/file_name.hpp"
#include "hooks/wheel/metadata/requirement.hpp"
#include "hooks/wheel/repair/metadata.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "toolchains/archive/record.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

using namespace hostpin;
using namespace hostpin::wheel;

std::vector<std::string> seeds() {
  return {"0Metadata-Version: 2.1\nName: a\nRequires-Dist: b>=1; extra == 'x'\n continued\n\nbody",
          "4Name: a\nRequires-Dist: b (>=1)\n continued\nRequires-Dist: c\nTag: x-y-z\n\nbody",
          "1a.py,sha256=AA,12\r\n\"b\"\",c\",,\n\nd,,",
          "2Cuda_Toolkit[cublas, cudart] (>=13.0.2,<14) ; sys_platform != 'win32' and extra == \"a\"",
          "2a @ https://example.org/a.whl",
          "2a===1!2.0.*,~=v1",
          "3torch_x-2.9.0+cu130-1b-cp311.cp312-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64-label.whl",
          "5import a\nfrom b.c import d # e\n'''libx.so'''\nCDLL('lib/liby.so.1', "
          "'a\\'')\nload_nvidia_dynamic_lib('z')\n"};
}

namespace {

void check(bool holds) {
  if (!holds)
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0)
    return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (*data) {
  case '0':
    for (const Field& field : read_fields(text))
      check(field.value.size() <= text.size());
    break;
  case '1':
    if (const auto rows = read_record(text))
      check(rows->size() <= text.size());
    break;
  case '2':
    if (const auto one = read_requirement(text)) {
      check(!one->name.empty() && normalised(one->name) == one->name);
      static_cast<void>(one->extra());
      static_cast<void>(one->is_for_linux());
      static_cast<void>(one->admits_major(13));
    }
    break;
  case '3':
    if (const auto name = read_wheel_name(text))
      check(!name->tags().empty() && !name->version.empty() &&
            read_wheel_name(name->file_name())->tags() == name->tags());
    break;
  case '4': {
    const std::string added = with_requirements(text, {{"b", "b>=2"}});
    const auto all = values_of(read_fields(added), "requires-dist");
    check(std::count(all.begin(), all.end(), "b>=2") == 1 &&
          with_requirements(added, {{"b", "b>=2"}}) == added);
    check(values_of(read_fields(with_tags(text, {"a-b-c"})), "tag") == std::vector<std::string>{"a-b-c"});
    break;
  }
  case '5':
    for (const std::string& name : read_python_source(text).libraries)
      check(name.starts_with("lib") && name.find('/') == std::string::npos);
    break;
  default:
    break;
  }
  return 0;
}
