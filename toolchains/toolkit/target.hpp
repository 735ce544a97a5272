// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/result.hpp"
#include "toolchains/table/platforms.hpp"
#include "toolchains/toolkit/toolkit.hpp"

#include <string>
#include <vector>

namespace hostpin {

/// What programs are made for, if that is another machine than this one.
struct ForeignTarget {
  std::string triple;                     ///< of the stdenv: `aarch64-linux-gnu`
  std::vector<const Platform*> platforms; ///< that it can mean, the preferred one first; not empty
  std::vector<const Platform*> siblings;  ///< all of its architecture
  std::string host;                       ///< platform of this machine, for hints: `linux-x86_64`
};

/// The toolkit as its nvcc uses it for a foreign target: include path, gate and `target`. Of the directories
/// that the platforms have below `targets/` the first that exists is used; a toolkit without any may be made
/// for this target as a whole. nvcc itself reports what it uses (`-target-dir`); the machine is read from the
/// CUDA runtime library. An error if the toolkit has nothing for the target, names what it has, and says how
/// to get it. `preprocessor`: see probe_toolkits.
Result<Toolkit> toolkit_for(const Toolkit& toolkit, const ForeignTarget& target, const Files& files,
                            const Processes& processes, const std::string& preprocessor);

} // namespace hostpin
