// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/cxx/role.hpp"

#include "toolchains/cmdline/driver_options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace hostpin::cxx {

using cmdline::DriverArgument;
using cmdline::DriverMeaning;
using cmdline::DriverOption;
using cmdline::DriverSwitch;

namespace {

bool listed(std::span<const std::string_view> list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// GCC's list; Clang knows fewer and would pass the others to the linker, which cannot read a header either.
constexpr std::array<std::string_view, 9> header_suffixes = {"h",   "H",   "hh",  "hp", "hpp",
                                                             "HPP", "hxx", "h++", "tcc"};
// The directories and programs that belong to compiling. All other file queries are about linking.
constexpr std::array<std::string_view, 3> host_files = {"include", "include-fixed", "plugin"};
constexpr std::array<std::string_view, 6> host_programs = {"as", "cc1", "cc1plus", "cpp", "clang", "clang++"};

bool has_suffix(std::string_view input, std::span<const std::string_view> suffixes) {
  const auto dot = input.rfind('.');
  return dot != std::string_view::npos && listed(suffixes, input.substr(dot + 1));
}

// For C++ drivers of GCC and Clang; without module suffixes, because those make more than an object.
constexpr std::array<std::string_view, 14> source_suffixes = {"C",   "CPP", "S", "c",  "c++", "cc", "cp",
                                                              "cpp", "cxx", "i", "ii", "m",   "s",  "sx"};

bool is_header(std::string_view input) {
  return has_suffix(input, header_suffixes);
}

/// `language`: the value of -x; empty without one.
bool is_source(std::string_view input, std::string_view language) {
  return language.empty() ? has_suffix(input, source_suffixes) : !language.ends_with("-header");
}

/// Options for the link only.
bool is_for_the_link(DriverMeaning meaning) {
  return meaning == DriverMeaning::link_input || meaning == DriverMeaning::library ||
         meaning == DriverMeaning::script || meaning == DriverMeaning::output;
}

/// One pass over the arguments; each takes effect as in GCC and Clang.
class Reading {
public:
  /// `inputs`: receives them; null if they are not needed.
  explicit Reading(LinkInputs* inputs = nullptr) : inputs_(inputs) {}

  void take(std::span<const std::string_view> arguments) {
    for (std::size_t i = 0; i < arguments.size();)
      i += take_one(arguments.subspan(i));
  }

  CxxCall call() const {
    CxxCall result;
    result.role = role();
    if (!output_.empty())
      result.output = output_;
    result.sysroot = sysroot_;
    result.verbose = verbose_;
    result.shows = shows_;
    result.registration = registrations_ >= 2;
    const bool compiles = result.role == CxxCall::Role::compile && translate_ && !preprocess_ && !check_;
    result.generates_code = !shows_ && (compiles || result.role == CxxCall::Role::link);
    for (std::size_t i = 1; i < toggles_.size(); ++i)
      if (!toggles_[i].empty())
        result.features[static_cast<std::size_t>(feature_of(static_cast<DriverSwitch>(i)))] = toggles_[i];
    if (!sanitizers_.empty())
      result.features[static_cast<std::size_t>(RuntimeFeature::sanitize)] =
          "-fsanitize=" + std::string(sanitizers_.front());
    result.compiles = result.role == CxxCall::Role::link && sources_ && !writes_extra_files_ && !shows_ &&
                      result.features[static_cast<std::size_t>(RuntimeFeature::coverage)].empty() &&
                      result.features[static_cast<std::size_t>(RuntimeFeature::profile)].empty();
    return result;
  }

private:
  /// Reads the first argument and its value; returns how many arguments that were.
  std::size_t take_one(std::span<const std::string_view> arguments) {
    const std::string_view argument = arguments.front();
    const DriverArgument read =
        rest_inputs_ ? DriverArgument{.input = true} : cmdline::driver_argument(arguments, 0);
    if (read.input)
      take_input(argument);
    else if (read.option != nullptr && !read.lacks_value) // the driver will report that it is missing
      take_option(*read.option, argument, read.value);
    return read.size;
  }

  void take_input(std::string_view input) {
    if (inputs_ != nullptr)
      inputs_->files.emplace_back(input);
    const bool header = language_.empty() ? is_header(input) : language_.ends_with("-header");
    (header ? headers_ : linkables_) = true;
    sources_ = sources_ || (!header && is_source(input, language_));
  }

  void take_option(const DriverOption& option, std::string_view argument, std::string_view value) {
    switch (option.meaning) {
    case DriverMeaning::nothing:
      break;
    case DriverMeaning::preprocess:
      preprocess_ = true;
      break;
    case DriverMeaning::check:
      check_ = true;
      break;
    case DriverMeaning::translate:
      translate_ = true;
      break;
    case DriverMeaning::link_input:
      linkables_ = true;
      if (inputs_ != nullptr)
        take_linker_words(value);
      break;
    case DriverMeaning::language:
      language_ = value == "none" ? std::string_view() : value;
      break;
    case DriverMeaning::library:
      linkables_ = true;
      if (inputs_ != nullptr)
        inputs_->libraries.emplace_back(value);
      break;
    case DriverMeaning::directory:
      if (inputs_ != nullptr)
        inputs_->directories.emplace_back(value);
      break;
    case DriverMeaning::script:
      if (inputs_ != nullptr)
        inputs_->in_other_files = true;
      break;
    case DriverMeaning::output:
      output_ = value;
      break;
    case DriverMeaning::registration:
      ++registrations_;
      break;
    case DriverMeaning::auxiliary:
      writes_extra_files_ = true;
      break;
    case DriverMeaning::sysroot:
      sysroot_ = value;
      break;
    case DriverMeaning::verbose:
      verbose_ = true;
      break;
    case DriverMeaning::show:
      shows_ = true;
      break;
    case DriverMeaning::ask_now:
      ask_now_ = true;
      break;
    case DriverMeaning::ask_host:
      ask_host_ = true;
      break;
    case DriverMeaning::ask_link:
      ask_link_ = true;
      break;
    case DriverMeaning::ask_file:
      (listed(host_files, value) ? ask_host_ : ask_link_) = true;
      break;
    case DriverMeaning::ask_program:
      (listed(host_programs, value) ? ask_host_ : ask_link_) = true;
      break;
    case DriverMeaning::rest_inputs:
      rest_inputs_ = writes_extra_files_ = true; // not worth splitting
      break;
    case DriverMeaning::runtime_on:
      toggles_[static_cast<std::size_t>(option.toggle)] = argument;
      break;
    case DriverMeaning::runtime_off:
      toggles_[static_cast<std::size_t>(option.toggle)] = {};
      break;
    case DriverMeaning::sanitize_on:
    case DriverMeaning::sanitize_off:
      take_sanitizers(value, option.meaning == DriverMeaning::sanitize_on);
      break;
    }
  }

  /// Arguments of -Wl and -Xlinker can name inputs too, directly or in a response file.
  void take_linker_words(std::string_view list) {
    while (!list.empty()) {
      const std::string_view word = list.substr(0, list.find(','));
      list.remove_prefix(std::min(word.size() + 1, list.size()));
      if (word.starts_with('@'))
        inputs_->in_other_files = true;
      else if (!word.empty() && word.front() != '-')
        inputs_->files.emplace_back(word);
      else if (word.size() > 2 &&
               (word.starts_with("-R") || word.starts_with("-T"))) // values of these are files for GNU ld
        inputs_->files.emplace_back(word.substr(2));
      else if (take_library_words(word))
        continue;
      else if (const std::size_t equals = word.find('='); equals != std::string_view::npos)
        inputs_->files.emplace_back(word.substr(equals + 1));
    }
  }

  /// A library or a search directory that is passed to the linker.
  bool take_library_words(std::string_view word) {
    struct Row {
      std::string_view option;
      std::vector<std::string> LinkInputs::*member;
    };
    constexpr auto rows = std::to_array<Row>({{"--library=", &LinkInputs::libraries},
                                              {"--library-path=", &LinkInputs::directories},
                                              {"-l", &LinkInputs::libraries},
                                              {"-L", &LinkInputs::directories}});
    for (const Row& row : rows)
      if (word.size() > row.option.size() && word.starts_with(row.option)) {
        (inputs_->*row.member).emplace_back(word.substr(row.option.size()));
        return true;
      }
    return false;
  }

  void take_sanitizers(std::string_view list, bool on) {
    while (!list.empty()) {
      const std::string_view name = list.substr(0, list.find(','));
      list.remove_prefix(std::min(name.size() + 1, list.size()));
      if (!on && name == "all")
        sanitizers_.clear();
      std::erase(sanitizers_, name);
      if (on && !name.empty())
        sanitizers_.push_back(name);
    }
  }

  CxxCall::Role role() const {
    if (ask_now_)
      return CxxCall::Role::query_host;
    if (ask_link_)
      return CxxCall::Role::query_link;
    if (ask_host_)
      return CxxCall::Role::query_host;
    if (preprocess_ || check_ || translate_)
      return CxxCall::Role::compile;
    if (linkables_)
      return CxxCall::Role::link;
    return headers_ ? CxxCall::Role::compile : CxxCall::Role::query_host;
  }

  std::array<std::string_view, static_cast<std::size_t>(DriverSwitch::count)> toggles_;
  std::vector<std::string_view> sanitizers_;
  std::string_view language_;
  std::string_view output_;
  LinkInputs* inputs_;
  int registrations_ = 0;
  bool sources_ = false;
  bool writes_extra_files_ = false;
  std::string_view sysroot_;
  bool verbose_ = false;
  bool shows_ = false;
  bool preprocess_ = false;
  bool check_ = false;
  bool translate_ = false;
  bool linkables_ = false;
  bool headers_ = false;
  bool ask_now_ = false;
  bool ask_host_ = false;
  bool ask_link_ = false;
  bool rest_inputs_ = false;
};

CxxCall read(std::span<const std::string_view> arguments, const cmdline::ArgumentFiles& files,
             Reading reading) {
  const auto is_response = [](std::string_view argument) { return argument.starts_with('@'); };
  if (std::none_of(arguments.begin(), arguments.end(), is_response)) {
    reading.take(arguments);
    return reading.call();
  }
  const cmdline::ExpandedArguments expanded = expand_responses(arguments, files);
  reading.take(expanded.arguments);
  return reading.call(); // while the arguments that it points into exist
}

/// The file name without directory and suffix.
std::string_view stem_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return path.substr(0, path.rfind('.'));
}

} // namespace

