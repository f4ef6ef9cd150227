// OpenSSL is loaded when it is first used.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "crypto/openssl.hpp"

namespace openssl_library_test {

namespace {

std::string error_of(auto function) {
  try {
    function();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("OpenSSL: the error of a missing library names its package") {
  const std::string expected =
      "OpenSSL is needed, and cannot be loaded: libnone.so.3: cannot open shared object file: No "
      "such file or directory (Debian: libssl3)";
  CHECK(error_of([] { fw::crypto::find_libcrypto("libnone.so.3"); }) == expected);
  CHECK(error_of([] { fw::crypto::find_libssl("libnone.so.3"); }) == expected);
}

TEST_CASE("OpenSSL: another library of this name is an error") {
  CHECK(error_of([] {
          fw::crypto::find_libcrypto("libm.so.6");
        }).starts_with("OpenSSL 3 is needed: libm.so.6 has no "));
  CHECK(error_of([] {
          fw::crypto::find_libssl("libcrypto.so.3");
        }).starts_with("OpenSSL 3 is needed: libcrypto.so.3 has no "));
}

TEST_CASE("OpenSSL: threads that need it at the same time use one") {
  std::vector<const fw::crypto::LibsslFunctions*> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& each : found) threads.emplace_back([&] { each = &fw::crypto::libssl(); });
  }
  for (const auto* each : found) CHECK(each == found.front());
  CHECK((OpenSSL_version_num() >> 28) == 3);
}

}  // namespace openssl_library_test
