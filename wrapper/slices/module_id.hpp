// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace hostpin::slices {

/// The module id that cudafe++, or cicc before CUDA 12, made for a source that defines nothing for other
/// files, with fixed text instead of what it has from that process: `_199ef807_4_a_cu_63652c59_6920` ends in
/// a checksum (in 11.2 of a temporary path), and the process id. Nothing if `id` does not end in
/// `process`: it ends in the name of something that the source defines, as nvcc's own id always would.
/// `digest`: at least 16 hexadecimal digits.
std::optional<std::string> fixed_module_id(std::string_view id, pid_t process, std::string_view digest);

/// The arguments of nvcc that distinguish objects for the same GPUs: all but those that name GPUs.
std::vector<std::string> without_gpus(const std::vector<std::string>& arguments);

} // namespace hostpin::slices
