// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/transfer.hpp"

#include "toolchains/base/os_error.hpp"
#include "toolchains/base/path_text.hpp"
#include "toolchains/base/unicode.hpp"
#include "toolchains/redist/store/urls.hpp"

#include <algorithm>
#include <array>
#include <curl/curl.h>
#include <utility>

namespace hostpin::redist {

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned most_redirects = 5;
constexpr long slowest = 1024;                                           // bytes a second
constexpr long buffer_size = 512L << 10U;                                // libcurl's largest
constexpr std::uint64_t progress_that_counts = std::uint64_t{64} << 10U; // bytes; less is a server that cuts

struct FreeHandle {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

/// Errors after which a server may answer another time.
bool may_pass(CURLcode code) {
  constexpr std::array passing = {CURLE_COULDNT_RESOLVE_PROXY,
                                  CURLE_COULDNT_RESOLVE_HOST,
                                  CURLE_COULDNT_CONNECT,
                                  CURLE_PARTIAL_FILE,
                                  CURLE_OPERATION_TIMEDOUT,
                                  CURLE_SSL_CONNECT_ERROR,
                                  CURLE_GOT_NOTHING,
                                  CURLE_SEND_ERROR,
                                  CURLE_RECV_ERROR,
                                  CURLE_HTTP2,
                                  CURLE_HTTP2_STREAM};
  return std::ranges::find(passing, code) != passing.end();
}

/// Errors that all files of a server have.
bool is_unreachable(CURLcode code) {
  return code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_RESOLVE_HOST ||
         code == CURLE_COULDNT_CONNECT;
}

bool may_pass(int status) {
  return status >= 500 || status == 408 || status == 429; // request timeout, too many requests
}

bool is_absent(int status) {
  return status == 404 || status == 410;
}

} // namespace

struct Transfers::Handles {
  struct FreeMulti {
    void operator()(CURLM* used) const { curl_multi_cleanup(used); }
  };
  Handles() {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi.reset(curl_multi_init());
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    multi.reset();
    curl_global_cleanup();
  }
  std::unique_ptr<CURLM, FreeMulti> multi;
  TransferOptions options;
  Progress progress;
};

/// One download, through all its attempts.
class Transfers::Transfer {
public:
  Transfer(Handles& handles, Download download, Done done)
      : handles_(handles), download_(std::move(download)), done_(std::move(done)) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  ~Transfer() { detach(); }

  CURL* handle() const { return handle_.get(); }
  bool is_over() const { return outcome_.has_value(); }
  bool is_waiting() const { return !handle_ && !is_over(); }
  Clock::time_point next_attempt() const { return next_attempt_; }

  void begin() {
    if (!download_.resume)
      PartialFile::remove(download_.path);
    auto file = PartialFile::open(download_.path, most());
    if (!file)
      return end(tl::unexpected(file.error()));
    file_.emplace(*std::move(file));
    use(download_.urls.front());
    // What a former process received completely needs no server.
    if (download_.size && file_->size() == *download_.size && file_->size() > 0)
      return succeed();
    attempt();
  }

  void attempt() {
    detach();
    headers_ = {};
    write_error_.reset();
    discarding_ = answered_ = false;
    at_start_ = file_->size();
    handle_.reset(curl_easy_init());
    if (!handle_ || !handles_.multi)
      return end(failure("there is not enough memory to download " + escaped(url_)));
    set_options();
    set_range();
    curl_multi_add_handle(handles_.multi.get(), handle_.get());
  }

  /// libcurl is done with this attempt.
  void finish(CURLcode code) {
    const std::string redirect = redirect_url();
    const std::string reason = error_[0] != '\0' ? error_.data() : curl_easy_strerror(code);
    detach();
    if (write_error_)
      return end(tl::unexpected(*write_error_));
    if (code != CURLE_OK)
      return fail(reason, may_pass(code), code == CURLE_FILE_COULDNT_READ_FILE, is_unreachable(code));
    if (!redirect.empty())
      return follow(redirect);
    if (headers_.status == 416) // the part is not one of this file
      return start_over();
    if (headers_.status != 0 && headers_.status != 200 && headers_.status != 206)
      return fail("the server's answer is HTTP " + std::to_string(headers_.status), may_pass(headers_.status),
                  is_absent(headers_.status));
    if (!accept_response()) // an empty file has no body, and so was not accepted yet
      return end(tl::unexpected(*write_error_));
    if (download_.size && file_->size() < *download_.size)
      return end(wrong_size(file_->size()));
    succeed();
  }

  void report() { done_(std::move(*outcome_)); }

private:
  void use(std::string url) {
    url_ = without_user(url);
    requested_ = std::move(url);
  }

  void end(Result<Downloaded> outcome) { outcome_.emplace(std::move(outcome)); }

