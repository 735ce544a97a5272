// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/nvcc/gpu_list.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace hostpin::nvcc {
namespace {

using cmdline::NvccCommand;
using cmdline::NvccMeaning;
using cmdline::NvccWord;
using Code = GpuCode::Kind;

struct KindName {
  Code kind;
  std::string_view prefix;
};
constexpr KindName kind_names[] = {{Code::sm, "sm_"}, {Code::compute, "compute_"}, {Code::lto, "lto_"}};

constexpr std::string_view relocatable = "-rdc=true"; // implied by -dlto, and needed for LTO IR

/// `86`, `90a`, `103f`: two digits, or three that begin with 1. nvcc has named no other.
bool read_number(std::string_view text, GpuCode& code) {
  const bool has_variant = text.ends_with('a') || text.ends_with('f');
  code.variant = has_variant ? text.back() : '\0';
  if (has_variant)
    text.remove_suffix(1);
  if (text.size() != 2 && (text.size() != 3 || text.front() != '1'))
    return false;
  unsigned number = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9')
      return false;
    number = number * 10 + static_cast<unsigned>(digit - '0');
  }
  code.number = static_cast<std::uint16_t>(number);
  return text.front() != '0';
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

/// Removes and returns the text before the next comma.
std::string_view next_part(std::string_view& list) {
  const std::size_t end = std::min(list.find(','), list.size());
  const std::string_view part = list.substr(0, end);
  list.remove_prefix(std::min(end + 1, list.size()));
  return part;
}

/// Removes and returns a value that may be in brackets or quotes, which protect commas. Nothing if what
/// closes them is missing, or more text follows.
std::optional<std::string_view> next_value(std::string_view& list) {
  if (!list.starts_with('[') && !list.starts_with('"'))
    return without_blanks(next_part(list));
  const std::size_t end = list.find(list.front() == '[' ? ']' : '"', 1);
  if (end == std::string_view::npos)
    return std::nullopt;
  const std::string_view value = list.substr(1, end - 1);
  list.remove_prefix(end + 1);
  return without_blanks(next_part(list)).empty() ? std::optional(value) : std::nullopt;
}

std::string_view code_text(std::string_view argument) {
  return argument.substr(argument.rfind('=') + 1);
}

bool is_object(std::string_view input) {
  constexpr std::string_view endings[] = {".o", ".a", ".so", ".obj", ".lib", ".cubin", ".fatbin", ".ltoir"};
  return input.find(".so.") != std::string_view::npos ||
         std::any_of(std::begin(endings), std::end(endings),
                     [&](std::string_view ending) { return input.ends_with(ending); });
}

bool has_sources(const NvccCommand& command) {
  return std::any_of(command.words.begin(), command.words.end(),
                     [](const NvccWord& word) { return word.input && !is_object(word.text); });
}

/// What a call has of the options that determine whether device code is relocatable.
struct Relocation {
  bool sound = true; ///< nvcc takes these options together
  bool on = false;   ///< by -rdc=true or -dc
  bool whole = false, extensible = false, fatbin = false;
};

Relocation relocation(const NvccCommand& command) {
  Relocation read;
  bool needed = false, off = false;
  for (const NvccWord& word : command.words)
    switch (word.meaning) {
    case NvccMeaning::relocatable: // the last one counts
      read.on = word.value() == "true";
      off = word.value() == "false";
      read.sound &= read.on || off;
      break;
    case NvccMeaning::relocatable_file:
      needed = true;
      break;
    case NvccMeaning::whole_file:
      read.whole = true;
      break;
    case NvccMeaning::extensible:
      read.extensible = true;
      break;
    case NvccMeaning::fatbin_file:
      read.fatbin = true;
      break;
    default:
      break;
    }
  read.sound &= !(needed && off) && !(read.whole && read.on);
  read.on |= needed;
  return read;
}

/// Code for a family runs on its later members. 10.1, since CUDA 13.0 named 11.0, is a family by itself; the
/// others have the members of one major version: family of toolchains/data/gpus.toml.
bool share_family(GpuCode a, GpuCode b) {
  constexpr std::uint16_t alone = 101;
  return a.number / 10 == b.number / 10 && (a.number == alone) == (b.number == alone);
}

/// Calls `serve(code)` for each code that the rows have for what was asked.
template <typename Serve>
void each_served(const GpuList& list, GpuCode asked, const Serve& serve) {
  for (const std::string_view row : list.variants) {
    const std::size_t blank = row.find(' ');
    GpuCode from{}, to{};
    if (blank != std::string_view::npos && read_number(row.substr(0, blank), from) &&
        read_number(row.substr(blank + 1), to) && from.number == asked.number &&
        from.variant == asked.variant)
      serve(to);
  }
}

/// The lowest code that is not below `asked`, else the highest; nothing if the list has no machine code.
std::optional<GpuCode> nearest(const GpuList& list, GpuCode asked, bool machine_code) {
  std::optional<GpuCode> best;
  for (const std::string_view argument : list.arguments) {
    GpuCode listed{};
    if (!read_gpu_code(code_text(argument), listed) || (machine_code && listed.kind != Code::sm))
      continue;
    const bool serves = listed.number >= asked.number;
    if (!best || (serves && (best->number < asked.number || listed.number < best->number)) ||
        (!serves && best->number < asked.number && listed.number > best->number))
      best = listed;
  }
  return best;
}

std::string_view prefix_of(Code kind) {
  return kind_names[static_cast<std::size_t>(kind)].prefix;
}

void append(std::string& text, std::string_view item) {
  text.append(text.empty() ? 0 : 1, ' ').append(item);
}

std::string texts(std::span<const GpuCode> codes) {
  std::string text;
  for (const GpuCode code : codes) {
    append(text, prefix_of(code.kind));
    text += std::to_string(code.number);
    text.append(code.variant == '\0' ? 0 : 1, code.variant);
  }
  return text;
}

} // namespace

