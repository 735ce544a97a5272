// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole file as a scan takes it, whatever it turns out to be and whatever is nested in it. What stands
// there for everybody to see is found, however damaged the rest is.
#include "hooks/leak-check/scan/file_scan.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/hooks/leak-check/scan/fatbin_builder.hpp"
#include "tests/unit/toolchains/archive/packing.hpp"

#include <cstdlib>

using namespace hostpin;

namespace {

const leak::NeedleSet& needles() {
  static const leak::NeedleSet set = leak::NeedleSet::make({"/opt/gcc-11"}).value();
  return set;
}

const leak::ScanOptions& options() {
  static const leak::ScanOptions bounded = [] {
    leak::ScanOptions options;
    options.limits.decompressed = options.limits.ratio_from = 1 << 20;
    options.limits.members = 1000;
    return options;
  }();
  return bounded;
}

void require(bool holds) {
  if (!holds)
    std::abort();
}

} // namespace

std::vector<std::string> seeds() {
  const std::string object = test::object_with(".rodata", std::string("\0/opt/gcc-11/lib\0", 17), 2);
  const std::string archive = test::ar_archive({{"x.o", object}, {"y.gz", test::gzipped("/opt/gcc-11/")}});
  const std::string zip = test::packed("zip", "none", {{"z", "/opt/gcc-11/"}});
  const std::string tar = test::packed("ustar", "gzip", {{"x", "/opt/gcc-11/"}});
  return {object,
          archive,
          object + zip,
          "#!/bin/sh\nexit\n" + tar,
          "#!x\n" + zip,
          test::packed("ustar", "xz", {{"../lib.a", archive}, {"l@", "/opt/gcc-11"}}),
          test::packed("zip", "none", {{"x.whl", test::packed("zip", "none", {{"a.o", object}})}}),
          test::packed("stored zip", "none", {{"p.pc", "Libs: -L/opt/gcc-11/lib\n"}}),
          test::object_with(".nv_fatbin", test::fatbin({{1, 80, 0x8000, "zstd"}}), 2)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  static leak::FileScan scan(needles(), options());
  leak::ScannedFile file;
  file.path = "lib/x.pc";
  file.size = size;
  leak::Budget budget(options().limits, size);
  leak::ScanItem item = scan.begin(binary::Blob(bytes), file.path, {}, file);
  leak::ContentResult content_result(options().limits.kinds);
  require(scan.content(item, content_result).has_value());
  scan.end(std::move(item), std::move(content_result), file, budget);
  require(bytes.find(std::string_view("\0/opt/gcc-11/", 13)) == std::string::npos || !file.found.empty());
  for (const leak::FoundNeedle& one : file.found) {
    require(one.where.path == file.path && one.where.offset && one.times > 0 && !one.text.empty());
    require(!one.where.member.empty() || !one.where.section.empty() || *one.where.offset < size);
    require(one.where.member.size() <= options().limits.depth + 1);
  }
  for (const leak::Unseen& one : file.unseen)
    require(one.where.path == file.path && !one.reason.empty());
  return 0;
}
