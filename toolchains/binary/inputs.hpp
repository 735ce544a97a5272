// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/binary/bytes.hpp"

#include <functional>
#include <string>
#include <vector>

namespace hostpin::binary {

/// Where an input is: a file, or from the outermost archive inwards a member of one.
struct InputName {
  const std::string& path;
  const std::vector<std::string>& member;
};

/// `libx.a(inner.a(x.o))`.
std::string to_string(const InputName& name);

/// Takes the bytes of one input, or why there are none; says whether to go on.
using InputVisitor = std::function<bool(const InputName&, Result<Bytes>)>;

/// Visits what is in a file in its order: the file itself, or every member if it is an archive, with those of
/// nested archives and the files that a thin one names. An archive that cannot be read to its end is visited
/// once more, with the error. Archives inside each other end at a depth that no real one has, and one inside
/// itself at once.
void each_input(const std::string& path, const InputVisitor& visit);

/// The same for a source that is open already; `path` names it, and thin archives name files beside that.
void each_input(const std::string& path, const InputFile& source, const InputVisitor& visit);

} // namespace hostpin::binary
