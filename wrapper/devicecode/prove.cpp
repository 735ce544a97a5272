// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/devicecode/prove.hpp"

#include "toolchains/base/unicode.hpp"
#include "toolchains/binary/blob.hpp"
#include "toolchains/gpus/item.hpp"
#include "wrapper/command/json_text.hpp"
#include "wrapper/devicecode/commands.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace hostpin::command {

namespace {

using devicecode::Difference;
using devicecode::Proof;

constexpr const char* list_hint = "name GPUs by their compute capability, such as \"8.0;9.0\"";

/// GPUs have no variants: those are of code.
Result<std::vector<gpus::Capability>> gpus_of(const std::string& list, const std::vector<gpus::Gpu>& rows) {
  std::vector<gpus::Capability> found;
  for (const std::string_view item : gpus::items_of(list)) {
    const std::string shown = gpus::visible(item, 60);
    const auto read = gpus::listed_capability(item);
    if (!read)
      return failure(fmt::format("--gpus: \"{}\": {}", shown, read.error().message), list_hint);
    if (read->ptx || read->capability != gpus::baseline(read->capability))
      return failure(fmt::format("--gpus: \"{}\" is a kind of code, not a GPU", shown), list_hint);
    if (!gpus::find_gpu(rows, read->capability))
      return failure(fmt::format("--gpus: no known GPU has the compute capability {}", shown), list_hint);
    if (std::find(found.begin(), found.end(), read->capability) == found.end())
      found.push_back(read->capability);
  }
  return found;
}

Result<devicecode::ProofTerms> terms_of(const Context& context, const ProveOptions& options,
                                        const std::vector<gpus::Gpu>& rows) {
  auto gpus = gpus_of(options.gpus, rows);
  if (!gpus)
    return tl::unexpected(gpus.error());
  devicecode::ProofTerms terms{rows, *std::move(gpus), {}};
  if (options.driver) {
    TRY_ASSIGN(const auto drivers, gpus::load_drivers(context.files, context.tree.data));
    auto driver = gpus::driver_named(drivers, *options.driver);
    if (!driver)
      return tl::unexpected(driver.error());
    terms.driver = *std::move(driver);
  }
  return terms;
}

Result<Proof> proof_of(const Context& context, const ProveOptions& options) {
  TRY_ASSIGN(const auto rows, gpus::load_gpus(context.files, context.tree.data));
  TRY_ASSIGN(const auto terms, terms_of(context, options, rows));
  const auto open = [](const std::string& path) {
    return binary::open_blob(path).map_error([&](const Error& error) {
      return Error{escaped(path) + ": " + error.message, error.hint};
    });
  };
  TRY_ASSIGN(const auto before, open(options.before));
  TRY_ASSIGN(const auto after, open(options.after));
  return devicecode::prove(before, after, terms);
}

std::string text_of(const Difference& difference) {
  std::string text = "\n  ";
  if (difference.gpu)
    text += gpus::to_string(*difference.gpu) + "  ";
  return text + escaped(difference.where) + ": " + difference.what;
}

Error disproof(const Proof& proof, const ProveOptions& options) {
  std::string text =
      fmt::format("{} does not give the same as {}:", escaped(options.after), escaped(options.before));
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(most, proof.differences.size()); ++i)
    text += text_of(proof.differences[i]);
  if (proof.count > most)
    text += fmt::format("\n  and {} more: --json lists the first {}", proof.count - most, Proof::most_listed);
  return {text, {}};
}

void print_json(const Proof& proof) {
  Json json{{"schema", 1},
            {"proven", proof.holds()},
            {"fatbins", proof.fatbins},
            {"needs_zstd", proof.needs_zstd},
            {"count", proof.count},
            {"differences", Json::array()}};
  for (const Difference& difference : proof.differences)
    json["differences"].push_back({{"where", difference.where},
                                   {"gpu", difference.gpu ? Json(gpus::to_string(*difference.gpu)) : Json()},
                                   {"what", difference.what}});
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

} // namespace

int run_fatbin_prove(const Context& context, const ProveOptions& options) {
  const auto proof = proof_of(context, options);
  if (!proof) {
    report(proof.error());
    return exit_broken;
  }
  if (options.json)
    print_json(*proof);
  if (proof->needs_zstd && !options.driver)
    report_note("the new file needs the NVIDIA driver of CUDA 12.4 or later, because of zstd");
  if (!proof->holds()) {
    report(disproof(*proof, options));
    return exit_refused;
  }
  if (!options.json)
    fmt::print("proven: {} gives GPUs {} the same code in {} fatbin{}\n", escaped(options.after),
               gpus::visible(options.gpus, 200), proof->fatbins, proof->fatbins == 1 ? "" : "s");
  return exit_fine;
}

} // namespace hostpin::command
