// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "toolchains/base/result.hpp"
#include "toolchains/redist/store/partial.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hostpin::redist {

struct TransferOptions {
  std::string certificates; ///< file of those that are trusted instead of the system's; empty: the system's
  std::string certificate_directory; ///< likewise
  unsigned retries = 5;              ///< after errors that may pass, without progress in between
  std::chrono::seconds stall{30};    ///< without 1 KB/s for so long a transfer has failed
  std::chrono::seconds retry_within = std::chrono::hours(24); ///< of the first attempt; none begins later
  std::chrono::milliseconds first_pause{500}; ///< before the first retry; each next one is twice as long
};

/// What to download.
struct Download {
  std::vector<std::string> urls;                 ///< tried in order if a server has no such file
  std::string path;                              ///< of the partial file
  std::optional<std::uint64_t> size;             ///< bytes that the file must have
  bool resume = true;                            ///< continue what is at `path`
  std::uint64_t most = std::uint64_t{64} << 30U; ///< bytes of a file without `size`
};

/// What was downloaded; its content is not compared with anything yet.
struct Downloaded {
  std::string url;
  std::string sha256;
  std::uint64_t size = 0;     ///< bytes
  std::uint64_t received = 0; ///< of these, by this download
};

/// Downloads several files at once, by libcurl: over HTTPS, HTTP/2 if the server has it, and from files, with
/// the user's proxies (https_proxy ...), certificates (SSL_CERT_FILE ...) and ~/.netrc. Redirects are
/// followed only on the same server. An interrupted transfer continues where it was if the server's file is
/// the same. Not for several threads.
class Transfers {
public:
  using Done = std::function<void(Result<Downloaded>)>;
  /// Bytes that arrived; negative if they have to arrive again.
  using Progress = std::function<void(std::int64_t)>;

  Transfers(const TransferOptions& options, Progress progress);
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;
  ~Transfers();

  /// Begins one; `done` is called by `run`, and may start others.
  void start(Download download, Done done);
  /// How many have not ended.
  std::size_t active() const;
  /// Continues all, waits at most `most` for something to happen, and calls `done` of those that ended.
  void run(std::chrono::milliseconds most);

private:
  class Transfer;
  struct Handles;

  std::unique_ptr<Handles> handles_;
  std::vector<std::unique_ptr<Transfer>> transfers_;
};

/// What the headers of an HTTP response report that matter here.
struct ResponseHeaders {
  int status = 0; ///< 0: not HTTP
  std::string etag, modified;
  std::optional<std::uint64_t> length;      ///< of this response
  std::optional<std::uint64_t> range_start; ///< of 206
  std::optional<std::uint64_t> range_total;

  /// A strong entity tag, else the date of the last change; empty if there is neither.
  std::string validator() const;
};

/// Adds one line of a response; a status line begins a new response.
void add_header(ResponseHeaders& headers, std::string_view line);

} // namespace hostpin::redist