  void succeed() {
    auto hash = file_->sha256();
    const std::uint64_t size = file_->size();
    file_.reset();
    if (!hash)
      return end(tl::unexpected(hash.error()));
    end(Downloaded{url_, *std::move(hash), size, received_});
  }

  std::uint64_t most() const { return download_.size.value_or(download_.most); }

  tl::unexpected<Error> wrong_size(std::uint64_t found) const {
    if (!download_.size)
      return failure(escaped(url_) + " has more than " + std::to_string(download_.most) + " bytes");
    return failure(escaped(url_) + " has " + std::to_string(found) + " bytes, but the lock has " +
                       std::to_string(*download_.size),
                   "the server has another archive under this name: compare its manifest with the lock by "
                   "`hostpin redist check MANIFEST --against LOCK`");
  }

  void detach() {
    if (handle_ && handles_.multi)
      curl_multi_remove_handle(handles_.multi.get(), handle_.get());
    handle_.reset();
    request_headers_.reset();
  }

  void set_options() {
    CURL* const handle = handle_.get();
    error_.fill('\0');
    curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, error_.data());
    curl_easy_setopt(handle, CURLOPT_URL, requested_.c_str());
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR,
                     "https,http,file"); // urls.hpp decides when http is allowed
    curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    curl_easy_setopt(handle, CURLOPT_USERAGENT, "hostpin");
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    // No CURLOPT_PIPEWAIT: next to a server that has HTTP/1.1 alone, files would come one after another, and
    // what waits for another connection has no time limit (curl issue 13227).
    curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, buffer_size);
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, static_cast<long>(handles_.options.stall.count()));
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, slowest);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(handles_.options.stall.count()));
    if (!handles_.options.certificates.empty())
      curl_easy_setopt(handle, CURLOPT_CAINFO, handles_.options.certificates.c_str());
    if (!handles_.options.certificate_directory.empty())
      curl_easy_setopt(handle, CURLOPT_CAPATH, handles_.options.certificate_directory.c_str());
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, read_header);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, this);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, read_body);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(handle, CURLOPT_PRIVATE, this);
  }

  /// Requests what is missing, if the server's file is still the one that the part is of.
  void set_range() {
    const auto& origin = file_->origin();
    if (file_->size() == 0 || !origin || origin->url != url_ || !url_.starts_with("http"))
      return;
    request_headers_.reset(curl_slist_append(nullptr, ("If-Range: " + origin->validator).c_str()));
    curl_easy_setopt(handle_.get(), CURLOPT_HTTPHEADER, request_headers_.get());
    curl_easy_setopt(handle_.get(), CURLOPT_RANGE, (std::to_string(file_->size()) + '-').c_str());
  }

  /// libcurl adds the user and password that it sent, also those of ~/.netrc.
  std::string redirect_url() const {
    char* found = nullptr;
    curl_easy_getinfo(handle_.get(), CURLINFO_REDIRECT_URL, &found);
    return found == nullptr ? std::string() : found;
  }

  void follow(const std::string& redirect) {
    if (auto checked = check_redirect(url_, redirect); !checked)
      return end(failure_in(escaped(url_), checked.error()));
    if (++redirects_ > most_redirects)
      return end(failure(escaped(url_) + ": more than " + std::to_string(most_redirects) + " redirects"));
    use(redirect);
    attempt();
  }

  void fail(const std::string& reason, bool passes, bool absent, bool unreachable = false) {
    if (file_->size() >= at_start_ + progress_that_counts)
      failures_ = 0;
    if (absent && next_url_ < download_.urls.size()) {
      use(download_.urls.at(next_url_++));
      return attempt();
    }
    if (!passes || failures_ >= handles_.options.retries ||
        Clock::now() - began_ >= handles_.options.retry_within)
      return end(
          failure("cannot download " + escaped(url_) + ": " + escaped(reason) + attempts_text(),
                  !passes             ? ""
                  : !download_.resume ? "try again later"
                  : unreachable       ? "check the connection and the proxy variables, and fetch again "
                                        "later: it continues where it was"
                                      : "fetch again later: it continues where it was",
                  unreachable && passes && download_.resume ? ErrorKind::unreachable : ErrorKind::other));
    next_attempt_ = Clock::now() + handles_.options.first_pause * (1U << std::min(failures_, 6U));
    ++failures_;
  }

  /// How often and how long the server was tried; empty after one attempt.
  std::string attempts_text() const {
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - began_);
    return failures_ == 0 ? ""
                          : " (" + std::to_string(failures_ + 1) + " attempts in " +
                                std::to_string(passed.count()) + " s)";
  }

  void start_over() {
    if (std::exchange(started_over_, true))
      return fail("the server's answer is HTTP 416", false, false);
    if (auto begun = restart({}); !begun)
      return end(tl::unexpected(begun.error()));
    attempt();
  }

  Result<void> restart(const PartOrigin& origin) {
    if (file_->size() > 0)
      handles_.progress(-static_cast<std::int64_t>(file_->size()));
    return file_->restart(origin);
  }

  /// Decides what the body belongs to, before its first byte; false if the transfer cannot go on.
  bool accept_response() {
    if (std::exchange(answered_, true))
      return true;
    if (headers_.status != 0 && headers_.status != 200 && headers_.status != 206) {
      discarding_ = true;
      return true;
    }
    const bool is_part = headers_.status == 206;
    const auto total = is_part ? headers_.range_total : headers_.length;
    if (total && (download_.size ? *total != *download_.size : *total > download_.most))
      return refuse(wrong_size(*total).value());
    // A range from the first byte is the whole file again, as from servers without ranges.
    const bool continues = is_part && headers_.range_start != 0U;
    if (continues && headers_.range_start != file_->size())
      return refuse({escaped(url_) + ": the server sent another range than was requested", ""});
    if (continues)
      return true;
    const auto begun = restart({url_, headers_.status == 0 ? std::string() : headers_.validator()});
    return begun ? true : refuse(begun.error());
  }

  bool refuse(Error error) {
    write_error_ = std::move(error);
    return false;
  }

  bool add_body(std::string_view bytes) {
    if (!accept_response())
      return false;
    if (discarding_)
      return true;
    if (bytes.size() > most() - file_->size())
      return refuse(wrong_size(file_->size() + bytes.size()).value());
    if (const auto added = file_->append(bytes); !added)
      return refuse(added.error());
    received_ += bytes.size();
    handles_.progress(static_cast<std::int64_t>(bytes.size()));
    return true;
  }

  static std::size_t read_header(char* bytes, std::size_t size, std::size_t count, void* transfer) {
    add_header(static_cast<Transfer*>(transfer)->headers_, {bytes, size * count});
    return size * count;
  }
  static std::size_t read_body(char* bytes, std::size_t size, std::size_t count, void* transfer) {
    // Any other number than that of the bytes ends the transfer.
    return static_cast<Transfer*>(transfer)->add_body({bytes, size * count}) ? size * count : 0;
  }

  Handles& handles_;
  Download download_;
  Done done_;
  std::string requested_; ///< with user and password, if it was named with them
  std::string url_;       ///< without: what is printed and stored
  std::size_t next_url_ = 1;
  std::optional<PartialFile> file_;
  std::unique_ptr<CURL, FreeHandle> handle_;
  std::unique_ptr<curl_slist, FreeList> request_headers_;
  std::array<char, CURL_ERROR_SIZE> error_{};
  ResponseHeaders headers_;
  std::optional<Error> write_error_;
  std::optional<Result<Downloaded>> outcome_;
  bool discarding_ = false, answered_ = false, started_over_ = false;
  unsigned failures_ = 0, redirects_ = 0;
  std::uint64_t at_start_ = 0, received_ = 0;
  Clock::time_point began_ = Clock::now(), next_attempt_;
};

