// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// How many GPUs the driver knows; 0 without one.
int count_devices();
