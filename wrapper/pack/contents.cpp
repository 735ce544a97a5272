// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/pack/contents.hpp"

#include "wrapper/pack/names.hpp"
#include "wrapper/pack/parts.hpp"

#include <fmt/format.h>

namespace hostpin::pack {

Result<Contents> toolchain_contents(const Binding& binding, const Besides& besides, const Machine& machine) {
  Contents contents;
  // nvcc runs every command through it.
  if (!contents.tree.add("/bin/sh"))
    return failure("there is no /bin/sh to pack, and nvcc calls it for every step");
  if (auto added = add_toolkit(contents, binding.toolkit, binding.host.compiler, machine); !added)
    return tl::unexpected(added.error());
  for (const Compiler* const compiler : {&binding.host.compiler, &binding.stdenv})
    if (auto added = add_compiler(contents, *compiler, machine); !added)
      return tl::unexpected(added.error());
  for (const std::string& path : binding.rests_on)
    if (!contents.tree.add(path))
      return failure(path + ", which the binding rests on, is gone", "bind again");
  // A program that is linked there must run there.
  for (const std::string& path : {binding.plan.loader, binding.plan.library})
    if (!path.empty())
      contents.tree.add(path);
  for (const std::string_view name : bound_files)
    if (!contents.tree.add(besides.directory + '/' + std::string(name)) && name != "identity")
      return failure(fmt::format("{}/{} is gone", besides.directory, name));
  for (const std::string& path : besides.whole)
    if (!contents.tree.add_whole(path))
      return failure("there is nothing at " + path + " to pack");
  add_what_they_load(contents, binding.stdenv.target, machine);
  return contents;
}

} // namespace hostpin::pack
