// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/page.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/options/progress_line.hpp"
#include "toolchains/setup/runtime.hpp"
#include "wrapper/bind/binding.hpp"
#include "wrapper/setup/place.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace hostpin::setup {

namespace {

using Rows = std::vector<std::vector<Cell>>;
using options::amount_text;

/// Where a piece comes from: the server of its files, without credentials.
std::string server_of(const Piece& piece) {
  if (piece.packages.empty())
    return {};
  const std::string& address = piece.packages.front().address;
  const std::size_t scheme = address.find("://");
  if (scheme == std::string::npos)
    return address.empty() ? "" : directory_of(address);
  return address.substr(0, address.find('/', scheme + 3));
}

void add_piece(Rows& rows, const Piece& piece) {
  const std::string server = server_of(piece);
  rows.push_back({{"fetch"},
                  {title(piece)},
                  {fmt::format("{}{} {}", bytes_of(piece) == 0 ? "" : amount_text(bytes_of(piece)) + " in ",
                               piece.packages.size(), piece.packages.size() == 1 ? "file" : "files")},
                  {piece.suite_name + (server.empty() ? "" : ", " + server), Tone::plain, true},
                  {piece.license.empty() ? "free software" : piece.license,
                   piece.license.empty() ? Tone::quiet : Tone::doubtful}});
  if (!piece.why.empty())
    rows.push_back({{""}, {piece.why, Tone::quiet}});
}

/// The files, as far as they are few; others are in the JSON.
Rows package_rows(const Piece& piece) {
  constexpr std::size_t most = 8;
  std::vector<const Package*> order;
  for (const Package& each : piece.packages)
    order.push_back(&each);
  std::ranges::stable_sort(order, std::greater(), &Package::bytes);
  Rows rows;
  for (std::size_t i = 0; i < std::min(order.size(), most); ++i)
    rows.push_back({{"  "},
                    {order[i]->name, Tone::quiet},
                    {order[i]->version, Tone::quiet},
                    {amount_text(order[i]->bytes), Tone::quiet}});
  if (order.size() > most)
    rows.push_back({{"  "},
                    {fmt::format("and {} more", order.size() - most), Tone::quiet},
                    {"--dry-run --json lists all", Tone::quiet}});
  return rows;
}

std::string heading(std::string_view text, const Terminal& terminal) {
  return fmt::format("\n{}\n", terminal.paint(text, Tone::heading));
}

} // namespace

std::string plan_page(const Plan& plan, const std::vector<License>& licenses, const std::string& directory,
                      const Terminal& terminal) {
  Rows here{{{"stdenv"}, {plan.piece(Piece::Kind::stdenv) != nullptr ? "none" : plan.stdenv}}};
  if (plan.toolkit)
    here.push_back({{"toolkit"}, {plan.toolkit->what}, {plan.toolkit->path, Tone::quiet}});
  if (plan.compiler)
    here.push_back({{"compiler"}, {plan.compiler->what}, {plan.compiler->path, Tone::quiet}});
  std::string text = terminal.paint("here", Tone::heading) + '\n' + columns(here, terminal);
  if (plan.pieces.empty())
    return text + heading("plan", terminal) +
           columns({{{"nothing is missing: nothing is fetched"}}, {{"bind"}, {directory + "/toolchain"}}},
                   terminal);
  text += heading(
      fmt::format("plan for {}, without root: nothing outside is changed but hostpin's cache", directory),
      terminal);
  for (const Piece& piece : plan.pieces) {
    Rows rows;
    add_piece(rows, piece);
    text += columns(rows, terminal) + columns(package_rows(piece), terminal);
  }
  std::uint64_t space = 0;
  for (const Piece& piece : plan.pieces)
    space += space_for(piece);
  text += columns({{{"in all"},
                    {amount_text(bytes_of(plan)) + " to fetch"},
                    {"up to " + amount_text(space) + " of disk space", Tone::quiet}}},
                  terminal);
  for (const License& license : licenses)
    text +=
        columns({{{"license"}, {license.name}, {"of " + license.of}, {license.address, Tone::plain, true}}},
                terminal);
  for (const std::string& note : plan.notes)
    text += columns({{{"note:", Tone::doubtful}, {note}}}, terminal);
  return text;
}

std::string known_page(const KnownSetup& known, const Terminal& terminal) {
  Rows rows;
  for (std::size_t i = 0; i < known.titles.size(); ++i)
    rows.push_back({{known.titles[i]}, {known.directory + '/' + known.places[i], Tone::quiet}});
  if (rows.empty())
    rows.push_back({{"toolkit"}, {known.toolkit}});
  rows.push_back({{"bound"}, {known.directory + '/' + toolchain_name, Tone::quiet}});
  return terminal.paint(known.directory + " is set up", Tone::heading) + '\n' + columns(rows, terminal);
}

std::string stdenv_page(const FetchedStdenv& stdenv, const Terminal& terminal) {
  Rows rows{{{"links"}, {fmt::format("{} with its libstdc++", stdenv.name)}, {stdenv.root, Tone::quiet}},
            {{"runs with"}, {"this machine's C library"}, {stdenv.library, Tone::quiet}}};
  if (!stdenv.lacking.empty())
    rows.push_back(
        {{"run path"},
         {fmt::format("{}/{}", stdenv.root, runtime_name)},
         {fmt::format("{}: this machine lacks them", fmt::join(stdenv.lacking, ", ")), Tone::quiet}});
  return columns(rows, terminal);
}

std::string next_lines(const std::string& directory, const std::string& stdenv, const std::string& program,
                       const Terminal& terminal) {
  const std::string bound = directory + '/' + toolchain_name;
  Rows rows;
  if (!stdenv.empty())
    rows.push_back(
        {{"first"},
         {fmt::format("export PATH={}:\"$PATH\"", shell_word(stdenv + "/bin")), Tone::plain, true}});
  rows.insert(rows.end(),
              {{{"CMake"}, {bind::cmake_command(bound), Tone::plain, true}},
               {{"make"}, {shell_words({"make", "NVCC=" + bound + "/nvcc"}), Tone::plain, true}},
               {{"pip"},
                {fmt::format("eval \"$({} env --bound {})\" && pip install .", program, shell_word(bound)),
                 Tone::plain, true}}});
  return columns(rows, terminal);
}

} // namespace hostpin::setup
