// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/evaluate.hpp"

#include "stdlib-probe/gate/preprocess.hpp"
#include "toolchains/gate/gate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace hostpin::probe {

namespace {

// 1 was released decades before nvcc, 99 will be decades after: if one of these is accepted, there is no
// bound at that end.
constexpr int first_major = 1, last_gcc = 40, last_clang = 50, impossible = 99;

/// What Clang's preprocessor defines and a hypothetical compiler does not: a header that distinguishes
/// compilers by these must not take every compiler for Clang. `gcc`: first GCC major that has it; 0: none
/// has.
struct Builtin {
  const char* name;
  int gcc;
};
// https://gcc.gnu.org/gcc-N/changes.html of 10, 14 and 15. What GCC has had since 5 is not removed.
constexpr Builtin builtins[] = {
    {"__has_builtin", 10},          {"__has_feature", 14},
    {"__has_extension", 14},        {"__has_embed", 15},
    {"__has_c_attribute", 0},       {"__has_declspec_attribute", 0},
    {"__has_warning", 0},           {"__is_identifier", 0},
    {"__building_module", 0},       {"__is_target_arch", 0},
    {"__is_target_vendor", 0},      {"__is_target_os", 0},
    {"__is_target_environment", 0}, {"__has_constexpr_builtin", 0},
};

std::string without_builtins(const Hypothesis& hypothesis) {
  std::string text;
  if (hypothesis.family == Family::gcc)
    for (const Builtin& builtin : builtins)
      if (builtin.gcc == 0 || hypothesis.major < builtin.gcc)
        text += fmt::format("#undef {}\n", builtin.name);
  return text;
}

const char* machine_macros(Machine machine) {
  switch (machine) {
  case Machine::aarch64:
    return "#define __aarch64__ 1\n#define __ARM_ARCH 8\n";
  case Machine::ppc64le:
    return "#define __powerpc__ 1\n#define __powerpc64__ 1\n#define __PPC64__ 1\n#define __LITTLE_ENDIAN__ "
           "1\n";
  case Machine::x86_64:
    break;
  }
  return "#define __x86_64__ 1\n#define __x86_64 1\n#define __amd64__ 1\n";
}

/// The first public release of a major: N.1 for GCC from 5 on, N.1 for Clang from 18 on, else N.0.
int usual_minor(Family family, int major) {
  return major >= (family == Family::gcc ? 5 : 18) ? 1 : 0;
}

/// Majors to evaluate, ascending: more than have been released, and one far beyond. The first and the last
/// one distinguish a bound from none.
std::vector<int> hypothetical_majors(Family family) {
  std::vector<int> majors;
  for (int major = first_major; major <= (family == Family::gcc ? last_gcc : last_clang); ++major)
    majors.push_back(major);
  majors.push_back(impossible);
  return majors;
}

/// Minors and patch levels to evaluate if the header uses them.
std::vector<int> hypothetical_minors() {
  std::vector<int> minors(last_asked_minor + 1);
  std::iota(minors.begin(), minors.end(), 0);
  return minors;
}

/// The macros with the minor and the patch level.
const char* minor_macro(Family family) {
  return family == Family::gcc ? "__GNUC_MINOR__" : "__clang_minor__";
}

const char* patch_macro(Family family) {
  return family == Family::gcc ? "__GNUC_PATCHLEVEL__" : "__clang_patchlevel__";
}

constexpr Bounds nobody{std::nullopt, 0};
constexpr std::uint64_t size_limit = std::uint64_t{1} << 20U; // real headers have 12 KB

std::optional<Error> unusable(const std::string& header, const Files& files) {
  const auto status = files.status(header);
  const char* const hint = "name a toolkit's directory, its nvcc, or a copy of its crt/host_config.h";
  if (!status)
    return Error{fmt::format("{} does not exist", header), hint};
  if (status->kind != FileStatus::Kind::regular)
    return Error{fmt::format("{} is not a file", header), hint};
  if (status->size > size_limit)
    return Error{
        fmt::format("{} has {} bytes; no toolkit's has more than a few thousand", header, status->size),
        hint};
  return std::nullopt;
}

/// The last two parts of a path: `crt/host_config.h`.
std::string short_name(std::string_view path) {
  const std::size_t last = path.rfind('/');
  const std::size_t before = last == std::string_view::npos || last == 0 ? last : path.rfind('/', last - 1);
  return std::string(before == std::string_view::npos ? path : path.substr(before + 1));
}

/// Evaluates the header for one family of compilers.
class GateInquiry {
public:
  GateInquiry(HeaderReader& reader, Family family, const std::optional<Version>& toolkit, Machine machine)
      : reader_(reader), family_(family), toolkit_(toolkit), machine_(machine) {}

