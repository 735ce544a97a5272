// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hooks/lto-check/bitstream/bitstream.hpp"

#include "hooks/lto-check/bitstream/gcc.hpp"
#include "hooks/lto-check/bitstream/modules.hpp"
#include "toolchains/binary/fatbin.hpp"
#include "toolchains/binary/inputs.hpp"
#include "toolchains/binary/kind.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace hostpin::lto {

using namespace binary;

namespace {

/// `LLVM19.1.7`, with any suffix of a vendor. Other names have version numbers of their own.
void take_release(std::string_view producer, Bitstream& stream) {
  constexpr std::string_view name = "LLVM";
  if (!producer.starts_with(name))
    return;
  const char* const end = producer.data() + producer.size();
  std::uint32_t major = 0;
  const auto read = std::from_chars(producer.data() + name.size(), end, major);
  if (read.ec != std::errc())
    return;
  stream.major = major;
  if (read.ptr != end && *read.ptr == '.')
    std::from_chars(read.ptr + 1, end, stream.minor);
}

Reading<bool> read_bitcode(const Bytes& bytes, LtoFormat format, ProducerReader producer,
                           std::vector<Bitstream>& streams) {
  const bool label = is_full_host_half(bytes);
  return each_module(bytes, [&](std::string_view identification) -> Reading<bool> {
    Bitstream stream;
    stream.format = format;
    stream.device_label = label;
    stream.slim = format == LtoFormat::llvm_bitcode;
    if (!identification.empty()) {
      auto named = producer(identification);
      if (!named)
        return damaged("LLVM cannot read the identification of its bitcode: " + named.error().message);
      take_release(*named, stream);
      stream.producer = *std::move(named);
    }
    return add_stream(streams, std::move(stream));
  });
}

bool has_cubin(const std::vector<EmbeddedCode>& fatbin, std::uint32_t architecture) {
  return std::any_of(fatbin.begin(), fatbin.end(), [&](const EmbeddedCode& entry) {
    return entry.code == DeviceCode::cubin && entry.architecture == architecture;
  });
}

/// The newest instruction set of the PTX next to LTO-IR is the best approximation of a release.
std::string instruction_set(const std::vector<EmbeddedCode>& fatbin) {
  std::pair<std::uint32_t, std::uint32_t> newest;
  for (const EmbeddedCode& entry : fatbin)
    if (entry.code == DeviceCode::ptx)
      newest = std::max(newest, {entry.major, entry.minor});
  return newest.first == 0 ? std::string()
                           : "PTX ISA " + std::to_string(newest.first) + '.' + std::to_string(newest.second);
}

Reading<bool> read_fatbins(const Bytes& bytes, std::vector<Bitstream>& streams) {
  return each_fatbin(bytes, [&](const std::vector<EmbeddedCode>& fatbin) -> Reading<bool> {
    for (const EmbeddedCode& entry : fatbin) {
      if (entry.code != DeviceCode::ltoir)
        continue;
      auto added =
          add_stream(streams, {LtoFormat::cuda_ltoir, entry.major, entry.minor, instruction_set(fatbin),
                               !has_cubin(fatbin, entry.architecture), entry.architecture});
      if (!added)
        return added;
    }
    return true;
  });
}

Reading<bool> read_ltoir(const Bytes& bytes, std::vector<Bitstream>& streams) {
  const auto major = bytes.little(4, 1);
  const auto minor = bytes.little(5, 1);
  if (!major || !minor)
    return damaged("it ends before the version of its LTO-IR");
  return add_stream(streams, {LtoFormat::cuda_ltoir,
                              static_cast<std::uint32_t>(*major),
                              static_cast<std::uint32_t>(*minor),
                              {},
                              true,
                              0});
}

/// Collects, section by section, what an object contains.
class ObjectReader {
public:
  ObjectReader(const SectionTable& sections, ProducerReader producer, std::vector<Bitstream>& streams)
      : sections_(sections), producer_(producer), streams_(streams), gcc_(sections) {}

