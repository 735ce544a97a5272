// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/wheel_work.hpp"

#include "toolchains/base/writing.hpp"
#include "toolchains/setup/pip.hpp"
#include "toolchains/setup/watch.hpp"
#include "toolchains/table/cuda_wheels.hpp"
#include "wrapper/setup/place.hpp"
#include "wrapper/setup/wheel_choice.hpp"
#include "wrapper/setup/work.hpp"

#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hostpin::setup {

namespace fs = std::filesystem;

namespace {

std::string files_in(const std::string& state) {
  return state + "/files/cuda";
}

PipPlaces places(const std::string& state) {
  remove_tree(state + "/pip"); // of a call that was killed
  return {state + "/pip", files_in(state)};
}

std::string answer_in(const std::string& state) {
  return state + "/wheels.answer"; // the requirements on the first line, then the report
}

Result<std::string> ask_pip(const Context& context, const std::vector<std::string>& wanted,
                            const std::vector<std::string>& singles, const std::string& state) {
  const std::string first = fmt::format("{}\n", fmt::join(wanted, " "));
  if (auto answer = context.files.read(answer_in(state), largest_plan); answer && answer->starts_with(first))
    return answer->substr(first.size());
  auto report = pip_report(context, wanted, places(state));
  if (!report && !singles.empty())
    if (auto second = pip_report(context, singles, places(state), 0))
      report = std::move(second);
  if (report)
    TRY(replace_file(answer_in(state), first + *report, false));
  return report;
}

} // namespace

Result<Piece> find_wheels(const Context& context, const std::string& data, const Asked& asked,
                          const std::string& state) {
  const auto rows = load_cuda_wheels(context.files, data);
  TRY_ASSIGN(const auto wanted, rows ? wheel_requirements(asked, *rows) : tl::unexpected(rows.error()));
  TRY_ASSIGN(const auto report, ask_pip(context, wanted, single_requirements(asked, *rows), state));
  auto piece = wheels_piece(report, asked);
  if (!piece) {
    std::error_code unknown;
    fs::remove(answer_in(state), unknown); // the index may have another one by now
    return piece;
  }
  for (Package& each : piece->packages)
    if (const auto status = context.files.status(files_in(state) + '/' + each.file))
      each.bytes = status->size;
  return piece;
}

std::uint64_t wheel_bytes(const std::string& state) {
  return bytes_below(files_in(state));
}

Result<void> fetch_wheels(const Context& context, const Piece& piece, const std::string& state) {
  TRY(remove_damaged(piece.packages, files_in(state)));
  Piece missing = piece;
  std::error_code unknown;
  std::erase_if(missing.packages,
                [&](const Package& each) { return fs::exists(files_in(state) + '/' + each.file, unknown); });
  if (missing.packages.empty())
    return {};
  auto fetched = pip_download(context, missing.packages, places(state));
  if (fetched)
    fetched = verify_files(missing, files_in(state));
  if (!fetched)
    fs::remove(answer_in(state), unknown);
  return fetched;
}

} // namespace hostpin::setup