bool read_gpu_code(std::string_view text, GpuCode& code) {
  for (const KindName& row : kind_names)
    if (text.starts_with(row.prefix)) {
      code.kind = row.kind;
      return read_number(text.substr(row.prefix.size()), code);
    }
  return false;
}

std::string list_text(const GpuList& list) {
  std::string text;
  for (const std::string_view argument : list.arguments)
    append(text, code_text(argument));
  return text;
}

bool GpuCodes::has(GpuCode code) const {
  return std::any_of(codes_.begin(), codes_.begin() + static_cast<std::ptrdiff_t>(size_),
                     [&](GpuCode each) { return each == code; });
}

// What nvcc refuses returns false, so that the call reaches nvcc unchanged and its own error is printed.

/// A code that is compiled for `architecture`.
bool GpuChange::ask(GpuCode code, GpuCode architecture) {
  if (code.kind == Code::compute &&
      (code.number != architecture.number || code.variant != architecture.variant))
    return false;
  if (code.number < architecture.number || (code.variant != 'a' && architecture.variant == 'a'))
    return false;
  if ((code.variant == 'f' || architecture.variant == 'f') && !share_family(code, architecture))
    return false;
  if (code.variant == '\0') // nvcc compiles sm_100 of compute_100f as sm_100f
    code.variant = architecture.variant;
  older_architecture_ |= code.number != architecture.number || code.variant != architecture.variant;
  several_architectures_ |= !asked_.all().empty() && architecture != architecture_;
  architecture_ = architecture;
  if (!asked_.has(code) && !asked_.add(code))
    overflows_ = true;
  return true;
}

/// The value of -arch without -code.
bool GpuChange::read_architecture(std::string_view value, bool lto) {
  if (value == "all" || value == "all-major" || value == "native") {
    word_ = value;
    return true;
  }
  GpuCode code{};
  if (!read_gpu_code(value, code))
    return false;
  const GpuCode architecture{Code::compute, code.variant, code.number};
  const bool with_ptx = code.kind != Code::lto;
  lto_architecture_ = !with_ptx;
  if (lto)
    code.kind = Code::lto;
  return ask(code, architecture) && (!with_ptx || ask(architecture, architecture));
}

bool GpuChange::read_codes(std::string_view list, std::string_view architecture, bool of_option) {
  GpuCode from{};
  if (!read_gpu_code(architecture, from) || from.kind != Code::compute)
    return false;
  while (!list.empty()) {
    const std::string_view part = of_option ? without_blanks(next_part(list)) : next_part(list);
    GpuCode code{};
    if (part.empty() && of_option)
      continue; // nvcc leaves out empty elements of lists
    if (!read_gpu_code(part, code) || !ask(code, from))
      return false;
  }
  return true;
}