  /// If no major is accepted, the upper bound is below every major.
  std::optional<Error> ask(Gate& gate) {
    std::vector<int> passed;
    const std::vector<int> all = hypothetical_majors(family_);
    for (const int major : all)
      if (auto error = ask_major(major, gate, passed))
        return error;
    Bounds& bounds = family_ == Family::gcc ? gate.gcc : gate.clang;
    if (passed.empty())
      bounds.max = all.front() - 1;
    else if (passed.back() != all.back())
      bounds.max = passed.back();
    if (!passed.empty() && passed.front() != all.front())
      bounds.min = passed.front();
    return std::nullopt;
  }

private:
  std::optional<Error> ask_major(int major, Gate& gate, std::vector<int>& passed) {
    const Reading first = read(major, usual_minor(family_, major));
    if (first.mistake)
      return error(*first.mistake);
    if (first.used_macros.contains(minor_macro(family_)))
      return ask_minors(major, gate, passed);
    if (first.refusal)
      gate.refusals.push_back(refusal(major, {}, *first.refusal));
    else
      passed.push_back(major);
    return std::nullopt;
  }

  std::optional<Error> ask_minors(int major, Gate& gate, std::vector<int>& passed) {
    std::vector<Gate::Refusal> refused;
    std::size_t through = 0;
    for (const int minor : hypothetical_minors()) {
      const Reading reading = read(major, minor);
      if (reading.mistake)
        return error(*reading.mistake);
      if (!reading.refusal) {
        ++through;
        continue;
      }
      Gate::Refusal one = refusal(major, {minor}, *reading.refusal);
      const auto same = std::find_if(refused.begin(), refused.end(),
                                     [&](const Gate::Refusal& other) { return other.where == one.where; });
      if (same == refused.end())
        refused.push_back(std::move(one));
      else
        same->minors.push_back(minor);
    }
    if (through > 0)
      passed.push_back(major);
    if (through == 0 && refused.size() == 1)
      refused.front().minors.clear();
    gate.refusals.insert(gate.refusals.end(), refused.begin(), refused.end());
    return std::nullopt;
  }

  /// A release is refused if one of its patch levels is.
  Reading read(int major, int minor) {
    Reading reading = read({family_, major, minor, 0});
    for (const int patch : hypothetical_minors()) {
      if (reading.mistake || reading.refusal || !reading.used_macros.contains(patch_macro(family_)))
        break;
      if (patch > 0)
        reading = read({family_, major, minor, patch});
    }
    return reading;
  }

  bool depends_on_unknown_release(const Reading& reading) const {
    return !toolkit_ && (reading.used_macros.contains("__CUDACC_VER_MAJOR__") ||
                         reading.used_macros.contains("__CUDACC_VER_MINOR__") ||
                         reading.used_macros.contains("__CUDACC_VER_BUILD__"));
  }

  Reading read(const Hypothesis& hypothesis) {
    Reading reading = reader_.read(predefined_macros(hypothesis, toolkit_.value_or(Version{}), machine_));
    if (!reading.mistake && depends_on_unknown_release(reading))
      reading.mistake = {"", 0, "what it refuses depends on the toolkit's release, which is not known"};
    return reading;
  }

