// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// paired ROUNDS LABEL COMMAND... [-- LABEL COMMAND...]...: wall and processor time of each command, paired.
//
// Every round runs each command once, starting with another one each time, so that other load on the machine
// affects all alike. The first command is the floor: for each other the median of its differences to it is
// printed. If other work shares the processors, processor time is more reliable: its ratio to the floor's is
// printed as quartiles of the pairs.

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

struct Contender {
  const char* label = nullptr;
  std::vector<char*> argv; ///< ends with a null pointer
  std::vector<double> times;
  std::vector<double> processor_times; ///< of the command and what it ran, in user and kernel mode
};

[[noreturn]] void give_up(const char* what, const char* which) {
  std::fprintf(stderr, "paired: %s: %s\n", what, which);
  std::exit(2);
}

std::vector<Contender> read_contenders(int argc, char** argv) {
  std::vector<Contender> contenders;
  for (int i = 2; i < argc; ++i) {
    Contender next;
    next.label = argv[i];
    for (++i; i < argc && std::string_view(argv[i]) != "--"; ++i)
      next.argv.push_back(argv[i]);
    if (next.argv.empty())
      give_up("no command for", next.label);
    next.argv.push_back(nullptr);
    contenders.push_back(std::move(next));
  }
  return contenders;
}

struct Cost {
  double wall = 0, processor = 0; ///< milliseconds
};

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

/// Runs a command and discards its output.
Cost run(const Contender& contender, const posix_spawn_file_actions_t& quiet) {
  const auto start = std::chrono::steady_clock::now();
  pid_t child = 0;
  int status = 0;
  rusage used{};
  if (posix_spawn(&child, contender.argv[0], &quiet, nullptr, contender.argv.data(), environ) != 0 ||
      wait4(child, &status, 0, &used) != child)
    give_up("cannot run", contender.argv[0]);
  const auto end = std::chrono::steady_clock::now();
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    give_up("does not succeed; see it by hand", contender.argv[0]);
  return {Milliseconds(end - start).count(), milliseconds(used.ru_utime) + milliseconds(used.ru_stime)};
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_difference(const std::vector<double>& times, const std::vector<double>& floor) {
  std::vector<double> differences(times.size());
  std::transform(times.begin(), times.end(), floor.begin(), differences.begin(), std::minus<>());
  return median(std::move(differences));
}

struct Quartiles {
  double first = 0, second = 0, third = 0;
};

Quartiles ratios(const std::vector<double>& times, const std::vector<double>& floor) {
  std::vector<double> each(times.size());
  std::transform(times.begin(), times.end(), floor.begin(), each.begin(), std::divides<>());
  std::sort(each.begin(), each.end());
  return {each[each.size() / 4], each[each.size() / 2], each[each.size() * 3 / 4]};
}

void print(const std::vector<Contender>& contenders, std::size_t rounds) {
  const Contender& floor = contenders.front();
  std::printf(
      "| %-34s | median ms | fastest ms | over the floor ms | ratio | CPU ms | CPU ratio, quartiles |\n",
      "call");
  std::printf(
      "|------------------------------------|----------:|-----------:|------------------:|------:|-------:|"
      "----------------------|\n");
  for (const Contender& one : contenders) {
    const Quartiles cpu = ratios(one.processor_times, floor.processor_times);
    std::printf("| %-34s | %9.3f | %10.3f | %+17.3f | %5.2f | %6.1f |   %.3f %.3f %.3f  |\n", one.label,
                median(one.times), *std::min_element(one.times.begin(), one.times.end()),
                median_difference(one.times, floor.times), median(one.times) / median(floor.times),
                median(one.processor_times), cpu.first, cpu.second, cpu.third);
  }
  std::printf("\n%zu rounds, each call once a round\n", rounds);
}

} // namespace

int main(int argc, char** argv) {
  std::size_t rounds = 0;
  const std::string_view count = argc > 1 ? argv[1] : "";
  if (std::from_chars(count.data(), count.data() + count.size(), rounds).ec != std::errc() || rounds == 0)
    give_up("usage", "paired ROUNDS LABEL COMMAND... [-- LABEL COMMAND...]...");
  std::vector<Contender> contenders = read_contenders(argc, argv);
  if (contenders.empty())
    give_up("nothing to run", "name a floor first");

  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);

  for (const Contender& one : contenders) // warm the page cache
    run(one, quiet);
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Contender& one = contenders[(round + i) % contenders.size()];
      const Cost cost = run(one, quiet);
      one.times.push_back(cost.wall);
      one.processor_times.push_back(cost.processor);
    }
  posix_spawn_file_actions_destroy(&quiet);
  print(contenders, rounds);
}
