#include "client/network/curl_library.hpp"

#include <fmt/format.h>

#include <stdexcept>

#ifdef FAIRWAY_LIBCURL
#include <dlfcn.h>
#endif

namespace fw::client {
namespace {

#ifdef FAIRWAY_LIBCURL  // its name: "libcurl.so.4"

// Names the library to tools that look for what a program needs, which `readelf -n` shows, too:
// https://uapi-group.org/specifications/specs/elf_dlopen_metadata/
asm(R"(
.pushsection .note.dlopen, "a", %note
.balign 4
.long 4, 1f - 0f, 0x407c0c0a
.asciz "FDO"
0: .asciz "[{\"soname\":[\")" FAIRWAY_LIBCURL
    R"(\"],\"feature\":\"fetch\",\"priority\":\"recommended\"}]"
1: .balign 4
.popsection
)");

CurlFunctions find_libcurl() { return load_libcurl(FAIRWAY_LIBCURL); }

#else

CurlFunctions find_libcurl() {
#define FAIRWAY_CURL_LINKED(name) .name = &curl_##name,
  return {FAIRWAY_CURL_FUNCTIONS(FAIRWAY_CURL_LINKED)};
#undef FAIRWAY_CURL_LINKED
}

#endif

}  // namespace

#ifdef FAIRWAY_LIBCURL
CurlFunctions load_libcurl(const char* soname) {
  // Never unloaded: OpenSSL, which the server uses too, keeps pointers to functions of its users.
  void* const library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error(fmt::format(
        "the outbound client needs libcurl, which cannot be loaded: {} (Debian: libcurl4)",
        dlerror()));
  }
  const auto find = [&]<class Function>(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr) {
      throw std::runtime_error(fmt::format(
          "the outbound client needs libcurl 7.87 or newer: {} has no {}", soname, name));
    }
  };
  CurlFunctions functions{};
#define FAIRWAY_CURL_FIND(name) find(functions.name, "curl_" #name);
  FAIRWAY_CURL_FUNCTIONS(FAIRWAY_CURL_FIND)
#undef FAIRWAY_CURL_FIND
  return functions;
}
#endif

const CurlFunctions& libcurl() {
  static CurlFunctions functions = [] {  // tests replace some
    const CurlFunctions found = find_libcurl();
    constexpr unsigned kOldest = 0x075700;  // 7.87.0
    const curl_version_info_data& info = *found.version_info(CURLVERSION_NOW);
    if (info.version_num < kOldest) {
      throw std::runtime_error(fmt::format(
          "the outbound client needs libcurl 7.87 or newer, and the system's is {}", info.version));
    }
    if (const CURLcode code = found.global_init(CURL_GLOBAL_DEFAULT); code != CURLE_OK) {
      throw std::runtime_error(
          fmt::format("libcurl cannot be used: {}", found.easy_strerror(code)));
    }
    return found;
  }();
  return functions;
}

}  // namespace fw::client
