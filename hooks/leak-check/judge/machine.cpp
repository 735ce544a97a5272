// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/binary/machine.hpp"

#include "hooks/leak-check/judge/judges.hpp"

#include <string>
#include <utility>
#include <vector>

namespace hostpin::leak {

namespace {

std::string explained(const ArchivedObjects& objects, const std::string& wanted) {
  const std::string what =
      "for " + binary::machine_name(objects.kind) + ", and the binding is for " + wanted + '.';
  return objects.number == 1 ? "Its object " + objects.first + " is " + what
                             : std::to_string(objects.number) + " of its objects, the first of which is " +
                                   objects.first + ", are " + what;
}

} // namespace

void judge_machine(const ScannedFile& file, bool vendor, const World& world, const Report& report) {
  const auto& wanted = world.policy.other_machine;
  if (!wanted)
    return;
  const std::string name = binary::machine_name(*wanted);
  const auto add = [&](Severity severity, const std::vector<std::string>& member, std::string machine,
                       std::string explanation) {
    report({Rule::foreign_machine,
            capped_for_vendor(severity, vendor, Severity::note),
            {file.path, member, {}, std::nullopt, {}},
            std::move(machine),
            {},
            std::move(explanation),
            {}});
  };
  for (const ScannedPart& part : file.parts) {
    if (part.elf && part.elf->kind != *wanted && binary::runs_linux(part.elf->kind))
      add(Severity::error, part.member, binary::machine_name(part.elf->kind),
          "It is for " + binary::machine_name(part.elf->kind) + ", and the binding is for " + name + '.');
    if (part.pe) // Python's packages contain small programs of Windows that start scripts there
      add(part.pe->library ? Severity::error : Severity::note, part.member, "Windows",
          std::string(part.pe->library ? "It is a DLL" : "It is a program") + " of Windows for " +
              binary::pe_machine_name(part.pe->machine) + ", and the binding is for Linux on " + name + '.');
  }
  for (const ArchivedObjects& objects : file.objects)
    if (objects.kind != *wanted)
      add(Severity::error, objects.archive, binary::machine_name(objects.kind), explained(objects, name));
}

} // namespace hostpin::leak
