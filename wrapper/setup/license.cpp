// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrapper/setup/license.hpp"

#include "toolchains/document/reader.hpp"

#include <algorithm>
#include <ctime>
#include <map>

#include <fmt/format.h>

namespace hostpin::setup {

namespace {

using Addresses = std::map<std::string, std::string, std::less<>>;

Result<Addresses> load_addresses(const Files& files, const std::string& data) {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto license_row = [](document::Reader& row) {
    std::pair taken(row.required("name"), row.required("address"));
    row.required("source");
    return taken;
  };
  TRY(document::read_tables(files, data + "/licenses.toml", "licenses.toml has [[license]] rows only",
                            [&](document::Reader& document) {
                              document.rows("license", "a row has a name, an address and a source", rows,
                                            license_row);
                            }));
  return Addresses(rows.begin(), rows.end());
}

std::string with_version(std::string address, const Version& version) {
  constexpr std::string_view placeholder = "{version}";
  if (const std::size_t at = address.find(placeholder); at != std::string::npos)
    address.replace(at, placeholder.size(), to_full_string({version.major, version.minor, 0}));
  return address;
}

} // namespace

Result<std::vector<License>> licenses_of(const Plan& plan, const Files& files, const std::string& data) {
  std::vector<License> licenses;
  for (const Piece& piece : plan.pieces) {
    if (piece.license.empty())
      continue;
    TRY_ASSIGN(const auto addresses, load_addresses(files, data));
    const auto found = addresses.find(piece.license);
    licenses.push_back({piece.license, title(piece),
                        found == addresses.end() ? "" : with_version(found->second, piece.version)});
  }
  return licenses;
}

Result<std::vector<Consent>> accept(const std::vector<License>& licenses, bool accepted,
                                    const Questions& questions, const std::string& now) {
  std::vector<Consent> consents;
  for (const License& license : licenses) {
    if (accepted) {
      consents.push_back({license, "--accept-eula", now});
      continue;
    }
    const std::string where = license.address.empty() ? "" : " (" + license.address + ')';
    if (!questions.terminal)
      return failure(
          fmt::format("{} comes under the {}{}, which has to be accepted", license.of, license.name, where),
          "read it, and add --accept-eula to accept it");
    const auto answer = questions.ask(
        fmt::format("{} comes under the {}{}.\nType accept to accept it: ", license.of, license.name, where));
    if (answer != "accept")
      return failure(fmt::format("the {} was not accepted; nothing was fetched", license.name),
                     "name a toolkit that is there, or run it again");
    consents.push_back({license, "typed on a terminal", now});
  }
  return consents;
}

std::string utc_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

} // namespace hostpin::setup
