// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libcurl's functions as redist-fetch calls them, each passed on to the system's libcurl, which is loaded at
// the first call: that one knows the system's certificates and its administrator's crypto policy, and is
// updated with it.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <curl/curl.h>
#include <dlfcn.h>
#include <initializer_list>

#undef curl_easy_setopt
#undef curl_easy_getinfo

namespace {

[[noreturn]] void fail(const char* why) {
  std::fprintf(stderr,
               "hostpin: error: the system's libcurl is needed to download: %s\n"
               "hint: install libcurl 7.66 or newer: libcurl4 (Debian, Ubuntu), libcurl (Fedora, RHEL 9) or "
               "libcurl4 (openSUSE)\n",
               why);
  std::exit(2);
}

void* library() {
  static void* const handle = [] {
    // Debian has two of the same interface; those of other distributions have the first name.
    for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"})
      if (void* const found = ::dlopen(name, RTLD_NOW | RTLD_LOCAL))
        return found;
    fail(::dlerror());
  }();
  return handle;
}

/// The library's function of this name; `declared` has its type.
template <typename Function>
Function* loaded(Function* /*declared*/, const char* name) {
  void* const found = ::dlsym(library(), name);
  if (found == nullptr)
    fail(::dlerror());
  return reinterpret_cast<Function*>(found);
}

/// Before 7.85 the protocols were a number.
CURLcode allow_protocols(CURL* handle) {
  constexpr auto protocols = static_cast<CURLoption>(181); // CURLOPT_PROTOCOLS, deprecated since
  constexpr long https_http_file = 1L << 1U | 1L << 0U | 1L << 10U;
  return loaded(curl_easy_setopt, "curl_easy_setopt")(handle, protocols, https_http_file);
}

} // namespace

#define HOSTPIN_LOADED(name) loaded(name, #name)

CURLcode curl_global_init(long flags) {
  return HOSTPIN_LOADED(curl_global_init)(flags);
}
void curl_global_cleanup() {
  HOSTPIN_LOADED(curl_global_cleanup)();
}
CURL* curl_easy_init() {
  return HOSTPIN_LOADED(curl_easy_init)();
}
void curl_easy_cleanup(CURL* handle) {
  HOSTPIN_LOADED(curl_easy_cleanup)(handle);
}
const char* curl_easy_strerror(CURLcode code) {
  return HOSTPIN_LOADED(curl_easy_strerror)(code);
}
// Every value is a pointer or a number of the same size, which are passed alike on x86_64 and aarch64.
CURLcode curl_easy_setopt(CURL* handle, CURLoption option, ...) {
  std::va_list values;
  va_start(values, option);
  void* const value = va_arg(values, void*);
  va_end(values);
  const CURLcode code = HOSTPIN_LOADED(curl_easy_setopt)(handle, option, value);
  return code == CURLE_UNKNOWN_OPTION && option == CURLOPT_PROTOCOLS_STR ? allow_protocols(handle) : code;
}
CURLcode curl_easy_getinfo(CURL* handle, CURLINFO info, ...) {
  std::va_list values;
  va_start(values, info);
  void* const value = va_arg(values, void*);
  va_end(values);
  return HOSTPIN_LOADED(curl_easy_getinfo)(handle, info, value);
}
CURLM* curl_multi_init() {
  return HOSTPIN_LOADED(curl_multi_init)();
}
CURLMcode curl_multi_cleanup(CURLM* multi) {
  return HOSTPIN_LOADED(curl_multi_cleanup)(multi);
}
CURLMcode curl_multi_add_handle(CURLM* multi, CURL* handle) {
  return HOSTPIN_LOADED(curl_multi_add_handle)(multi, handle);
}
CURLMcode curl_multi_remove_handle(CURLM* multi, CURL* handle) {
  return HOSTPIN_LOADED(curl_multi_remove_handle)(multi, handle);
}
CURLMcode curl_multi_perform(CURLM* multi, int* running) {
  return HOSTPIN_LOADED(curl_multi_perform)(multi, running);
}
CURLMsg* curl_multi_info_read(CURLM* multi, int* left) {
  return HOSTPIN_LOADED(curl_multi_info_read)(multi, left);
}
CURLMcode curl_multi_poll(CURLM* multi, curl_waitfd* others, unsigned count, int milliseconds, int* ready) {
  return HOSTPIN_LOADED(curl_multi_poll)(multi, others, count, milliseconds, ready);
}
curl_slist* curl_slist_append(curl_slist* list, const char* text) {
  return HOSTPIN_LOADED(curl_slist_append)(list, text);
}
void curl_slist_free_all(curl_slist* list) {
  HOSTPIN_LOADED(curl_slist_free_all)(list);
}
void curl_free(void* memory) {
  HOSTPIN_LOADED(curl_free)(memory);
}
CURLU* curl_url() {
  return HOSTPIN_LOADED(curl_url)();
}
void curl_url_cleanup(CURLU* url) {
  HOSTPIN_LOADED(curl_url_cleanup)(url);
}
CURLUcode curl_url_get(CURLU* url, CURLUPart part, char** text, unsigned flags) {
  return HOSTPIN_LOADED(curl_url_get)(url, part, text, flags);
}
CURLUcode curl_url_set(CURLU* url, CURLUPart part, const char* text, unsigned flags) {
  return HOSTPIN_LOADED(curl_url_set)(url, part, text, flags);
}
