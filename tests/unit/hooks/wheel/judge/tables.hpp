// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/judge/judge.hpp"

namespace hostpin::test {

/// The shipped data.
inline const wheel::Tables& tables() {
  static const wheel::Tables all = [] {
    const DiskFiles files;
    wheel::Tables read;
    read.policies = load_policies(files, HOSTPIN_DATA, "x86_64").value();
    read.cuda_wheels = load_cuda_wheels(files, HOSTPIN_DATA).value();
    read.packages = load_cuda_packages(files, HOSTPIN_DATA).value();
    read.gpus = gpus::load_gpus(files, HOSTPIN_DATA).value();
    read.drivers = gpus::load_drivers(files, HOSTPIN_DATA).value();
    return read;
  }();
  return all;
}

} // namespace hostpin::test