bool GpuChange::read_generate_code(std::string_view value) {
  std::string_view architecture, codes;
  while (!(value = without_blanks(value)).empty()) {
    if (value.starts_with(',')) { // nvcc leaves out empty elements here, but not between codes
      value.remove_prefix(1);
      continue;
    }
    std::string_view& part = value.starts_with("arch=") ? architecture : codes;
    if (!part.empty() || (!value.starts_with("arch=") && !value.starts_with("code=")))
      return false;
    value.remove_prefix(5);
    const auto taken = next_value(value);
    if (!taken || taken->empty())
      return false;
    part = *taken;
  }
  return !architecture.empty() && !codes.empty() && read_codes(codes, architecture, false);
}

/// Reads all GPU options. `lto`: -dlto turns machine code into LTO IR.
bool GpuChange::read_options(const NvccCommand& command, bool lto) {
  const NvccWord* architecture = nullptr; // the last one counts
  bool has_codes = false;
  for (const NvccWord& word : command.words) {
    if (word.meaning == NvccMeaning::gpu_architecture)
      architecture = &word;
    else if (word.meaning == NvccMeaning::gpu_code)
      has_codes |= word.value().find_first_not_of(" \t,") != std::string_view::npos;
    else if (word.meaning == NvccMeaning::generate_code && (lto || !read_generate_code(word.value())))
      return false; // nvcc refuses -dlto with -gencode and -code
  }
  if (!has_codes)
    return architecture == nullptr || read_architecture(architecture->value(), lto);
  if (architecture == nullptr || lto)
    return false;
  for (const NvccWord& word : command.words)
    if (word.meaning == NvccMeaning::gpu_code && !read_codes(word.value(), architecture->value(), true))
      return false;
  return true;
}

void GpuChange::decide(const NvccCommand& command, const GpuList& list) {
  if (command.informational)
    return;
  const bool lto = command.device_lto && (command.stops_early || has_sources(command));
  kind_ = Kind::unread;
  if (!read_options(command, lto))
    return;
  const bool has_lto_ir = command.device_lto || asks_for(Code::lto);
  const Relocation relocated = has_lto_ir ? relocation(command) : Relocation();
  if (!relocated.sound || (command.device_lto && relocated.extensible))
    return;
  if (overflows_ || list.arguments.size() > most_gpus)
    return leave("there are too many GPUs");
  if (lto && !command.stops_early)
    return leave("nvcc compiles and links with -dlto for one GPU only; compile in another call");
  if (lto && relocated.whole)
    return leave("nvcc compiles with -dlto and -dw for one GPU only");
  if (lto) {
    drops_device_lto_ = true;
    arguments_[count_++] = relocatable.data();
  }
  if (command.for_one_gpu != NvccMeaning::plain) {
    if (make_one(list, command.for_one_gpu) && kind_ == Kind::unread)
      kind_ = Kind::none;
    return;
  }
  kind_ = Kind::none;
  make_all(list, lto);
  if (kind_ == Kind::replaced && lto_architecture_ && !lto && !relocated.on && !relocated.fatbin &&
      has_sources(command))
    leave("without -rdc=true, nvcc compiles LTO IR only for a GPU that -arch names");
}

bool GpuChange::asks_for(Code kind) const {
  return std::ranges::any_of(asked_.all(), [&](GpuCode code) { return code.kind == kind; });
}

bool GpuChange::asks_variants_alone() const {
  return word_.empty() && !asked_.all().empty() &&
         std::ranges::all_of(asked_.all(), [](GpuCode code) { return code.variant != '\0'; });
}

/// Whether the call names already what it would be changed to.
bool GpuChange::same() const {
  return word_.empty() && !older_architecture_ && asked_.all().size() == made_.all().size() &&
         std::ranges::all_of(asked_.all(), [&](GpuCode code) { return made_.has(code); });
}

