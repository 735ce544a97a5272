// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// `count`, or 0 if it is negative.
int not_below_zero(int count);
