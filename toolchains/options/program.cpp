// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/options/program.hpp"

#include "toolchains/base/nearest.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/base/writing.hpp"

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

namespace hostpin::options {

void print_failure(const Error& error) {
  std::string text = "hostpin: error: " + error.message + '\n';
  if (!error.hint.empty())
    text += "hint: " + error.hint + '\n';
  print_error(text);
}

int run_program(int argc, const char* const* argv, int failed,
                const std::function<Result<int>(std::span<const char* const>)>& run) {
  keep_standard_streams();
  Result<int> code = failed;
  const auto written = written_whole([&] {
    code = run({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
    return 0;
  });
  if (!code || !written)
    print_failure(code ? written.error() : code.error());
  return code && written ? *code : failed;
}

Result<std::string> installed_data() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return failure("cannot find the directory of this program: /proc/self/exe: " + error.message());
  return (program.parent_path().parent_path().parent_path() / "share/hostpin/data").string();
}

tl::unexpected<Error> no_subcommand(const CLI::App& app, std::string_view program,
                                    const std::vector<std::string>& words,
                                    const std::vector<std::string>& known) {
  const std::string name(program);
  if (words.empty())
    return misuse(app, name + " needs a command");
  Error error = misuse(app, name + " has no command '" + escaped(words.front()) + "'").value();
  if (const std::string near = nearest(words.front(), known); !near.empty())
    error.hint = "did you mean " + near + "? " + error.hint;
  return tl::unexpected(std::move(error));
}

} // namespace hostpin::options
