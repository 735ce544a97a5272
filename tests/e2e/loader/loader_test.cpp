// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/base/process.hpp"
#include "toolchains/loader/loader.hpp"
#include "toolchains/loader/places.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace hostpin;

namespace {

namespace fs = std::filesystem;

std::string real(const std::string& path) {
  std::error_code ignored;
  return fs::canonical(path, ignored).string();
}

struct Truth {
  std::map<std::string, std::string> found;
  std::set<std::string> missing;
};

/// What `ld.so --list` prints: `name => path (address)`, `name => not found`, `path (address)`.
Truth truth_of(const std::string& output) {
  Truth truth;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t arrow = line.find(" => ");
    const std::size_t end = line.find(" (0x");
    if (arrow == std::string::npos)
      continue;
    const std::string name =
        line.substr(line.find_first_not_of(" \t"), arrow - line.find_first_not_of(" \t"));
    if (end == std::string::npos)
      truth.missing.insert(name);
    else
      truth.found[name] = real(line.substr(arrow + 4, end - arrow - 4));
  }
  return truth;
}

struct Subject {
  std::string path;
  Image image;
};

std::vector<Subject> subjects() {
  std::vector<std::string> directories = {"/usr/bin", "/usr/lib/x86_64-linux-gnu", "/usr/local/cuda/bin",
                                          "/usr/local/cuda/lib64", "/usr/lib/llvm-19/bin"};
  const char* const home = std::getenv("HOME");
  const char* const named = std::getenv("HOSTPIN_LAB");
  const std::string lab =
      named != nullptr ? named : std::string(home != nullptr ? home : "") + "/.cache/hostpin/lab";
  for (const char* const root : {"bullseye", "trixie", "sid"})
    directories.push_back(lab + "/roots/" + root + "/usr/bin");
  std::vector<Subject> found;
  for (const std::string& directory : directories) {
    std::error_code missing;
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(directory, missing))
      paths.push_back(entry.path().string());
    std::sort(paths.begin(), paths.end());
    // Every file would take minutes on a small machine; a stride meets all kinds of them.
    const bool all = std::getenv("HOSTPIN_FULL") != nullptr;
    const std::size_t step = all ? 1 : std::max<std::size_t>(1, paths.size() / 60);
    for (std::size_t i = 0; i < paths.size(); i += step)
      if (auto image = image_on_disk(paths[i]); image && image->kind.machine == 62 && !image->needed.empty())
        found.push_back({paths[i], *std::move(image)});
  }
  return found;
}

} // namespace

TEST_CASE("every library is found where the real loader finds it") {
  const DiskFiles files;
  const HostProcesses processes;
  const std::string usual = "/lib64/ld-linux-x86-64.so.2";
  std::map<std::string, LoaderPlaces> places;
  std::vector<Command> commands;
  const std::vector<Subject> all = subjects();
  for (const Subject& subject : all) {
    const std::string& loader = subject.image.interpreter.empty() ? usual : subject.image.interpreter;
    if (!places.contains(loader))
      places[loader] = loader_places(loader, "x86_64-linux-gnu", files, processes);
    Command& command = commands.emplace_back();
    command.argv = {loader, "--list", subject.path};
    command.unset = {"LD_LIBRARY_PATH", "LD_PRELOAD"};
  }
  const std::vector<Outcome> outcomes = processes.run(commands);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!outcomes[i].ok() && outcomes[i].output.empty())
      continue; // the loader itself refuses the file
    const Truth truth = truth_of(outcomes[i].output);
    const Closure closure = load(all[i].path, all[i].image, places[commands[i].argv.front()]);
    CAPTURE(all[i].path);
    for (const auto& [name, path] : truth.found) {
      CAPTURE(name);
      const LoadedImage* const ours = closure.serving(name);
      CHECK_MESSAGE(ours != nullptr, "not found by us");
      if (ours != nullptr)
        CHECK(real(ours->path) == path);
      ++compared;
    }
    std::set<std::string> missing;
    for (const MissingLibrary& library : closure.missing)
      missing.insert(library.name);
    CHECK(missing == truth.missing);
  }
  MESSAGE(compared << " libraries of " << all.size() << " files");
  CHECK(compared > 100);
}
