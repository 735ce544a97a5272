// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tests/tree.hpp"
#include "toolchains/base/environment.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/compiler/compiler.hpp"

#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostpin::e2e {

inline constexpr int skip_code = 77;

/// A driver of the lab and its answers.
struct Driver {
  std::string path;
  Compiler compiler; ///< family, version and front end only
};

inline std::string line_of(const Outcome& outcome) {
  return outcome.output.substr(0, outcome.output.find('\n'));
}

inline std::optional<Driver> driver(const Processes& processes, const std::string& path, Family family) {
  if (!std::filesystem::exists(path))
    return std::nullopt;
  const std::string program = family == Family::gcc ? "cc1plus" : "clang";
  const std::vector<Command> questions = {{{path, "-dumpfullversion", "-dumpversion"}, {}, {}},
                                          {{path, "-dumpversion"}, {}, {}},
                                          {{path, "-print-prog-name=" + program}, {}, {}}};
  const std::vector<Outcome> answers = processes.run(questions);
  // Clang has no -dumpfullversion, and prints the whole version anyway.
  const auto version = parse_version(line_of(answers[family == Family::gcc ? 0 : 1]));
  if (!version)
    return std::nullopt;
  Driver made{path, {}};
  made.compiler.family = family;
  made.compiler.version = *version;
  made.compiler.front_end = line_of(answers[2]);
  return made;
}

/// Those of the wanted majors that the lab has. Without a lab, prints where it was searched.
inline std::vector<Driver> lab_drivers(const Processes& processes, const Environment& environment,
                                       Family family, std::initializer_list<int> majors) {
  const std::string cache = environment["HOME"].value_or("").append("/.cache/hostpin/lab");
  const std::string lab = environment["HOSTPIN_LAB"].value_or(cache);
  std::vector<Driver> found;
  for (const int major : majors) {
    const std::string name =
        std::string(family == Family::gcc ? "g++-" : "clang++-").append(std::to_string(major));
    if (auto one = driver(processes, std::string(lab).append("/bin/").append(name), family))
      found.push_back(*std::move(one));
    else
      std::printf("skipped: no %s in the lab %s/bin (./bootstrap lab provides it)\n", name.c_str(),
                  lab.c_str());
  }
  return found;
}

inline bool lab_required(const Environment& environment) {
  return environment["HOSTPIN_LAB_REQUIRED"] == "1";
}
inline bool full(const Environment& environment) {
  return environment["HOSTPIN_FULL"] == "1";
}

/// A fresh working directory for the process, removed afterwards.
class Workplace {
public:
  Workplace() { std::filesystem::current_path(tree_.root()); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;
  ~Workplace() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
  }

private:
  std::filesystem::path before_ = std::filesystem::current_path();
  test::Tree tree_;
};

inline void write_file(const std::string& name, std::string_view text) {
  std::FILE* const file = std::fopen(name.c_str(), "w");
  if (file == nullptr)
    return;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

} // namespace hostpin::e2e
