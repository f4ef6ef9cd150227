#include "crypto/digests.hpp"

#include <doctest/doctest.h>

#include <string>

#include "base/base64url.hpp"

namespace digests_test {

namespace {

using fw::base::decode_base64url;

std::string encode(std::string_view text) {
  return fw::base::encode_base64url(
      {reinterpret_cast<const unsigned char*>(text.data()), text.size()});
}

}  // namespace

TEST_CASE("base64url: strings of every length and every byte are encoded") {
  CHECK(encode("") == "");
  CHECK(encode("f") == "Zg");
  CHECK(encode("fo") == "Zm8");
  CHECK(encode("foo") == "Zm9v");
  CHECK(encode("\xFB\xFF\xBE") == "-_--");
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    bytes += static_cast<char>(byte);
    CHECK(decode_base64url(encode(bytes)) == bytes);
  }
}

TEST_CASE("base64url: non-canonical input is rejected") {
  for (const std::string text : {"Zg==", "Zh", "Z", "Zm9v+", "Zm9v/", "Zm 9v", "Zm9v\n"}) {
    CAPTURE(text);
    CHECK_FALSE(decode_base64url(text));
  }
}

TEST_CASE("crypto: digests match the test vectors of the standards") {
  // FIPS 180-2, B.1, and RFC 4231, test case 2.
  CHECK(fw::base::encode_base64url(fw::crypto::sha256("abc")) ==
        "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
  CHECK(
      fw::base::encode_base64url(fw::crypto::hmac_sha256("Jefe", "what do ya want for nothing?")) ==
      "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM");
  CHECK(fw::crypto::equal_in_constant_time("abc", "abc"));
  CHECK_FALSE(fw::crypto::equal_in_constant_time("abc", "abd"));
  CHECK_FALSE(fw::crypto::equal_in_constant_time("abc", "abcd"));
}

}  // namespace digests_test
