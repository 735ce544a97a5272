// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/binary/bytes.hpp"
#include "toolchains/devicecode/merge.hpp"
#include "toolchains/devicecode/rewriting.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::command {

/// A file with device code, which stays open while that is used.
struct OpenSource {
  binary::Blob blob;
  std::unique_ptr<binary::InputFile> file;
  devicecode::Source source;
};

/// Reports the error; the exit code for bad input and failures.
int failed(const Error& error);

/// Opens an object, program, library, fatbin or slice.
Result<OpenSource> open_source(const std::string& path);

/// Why the output cannot be written; nothing if it can: it is not one of the inputs.
std::optional<Error> wrong_output(const std::string& output, const std::vector<std::string>& inputs);

/// What to write instead of a file of NVIDIA's; nothing if the file may be changed.
std::optional<Error> forbidden(const OpenSource& file, bool licensed_to_modify);

/// Writes the file with these fatbins, for `more` GPUs than before. The error says what is wrong with it, or
/// what failed.
Result<void> write_with_fatbins(const OpenSource& file, std::vector<std::string> fatbins,
                                const std::vector<gpus::Capability>& more, const std::string& output,
                                devicecode::Properties properties);

} // namespace hostpin::command
