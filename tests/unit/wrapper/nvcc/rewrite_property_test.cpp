// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/repeated.hpp"
#include "tests/unit/toolchains/cmdline/calls.hpp"
#include "toolchains/cmdline/tokens.hpp"
#include "wrapper/nvcc/rewrite.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace hostpin::cmdline;
using namespace hostpin::nvcc;
using Words = std::vector<std::string>;

namespace {

const TextMap files = {{"f", {"-ccbin /a"}},
                       {"g", {"-DG \"-Xcompiler=a b\""}},
                       {"h", {"-DH -optf f,g --compiler-bindir=/b -w"}},
                       {"p", {"-DP -ccbin /a -optf h", true}}};

const Words vocabulary = {"-c",
                          "a.cu",
                          "-ccbin",
                          "/a",
                          "/b",
                          "-ccbin=/a",
                          "--compiler-bindir",
                          "-o",
                          "-Xcompiler",
                          "-optf",
                          "f",
                          "g",
                          "h",
                          "p",
                          "f,g",
                          "-optf=f",
                          "--options-file=h",
                          "-v",
                          "-hls",
                          "-Iinc",
                          "-unknown",
                          "-optf=p",
                          "--run",
                          "-Xcompiler=-ccbin",
                          "-D",
                          "-ccbin=",
                          "--version",
                          "-lib"};

class Dice {
public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  Words words(std::size_t longest) {
    Words some(below(longest + 1));
    for (std::string& word : some)
      word = vocabulary[below(vocabulary.size())];
    return some;
  }
  std::optional<std::string> variable() {
    if (below(3) != 0)
      return std::nullopt;
    std::string joined;
    for (const std::string& word : words(3))
      joined += word + (below(2) == 0 ? " " : "\t ");
    return joined;
  }

private:
  std::mt19937 engine_;
};

// All arguments that nvcc would see, files expanded, and which are, or end with, a host compiler's name.
struct Flat {
  Words words;
  std::vector<std::pair<std::size_t, std::string>> named;
  bool sound = true;
};

void flatten(const Words& words, Flat& flat, std::size_t depth) {
  NvccReader reader;
  for (const std::string& word : words) {
    const NvccReader::Seen seen = reader.next(word);
    if (seen.meaning != NvccMeaning::options_file) {
      flat.words.push_back(word);
      if (seen.meaning == NvccMeaning::host_compiler)
        flat.named.emplace_back(flat.words.size() - 1, seen.value);
      continue;
    }
    if (seen.apart)
      flat.words.pop_back();
    const Words paths = split_list(seen.value, true).value();
    for (const std::string& path : paths) {
      const auto file = files.find(path);
      std::string storage;
      std::vector<std::string_view> inside;
      if (depth == option_file_depth || file == files.end() ||
          !split_option_file(file->second.text, storage, inside)) {
        flat.sound = false;
        return;
      }
      flatten({inside.begin(), inside.end()}, flat, depth + 1);
    }
  }
  flat.sound = flat.sound && (depth == 0 || !reader.starving());
}

Flat flat(const NvccCall& call) {
  Words all;
  std::vector<std::string_view> words;
  if (call.prepend && split_flags(*call.prepend, true, words))
    all.assign(words.begin(), words.end());
  all.insert(all.end(), call.arguments.begin(), call.arguments.end());
  if (call.append && split_flags(*call.append, true, words))
    all.insert(all.end(), words.begin(), words.end());
  Flat result;
  flatten(all, result, 0);
  return result;
}

// What nvcc should see: every name equal to the last one replaced by `ours`. Without a name, `ours` comes
// before the command line.
Words expected(const Flat& before, const std::string& ours, const Words& after) {
  Words words = before.words;
  if (before.named.empty()) {
    const auto at = std::ranges::find(after, ours) - after.begin() - 1;
    if (at >= 0 && at <= std::ssize(words))
      words.insert(words.begin() + at, {"-ccbin", ours});
    return words;
  }
  const std::string& winner = before.named.back().second;
  for (const auto& [index, value] : before.named)
    if (value == winner)
      words[index] = words[index].substr(0, words[index].size() - value.size()) + ours;
  return words;
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words)
    text += "[" + word + "]";
  return text;
}

} // namespace

TEST_CASE("whatever the call, nvcc sees the same words but for the host compiler") {
  const Words paths = {"/ours/c++", "/our dir/c++", "/o\"o/c++"};
  const unsigned calls = hostpin::test::repeated(20000);
  std::size_t compared = 0;
  for (unsigned seed = 0; seed < calls; ++seed) {
    Dice dice(seed);
    OwnedCall owned{dice.words(8), dice.variable(), dice.variable()};
    const std::string& ours = paths[dice.below(paths.size())];
    const NvccCall call = owned.call();
    const Flat before = flat(call);
    if (!before.sound)
      continue;
    MappedTexts texts(files);
    const NvccCommand naming = nvcc_command(call, texts);
    const Rewrite result = rewrite(call, naming, ours.c_str());
    NvccCall after{call.prepend, result.arguments, call.append, call.variable, true};
    for (const VariableChange& change : result.variables)
      (change.name == "NVCC_PREPEND_FLAGS" ? after.prepend : after.append) =
          change.value ? std::optional<std::string_view>(*change.value) : std::nullopt;
    CAPTURE(seed);
    CAPTURE(joined(owned.arguments));
    CAPTURE(owned.prepend.value_or(""));
    CAPTURE(owned.append.value_or(""));
    const Flat seen = flat(after);
    REQUIRE(joined(seen.words) == joined(expected(before, ours, seen.words)));
    REQUIRE(!seen.named.empty());
    REQUIRE(seen.named.back().second == ours);
    ++compared;
  }
  CHECK(compared > calls / 2);
}

TEST_CASE("without a named host compiler, taking out what was put in gives the call back byte for byte") {
  const unsigned calls = hostpin::test::repeated(20000);
  std::size_t compared = 0;
  for (unsigned seed = 0; seed < calls; ++seed) {
    Dice dice(seed);
    OwnedCall owned{dice.words(8)};
    MappedTexts texts(files);
    const NvccCommand naming = nvcc_command(owned.call(), texts);
    const auto one_time = [](const auto& file) { return file->gone; };
    if (naming.ccbin.by != CcbinChoice::By::nobody || std::ranges::any_of(naming.files, one_time))
      continue;
    const Rewrite result = rewrite(owned.call(), naming, "/ours/c++");
    REQUIRE(result.variables.empty());
    REQUIRE(result.arguments.size() == owned.arguments.size() + 2);
    REQUIRE(Words(result.arguments.begin() + 2, result.arguments.end()) == owned.arguments);
    ++compared;
  }
  CHECK(compared > calls / 4);
}
