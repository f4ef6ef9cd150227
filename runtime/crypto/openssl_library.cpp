// Loads OpenSSL. Empty if it was linked.
#define FAIRWAY_OPENSSL_LIBRARY
#include "crypto/openssl.hpp"

#ifndef FAIRWAY_LINKS_OPENSSL

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstddef>
#include <dlfcn.h>
#include <stdexcept>

// FAIRWAY_LIBCRYPTO and FAIRWAY_LIBSSL are the names: "libcrypto.so.3" and "libssl.so.3". The note
// shows them to tools that look for what a program needs:
// https://uapi-group.org/specifications/specs/elf_dlopen_metadata/
asm(R"(
.pushsection .note.dlopen, "a", %note
.balign 4
.long 4, 1f - 0f, 0x407c0c0a
.asciz "FDO"
0: .asciz "[{\"soname\":[\")" FAIRWAY_LIBCRYPTO
    R"(\"],\"feature\":\"digests\",\"priority\":\"required\"},{\"soname\":[\")" FAIRWAY_LIBSSL
    R"(\"],\"feature\":\"tls\",\"priority\":\"required\"}]"
1: .balign 4
.popsection
)");

namespace fw::crypto {
namespace {

/// The functions of a library, which stays loaded, because it keeps pointers to its users.
template <std::size_t kCount>
std::array<void*, kCount> find_all(const char* soname, const char* const (&names)[kCount]) {
  void* const library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw std::runtime_error(
        fmt::format("OpenSSL is needed, and cannot be loaded: {} (Debian: libssl3)", dlerror()));
  }
  std::array<void*, kCount> functions{};
  for (std::size_t i = 0; i < kCount; ++i) {
    functions[i] = dlsym(library, names[i]);
    if (functions[i] == nullptr) {
      throw std::runtime_error(fmt::format("OpenSSL 3 is needed: {} has no {}", soname, names[i]));
    }
  }
  return functions;
}

}  // namespace

std::atomic<const LibcryptoFunctions*> loaded_libcrypto = nullptr;
std::atomic<const LibsslFunctions*> loaded_libssl = nullptr;

// A pointer to a function is as large as one to data, for dlsym (POSIX).
#define FAIRWAY_OPENSSL_NAME(name) #name,

LibcryptoFunctions find_libcrypto(const char* soname) {
  static constexpr const char* kNames[] = {FAIRWAY_LIBCRYPTO_FUNCTIONS(FAIRWAY_OPENSSL_NAME)};
  return std::bit_cast<LibcryptoFunctions>(find_all(soname, kNames));
}

LibsslFunctions find_libssl(const char* soname) {
  static constexpr const char* kNames[] = {FAIRWAY_LIBSSL_FUNCTIONS(FAIRWAY_OPENSSL_NAME)};
  return std::bit_cast<LibsslFunctions>(find_all(soname, kNames));
}

#undef FAIRWAY_OPENSSL_NAME

const LibcryptoFunctions& load_libcrypto() {
  static const LibcryptoFunctions functions = find_libcrypto(FAIRWAY_LIBCRYPTO);
  loaded_libcrypto.store(&functions, std::memory_order_release);
  return functions;
}

const LibsslFunctions& load_libssl() {
  static const LibsslFunctions functions = find_libssl(FAIRWAY_LIBSSL);
  loaded_libssl.store(&functions, std::memory_order_release);
  return functions;
}

}  // namespace fw::crypto

#endif
