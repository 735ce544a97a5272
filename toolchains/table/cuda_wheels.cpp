// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/table/cuda_wheels.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace hostpin {

namespace {

struct FirstVersion {
  Version version;
  std::vector<std::string> functions;
};

FirstVersion first_version_row(document::Reader& row) {
  FirstVersion first;
  first.functions = row.required_strings("functions");
  if (const auto version = parse_version(row.required("version")))
    first.version = *version;
  else
    row.refuse("version", "\"version\" is not a version");
  row.required("source");
  return first;
}

CudaWheel wheel_row(document::Reader& row) {
  CudaWheel wheel;
  row.require("cuda");
  row.require("libraries");
  wheel.cuda = row.number("cuda", 0);
  wheel.distribution = row.required("distribution");
  wheel.directory = row.required("directory");
  wheel.libraries = row.strings("libraries");
  wheel.opened = row.strings("opened");
  wheel.extra = row.string("extra").value_or("");
  const bool has_suffix = wheel.distribution.ends_with("-cu" + std::to_string(wheel.cuda));
  wheel.major = row.number("major", has_suffix ? 0 : wheel.cuda);
  if (const auto glibc = row.string("glibc")) {
    if (const auto version = parse_version(*glibc))
      wheel.glibc = *version;
    else
      row.refuse("glibc", "\"glibc\" is not a version");
  }
  std::vector<FirstVersion> first;
  row.rows("first", "the members are version, functions and source", first, first_version_row);
  for (const FirstVersion& one : first)
    for (const std::string& function : one.functions)
      wheel.first_versions[function] = one.version;
  wheel.source = row.required("source");
  return wheel;
}

} // namespace

bool CudaWheel::has(std::string_view soname) const {
  return std::find(libraries.begin(), libraries.end(), soname) != libraries.end();
}

Version CudaWheel::first_version_with(std::string_view function) const {
  for (const std::string_view suffix : {"_ptsz", "_ptds"})
    if (function.ends_with(suffix))
      function.remove_suffix(suffix.size());
  const auto found = first_versions.find(function);
  return found == first_versions.end() ? Version() : found->second;
}

Result<std::vector<CudaWheel>> load_cuda_wheels(const Files& files, const std::string& directory) {
  std::vector<CudaWheel> wheels;
  TRY(document::read_tables(files, directory + "/cuda-wheels.toml",
                            "cuda-wheels.toml has [[wheel]] rows only", [&](document::Reader& document) {
                              document.rows("wheel", "see the comment at the top of the file", wheels,
                                            wheel_row);
                            }));
  return wheels;
}

std::vector<const CudaWheel*> wheels_with(const std::vector<CudaWheel>& wheels, std::string_view soname) {
  std::vector<const CudaWheel*> found;
  for (const CudaWheel& wheel : wheels)
    if (wheel.has(soname))
      found.push_back(&wheel);
  return found;
}

const CudaWheel* cuda_wheel_named(const std::vector<CudaWheel>& wheels, std::string_view distribution) {
  const auto found = std::find_if(wheels.begin(), wheels.end(),
                                  [&](const CudaWheel& one) { return one.distribution == distribution; });
  return found == wheels.end() ? nullptr : &*found;
}

} // namespace hostpin
