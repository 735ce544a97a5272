// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/hot/advice.hpp"

#include "toolchains/base/path_text.hpp"
#include "wrapper/hot/system.hpp"

#include <unistd.h>

namespace hostpin::hot {

std::string command_beside(const Self& self) {
  return concat({directory_of(directory_of(self.directory)), "/bin/hostpin"});
}

std::string bound_by_user(const Self& self) {
  const bool in_view = access(concat({self.directory, "/links"}).c_str(), F_OK) == 0;
  return in_view ? directory_of(self.directory) : self.directory;
}

std::string bound_for(const Self& self, bool in_cache, std::string_view path) {
  return concat({in_cache ? std::string(example_directory) : bound_by_user(self), "-", base_name(path)});
}

std::string bind_command(std::string_view hostpin, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {std::string(hostpin), "bind"});
  return shell_words(arguments);
}

std::optional<Advice> copied_program(const Self& self) {
  if (self.directory.ends_with("/libexec/hostpin"))
    return std::nullopt;
  return Advice{concat({self.path, " is a copy of a program of hostpin's, without the plan of its bound "
                                   "directory, and not in an installation"}),
                concat({"copy bound directories with the links in them (cp -a), or bind where it is needed: ",
                        bind_command("hostpin", {example_directory})})};
}

} // namespace hostpin::hot
