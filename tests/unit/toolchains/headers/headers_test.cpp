// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/unit/toolchains/base/fakes.hpp"
#include "toolchains/headers/header_probe.hpp"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace hostpin;
using hostpin::test::FakeProcesses;

namespace {

namespace fs = std::filesystem;

/// A directory with a program, a header, and a cache to be created.
class Place {
public:
  Place() {
    std::string name = (fs::temp_directory_path() / "hostpin-headers.XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root = name;
    write("probe", "a program");
    write("header.h", "one");
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    // Old enough not to count as changing while it is read.
    fs::last_write_time(path(name), fs::last_write_time(path(name)) - std::chrono::hours(++age));
  }
  std::string path(const std::string& name) const { return root + '/' + name; }
  std::string cache() const { return path("cache/headers"); }

  std::string answer(const std::string& says) const {
    const FileStatus status = DiskFiles().status(path("header.h")).value();
    return fmt::format(R"({{"says": "{}", "rests_on": [{{"path": "{}", "size": {}, "modified": {}}}]}})",
                       says, path("header.h"), status.size, status.modified);
  }

  std::string root;
  mutable int age = 0;
};

const DiskFiles files;
const ProbeCall call = {"gate", "--json", "/cuda"};

std::vector<std::string> cached(const Place& place) {
  std::vector<std::string> names = files.entries(place.cache());
  for (std::string& name : names)
    name = place.cache() + '/' + name;
  return names;
}

} // namespace

TEST_CASE("an answer is cached until one of its dependencies changes") {
  const Place place;
  FakeProcesses processes;
  processes.answer(place.path("probe") + " gate --json /cuda", place.answer("first"));
  const ProgramHeaderProbe probe(place.path("probe"), place.cache(), files, processes);
  const std::string first = place.answer("first");
  for (int i = 0; i < 3; ++i) {
    const ProgramHeaderProbe another(place.path("probe"), place.cache(), files, processes);
    const auto answers = (i == 2 ? probe : another).ask({&call, 1});
    REQUIRE(answers[0]);
    CHECK(*answers[0] == first);
  }
  CHECK(processes.rounds == 1);

  place.write("header.h", "two, and longer");
  processes.answer(place.path("probe") + " gate --json /cuda", place.answer("second"));
  CHECK(*probe.ask({&call, 1})[0] == place.answer("second"));
  CHECK(processes.rounds == 2);
}

TEST_CASE("another build of the probe is queried again") {
  const Place place;
  FakeProcesses processes;
  processes.answer(place.path("probe") + " gate --json /cuda", place.answer("x"));
  const ProgramHeaderProbe probe(place.path("probe"), place.cache(), files, processes);
  CHECK(probe.ask({&call, 1})[0]);
  place.write("probe", "another program");
  CHECK(probe.ask({&call, 1})[0]);
  CHECK(processes.rounds == 2);
}

TEST_CASE("only calls that are not cached are run, in one batch, and answers keep their order") {
  const Place place;
  FakeProcesses processes;
  const std::vector<ProbeCall> calls = {{"a"}, {"b"}, {"c"}};
  for (const ProbeCall& each : calls)
    processes.answer(place.path("probe") + ' ' + each[0], place.answer(each[0]));
  const ProgramHeaderProbe probe(place.path("probe"), place.cache(), files, processes);
  CHECK(probe.ask({&calls[1], 1})[0]);
  const auto answers = probe.ask(calls);
  CHECK(processes.rounds == 2);
  for (std::size_t i = 0; i < calls.size(); ++i)
    CHECK(*answers[i] == place.answer(calls[i][0]));
}

TEST_CASE("damaged, foreign and untrusted cache files are not used") {
  const Place place;
  FakeProcesses processes;
  processes.answer(place.path("probe") + " gate --json /cuda", place.answer("x"));
  const auto ask = [&] {
    return ProgramHeaderProbe(place.path("probe"), place.cache(), files, processes).ask({&call, 1});
  };
  const auto spoil = [&](const std::function<void(const std::string&)>& how) {
    REQUIRE(ask()[0]);
    const auto names = cached(place);
    REQUIRE(names.size() == 1);
    how(names[0]);
    const int before = processes.rounds;
    CHECK(*ask()[0] == place.answer("x"));
    CHECK(processes.rounds == before + 1);
  };
  spoil([](const std::string& path) { std::ofstream(path) << "rubbish"; });
  spoil([](const std::string& path) { fs::resize_file(path, fs::file_size(path) - 1); });
  spoil([](const std::string& path) { fs::resize_file(path, 0); });
  spoil([](const std::string& path) { fs::permissions(path, fs::perms(0666)); });
  spoil([](const std::string& path) {
    fs::rename(path, path + ".real");
    fs::create_symlink(path + ".real", path);
    fs::remove(path + ".real");
  });
}

TEST_CASE("an answer to another question is not used under this one's name") {
  const Place place;
  FakeProcesses processes;
  const ProbeCall other = {"gate", "--json", "/other"};
  processes.answer(place.path("probe") + " gate --json /cuda", place.answer("x"));
  processes.answer(place.path("probe") + " gate --json /other", place.answer("y"));
  const auto ask = [&](const ProbeCall& one) {
    return ProgramHeaderProbe(place.path("probe"), place.cache(), files, processes).ask({&one, 1});
  };
  REQUIRE(ask(call)[0]);
  const std::string name = cached(place).front();
  fs::rename(name, place.path("kept"));
  REQUIRE(ask(other)[0]);
  fs::rename(cached(place).front(), name);
  CHECK(*ask(call)[0] == place.answer("x"));
}

TEST_CASE("a cache that others may write to is neither read nor written") {
  const Place place;
  FakeProcesses processes;
  processes.answer(place.path("probe") + " gate --json /cuda", place.answer("x"));
  const auto ask = [&] {
    return ProgramHeaderProbe(place.path("probe"), place.cache(), files, processes).ask({&call, 1});
  };
  REQUIRE(ask()[0]);
  for (const std::string& directory : {place.path("cache"), place.cache()}) {
    fs::permissions(directory, fs::perms(0777));
    const int before = processes.rounds;
    CHECK(*ask()[0] == place.answer("x"));
    CHECK(processes.rounds == before + 1);
    fs::remove(cached(place).front());
    REQUIRE(ask()[0]);
    CHECK(cached(place).empty());
    fs::permissions(directory, fs::perms(0700));
    REQUIRE(ask()[0]);
    CHECK(cached(place).size() == 1);
  }
}

TEST_CASE("an answer that cannot be written is returned anyway, and cached in memory") {
  const Place place;
  FakeProcesses processes;
  processes.answer(place.path("probe") + " gate --json /cuda", place.answer("x"));
  std::ofstream(place.path("file")) << "no directory";
  for (const std::string& cache : {std::string(), place.path("file/cache")}) {
    const int before = processes.rounds;
    const ProgramHeaderProbe probe(place.path("probe"), cache, files, processes);
    CHECK(probe.ask({&call, 1})[0]);
    CHECK(*probe.ask({&call, 1})[0] == place.answer("x"));
    CHECK(processes.rounds == before + 1);
  }
  place.write("header.h", "changed");
  const ProgramHeaderProbe probe(place.path("probe"), "", files, processes);
  CHECK(probe.ask({&call, 1})[0]);
  CHECK(processes.rounds == 3);
}

TEST_CASE("probes that share a cache at the same time never see half an answer") {
  const Place place;
  const std::string whole = place.answer(std::string(100'000, 'x'));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 25; ++round) {
        FakeProcesses processes;
        processes.answer(place.path("probe") + " gate --json /cuda", whole);
        const ProgramHeaderProbe probe(place.path("probe"), place.cache(), files, processes);
        const auto answers = probe.ask({&call, 1});
        wrong += !answers[0] || *answers[0] != whole ? 1 : 0;
        if (round % 5 == 0) // so that it is written again and again
          for (const std::string& path : cached(place))
            ::unlink(path.c_str());
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  CHECK(wrong == 0);
  CHECK(cached(place).size() <= 1); // no partly written file remains
}

TEST_CASE("an answer that depends on a file that changes while it is read is not stored") {
  const Place place;
  FakeProcesses processes;
  processes.answer(place.path("probe") + " gate --json /cuda", R"({"rests_on": [{"path": ")" +
                                                                   place.path("header.h") +
                                                                   R"(", "size": 3, "modified": -1}]})");
  const ProgramHeaderProbe probe(place.path("probe"), place.cache(), files, processes);
  CHECK(probe.ask({&call, 1})[0]);
  CHECK(probe.ask({&call, 1})[0]);
  CHECK(processes.rounds == 2);
}

TEST_CASE("the probe's messages and its failures are passed on") {
  const Place place;
  FakeProcesses processes;
  const std::string line = place.path("probe") + " gate --json /cuda";
  const ProgramHeaderProbe probe(place.path("probe"), "", files, processes);
  processes.answer(line, "", R"({"kind": "", "message": "/cuda does not exist", "hint": "name a toolkit"})",
                   2);
  CHECK(probe.ask({&call, 1})[0].error().message == "/cuda does not exist");
  CHECK(probe.ask({&call, 1})[0].error().hint == "name a toolkit");
  processes.answer(line, "", "Segmentation fault", 139);
  CHECK(probe.ask({&call, 1})[0].error().message == "stdlib-probe did not answer: exited with 139");
  processes.answer(line, "not JSON", "", 0);
  CHECK_FALSE(probe.ask({&call, 1})[0]);
  const ProgramHeaderProbe missing(place.path("nothing"), "", files, processes);
  CHECK(missing.ask({&call, 1})[0].error().message == place.path("nothing") + " is missing");
}
