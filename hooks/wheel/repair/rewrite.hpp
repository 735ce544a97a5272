// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hooks/wheel/archive/wheel_writer.hpp"
#include "hooks/wheel/repair/plan.hpp"
#include "toolchains/devicecode/keeping.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hostpin::wheel {

/// The name of the repaired wheel: with the platform tags of the policy. The error says that no policy has
/// what the wheel needs, or that it is for another C library.
Result<WheelName> repaired_name(const WheelFile& wheel, const RepairPlan& plan,
                                const std::vector<ManylinuxPolicy>& policies);

struct DeviceCodeToKeep {
  devicecode::Keeping keeping;
  bool licensed_to_modify = false; ///< NVIDIA's files too
};

/// The files of the repaired wheel, RECORD apart. `keep`: device code of other GPUs is cut out. Temporary
/// files are made in `scratch`. The error names the file that cannot be changed.
Result<std::vector<NewFile>> repaired_files(const binary::Blob& zip, const WheelFile& wheel,
                                            const RepairPlan& plan, const WheelName& name,
                                            const std::optional<DeviceCodeToKeep>& keep,
                                            const std::string& scratch);

} // namespace hostpin::wheel
