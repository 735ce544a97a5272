// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/table/cuda_packages.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <utility>

namespace hostpin {

namespace {

CudaPackage package_row(document::Reader& row) {
  CudaPackage package;
  for (const char* const key : {"releases", "cuda", "libraries", "imported", "requires"})
    row.require(key);
  package.distribution = row.required("distribution");
  for (const std::string& text : row.strings("releases"))
    if (const auto version = parse_version(text))
      package.releases.push_back(*version);
    else
      row.refuse("releases", "\"releases\" has a text that is not a version");
  if (package.releases.empty())
    row.refuse("releases", "\"releases\" is empty");
  package.cuda = row.number("cuda", 0);
  package.directory = row.required("directory");
  package.libraries = row.strings("libraries");
  package.imported = row.strings("imported");
  package.requirements = row.strings("requires");
  if (const document::Value* const needed = row.table("needed")) {
    document::Reader libraries(row.path(), *needed);
    for (const document::Member& one : needed->members)
      package.needed[one.key] = libraries.strings(one.key);
    row.adopt(libraries.finish());
  }
  package.source = row.required("source");
  return package;
}

} // namespace

bool CudaPackage::has(std::string_view soname) const {
  return std::find(libraries.begin(), libraries.end(), soname) != libraries.end();
}

Result<std::vector<CudaPackage>> load_cuda_packages(const Files& files, const std::string& directory) {
  std::vector<CudaPackage> packages;
  TRY(document::read_tables(files, directory + "/cuda-packages.toml",
                            "cuda-packages.toml has [[package]] rows only", [&](document::Reader& document) {
                              document.rows("package", "see the comment at the top of the file", packages,
                                            package_row);
                            }));
  return packages;
}

const CudaPackage* package_with(const std::vector<CudaPackage>& packages, std::string_view soname) {
  const CudaPackage* newest = nullptr;
  for (const CudaPackage& one : packages)
    if (one.has(soname) && (newest == nullptr || newest->releases < one.releases))
      newest = &one;
  return newest;
}

} // namespace hostpin
