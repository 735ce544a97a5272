// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/bytes.hpp"

#include <functional>
#include <string>
#include <vector>

namespace hostpin::binary {

/// Where an input is: a file, or a member, with the archives around it from the outermost inwards.
struct InputName {
  const std::string& path;
  const std::vector<std::string>& member;
};

/// `libx.a(inner.a(x.o))`.
std::string to_string(const InputName& name);

/// Receives the bytes of one input, or why there are none; returns whether to continue.
using InputVisitor = std::function<bool(const InputName&, Result<Bytes>)>;

/// Visits the inputs in a file in order: the file itself, or every member if it is an archive, with those of
/// nested archives and the files that a thin one names. An archive that cannot be read to its end is visited
/// once more, with the error. The depth of nested archives is bounded beyond any real one, and an archive
/// inside itself is not followed.
void each_input(const std::string& path, const InputVisitor& visit);

/// The same for a source that is already open; `path` names it, and thin archives name files next to that.
void each_input(const std::string& path, const InputFile& source, const InputVisitor& visit);

} // namespace hostpin::binary
