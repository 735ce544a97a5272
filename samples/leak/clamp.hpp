// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// `count`, and 0 for what is below.
int not_below_zero(int count);
