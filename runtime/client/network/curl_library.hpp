// The functions of libcurl that the outbound client uses. libcurl brings about twenty other shared
// libraries, so that it is loaded when the client is first used, unless it was linked; see
// FAIRWAY_LOAD_LIBCURL in cmake/FairwayLibcurl.cmake.
#pragma once

#include <curl/curl.h>

// clang-format off
#define FAIRWAY_CURL_FUNCTIONS(DO)                                                               \
  DO(global_init) DO(version_info) DO(free)                                                      \
  DO(easy_init) DO(easy_cleanup) DO(easy_reset) DO(easy_setopt) DO(easy_getinfo) DO(easy_pause)  \
  DO(easy_strerror)                                                                              \
  DO(multi_init) DO(multi_cleanup) DO(multi_setopt) DO(multi_add_handle)                         \
  DO(multi_remove_handle) DO(multi_perform) DO(multi_info_read) DO(multi_poll) DO(multi_wakeup)  \
  DO(multi_strerror)                                                                             \
  DO(share_init) DO(share_cleanup) DO(share_setopt)                                              \
  DO(slist_append) DO(slist_free_all)                                                            \
  DO(url) DO(url_cleanup) DO(url_get) DO(url_set) DO(url_strerror)
// clang-format on

namespace fw::client {

/// `easy_init` is `curl_easy_init`, and so on.
struct CurlFunctions {
#define FAIRWAY_CURL_MEMBER(name) decltype(&curl_##name) name;
  FAIRWAY_CURL_FUNCTIONS(FAIRWAY_CURL_MEMBER)
#undef FAIRWAY_CURL_MEMBER
};

/// Loads and initialises libcurl at the first call. Throws std::runtime_error if that is not
/// possible; the next call tries again. Thread-safe.
const CurlFunctions& libcurl();

/// Loads the shared library of this name, which stays loaded. Throws std::runtime_error if there is
/// none, or if it is not libcurl 7.87 or newer. Not defined if libcurl was linked.
CurlFunctions load_libcurl(const char* soname);

}  // namespace fw::client
