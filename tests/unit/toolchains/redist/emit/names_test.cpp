// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/redist/emit/locks.hpp"
#include "toolchains/redist/emit/names.hpp"

#include <doctest/doctest.h>

using namespace hostpin::redist;

TEST_CASE("archives are named by package, variant and platform") {
  CHECK(identifiers(cudnn_lock(), '_').value() ==
        std::vector<std::string>{"cudnn_cuda12_linux_sbsa", "cudnn_samples_source"});
  CHECK(identifiers(cudnn_lock(), '-').value() ==
        std::vector<std::string>{"cudnn-cuda12-linux-sbsa", "cudnn-samples-source"});
}

TEST_CASE("two archives with one name are an error that names both") {
  Lock lock = cudnn_lock();
  lock.archives[1] = lock.archives[0];
  lock.archives[1].platform = "linux_sbsa";
  const auto names = identifiers(lock, '_');
  REQUIRE_FALSE(names);
  CHECK(names.error().message == "'cudnn_cuda12_linux_sbsa' would be the name of two archives: cudnn "
                                 "9.1.1.17 linux-sbsa cuda12 and cudnn "
                                 "9.1.1.17 linux_sbsa cuda12");
}

TEST_CASE("an archive's directory is its file name without the extension") {
  LockedArchive archive;
  for (const char* const path : {"a/b-1.2-archive.tar.xz", "b-1.2-archive.tar.gz", "a/b-1.2-archive.zip"}) {
    archive.path = path;
    CHECK(stem(archive) == "b-1.2-archive");
  }
  CHECK(base_of(cudnn_lock(), cudnn_lock().archives[0]) == "https://example.org/cudnn/");
}

TEST_CASE("strings are quoted so that nothing in them ends them") {
  CHECK(quoted_json("a\"b\\c\n\xc3\xa9") == R"("a\"b\\c\n\u00e9")");
}