  Gate::Refusal refusal(int major, std::vector<int> minors, const Reading::Place& place) const {
    return {family_, major, std::move(minors), fmt::format("{}:{}", short_name(place.file), place.line),
            place.text};
  }

  static Error error(const Reading::Place& place) {
    if (place.file.empty())
      return {place.text, "name the toolkit itself, or give its release: --release 12.4"};
    return {place.line == 0 ? place.text : fmt::format("{}:{}: {}", place.file, place.line, place.text),
            "compare the header with that of a fresh download of the toolkit"};
  }

  HeaderReader& reader_;
  Family family_;
  const std::optional<Version>& toolkit_;
  Machine machine_;
};

} // namespace

std::string predefined_macros(const Hypothesis& hypothesis, const Version& toolkit, Machine machine) {
  const bool clang = hypothesis.family == Family::clang;
  // Clang has claimed to be GCC 4.2 since its first release.
  std::string text =
      fmt::format("#define __GNUC__ {}\n#define __GNUC_MINOR__ {}\n#define __GNUC_PATCHLEVEL__ {}\n",
                  clang ? 4 : hypothesis.major, clang ? 2 : hypothesis.minor, clang ? 1 : hypothesis.patch);
  text += "#define __GNUG__ __GNUC__\n";
  if (clang)
    text += fmt::format("#define __clang__ 1\n#define __clang_major__ {}\n#define __clang_minor__ {}\n"
                        "#define __clang_patchlevel__ {}\n#define __llvm__ 1\n",
                        hypothesis.major, hypothesis.minor, hypothesis.patch);
  text += without_builtins(hypothesis);
  text += machine_macros(machine);
  text += "#define __linux__ 1\n#define __linux 1\n#define __gnu_linux__ 1\n#define __unix__ 1\n#define "
          "__ELF__ 1\n"
          "#define __LP64__ 1\n#define _LP64 1\n#define __CHAR_BIT__ 8\n#define _GNU_SOURCE 1\n"
          "#define __ORDER_LITTLE_ENDIAN__ 1234\n#define __BYTE_ORDER__ 1234\n"
          "#define __cplusplus 201703L\n#define __STDC_HOSTED__ 1\n#define __EXCEPTIONS 1\n";
  text += fmt::format("#define __CUDACC__ 1\n#define __NVCC__ 1\n#define __CUDACC_VER_MAJOR__ {}\n"
                      "#define __CUDACC_VER_MINOR__ {}\n#define __CUDACC_VER_BUILD__ {}\n"
                      "#define __CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__ 1\n",
                      toolkit.major, toolkit.minor, toolkit.patch);
  return text;
}

const char* to_string(Machine machine) {
  constexpr std::array<const char*, 3> names = {"x86_64", "aarch64", "ppc64le"};
  return names[static_cast<std::size_t>(machine)];
}

std::optional<Machine> machine_named(std::string_view name) {
  for (const Machine machine : {Machine::x86_64, Machine::aarch64, Machine::ppc64le})
    if (name == to_string(machine))
      return machine;
  return std::nullopt;
}

Result<Evaluation> evaluate_header(const std::string& header, const std::optional<Version>& toolkit,
                                   Machine machine, const Files& files) {
  if (auto wrong = unusable(header, files))
    return tl::unexpected(*std::move(wrong));
  HeaderReader reader(header, files);
  Evaluation evaluation;
  Gate& gate = evaluation.gate;
  for (const Family family : {Family::gcc, Family::clang})
    if (auto wrong = GateInquiry(reader, family, toolkit, machine).ask(gate))
      return tl::unexpected(*std::move(wrong));
  if (gate.gcc == nobody && gate.clang == nobody) {
    const Gate::Refusal& first = gate.refusals.front();
    return failure(
        fmt::format("it refuses every possible compiler, at {}: {}", first.where, first.text),
        "is it the toolkit's crt/host_config.h? another header may have to define something first");
  }
  evaluation.files = reader.files();
  return evaluation;
}

} // namespace hostpin::probe
