#include <fairway/json_writer.hpp>
#include <fairway/text_writer.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <thread>

namespace text_writer_test {

using fw::detail::JsonWriter;
using fw::detail::TextWriter;

TEST_CASE("text writer: parts of any size are concatenated") {
  std::string expected;
  TextWriter text;
  CHECK(text.content() == "");
  for (std::size_t size = 0; size < 3'000; size += 7) {
    const std::string part(size, static_cast<char>('a' + size % 26));
    text.put(part);
    text.put('\0');
    text.put(std::string_view());
    text.put_number(size);
    text.put_bytes<3>([](char* at) { std::memcpy(at, "abc", 3); });
    expected += part + '\0' + std::to_string(size) + "abc";
  }
  CHECK(text.content() == expected);
}

TEST_CASE("text writer: the largest numbers fit") {
  TextWriter text;
  const std::string fill(1'000, 'x');
  std::string expected;
  for (int i = 0; i < 100; ++i) {
    text.put(fill.substr(0, static_cast<std::size_t>(i)));
    text.put_number(std::numeric_limits<std::int64_t>::min());
    text.put_number(std::numeric_limits<std::uint64_t>::max());
    text.put_number(std::numeric_limits<std::int8_t>::min());
    expected += fill.substr(0, static_cast<std::size_t>(i)) +
                "-922337203685477580818446744073709551615-128";
  }
  CHECK(text.content() == expected);
}

TEST_CASE("text writer: nested writers do not share memory") {
  constexpr int kDeep = 8;  // more than a thread keeps
  for (int round = 0; round < 2; ++round) {
    const auto nest = [](const auto& self, int depth) -> std::string {
      TextWriter text;
      text.put_number(depth);
      const std::string inner = depth < kDeep ? self(self, depth + 1) : "";
      text.put(inner);
      return std::string(text.content());
    };
    CHECK(nest(nest, 0) == "012345678");
  }
}

TEST_CASE("text writer: a writer can be used after its thread's buffers are destroyed") {
  std::string written;
  std::thread([&written] {
    struct Late {
      explicit Late(std::string& to) : to_(to) {}
      ~Late() {
        TextWriter text;
        text.put("late");
        to_ = text.content();
      }
      std::string& to_;
    };
    thread_local const Late late(written);  // destroyed after what is constructed later
    TextWriter text;
    text.put("first");
  }).join();
  CHECK(written == "late");
}

TEST_CASE("json writer: a special character is escaped at any position of a string") {
  for (std::size_t size = 1; size < 40; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::string value(size, 'a');
      value[at] = '"';
      std::string expected = value;
      expected.insert(at, "\\");
      JsonWriter json;
      json.string(value);
      CHECK(json.content() == '"' + expected + '"');
    }
  }
}

}  // namespace text_writer_test
