// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/facts/options.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace hostpin {

namespace {

constexpr const char* hint = "hostpin stdlib-probe facts --help says how it is called";

struct Row {
  std::string_view name;
  std::string FactsOptions::*value;
};
constexpr auto valued = std::to_array<Row>({{"--sysroot", &FactsOptions::sysroot},
                                            {"--target", &FactsOptions::target},
                                            {"--gcc", &FactsOptions::gcc}});

class Reader {
public:
  explicit Reader(std::span<const char* const> arguments) : arguments_(arguments) {}

  Result<FactsOptions> read() {
    while (at_ < arguments_.size() && !error_ && !done_)
      word(arguments_[at_++]);
    if (error_)
      return tl::unexpected(*error_);
    // Behind the driver `--json` is still ours: no driver has such an option.
    for (; at_ < arguments_.size(); ++at_)
      if (std::string_view(arguments_[at_]) == "--json")
        options_.json = true;
      else
        options_.flags.emplace_back(arguments_[at_]);
    return checked();
  }

private:
  void word(std::string_view word) {
    if (word == "--help" || word == "-h")
      options_.help = true;
    else if (word == "--json")
      options_.json = true;
    else if (word == "--all")
      options_.all = true;
    else if (word == "--")
      done_ = true;
    else if (word == "--headers")
      directories();
    else if (word.starts_with('-'))
      option(word);
    else {
      options_.driver = word;
      done_ = true;
    }
  }

  void directories() {
    while (at_ < arguments_.size() && !std::string_view(arguments_[at_]).starts_with('-'))
      options_.headers.emplace_back(arguments_[at_++]);
    const auto& named = options_.headers;
    if (named.empty() || std::find(named.begin(), named.end(), "") != named.end())
      error_ = {"--headers needs a directory", hint};
  }

  void option(std::string_view word) {
    for (const Row& row : valued) {
      if (word == row.name && at_ < arguments_.size())
        options_.*row.value = arguments_[at_++];
      else if (word.starts_with(row.name) && word.substr(row.name.size()).starts_with('='))
        options_.*row.value = word.substr(row.name.size() + 1);
      else if (word != row.name)
        continue;
      if ((options_.*row.value).empty())
        error_ = {std::string(row.name) + " needs a value", hint};
      return;
    }
    error_ = {"facts has no option '" + std::string(word) + "'",
              "flags for a compiler stand behind its name; " + std::string(hint)};
  }

  Result<FactsOptions> checked() {
    const bool headers = !options_.sysroot.empty() || !options_.headers.empty();
    const int subjects = (options_.all ? 1 : 0) + (headers ? 1 : 0) + (options_.driver.empty() ? 0 : 1);
    if (options_.help)
      return options_;
    if (subjects == 0)
      return failure("facts needs a compiler, --all, --sysroot or --headers", hint);
    if (subjects > 1)
      return failure("facts answers for one of: a compiler, --all, headers", hint);
    if (!headers && (!options_.target.empty() || !options_.gcc.empty()))
      return failure("--target and --gcc go with --sysroot or --headers",
                     "give the compiler its own flags behind its name");
    if (options_.all && !options_.flags.empty())
      return failure("--all takes no flags", "name one compiler to give it flags");
    return options_;
  }

  std::span<const char* const> arguments_;
  std::size_t at_ = 0;
  bool done_ = false;
  FactsOptions options_;
  std::optional<Error> error_;
};

} // namespace

const char* const facts_usage =
    "usage: hostpin stdlib-probe facts [--json] DRIVER [FLAGS...]\n"
    "       hostpin stdlib-probe facts [--json] --all\n"
    "       hostpin stdlib-probe facts [--json] --sysroot DIR [--target T] [--gcc VERSION] [-- FLAGS...]\n"
    "       hostpin stdlib-probe facts [--json] --headers DIR... [--target T] [-- FLAGS...]\n"
    "\n"
    "What the C++ standard library of a compiler really is: its headers, the library that a link with these\n"
    "flags takes, and the versions that this library defines. FLAGS are those of a compile command.\n"
    "\n"
    "  --all           every compiler on this machine\n"
    "  --sysroot DIR   a root of another system; no compiler of it is run\n"
    "  --headers DIR   include directories, or where a package was unpacked\n"
    "  --target T      the target triple, where headers for several are there\n"
    "  --gcc VERSION   one of several GCCs of a sysroot\n"
    "  --json          for programs\n";

Result<FactsOptions> facts_options(std::span<const char* const> arguments) {
  return Reader(arguments).read();
}

} // namespace hostpin
