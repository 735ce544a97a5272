// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/slices/listing.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/templates.hpp"
#include "toolchains/base/text.hpp"
#include "wrapper/slices/keys.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

namespace hostpin::slices {

namespace templates {
extern const std::string_view slices_nix;
}

namespace {

/// `90a` of `compute_90a`, `sm_90a` and `lto_90a`.
std::string number_of(const std::string& gpu) {
  return gpu.substr(gpu.find('_') + 1);
}

/// GPUs whose slices can be made before the call, without the objects that a device link reads.
std::set<std::string> compiled_gpus(const RecordedCall& call) {
  std::set<std::string> gpus;
  for (const RecordedStep& step : call.steps)
    if (step.tool != "nvlink")
      gpus.insert(number_of(step.gpu));
  return gpus;
}

/// `cd DIR && NAME=VALUE nvcc-slices [--only GPU] STORE NVCC NAME ARGUMENTS`.
std::string command(const RecordedCall& call, const Emission& emission, const std::string& gpu) {
  std::string variables;
  for (const auto& [name, value] : call.environment)
    variables += fmt::format("{}={} ", name, shell_word(value));
  std::vector<std::string> words{emission.program};
  if (!gpu.empty())
    words.insert(words.end(), {"--only", gpu});
  words.insert(words.end(), {emission.store, call.nvcc, call.name});
  words.insert(words.end(), call.arguments.begin(), call.arguments.end());
  return fmt::format("cd {} && {}{}", shell_word(call.directory), variables, shell_words(words));
}

std::string for_make(const std::string& command) {
  return replaced(command, "$", "$$");
}

/// A call's source and GPU, for people who read the file.
std::string title(const RecordedCall& call, const std::string& gpu) {
  const std::string source = call.steps.empty() ? std::string() : call.steps.front().source;
  std::string text = gpu.empty() ? source : fmt::format("{} for {}", source, gpu);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::string nix_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts)
    list.append(1, ' ').append(nix_string(text));
  return '[' + list + " ]";
}

/// The name of a call's output, which `-o` gives; the option is removed. Nothing if there is none.
std::string take_output(std::vector<std::string>& arguments) {
  for (auto word = arguments.begin(); word != arguments.end(); ++word)
    if (*word == "-o" && std::next(word) != arguments.end()) {
      std::string output(base_name(*std::next(word)));
      arguments.erase(word, word + 2);
      return output;
    }
  return {};
}

std::string variable(const RecordedCall& call, const char* name) {
  const auto found = call.environment.find(name);
  return nix_string(found == call.environment.end() ? std::string() : found->second);
}

} // namespace

std::vector<Cost> costs(const std::vector<RecordedCall>& calls) {
  std::vector<Cost> costs;
  for (const RecordedCall& call : calls) {
    const std::size_t first = costs.size();
    for (const RecordedStep& step : call.steps) {
      const std::string gpu = "sm_" + number_of(step.gpu);
      auto cost =
          std::find_if(costs.begin() + static_cast<std::ptrdiff_t>(first), costs.end(),
                       [&](const Cost& each) { return each.source == step.source && each.gpu == gpu; });
      if (cost == costs.end())
        cost = costs.insert(costs.end(), Cost{call.directory, step.source, gpu, 0, 0, 0, true});
      (step.tool == "cicc"     ? cost->compile
       : step.tool == "nvlink" ? cost->link
                               : cost->assemble) += step.seconds;
      cost->reused &= step.reused;
    }
  }
  return costs;
}

std::string makefile(const std::vector<RecordedCall>& calls, const Emission& emission) {
  std::string slices, joins, rules;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    std::string needed;
    for (const std::string& gpu : compiled_gpus(calls[at])) {
      const std::string target = fmt::format("slice-{}-{}", at + 1, gpu);
      rules += fmt::format("{}: # {}\n\t+@{}\n", target, title(calls[at], gpu),
                           for_make(command(calls[at], emission, gpu)));
      needed += ' ' + target;
    }
    const std::string target = fmt::format("call-{}", at + 1);
    // A device link reads what the compiling calls write.
    rules += fmt::format("{}:{} # {}\n\t+@{}\n", target, needed.empty() ? " $(compiles)" : needed,
                         title(calls[at], {}), for_make(command(calls[at], emission, {})));
    slices += needed;
    joins += (needed.empty() ? " " : " ") + target;
    if (!needed.empty())
      rules += fmt::format("compiles += {}\n", target);
  }
  return fmt::format("# make -f FILE -jN: the calls; make -f FILE -jN slices: the work for each GPU alone\n"
                     ".SECONDEXPANSION:\nall:{1}\nslices:{0}\n.PHONY: all slices{1}{0}\n{2}",
                     slices, joins, replaced(rules, " $(compiles)", " $$(compiles)"));
}

std::string slurm_script(const std::vector<RecordedCall>& calls, const Emission& emission) {
  std::string cases;
  std::size_t count = 0;
  for (const RecordedCall& call : calls)
    for (const std::string& gpu : compiled_gpus(call))
      cases += fmt::format("{}) # {}\n  {} ;;\n", count++, title(call, gpu), command(call, emission, gpu));
  return fmt::format(
      "#!/bin/sh\n# sbatch FILE: a task for each source and GPU; then run the build, which joins them.\n"
      "#SBATCH --job-name=slices\n#SBATCH --array=0-{}\ncase ${{SLURM_ARRAY_TASK_ID:?}} in\n{}esac\n",
      count == 0 ? 0 : count - 1, cases);
}

std::string nix_expression(const std::vector<RecordedCall>& calls, const Emission& emission) {
  std::string text;
  for (RecordedCall call : calls) {
    const auto gpus = compiled_gpus(call);
    const std::string output = take_output(call.arguments);
    if (gpus.empty() || output.empty())
      continue; // device links need the objects, which other derivations have
    text += fmt::format("{{ # {}\n  src = builtins.path {{ path = {}; name = \"source\"; }};\n"
                        "  output = {}; nvcc = {}; name = {}; prepend = {}; append = {};\n"
                        "  gpus = {};\n  arguments = {}; }}\n",
                        title(call, {}), nix_string(call.directory), nix_string(output),
                        nix_string(call.nvcc), nix_string(call.name), variable(call, "NVCC_PREPEND_FLAGS"),
                        variable(call, "NVCC_APPEND_FLAGS"), nix_list({gpus.begin(), gpus.end()}),
                        nix_list(call.arguments));
  }
  return expanded(templates::slices_nix, {{"PROGRAM", nix_string(emission.program)}, {"CALLS", text}});
}

} // namespace hostpin::slices
