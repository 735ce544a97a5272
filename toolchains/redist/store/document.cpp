// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/document.hpp"

#include "toolchains/base/files.hpp"
#include "toolchains/redist/store/urls.hpp"

#include <optional>
#include <utility>

namespace hostpin::redist {

Result<std::string> fetch_document(const std::string& url, std::uint64_t most, const std::string& scratch,
                                   const TransferOptions& options) {
  if (const auto allowed = check_url(url, false); !allowed)
    return failure(allowed.error().message, "use https, or download the file first");
  const std::string path = scratch + "/document";
  std::optional<Result<Downloaded>> outcome;
  Transfers transfers(options, [](std::int64_t) {});
  transfers.start({{url}, path, std::nullopt, false, most},
                  [&](Result<Downloaded> done) { outcome.emplace(std::move(done)); });
  while (transfers.active() > 0)
    transfers.run(std::chrono::milliseconds(100));
  if (!*outcome)
    return tl::unexpected(outcome->error());
  return DiskFiles().read(path, most);
}

} // namespace hostpin::redist
