// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/leak-check/finding/finding.hpp"
#include "hooks/wheel/site/site.hpp"
#include "toolchains/gpus/drivers.hpp"
#include "toolchains/gpus/expansion.hpp"
#include "toolchains/gpus/gpus.hpp"
#include "toolchains/loader/driver.hpp"
#include "toolchains/table/cuda_packages.hpp"
#include "toolchains/table/cuda_wheels.hpp"
#include "toolchains/table/policies.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::wheel {

/// Facts that age.
struct Tables {
  std::vector<ManylinuxPolicy> policies;
  std::vector<CudaWheel> cuda_wheels;
  std::vector<CudaPackage> packages; ///< for x86-64; empty for wheels of other machines
  std::vector<gpus::Gpu> gpus;
  std::vector<gpus::Driver> drivers;
};

/// What a wheel was asked to be.
struct Terms {
  std::optional<gpus::GpuExpansion> expected; ///< GPUs that each file with device code has code for
  std::optional<gpus::Driver> driver;         ///< that it has to run with
  std::optional<std::uint64_t> budget;        ///< bytes of the wheel
};

/// What a wheel needs of a machine.
struct Needs {
  SystemNeeds own;      ///< of its files
  SystemNeeds required; ///< of the wheels that it requires, as far as all releases need it
  /// Of required wheels of which other releases fit as well: what the known one needs, by distribution.
  std::map<std::string, SystemNeeds> replaceable;
  std::set<std::string> libraries; ///< sonames that the system has to have
  int cuda = 0;                    ///< CUDA's major by the libraries it loads; 0 for none
  bool zstd = false;               ///< some device code is compressed with zstd
  bool bundles = false;            ///< some device code is in bundles of `nvcc --concat`
  /// The first driver that all of it runs with; nothing without CUDA.
  std::optional<gpus::Driver> driver;
};

/// Everything that the rules compare.
struct Checked {
  const WheelFile& wheel;
  const Site& site;
  const Required& required;
  const Tables& tables;
  const Terms& terms;
};

/// Receives findings.
using Report = std::function<void(leak::Finding&&)>;

/// A location in the wheel; `member` empty: the wheel itself.
leak::Location in_wheel(const WheelFile& wheel, const std::string& member, std::string section = {});

/// Names, tags, RECORD, size and dates.
void judge_archive(const Checked& checked, const Report& report);

/// What each program and library shows by itself: run paths, copies of the driver, what the loader refuses.
void judge_binaries(const Checked& checked, const Report& report);

/// What the loader finds: alone, after other packages were imported, and with a toolkit of the system.
void judge_loading(const Checked& checked, const Report& report);

/// Requirements and functions of PyTorch.
void judge_requirements(const Checked& checked, const Report& report);

/// Symbol versions against the policy, drivers and GPUs.
void judge_needs(const Checked& checked, const Needs& needs, const Report& report);

/// What the properties of a variant wheel claim, against its device code and what it needs of a driver.
void judge_claims(const Checked& checked, const Needs& needs, const Report& report);

Needs needs_of(const Checked& checked);

/// The lowest policy that the wheel's platform tags promise; nothing for `linux_x86_64` and `any`.
std::optional<ManylinuxPolicy> promised(const WheelFile& wheel, const std::vector<ManylinuxPolicy>& policies);

/// Whether a file of a wheel is a library of the NVIDIA driver: libcuda by its content, as mocks and
/// libraries that pass calls on have its name and functions too; others by name.
bool is_driver_file(const SiteFile& file);

/// The first version of a distribution that has what files refer to.
struct FirstVersion {
  Version version;      ///< 0.0: the first of its major
  std::string function; ///< that versions before do not have
};
FirstVersion first_version(const CudaWheel& distribution, const std::vector<const ElfFacts*>& files);

/// What a wheel has to require for a library of that distribution, `nvidia-cuda-runtime>=13.1,<14`; for one
/// that has the major in its name, without an upper bound.
std::string requirement_on(const CudaWheel& distribution, const Version& first);

/// The end of platform tags for a machine (e_machine), such as `x86_64`; empty for one that has none.
std::string_view architecture_of(std::uint16_t machine);

/// All of them.
leak::Findings findings_of(const Checked& checked, const Needs& needs);

} // namespace hostpin::wheel
