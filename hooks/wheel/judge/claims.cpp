// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/judge/judge.hpp"
#include "hooks/wheel/variants/format.hpp"
#include "hooks/wheel/variants/nvidia.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/gpus/compatibility.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace hostpin::wheel {

namespace {

using leak::Rule;
using leak::Severity;

class ClaimsJudge {
public:
  ClaimsJudge(const Checked& checked, const Needs& needs, const Report& report)
      : wheel_(checked.wheel), gpus_(checked.tables.gpus), needs_(needs), report_(report) {}

  void run() {
    const std::string& label = wheel_.name.variant;
    const Member* const member = wheel_.member(wheel_.info + "/variant.json");
    if (member == nullptr)
      return add(Severity::error, label, "It has no variant.json, so nothing says what its label means.");
    const auto file = read_variants(member->text);
    if (!file)
      return add(Severity::error, label, "Its variant.json cannot be read: " + file.error().message + '.');
    const auto properties = file->variants.find(label);
    if (properties == file->variants.end())
      return add(Severity::error, label, "Its variant.json does not describe this label.");
    const auto nvidia = properties->second.find(nvidia_namespace);
    if (nvidia == properties->second.end())
      return;
    for (const Member& one : wheel_.members)
      if (one.elf)
        for (const auto& [held, amount] : one.elf->device_code.codes)
          if (held.use == fatbin::CodeUse::run)
            held_.insert(held);
    if (const auto values = nvidia->second.find(sm_arch); values != nvidia->second.end())
      judge_gpus(values->second);
    if (const auto values = nvidia->second.find(cuda_lower_bound); values != nvidia->second.end())
      judge_driver(values->second);
  }

private:
  void add(Severity severity, const std::string& reference, std::string explanation) {
    report_({Rule::variant_claims_other_code,
             severity,
             in_wheel(wheel_, wheel_.info + "/variant.json"),
             reference,
             {},
             std::move(explanation),
             "Make the variants of the whole wheel: hostpin wheel split WHEEL --gpus LIST -o DIR"});
  }

  /// Whether a GPU that the value stands for would load something.
  bool serves(const fatbin::HeldCode& held, const SmArch& value) const {
    return value.is_ptx ? held.code == binary::DeviceCode::ptx &&
                              gpus::compiles_ptx(gpus_, held.capability, value.capability)
                        : held.code == binary::DeviceCode::cubin &&
                              gpus::runs_machine_code(gpus_, held.capability, value.capability);
  }

  void judge_gpus(const std::set<std::string>& values) {
    std::set<fatbin::HeldCode> unclaimed = held_;
    for (const std::string& value : values) {
      const auto read = read_sm_value(value);
      bool is_held = false;
      for (const fatbin::HeldCode& held : held_)
        if (read && serves(held, *read)) {
          is_held = true;
          unclaimed.erase(held);
        }
      if (!is_held)
        add(Severity::error, value,
            read ? fmt::format("It claims {} for {}, and holds none that runs there.",
                               read->is_ptx ? "PTX" : "machine code", gpus::to_string(read->capability))
                 : "It is not a value of nvidia :: sm_arch.");
    }
    for (const fatbin::HeldCode& held : unclaimed)
      if (held.code == binary::DeviceCode::cubin)
        add(Severity::warning, fatbin::to_string(held),
            "No property names it, so no installer gives the wheel to that GPU.");
  }

  void judge_driver(const std::set<std::string>& values) {
    if (!needs_.driver)
      return;
    for (const std::string& value : values)
      if (const auto claimed = parse_version(value); !claimed || *claimed < needs_.driver->cuda)
        add(Severity::error, value,
            fmt::format("It needs the driver of CUDA {} ({}), and claims an older one.",
                        to_string(needs_.driver->cuda), to_string(needs_.driver->version)));
  }

  const WheelFile& wheel_;
  const std::vector<gpus::Gpu>& gpus_;
  const Needs& needs_;
  const Report& report_;
  std::set<fatbin::HeldCode> held_;
};

} // namespace

void judge_claims(const Checked& checked, const Needs& needs, const Report& report) {
  if (!checked.wheel.name.variant.empty())
    ClaimsJudge(checked, needs, report).run();
}

} // namespace hostpin::wheel
