// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "toolchains/redist/store/urls.hpp"

#include "toolchains/base/path_text.hpp"
#include "toolchains/base/text.hpp"
#include "toolchains/base/unicode.hpp"

#include <algorithm>
#include <curl/curl.h>
#include <memory>

namespace hostpin::redist {

namespace {

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part(CURLU* url, CURLUPart which, unsigned flags = 0) {
  char* found = nullptr;
  if (curl_url_get(url, which, &found, flags) != CURLUE_OK)
    return {};
  std::string text = found;
  curl_free(found);
  return lower_case(text);
}

/// Of a literal address or the name that resolvers may not send elsewhere (RFC 6761, 6.3).
bool is_loopback(const std::string& host) {
  const bool is_dotted = std::ranges::all_of(host, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  return host == "localhost" || host == "[::1]" || (is_dotted && host.starts_with("127."));
}

} // namespace

Result<Url> parse_url(const std::string& url) {
  const std::unique_ptr<CURLU, FreeUrl> parsed(curl_url());
  if (!parsed || !is_url(url) ||
      curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
    // What precedes an @ may be a password, also where it has a character that ends the host.
    return failure("'" + escaped(url.substr(url.rfind('@') + 1)) + "' is not a URL");
  return Url{part(parsed.get(), CURLUPART_SCHEME), part(parsed.get(), CURLUPART_HOST),
             part(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT)};
}

Result<void> check_url(const std::string& url, bool named) {
  TRY_ASSIGN(const auto parsed, parse_url(url));
  if (parsed.scheme == "https" || parsed.scheme == "file")
    return {};
  if (parsed.scheme != "http")
    return failure(escaped(without_user(url)) + " is neither an https nor a file URL");
  if (named || is_loopback(parsed.host))
    return {};
  return failure(escaped(without_user(url)) + " would be fetched without encryption",
                 "use https, or name the server with --mirror");
}

Result<void> check_redirect(const std::string& from, const std::string& to) {
  const auto old_url = parse_url(from), new_url = parse_url(to);
  if (!old_url || !new_url)
    return tl::unexpected((old_url ? new_url : old_url).error());
  const bool upgrades = old_url->scheme == "http" && new_url->scheme == "https";
  const bool is_same = old_url->scheme == new_url->scheme && old_url->port == new_url->port;
  if (old_url->host == new_url->host && (is_same || upgrades))
    return {};
  return failure("it redirects to " + escaped(without_user(to)) + ", which is another server",
                 "if you trust that server, name it: with --mirror, or in the URL of a manifest");
}

namespace {

std::string path_by_product(const LockedArchive& archive) {
  return archive.product + "/redist/" + archive.path;
}

} // namespace

Result<std::vector<std::string>> urls_of(const Lock& lock, const LockedArchive& archive,
                                         const std::string& mirror) {
  if (mirror.empty()) {
    std::string url = url_of(lock, archive);
    TRY(check_url(url, false));
    return std::vector<std::string>{std::move(url)};
  }
  TRY(check_url(mirror, true));
  const std::string base = mirror + (mirror.ends_with('/') ? "" : "/");
  return std::vector<std::string>{base + archive.path, base + path_by_product(archive)};
}

Result<std::string> mirrored_file(const LockedArchive& archive, const std::string& mirror,
                                  const Files& files) {
  const std::string below = path_by_product(archive);
  for (const std::string& path : {mirror + '/' + archive.path, mirror + '/' + below})
    if (auto real = files.real_path(path))
      return *std::move(real);
  return failure("there is neither " + archive.path + " nor " + below + " in " + mirror,
                 "copy the archive there, or fetch without --mirror");
}

} // namespace hostpin::redist
