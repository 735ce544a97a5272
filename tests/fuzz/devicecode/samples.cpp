// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/fuzz/devicecode/samples.hpp"

#include "tests/unit/toolchains/binary/linked_builder.hpp"
#include "tests/unit/toolchains/devicecode/object_builder.hpp"

#include <array>
#include <utility>

namespace hostpin::test {

namespace {

constexpr std::array<const char*, 5> samples{
    R"({"linked": 1, "fatbins": [[{"kind": 2, "gpu": 80, "unpacked": 4500}, {"kind": 2, "gpu": 90},
 {"kind": 1, "gpu": 90, "flags": 8192, "packed": 20, "unpacked": 99, "source": "a.cu"}], [{"kind": 2, "gpu": 80}]],
 "relocatables": []})",
    R"({"linked": 3, "fatbins": [[{"kind": 2, "gpu": 90, "flags": 1048576}], [{"kind": 1, "gpu": 80}]],
 "relocatables": [[{"kind": 8, "gpu": 80, "flags": 32768, "packed": 9, "unpacked": 80}, {"kind": 2, "gpu": 100, "flags": 2097152}]],
 "version": 2})",
    R"({"object": 0, "fatbins": [[{"kind": 2, "gpu": 80}, {"kind": 2, "gpu": 90}, {"kind": 1, "gpu": 90}],
 [{"kind": 2, "gpu": 90}]]})",
    R"({"archive": {"a.o": {"fatbins": [[{"kind": 2, "gpu": 80}, {"kind": 1, "gpu": 90, "source": "b.cu"}]]},
 "b.o": {"fatbins": [[{"kind": 2, "gpu": 90}]]}}})",
    R"({"fatbins": [[{"kind": 2, "gpu": 80}, {"kind": 8, "gpu": 90}], [], [{"kind": 16, "gpu": 75, "payload": 0}]]})"};

std::uint64_t number_of(const Node& node, std::string_view name, std::uint64_t otherwise) {
  const Node* const found = node.find(name);
  return found == nullptr ? otherwise : found->number();
}

std::string fatbin_text(const Node& list) {
  std::vector<Entry> entries;
  for (const Member& member : list.members) {
    Entry one{static_cast<unsigned>(number_of(member.node, "kind", 2)),
              static_cast<unsigned>(number_of(member.node, "gpu", 80))};
    one.flags = number_of(member.node, "flags", 0);
    one.packed = static_cast<std::uint32_t>(number_of(member.node, "packed", 0));
    one.unpacked = number_of(member.node, "unpacked", 0);
    one.source = member.node.text_of("source");
    one.payload = static_cast<std::size_t>(number_of(member.node, "payload", 24) % 4096);
    entries.push_back(std::move(one));
  }
  return fatbin_of(entries);
}

std::vector<std::string> fatbins_of(const Node& file, std::string_view name) {
  std::vector<std::string> fatbins;
  if (const Node* const list = file.find(name))
    for (const Member& member : list->members)
      fatbins.push_back(fatbin_text(member.node));
  return fatbins;
}

std::string object_of(const Node& file) {
  DeviceObject object;
  object.fatbins = fatbins_of(file, "fatbins");
  object.own_symbols = number_of(file, "symbols", 0) != 0;
  object.version = static_cast<std::uint32_t>(number_of(file, "version", 1));
  return object.build();
}

} // namespace

std::string device_file(const Node& file) {
  if (const Node* const archive = file.find("archive")) {
    std::vector<std::pair<std::string, std::string>> members;
    for (const Member& member : archive->members)
      members.emplace_back(member.name.substr(0, 15), object_of(member.node));
    return ar_of(members);
  }
  LinkedBuilder linked;
  linked.fatbins = fatbins_of(file, "fatbins");
  linked.relocatables = fatbins_of(file, "relocatables");
  if (file.find("object") != nullptr)
    return object_of(file);
  if (file.find("linked") == nullptr || linked.fatbins.size() + linked.relocatables.size() == 0) {
    std::string bytes;
    for (const std::string& fatbin : linked.fatbins)
      bytes += fatbin;
    return bytes;
  }
  linked.pointers = static_cast<Pointers>(number_of(file, "linked", 1) % 4);
  linked.version = static_cast<std::uint32_t>(number_of(file, "version", 1));
  return linked.build();
}

std::string device_file(std::string_view input) {
  if (!input.starts_with(choices_mark))
    return std::string(input);
  Choices choices(input.substr(choices_mark.size()));
  Node file = parsed(samples[choices.below(samples.size())]);
  const std::size_t in_file = choices.below(5), in_bytes = choices.below(3);
  for (std::size_t count = 0; count < in_file; ++count)
    change(file, choices);
  std::string bytes = device_file(file);
  for (std::size_t count = 0; count < in_bytes; ++count)
    change_binary(bytes, choices);
  return bytes;
}

std::vector<std::string> with_choices(std::vector<std::string> seeds, std::size_t count) {
  for (const std::string& input : random_inputs(count, 24))
    seeds.push_back(std::string(choices_mark) + input);
  return seeds;
}

} // namespace hostpin::test
