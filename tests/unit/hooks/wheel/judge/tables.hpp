// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/judge/judge.hpp"
#include "tests/shipped_data.hpp"

namespace hostpin::test {

/// The shipped data.
inline const wheel::Tables& tables() {
  static const wheel::Tables all = [] {
    const DiskFiles files;
    wheel::Tables read;
    read.policies = load_policies(files, shipped_data(), "x86_64").value();
    read.cuda_wheels = load_cuda_wheels(files, shipped_data()).value();
    read.packages = load_cuda_packages(files, shipped_data()).value();
    read.gpus = gpus::load_gpus(files, shipped_data()).value();
    read.drivers = gpus::load_drivers(files, shipped_data()).value();
    return read;
  }();
  return all;
}

} // namespace hostpin::test
