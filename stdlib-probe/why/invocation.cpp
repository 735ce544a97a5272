// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/why/invocation.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/cmdline/driver_options.hpp"
#include "toolchains/cmdline/launchers.hpp"
#include "toolchains/compiler/real_driver.hpp"

#include <string_view>

namespace hostpin {

Result<Invocation> invocation(std::span<const std::string> words) {
  const std::size_t first = cmdline::driver_position(words);
  if (first >= words.size() || words[first].empty() || words[first].front() == '-')
    return failure("the compile command names no compiler",
                   "write it as a build does: `-- g++ -std=c++20 -O2`");
  Invocation result;
  result.driver = words[first];
  if (base_name(result.driver).starts_with("nvcc"))
    return failure("the compile command is one of nvcc, which compiles by another compiler",
                   "give the command of its host compiler, with -x c++ and without what only nvcc knows; "
                   "`nvcc --dryrun` "
                   "shows it. To see what a .cu object needs: hostpin leak-check, or nm -u");
  for (std::size_t i = first + 1; i < words.size();) {
    const cmdline::DriverArgument read = cmdline::driver_argument(words, i);
    const auto both = words.subspan(i, read.size);
    i += read.size;
    if (read.input)
      result.sources.push_back(both.front());
    else if (read.option != nullptr && read.option->is(cmdline::driver_use::writes_module))
      return failure("the compile command has " + both.front() +
                         ", and compiling a module writes its interface",
                     "C++ modules cannot be followed yet: check the object itself with nm -u");
    else if (read.option == nullptr || !read.option->is(cmdline::driver_use::not_in_object))
      result.flags.insert(result.flags.end(), both.begin(), both.end());
  }
  return result;
}

bool is_c(const Invocation& invocation, const std::string& source) {
  std::string language;
  for (std::size_t i = 0; i < invocation.flags.size(); ++i)
    if (const std::string& flag = invocation.flags[i]; flag.starts_with("-x"))
      language = flag.size() > 2                   ? flag.substr(2)
                 : i + 1 < invocation.flags.size() ? invocation.flags[i + 1]
                                                   : "";
  if (!language.empty() && language != "none")
    return language == "c";
  return source.ends_with(".c") && !driver_name(base_name(invocation.driver));
}

std::vector<std::string> object_command(const Invocation& invocation, Family family,
                                        const std::string& source, const std::string& object) {
  // A compiler may be a link to ccache, which needs no copy of this object.
  std::vector<std::string> words{"env", "CCACHE_DISABLE=1", invocation.driver};
  words.insert(words.end(), invocation.flags.begin(), invocation.flags.end());
  // -g never changes the code; Clang's -g1 leaves out which function of a name was inlined. -w: warnings were
  // seen in the build.
  for (const char* const flag : {family == Family::clang ? "-g2" : "-g1", "-w", "-c"})
    words.emplace_back(flag);
  words.push_back(source);
  words.emplace_back("-o");
  words.push_back(object);
  return words;
}

} // namespace hostpin