Transfers::Transfers(const TransferOptions& options, Progress progress)
    : handles_(std::make_unique<Handles>()) {
  handles_->options = options;
  handles_->progress = std::move(progress);
}

Transfers::~Transfers() {
  transfers_.clear();
}

void Transfers::start(Download download, Done done) {
  transfers_.push_back(std::make_unique<Transfer>(*handles_, std::move(download), std::move(done)));
  transfers_.back()->begin();
}

std::size_t Transfers::active() const {
  return transfers_.size();
}

void Transfers::run(std::chrono::milliseconds most) {
  for (const auto& one : transfers_)
    if (one->is_waiting() && one->next_attempt() <= Clock::now())
      one->attempt();
  int running = 0;
  curl_multi_perform(handles_->multi.get(), &running);
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(handles_->multi.get(), &left)) {
    if (message->msg != CURLMSG_DONE)
      continue;
    const CURLcode code = message->data.result; // the message is gone once its handle is removed
    char* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    reinterpret_cast<Transfer*>(transfer)->finish(code);
  }
  const auto ended = std::stable_partition(transfers_.begin(), transfers_.end(),
                                           [](const auto& one) { return !one->is_over(); });
  std::vector<std::unique_ptr<Transfer>> over(std::make_move_iterator(ended),
                                              std::make_move_iterator(transfers_.end()));
  transfers_.erase(ended, transfers_.end());
  for (const auto& one : over)
    one->report();
  if (over.empty())
    curl_multi_poll(handles_->multi.get(), nullptr, 0, static_cast<int>(most.count()), nullptr);
}

} // namespace hostpin::redist
