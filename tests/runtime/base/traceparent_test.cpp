#include "base/traceparent.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace traceparent_test {

using fw::base::parse_traceparent;
using fw::base::passed_tracestate;

namespace {

const std::string kIds = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";

/// What is sent after a header was received; "none" if it is malformed.
std::string read_back(const std::string& text) {
  const auto parent = parse_traceparent(text);
  return parent ? to_string(*parent) : "none";
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("traceparent: a header of version 00 is read as it is written") {
  CHECK(read_back("00-" + kIds + "01") == "00-" + kIds + "01");
  CHECK(read_back("00-" + kIds + "00") == "00-" + kIds + "00");
  CHECK(parse_traceparent("00-" + kIds + "01")->is_sampled());
  CHECK(!parse_traceparent("00-" + kIds + "02")->is_sampled());
}

TEST_CASE("traceparent: the flag for a random id is passed on, unknown flags are not") {
  CHECK(read_back("00-" + kIds + "03") == "00-" + kIds + "03");
  CHECK(read_back("00-" + kIds + "ff") == "00-" + kIds + "03");
  CHECK(read_back("00-" + kIds + "fc") == "00-" + kIds + "00");
}

TEST_CASE("traceparent: of a later version, the known parts are read") {
  CHECK(read_back("cc-" + kIds + "01") == "00-" + kIds + "01");
  CHECK(read_back("cc-" + kIds + "01-more") == "00-" + kIds + "01");
  CHECK(read_back("cc-" + kIds + "01.more") == "none");
  CHECK(read_back("ff-" + kIds + "01") == "none");
}

TEST_CASE("traceparent: malformed headers are none") {
  CHECK(read_back("") == "none");
  CHECK(read_back("00-" + kIds + "0") == "none");
  CHECK(read_back("00-" + kIds + "01-") == "none");
  CHECK(read_back("00-" + kIds + "01-more") == "none");
  CHECK(read_back("00-" + kIds + "0x") == "none");
  CHECK(read_back("0x-" + kIds + "01") == "none");
  CHECK(read_back("00_" + kIds + "01") == "none");
  CHECK(read_back("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01") == "none");
  CHECK(read_back("00-" + std::string(32, '0') + "-b7ad6b7169203331-01") == "none");
  CHECK(read_back("00-0af7651916cd43dd8448eb211c80319c-" + std::string(16, '0') + "-01") == "none");
  // Two lines of the field, joined.
  CHECK(read_back("00-" + kIds + "01, 00-" + kIds + "01") == "none");
}

TEST_CASE("traceparent: new ids differ, and say that they are random") {
  const auto one = fw::base::make_traceparent();
  const auto other = fw::base::make_traceparent();
  CHECK(one.trace != other.trace);
  CHECK(one.span != other.span);
  CHECK(to_string(one).ends_with("-03"));
  CHECK(read_back(to_string(one)) == to_string(one));
}

TEST_CASE("traceparent: the ids of all threads differ, and each bit of their right half varies") {
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kOfEach = 2'000;
  std::array<std::vector<fw::base::TraceParent>, kThreads> made;
  std::vector<std::thread> threads;
  for (auto& own : made) {
    threads.emplace_back([&own] {
      for (std::size_t i = 0; i < kOfEach; ++i) own.push_back(fw::base::make_traceparent());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::array<unsigned char, 16>> traces;
  std::set<std::array<unsigned char, 8>> spans;
  std::array<std::size_t, 64> ones{};
  for (const auto& own : made) {
    for (const fw::base::TraceParent& each : own) {
      traces.insert(each.trace.bytes);
      spans.insert(each.span.bytes);
      for (std::size_t bit = 0; bit < ones.size(); ++bit) {
        ones[bit] += (each.trace.bytes[8 + bit / 8] >> bit % 8) & 1U;
      }
    }
  }
  constexpr std::size_t kAll = kThreads * kOfEach;
  CHECK(traces.size() == kAll);
  CHECK(spans.size() == kAll);
  // Eleven standard deviations around the half of them.
  for (const std::size_t count : ones) {
    CHECK(count > kAll / 2 - 500);
    CHECK(count < kAll / 2 + 500);
  }
}

TEST_CASE("traceparent: a child of fork begins other traces than its parent") {
  (void)fw::base::make_traceparent();  // both have the generator
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string own = to_string(fw::base::make_traceparent());
    _exit(write(ends[1], own.data(), own.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::array<char, 64> bytes;
  const ssize_t size = read(ends[0], bytes.data(), bytes.size());
  close(ends[0]);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  REQUIRE(size == 55);
  CHECK(std::string(bytes.data(), 55) != to_string(fw::base::make_traceparent()));
}

TEST_CASE("tracestate: valid members are passed on in order") {
  CHECK(passed_tracestate("a=1,b@v=2 x") == "a=1,b@v=2 x");
  CHECK(passed_tracestate(" a=1 ,, b=2\t") == "a=1,b=2");
  CHECK(passed_tracestate("").empty());
}

TEST_CASE("tracestate: a malformed header is not passed on") {
  for (const char* text : {"a", "=1", "a=", "A=1", "a=1,a=2", "a=1=2", "a=\x01", "a=\xc3\xa4"}) {
    CHECK(passed_tracestate(text).empty());
  }
  std::string many;
  for (int i = 0; i < 33; ++i) many += (i > 0 ? ",k" : "k") + std::to_string(i) + "=1";
  CHECK(passed_tracestate(many).empty());
}

TEST_CASE("tracestate: what is passed on has a bound") {
  const std::string large = "large=" + repeated("x", 200);
  std::string many = large;
  for (int i = 0; i < 10; ++i) many += ",k" + std::to_string(i) + "=" + repeated("y", 60);
  const std::string passed = passed_tracestate(many);
  CHECK(passed.size() <= 512);
  CHECK(passed.starts_with("k0="));  // without the member of more than 128 characters
  CHECK(passed_tracestate(large) == large);
}

TEST_CASE("traceparent: the digits of every byte are written as they are read") {
  for (int byte = 0; byte < 256; byte += 4) {
    fw::base::TraceParent parent;
    for (std::size_t i = 0; i < 16; ++i) {
      parent.trace.bytes[i] = static_cast<unsigned char>(byte + static_cast<int>(i % 4));
    }
    parent.trace.bytes[0] = 1;
    parent.span.bytes = {1, 0x9A, 0, 0xAF, static_cast<unsigned char>(byte), 0xFF, 0xA9, 0x10};
    const auto read = fw::base::parse_traceparent(to_string(parent));
    REQUIRE(read.has_value());
    CHECK(read->trace == parent.trace);
    CHECK(read->span == parent.span);
  }
}

TEST_CASE("traceparent: the ids of the spans of a request differ, and are set") {
  fw::base::SpanId first;
  // The id that the third span would make zero.
  first.bytes = {0x3F, 0x74, 0xDF, 0x7D, 0x2C, 0x6D, 0xA6, 0xDA};
  std::vector<fw::base::SpanId> ids = {first};
  for (std::uint64_t n = 1; n <= 200; ++n) {
    const auto id = fw::base::nth_span_id(first, n);
    CHECK(id.is_set());
    CHECK(std::ranges::find(ids, id) == ids.end());
    ids.push_back(id);
  }
}

}  // namespace traceparent_test
