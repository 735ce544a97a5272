// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/wheel/variants/serving.hpp"

#include "toolchains/devicecode/image.hpp"
#include "toolchains/devicecode/keeping.hpp"
#include "toolchains/devicecode/same_code.hpp"
#include "toolchains/devicecode/slim.hpp"
#include "toolchains/fatbin/holding.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace hostpin::wheel {

namespace {

using Part = DeviceFile::Part;

std::string reason_of(const Part& part, const fatbin::Choice& choice) {
  if (choice.selected) {
    if (choice.fits[*choice.selected] == fatbin::Fit::newer_ptx)
      return "its PTX is newer than the driver";
    if (choice.fits[*choice.selected] == fatbin::Fit::newer_pack)
      return "its code is compressed with zstd, which the driver cannot read";
  }
  if (!choice.selected &&
      std::find(choice.fits.begin(), choice.fits.end(), fatbin::Fit::newer_pack) != choice.fits.end())
    return "its code is compressed together by nvcc --concat, which the driver cannot read";
  if (part.entries.empty())
    return "it is empty";
  std::set<fatbin::HeldCode> held;
  for (const binary::EmbeddedCode& piece : binary::pieces_of(part.entries).pieces)
    held.insert({fatbin::capability_of(piece), piece.code});
  std::string text;
  for (const fatbin::HeldCode& code : held)
    text += (text.empty() ? "it has " : ", ") + fatbin::to_string(code);
  return text;
}

} // namespace

Result<DeviceFile> read_device_file(binary::Blob blob) {
  const binary::InputFile input(blob);
  const auto image = devicecode::read_image(binary::Bytes(input));
  if (input.trouble())
    return tl::unexpected(*input.trouble());
  if (!image)
    return failure(image.error().what);
  DeviceFile file{std::move(blob), {}};
  if (*image)
    for (const devicecode::DeviceSection& section : (**image).sections)
      for (const devicecode::Fatbin& fatbin : section.fatbins)
        file.fatbins.push_back({section.relocatable, fatbin.entries, fatbin.is_stub});
  return file;
}

std::vector<FatbinService> services(const DeviceFile& file, const fatbin::ChoiceTerms& terms) {
  constexpr std::size_t most_names = 3;
  const binary::InputFile input(file.blob);
  const binary::Bytes bytes(input);
  // What the driver links if the result of a device link has nothing for a GPU.
  bool links = false;
  for (const Part& part : file.fatbins)
    if (part.relocatable && !devicecode::is_idle(part.entries, bytes)) {
      links = fatbin::choice(part.entries, terms).entry.has_value();
      if (!links)
        break;
    }
  std::vector<FatbinService> all;
  for (std::size_t i = 0; i < file.fatbins.size(); ++i) {
    const Part& part = file.fatbins[i];
    const fatbin::Choice choice = fatbin::choice(part.entries, terms);
    if (part.relocatable || part.is_stub || (!choice.entry && devicecode::is_idle(part.entries, bytes)))
      continue;
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

Result<std::string> difference(const DeviceFile& before, const DeviceFile& after,
                               const fatbin::ChoiceTerms& terms) {
  if (before.fatbins.size() != after.fatbins.size())
    return std::string("the number of fatbins differs");
  const binary::InputFile old(before.blob), made(after.blob);
  const devicecode::Readable in_before{binary::Bytes(old), before.blob},
      in_after{binary::Bytes(made), after.blob};
  devicecode::CodeComparison comparison;
  for (std::size_t i = 0; i < before.fatbins.size(); ++i) {
    const auto& from = before.fatbins[i].entries;
    const auto& to = after.fatbins[i].entries;
    const auto was = fatbin::choice(from, terms).selected, is = fatbin::choice(to, terms).selected;
    if (was.has_value() != is.has_value())
      return "fatbin " + std::to_string(i) + (was ? " lost its code" : " got code");
    if (!was)
      continue;
    const auto differs = comparison.difference(in_before, from[*was], in_after, to[*is]);
    if (!differs)
      return failure(differs.error().what);
    if (*differs)
      return "fatbin " + std::to_string(i) + ": " + **differs;
  }
  return std::string();
}

} // namespace hostpin::wheel