SourceSteps source_steps(std::span<const std::string_view> arguments, const std::string& directory) {
  using Words = std::vector<std::string>;
  SourceSteps steps;
  Words common;
  std::string_view language;
  const auto take_source = [&](std::string_view source) {
    Words& compile = steps.compiles.emplace_back();
    if (!language.empty())
      compile.insert(compile.end(), {"-x", std::string(language)});
    std::string object = directory + '/' + std::to_string(steps.compiles.size()) + '-';
    object.append(stem_of(source)).append(".o");
    compile.insert(compile.end(), {"-c", std::string(source), "-o", object});
    steps.objects.push_back(object);
    steps.link.push_back(std::move(object));
  };
  for (std::size_t i = 0; i < arguments.size();) {
    const std::string_view argument = arguments[i];
    const DriverArgument read = cmdline::driver_argument(arguments, i);
    const DriverMeaning meaning = read.option != nullptr ? read.option->meaning : DriverMeaning::nothing;
    const auto words = arguments.subspan(i, read.size);
    i += read.size;
    if (read.input && is_source(argument, language)) {
      take_source(argument);
      continue;
    }
    if (meaning == DriverMeaning::language) {
      language = read.value == "none" ? std::string_view() : read.value;
      continue;
    }
    const bool links = read.input || is_for_the_link(meaning) ||
                       (meaning == DriverMeaning::directory && !argument.starts_with("-B"));
    steps.link.insert(steps.link.end(), words.begin(), words.end());
    if (!links)
      common.insert(common.end(), words.begin(), words.end());
  }
  for (Words& compile : steps.compiles)
    compile.insert(compile.begin(), common.begin(), common.end());
  return steps;
}

CxxCall cxx_call(std::span<const std::string_view> arguments, const cmdline::ArgumentFiles& files) {
  return read(arguments, files, Reading());
}

LinkInputs link_inputs(std::span<const std::string_view> arguments, const cmdline::ArgumentFiles& files) {
  LinkInputs inputs;
  read(arguments, files, Reading(&inputs));
  return inputs;
}

} // namespace hostpin::cxx
