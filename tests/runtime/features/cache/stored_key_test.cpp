#include "features/cache/stored_key.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "base/ascii.hpp"

namespace stored_key_test {

using fw::detail::StoredKey;

std::string key_of_host(std::string_view host, bool is_https = false) {
  StoredKey key("prefix ");
  key.append_host(host, is_https);
  key.append("/path");
  const std::string_view full = key.full();
  CHECK(full.starts_with("prefix "));
  CHECK(full.ends_with("/path"));
  return std::string(full.substr(7, full.size() - 12));
}

TEST_CASE("stored key: the letters of a host are in lower case, and no other bytes change") {
  std::string bytes(256, ' ');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
  // Each byte at each position of a word, in hosts of each length.
  for (std::size_t begin = 0; begin < bytes.size(); ++begin) {
    for (std::size_t size = 1; size <= 17; ++size) {
      const std::string host = bytes.substr(begin, size) + "X";
      CHECK(key_of_host(host) == fw::base::lower_case(host));
    }
  }
  const std::string longest(1000, 'A');
  CHECK(key_of_host(longest) == std::string(1000, 'a'));
}

TEST_CASE("stored key: hosts that are spelled differently are one") {
  CHECK(key_of_host("Example.COM:80") == "example.com");
  CHECK(key_of_host("example.com.") == "example.com");
  CHECK(key_of_host("example.com:443", true) == "example.com");
  CHECK(key_of_host("example.com:443") == "example.com:443");
  CHECK(key_of_host("").empty());
}

TEST_CASE("stored key: a path has percent sequences only where they are needed") {
  const auto plain = [](const char* path) { return fw::detail::plain_path(path, "/:a/x-:b.json"); };
  CHECK(plain("/a/%31%7e~%41") == "/a/1~~A");
  CHECK(plain("/%2f%3F%25%23") == "/%2F%3F%25%23");
  CHECK(plain("/%c3%bc%0a%20%7f") == "/%C3%BC%0A%20%7F");
  // Browsers encode these, so that handlers may have relied on it.
  CHECK(plain("/%3Cb%3e%22%5C%60%7B%7C%7D%5E") == "/%3Cb%3E%22%5C%60%7B%7C%7D%5E");
  for (const char* const malformed : {"/%41%zz", "/%41%4", "/%41%", "/%41%%34%31"}) {
    CHECK(plain(malformed) == malformed);
  }
}

TEST_CASE("stored key: a path is as sent where a character divides a segment") {
  CHECK(fw::detail::plain_path("/a%2Eb.c", "/:page.:format") == "/a%2Eb.c");
  CHECK(fw::detail::plain_path("/%61/b%2Dc", "/:a/:b-:c") == "/%61/b%2Dc");
}

}  // namespace stored_key_test
