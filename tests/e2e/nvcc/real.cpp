// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "real.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace hostpin::e2e {
namespace {

namespace fs = std::filesystem;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::optional<fs::path> on_path(const std::string& program) {
  std::istringstream directories(setting("PATH"));
  for (std::string directory; std::getline(directories, directory, ':');)
    if (const fs::path path = fs::path(directory) / program; ::access(path.c_str(), X_OK) == 0)
      return path;
  return std::nullopt;
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::optional<Toolkit> toolkit(const fs::path& root) {
  const std::string nvcc = root / "bin/nvcc";
  if (::access(nvcc.c_str(), X_OK) != 0)
    return std::nullopt;
  const Ran version = run({{nvcc, "--version"}, "/"});
  std::smatch release;
  if (!std::regex_search(version.out, release, std::regex("release ([0-9]+\\.[0-9]+)")))
    return std::nullopt;
  return Toolkit{release[1], root, nvcc};
}

fs::path lab() {
  const std::string named = setting("HOSTPIN_LAB");
  return named.empty() ? fs::path(setting("HOME")) / ".cache/hostpin/lab" : fs::path(named);
}

std::vector<Toolkit> found() {
  std::vector<Toolkit> all;
  const auto add = [&](const fs::path& root) {
    if (const auto one = toolkit(root);
        one && std::ranges::find(all, one->version, &Toolkit::version) == all.end())
      all.push_back(*one);
  };
  for (const char* version : {"11.2", "11.8", "12.4"})
    add(lab() / ("cuda-" + std::string(version)));
  if (const std::string home = setting("CUDA_HOME"); !home.empty())
    add(home);
  else if (const auto nvcc = on_path("nvcc"))
    add(fs::canonical(*nvcc).parent_path().parent_path());
  add("/usr/local/cuda");
  return all;
}

std::vector<Toolkit> found_in_wheels() {
  std::vector<Toolkit> all;
  std::error_code none;
  for (const auto& release : fs::directory_iterator(lab() / "wheels", none))
    if (const auto one = toolkit(release.path() / "lib/python3/site-packages/nvidia/cu13"))
      all.push_back(*one);
  std::ranges::sort(all, {}, &Toolkit::version);
  if (setting("HOSTPIN_FULL") != "1" && all.size() > 1)
    all.erase(all.begin(), all.end() - 1);
  return all;
}

// A stream goes to a file: neither side can then block the other.
int stream(const fs::path& path) {
  return ::open(path.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
}

[[noreturn]] void become(const Program& program, int out, int err) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : program.environment)
    lines.push_back(name + '=' + value);
  std::vector<char*> environment;
  for (std::string& line : lines)
    environment.push_back(line.data());
  environment.push_back(nullptr);
  std::vector<char*> argv;
  for (const std::string& argument : program.argv)
    argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const int in = ::open("/dev/null", O_RDONLY);
  if (::dup2(in, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(err, 2) == 2 &&
      ::chdir(program.directory.c_str()) == 0)
    ::execve(argv[0], argv.data(), environment.data());
  ::_exit(126);
}

} // namespace

const std::vector<Toolkit>& toolkits() {
  static const std::vector<Toolkit> all = found();
  return all;
}

const std::vector<Toolkit>& queried_toolkits() {
  static const std::vector<Toolkit> all = [] {
    std::vector<Toolkit> both = toolkits();
    const std::vector<Toolkit> wheels = found_in_wheels();
    both.insert(both.end(), wheels.begin(), wheels.end());
    return both;
  }();
  return all;
}

unsigned turns(unsigned all) {
  return setting("HOSTPIN_FULL") == "1" ? all : all / 3;
}

bool have_all_releases() {
  return std::ranges::all_of(std::array{"11.2", "11.8", "12.4", "13.0"}, [](const char* version) {
    return std::ranges::find(toolkits(), version, &Toolkit::version) != toolkits().end();
  });
}

Variables plain_environment() {
  Variables variables{{"LC_ALL", "C"}};
  for (const char* name : {"PATH", "HOME", "TMPDIR"})
    if (const std::string value = setting(name); !value.empty())
      variables[name] = value;
  return variables;
}

Ran run(const Program& program) {
  const Scratch streams;
  const int out = stream(streams.path() / "out");
  const int err = stream(streams.path() / "err");
  const pid_t child = ::fork();
  if (child < 0)
    throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0)
    become(program, out, err);
  if (program.once_started)
    program.once_started(child);
  Ran ran;
  while (::waitpid(child, &ran.status, 0) < 0 && errno == EINTR) {
  }
  ::close(out);
  ::close(err);
  ran.out = content(streams.path() / "out");
  ran.err = content(streams.path() / "err");
  return ran;
}

std::string messages(const std::string& err) {
  std::istringstream lines(err);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("#$"))
      kept += line + '\n';
  return kept;
}

std::string comparable(std::string text) {
  static const std::regex process("tmpxft_[0-9a-f]+_[0-9a-f]+");
  static const std::regex address("_[0-9a-f]{6,16}_(stdout|stderr)");
  static const std::regex compiler("/cc[A-Za-z0-9]{6}\\b");
  text = std::regex_replace(text, compiler, "/ccNAME");
  text = std::regex_replace(text, process, "tmpxft_PID");
  text = std::regex_replace(text, address, "_ADDRESS_$1");
  std::istringstream lines(text);
  std::vector<std::string> sorted;
  for (std::string line; std::getline(lines, line);)
    sorted.push_back(line + '\n');
  std::ranges::sort(sorted);
  std::string joined;
  for (const std::string& line : sorted)
    joined += line;
  return joined;
}

std::string difference(const std::string& got, const std::string& expected) {
  std::istringstream lines(got);
  std::istringstream wanted(expected);
  std::multiset<std::string> missing;
  for (std::string line; std::getline(wanted, line);)
    missing.insert(line);
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (const auto found = missing.find(line); found != missing.end())
      missing.erase(found);
    else
      text += "got:     " + line + '\n';
  for (const std::string& line : missing)
    text += "missing: " + line + '\n';
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

Scratch::Scratch() {
  std::string name = fs::temp_directory_path() / "hostpin-nvcc-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), name);
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string Scratch::write(const std::string& name, const std::string& content) const {
  const fs::path path = path_ / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

std::string Scratch::compiler(const std::string& name) const {
  const auto gxx = on_path("g++");
  if (!gxx)
    throw std::runtime_error("no g++ on PATH");
  const fs::path path = path_ / name;
  fs::create_directories(path.parent_path());
  fs::create_symlink(*gxx, path);
  return path;
}

} // namespace hostpin::e2e
