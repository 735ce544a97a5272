// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// The number of GPUs that the NVIDIA driver reports; 0 without a driver.
int count_devices();
