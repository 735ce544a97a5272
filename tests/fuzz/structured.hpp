// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Valid files with unusual content. An input is a list of choices: which parts of a sample are dropped,
// doubled, renamed or get another value. The sample is written as its format requires, so that its readers do
// not refuse it at the first byte.

namespace hostpin::test {

struct Member;

/// A document, or any part of one.
struct Node {
  enum class Kind { null, truth, number, text, list, object };

  Kind kind = Kind::null;
  std::string text;            ///< of a text, as bytes; of a number or truth, as it is written
  std::vector<Member> members; ///< of an object, in order, names may be there twice; of a list, without names

  /// Of the first member of that name; null if there is none.
  const Node* find(std::string_view name) const;
  /// The text of the first member of that name; empty if there is none.
  std::string text_of(std::string_view name) const;
  /// The number, modulo 2^64; 0 for anything else.
  std::uint64_t number() const;
};

struct Member {
  std::string name;
  Node node;
};

/// A sample, of JSON without errors.
Node parsed(std::string_view json);

/// What an input chooses. At its end all choices are 0.
class Choices {
public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  /// A number below `count`, which is not 0.
  std::size_t below(std::size_t count);

private:
  std::string_view bytes_;
};

/// Numbers at which arithmetic goes wrong, as text, and texts that paths, lines and formats have to take or
/// refuse.
const std::string& edge_number(Choices& choices);
const std::string& edge_text(Choices& choices);

/// One part is dropped, doubled, moved, renamed, or gets another value, kind or order.
void change(Node& root, Choices& choices);

std::string json_text(const Node& node);
/// The same as TOML, for an object.
std::string toml_text(const Node& node);

/// Changes a field of a table in a file: of the headers of a 64-bit ELF file, its segments, sections and
/// dynamic section, or of a fatbin and its entries. Or exchanges two rows, or copies one over another.
void change_binary(std::string& bytes, Choices& choices);

/// Inputs of `size` random bytes, always the same; ten times as many with HOSTPIN_FULL=1.
std::vector<std::string> random_inputs(std::size_t count, std::size_t size);

} // namespace hostpin::test
