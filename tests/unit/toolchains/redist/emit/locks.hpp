// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/shipped_data.hpp"
#include "toolchains/redist/emit/emit.hpp"

#include <string>

namespace hostpin::redist {

inline const Facts& facts_of_data() {
  static const Facts loaded = load_facts(DiskFiles(), hostpin::test::shipped_data()).value();
  return loaded;
}

/// cudnn for CUDA 12, on one platform and for all.
inline Lock cudnn_lock() {
  Lock lock;
  lock.manifests = {{"cudnn", "9.1.1", "2024-05-02", std::string(64, '0'), "https://example.org/cudnn/"}};
  lock.archives = {{"cudnn",
                    "9.1.1",
                    "cudnn",
                    "9.1.1.17",
                    "linux-sbsa",
                    "cuda12",
                    "cudnn",
                    "cudnn/linux-sbsa/c.tar.xz",
                    std::string(64, 'a'),
                    7,
                    {}},
                   {"cudnn",
                    "9.1.1",
                    "cudnn_samples",
                    "9.1.1.17",
                    "source",
                    {},
                    "MIT",
                    "cudnn_samples/source/s.zip",
                    std::string(64, 'b'),
                    8,
                    {}}};
  return lock;
}

inline std::string emitted(Result<std::string> (*text)(const Emission&), const Lock& lock,
                           const std::string& prefix = {}) {
  const auto result = text({facts_of_data(), lock, prefix});
  return result ? *result : result.error().message + " | " + result.error().hint;
}

} // namespace hostpin::redist
