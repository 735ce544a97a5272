// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/variants/serving.hpp"

#include "toolchains/devicecode/keeping.hpp"
#include "toolchains/devicecode/slice.hpp"
#include "toolchains/devicecode/slim.hpp"
#include "toolchains/fatbin/holding.hpp"

#include <algorithm>
#include <set>

namespace hostpin::wheel {

namespace {

using Part = devicecode::DeviceContent::Part;

std::string reason_of(const Part& part, const fatbin::Choice& choice) {
  if (choice.selected) {
    if (choice.fits[*choice.selected] == fatbin::Fit::newer_ptx)
      return "its PTX is newer than the driver";
    if (choice.fits[*choice.selected] == fatbin::Fit::newer_pack)
      return "its code is compressed with zstd, which the driver cannot read";
  }
  if (part.entries.empty())
    return "it is empty";
  std::set<fatbin::HeldCode> held;
  for (const binary::EmbeddedCode& entry : part.entries)
    held.insert({fatbin::capability_of(entry), entry.code});
  std::string text;
  for (const fatbin::HeldCode& code : held)
    text += (text.empty() ? "it has " : ", ") + fatbin::to_string(code);
  return text;
}

} // namespace

Result<std::vector<FatbinService>> services(const binary::Blob& file, const fatbin::ChoiceTerms& terms) {
  constexpr std::size_t most_names = 3;
  const binary::InputFile input(file);
  const binary::Bytes bytes(input);
  const auto content = devicecode::read_device_code(bytes);
  if (input.trouble())
    return tl::unexpected(*input.trouble());
  if (!content)
    return failure(content.error().what);
  std::vector<FatbinService> all;
  if (!*content)
    return all;
  const auto& parts = (**content).fatbins;
  // What the driver links if the result of a device link has nothing for a GPU.
  bool links = false;
  for (const Part& part : parts)
    if (part.relocatable && !devicecode::is_idle(part.entries, bytes)) {
      links = fatbin::choice(part.entries, terms).entry.has_value();
      if (!links)
        break;
    }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (part.relocatable || devicecode::is_idle(part.entries, bytes))
      continue;
    const fatbin::Choice choice = fatbin::choice(part.entries, terms);
    FatbinService service{i, choice.entry.has_value() || links, false, {}, {}};
    service.is_compiled =
        service.is_served && (!choice.entry || part.entries[*choice.entry].code == binary::DeviceCode::ptx);
    if (!service.is_served) {
      service.reason = reason_of(part, choice);
      for (const binary::EmbeddedCode& entry : part.entries)
        if (service.names.empty())
          service.names = devicecode::names_in(bytes, entry, most_names);
    }
    all.push_back(std::move(service));
  }
  return all;
}

} // namespace hostpin::wheel
