// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stdlib-probe/gate/evaluate.hpp"

#include "stdlib-probe/gate/hypotheses.hpp"
#include "stdlib-probe/gate/preprocess.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace hostpin {

namespace {

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
    if (first.looked_at.contains(minor_macro(family_)))
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
      if (reading.mistake || reading.refusal || !reading.looked_at.contains(patch_macro(family_)))
        break;
      if (patch > 0)
        reading = read({family_, major, minor, patch});
    }
    return reading;
  }

  bool depends_on_unknown_release(const Reading& reading) const {
    return !toolkit_ && (reading.looked_at.contains("__CUDACC_VER_MAJOR__") ||
                         reading.looked_at.contains("__CUDACC_VER_MINOR__") ||
                         reading.looked_at.contains("__CUDACC_VER_BUILD__"));
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

const char* to_string(Machine machine) {
  return machine == Machine::x86_64 ? "x86_64" : "aarch64";
}

std::optional<Machine> machine_named(std::string_view name) {
  for (const Machine machine : {Machine::x86_64, Machine::aarch64})
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

} // namespace hostpin
