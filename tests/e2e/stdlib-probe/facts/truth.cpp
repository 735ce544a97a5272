// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/e2e/stdlib-probe/facts/truth.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/base/process.hpp"
#include "toolchains/base/version.hpp"

#include <fstream>
#include <map>
#include <sstream>

namespace hostpin::test {

namespace {

Outcome run(std::vector<std::string> argv, const std::string& input = {}) {
  const Command command{std::move(argv), input, {}};
  HostProcesses::Limits limits;
  limits.time = std::chrono::seconds(60);
  return HostProcesses(limits).run({&command, 1}).front();
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool is_script(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(4, '\0');
  file.read(start.data(), 4);
  return start != "\x7f"
                  "ELF" &&
         start != "!<ar";
}

} // namespace

std::optional<Macros> defined_macros(const std::vector<std::string>& driver) {
  const Outcome outcome =
      run(with(driver, {"-dM", "-E", "-x", "c++", "-"}), "#include <cstddef>\n#include <features.h>\n");
  if (!outcome.ok())
    return std::nullopt;
  Macros macros;
  std::istringstream lines(outcome.output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string define, name, value;
    words >> define >> name;
    std::getline(words >> std::ws, value);
    macros[name] = value;
  }
  return macros;
}

std::optional<std::vector<Opened>> linked_files(const std::vector<std::string>& driver,
                                                const std::string& scratch) {
  // Throwing needs the C++ library, libgcc_s and libc in any mode.
  const Outcome outcome = run(with(driver, {"-x", "c++", "-", "-Wl,--trace", "-o", scratch + "/program"}),
                              "int main(int c, char**) { if (c > 1) throw c; return 0; }\n");
  if (!outcome.ok())
    return std::nullopt;
  std::vector<Opened> files;
  std::istringstream lines(outcome.output + outcome.errors);
  for (std::string line; std::getline(lines, line);) {
    // Old linkers show a member of an archive as (archive)member.
    const std::size_t open = line.find('('), close = line.find(')');
    const std::string path =
        open == 0 && close != std::string::npos ? line.substr(1, close - 1) : line.substr(0, open);
    const auto real = DiskFiles().real_path(path);
    if (real && !is_script(*real))
      files.push_back({path.substr(path.rfind('/') + 1), *real});
  }
  return files;
}

std::string highest_by_readelf(const std::string& path, const std::string& prefix, bool needs) {
  static std::map<std::string, std::string> outputs; // many compilers have the same libraries
  auto known = outputs.find(path);
  if (known == outputs.end())
    known = outputs.emplace(path, run({"readelf", "-V", "--wide", path}).output).first;
  std::optional<Version> highest;
  std::string text;
  bool wanted = false;
  std::istringstream lines(known->second);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Version "))
      wanted = line.starts_with(needs ? "Version needs" : "Version definition");
    const std::size_t at = line.find("Name: " + prefix);
    if (!wanted || at == std::string::npos)
      continue;
    const std::size_t begin = at + 6 + prefix.size();
    const std::string number = line.substr(begin, line.find_first_of(" \n", begin) - begin);
    const auto version = parse_version(number);
    if (version && (!highest || *highest < *version)) {
      highest = version;
      text = number;
    }
  }
  return text;
}

} // namespace hostpin::test