  Reading<bool> read() {
    Reading<bool> done = true;
    auto all = sections_.each([&](const ObjectSection& section) {
      if (done && may_hold_code(section))
        done = read_section(section);
      return done.has_value();
    });
    // GCC's sections are reported even if something after them is damaged.
    auto finished = gcc_.finish(compiler_, streams_);
    return !all ? all : !done ? done : finished;
  }

private:
  Reading<bool> read_section(const ObjectSection& section) {
    const auto name = sections_.name_bytes(section);
    if (!name)
      return damaged("the name of a section is outside the table of names");
    const SectionRole what = role(section, *name);
    switch (what) {
    case SectionRole::none:
      return true;
    case SectionRole::gcc_version:
    case SectionRole::gcc_declarations:
    case SectionRole::gcc_assembler:
    case SectionRole::gcc_symbols:
    case SectionRole::gcc_other:
      return gcc_.add(section, *name, what);
    case SectionRole::comment:
      return read_comment(section);
    case SectionRole::llvm_module:
    case SectionRole::device:
      break;
    }
    const auto content = sections_.content(section);
    if (!content)
      return damaged("a section of intermediate code is past its end");
    if (what == SectionRole::device)
      return read_fatbins(*content, streams_);
    // A single zero byte only marks that bitcode was requested.
    return content->size() <= 1 ? Reading<bool>(true)
                                : read_bitcode(*content, LtoFormat::llvm_fat, producer_, streams_);
  }

  /// Strings, each followed by a NUL. If there are several GCCs, none can be assigned to a translation unit.
  Reading<bool> read_comment(const ObjectSection& section) {
    const auto content = sections_.content(section);
    const auto strings = content ? content->view(0, content->size()) : std::nullopt;
    std::string_view text = strings.value_or(std::string_view());
    for (std::size_t end = 0; (end = text.find('\0')) != std::string_view::npos;
         text.remove_prefix(end + 1)) {
      const std::string_view name = text.substr(0, end);
      if (!name.starts_with("GCC: ") || name == compiler_ || several_)
        continue;
      several_ = !compiler_.empty();
      compiler_ = several_ ? std::string_view() : name;
    }
    return true;
  }

  const SectionTable& sections_;
  ProducerReader producer_;
  std::vector<Bitstream>& streams_;
  GccCode gcc_;
  std::string compiler_;
  bool several_ = false; ///< several compilers left their name
};

Reading<bool> read_object(const Bytes& bytes, ProducerReader producer, std::vector<Bitstream>& streams) {
  TRY_ASSIGN(const auto sections, SectionTable::open(bytes));
  return sections ? ObjectReader(*sections, producer, streams).read() : true;
}

/// Adds the streams of one input other than an archive. After damage, those found before it have been added.
Reading<bool> read_streams(const Bytes& input, ProducerReader producer, std::vector<Bitstream>& streams) {
  TRY_ASSIGN(const auto kind, input_kind(input));
  switch (kind) {
  case InputKind::object:
    return read_object(input, producer, streams);
  case InputKind::bitcode:
    return read_bitcode(input, LtoFormat::llvm_bitcode, producer, streams);
  case InputKind::fatbin:
    return read_fatbins(input, streams);
  case InputKind::ltoir:
    return read_ltoir(input, streams);
  case InputKind::other:
    break;
  }
  return true;
}

constexpr auto format_names =
    std::to_array<const char*>({"gcc-lto", "llvm-bitcode", "llvm-fat", "cuda-ltoir"});

Error error_of(const Bytes& bytes, const Damage& damage) {
  if (auto trouble = bytes.source().trouble())
    return *std::move(trouble);
  return {"it is damaged: " + damage.what, "build it again"};
}

InputVisitor reading(ProducerReader producer, const LtoVisitor& visit) {
  return [producer, &visit](const InputName& name, const Result<Bytes>& bytes) {
    LtoInput input{name.path, name.member, {}, std::nullopt};
    if (bytes) {
      input.offset = name.member.size() == 1 ? bytes->begin() : 0;
      if (const auto read = read_streams(*bytes, producer, input.streams); !read)
        input.unreadable = error_of(*bytes, read.error());
      else if (bytes->whole_file()) // the file of a member is checked once all of it was read
        input.unreadable = bytes->source().trouble();
    } else {
      input.unreadable = bytes.error();
    }
    visit(std::move(input));
    return true;
  };
}

} // namespace

const char* to_string(LtoFormat format) {
  return format_names[static_cast<std::size_t>(format)];
}

void scan_lto_input(const std::string& path, ProducerReader producer, const LtoVisitor& visit) {
  each_input(path, reading(producer, visit));
}

void scan_lto_input(const std::string& path, const InputFile& file, ProducerReader producer,
                    const LtoVisitor& visit) {
  each_input(path, file, reading(producer, visit));
}

void scan_lto_bytes(const std::string& path, std::string_view bytes, ProducerReader producer,
                    const LtoVisitor& visit) {
  scan_lto_input(path, InputFile(bytes), producer, visit);
}

} // namespace hostpin::lto