void GpuChange::make_all(const GpuList& list, bool lto) {
  const bool machine_code = !lto && (asks_for(Code::sm) || !asks_for(Code::lto));
  const bool lto_code = lto || asks_for(Code::lto);
  const bool variants_alone = asks_variants_alone();
  for (const std::string_view argument : list.arguments) {
    GpuCode listed{};
    if (!read_gpu_code(code_text(argument), listed))
      continue; // never in a sound plan
    if (listed.kind == Code::compute) {
      if (!variants_alone || asked_.has(listed))
        put(argument.data(), listed);
      continue;
    }
    const bool replaced = make_variants(list, listed, machine_code, lto_code);
    if (replaced || variants_alone)
      continue;
    if (machine_code)
      put(argument.data(), listed);
    if (lto_code)
      spell({Code::lto, listed.variant, listed.number});
  }
  if (kind_ == Kind::left)
    return;
  if (made_.all().empty())
    return leave("it needs features of GPUs that are not on the list");
  kind_ = same() ? Kind::none : Kind::replaced;
}

/// Adds the variants that the call names of a GPU of the list. Returns whether they replace the listed code.
bool GpuChange::make_variants(const GpuList& list, GpuCode listed, bool machine_code, bool lto_code) {
  bool replaced = false;
  for (const GpuCode asked : asked_.all())
    if (asked.variant != '\0')
      each_served(list, asked, [&](GpuCode served) {
        if (served.number != listed.number)
          return;
        // Code for 100f also runs on 10.3, code for 100a does not.
        replaced |= listed.variant == '\0' || listed.variant == served.variant;
        for (const Code kind : {Code::sm, Code::lto})
          if (const GpuCode code{kind, served.variant, served.number};
              (kind == Code::sm ? machine_code : lto_code) && !made_.has(code))
            spell(code);
      });
  return replaced;
}

/// False for what nvcc refuses.
bool GpuChange::make_one(const GpuList& list, NvccMeaning output) {
  const Code kind = output == NvccMeaning::ptx_file     ? Code::compute
                    : output == NvccMeaning::cubin_file ? Code::sm
                                                        : Code::lto;
  if (several_architectures_ || word_.starts_with("all") || (drops_device_lto_ && kind != Code::lto))
    return false;
  if (lto_architecture_ ? kind == Code::lto && !drops_device_lto_
                        : kind == Code::compute && asks_for(Code::lto))
    return false;
  std::optional<GpuCode> asked;
  for (const GpuCode code : asked_.all())
    if (kind == Code::compute)
      asked = architecture_;
    else if (code.kind == kind && asked)
      return false;
    else if (code.kind == kind)
      asked = code;
  if (!asked && (!asked_.all().empty() || (kind == Code::lto && !drops_device_lto_)))
    return false;

  std::optional<GpuCode> one;
  if (asked && asked->variant != '\0')
    each_served(list, *asked, [&](GpuCode served) { one = one ? one : std::optional(served); });
  else
    one = nearest(list, asked.value_or(GpuCode{}), kind != Code::compute);
  if (!one) {
    leave(asked && asked->variant != '\0' ? "it needs features of a GPU that is not on the list"
                                          : "the list has no machine code");
  } else if (!asked || one->number != asked->number ||
             (asked->variant != '\0' && asked->variant != one->variant)) {
    kind_ = Kind::replaced;
    spell({kind, one->variant, one->number});
  }
  return true;
}

void GpuChange::put(const char* ready, GpuCode code) {
  if (count_ == arguments_.size() || !made_.add(code))
    return leave("there are too many GPUs");
  arguments_[count_++] = ready;
}

void GpuChange::spell(GpuCode code) {
  constexpr std::size_t longest = sizeof "-gencode=arch=compute_103f,code=compute_103f";
  if (used_ + longest > text_.size())
    return leave("there are too many GPUs");
  char* const begin = text_.data() + used_;
  char* at = begin;
  const auto add = [&](std::string_view part) { at = std::copy(part.begin(), part.end(), at); };
  const auto add_number = [&] {
    at = std::to_chars(at, at + 3, code.number).ptr;
    if (code.variant != '\0')
      *at++ = code.variant;
  };
  add("-gencode=arch=compute_");
  add_number();
  add(",code=");
  add(prefix_of(code.kind));
  add_number();
  *at++ = '\0';
  used_ = static_cast<std::size_t>(at - text_.data());
  put(begin, code);
}

void GpuChange::leave(std::string_view reason) {
  kind_ = Kind::left;
  reason_ = reason;
}

std::string GpuChange::asked_text() const {
  std::string text = texts(asked_.all());
  if (!word_.empty())
    append(text, std::string("-arch=").append(word_));
  return text.empty() ? "nvcc's default" : text;
}

std::string GpuChange::made_text() const {
  return texts(made_.all());
}

} // namespace hostpin::nvcc
