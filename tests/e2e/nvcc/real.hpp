// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

// Real nvccs, run in a scratch directory with an environment of which every variable is known.

namespace hostpin::e2e {

struct Toolkit {
  std::string version; ///< such as 12.4
  std::string root;
  std::string nvcc; ///< absolute path of the real program
};

/// The lab's toolkits and the one of $CUDA_HOME or PATH. What is missing was printed by the program's main.
const std::vector<Toolkit>& toolkits();

/// toolkits() and the compilers of NVIDIA's wheels in the lab: the newest, with HOSTPIN_FULL=1 all. They have
/// no libraries where nvcc looks for them, so that they are only queried.
const std::vector<Toolkit>& queried_toolkits();

/// Whether every release is there that the tests compare with.
bool have_all_releases();

/// Of so many cases made at random, the number that run: all with HOSTPIN_FULL=1, else a third.
unsigned turns(unsigned all);

using Variables = std::map<std::string, std::string>;

/// PATH, HOME and nothing that steers a compiler.
Variables plain_environment();

struct Ran {
  int status = 0; ///< as wait() tells it
  std::string out;
  std::string err;

  bool ok() const { return status == 0; }
  bool operator==(const Ran&) const = default;
};

struct Program {
  std::vector<std::string> argv;
  std::filesystem::path directory;
  Variables environment = plain_environment();
  std::function<void(pid_t)> once_started = {}; ///< called while it runs
};

Ran run(const Program& program);

/// The lines that nvcc itself says, without the commands that --dryrun and -v show.
std::string messages(const std::string& err);

/// Stderr with temporary names made equal and its lines in one order: see the README.
std::string comparable(std::string text);

/// The lines that only one of the two has.
std::string difference(const std::string& got, const std::string& expected);

/// Replaces every occurrence.
std::string replaced(std::string text, const std::string& from, const std::string& to);

/// A directory of its own for a test, gone afterwards.
class Scratch {
public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  const std::filesystem::path& path() const { return path_; }
  std::string write(const std::string& name, const std::string& content) const;
  /// A host compiler of that name: a link to the g++ on PATH. nvcc --dryrun does not mind which version it
  /// is.
  std::string compiler(const std::string& name) const;

private:
  std::filesystem::path path_;
};

} // namespace hostpin::e2e
