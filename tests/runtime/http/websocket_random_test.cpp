// Frames of WebSocket at random, from a fixed seed: valid ones are read as they were made, damaged
// ones never past the bounds, and how the bytes arrive makes no difference.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "http/socket_frames.hpp"
#include "http/websocket/message_reader.hpp"
#include "http/websocket/permessage_deflate.hpp"

namespace websocket_random_test {

namespace {

namespace ws = fw::http::websocket;
using namespace fw::http::test;
using Event = ws::MessageReader::Event;

constexpr std::size_t kMaxMessage = 1'000;

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  /// Below `limit`.
  std::size_t below(std::size_t limit) { return engine_() % limit; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  std::string bytes(std::size_t size) {
    std::string result(size, '\0');
    for (char& c : result) c = static_cast<char>(below(256));
    return result;
  }
  std::string text(std::size_t characters) {
    constexpr std::string_view kCharacters[] = {"a",
                                                "\x7f",
                                                "\xc2\x80",
                                                "\xe2\x82\xac",
                                                "\xed\x9f\xbf",
                                                "\xf0\x90\x80\x80",
                                                "\xf4\x8f\xbf\xbf"};
    std::string result;
    for (std::size_t i = 0; i < characters; ++i) result += kCharacters[below(7)];
    return result;
  }

 private:
  std::mt19937 engine_;  // distributions differ between libraries
};

/// The bytes of a client, and the events that they are.
struct Sample {
  std::string bytes;
  std::vector<std::string> events;
};

void add_control_frames(Random& random, Sample& sample) {
  while (random.one_in(4)) {
    const bool is_ping = random.one_in(2);
    const std::string payload = random.bytes(random.below(126));
    sample.bytes += masked_frame(kFin | (is_ping ? 9U : 10U), payload, random.bytes(4));
    sample.events.push_back((is_ping ? "ping:" : "pong:") + payload);
  }
}

Sample make_sample(Random& random, bool is_compressed) {
  Sample sample;
  for (std::size_t rest = 1 + random.below(5); rest > 0; --rest) {
    add_control_frames(random, sample);
    const bool is_text = random.one_in(2);
    // Of a text, a character has up to four bytes.
    const std::string content = is_text ? random.text(random.below(kMaxMessage / 4))
                                        : random.bytes(random.below(kMaxMessage + 1));
    const bool compresses = is_compressed && random.one_in(2);
    std::string payload = compresses ? ws::compress(content, 15) : content;
    unsigned first = (is_text ? 1U : 2U) | (compresses ? kRsv1 : 0U);
    while (random.one_in(2)) {
      const std::size_t size = random.below(payload.size() + 1);
      sample.bytes += masked_frame(first, payload.substr(0, size), random.bytes(4));
      payload.erase(0, size);
      first = 0;
      add_control_frames(random, sample);
    }
    sample.bytes += masked_frame(kFin | first, payload, random.bytes(4));
    sample.events.push_back((is_text ? "text:" : "bytes:") + content);
  }
  if (random.one_in(2)) {
    sample.bytes += close_frame(4'000, "bye");
    sample.events.emplace_back("close:bye");
  }
  return sample;
}

/// `next_size` says how many bytes arrive next.
template <class NextSize>
std::vector<std::string> read(std::string_view bytes, bool is_compressed,
                              const NextSize& next_size) {
  ws::MessageReader reader(kMaxMessage, is_compressed);
  std::vector<std::string> events;
  while (!bytes.empty()) {
    std::string_view input = bytes.substr(0, next_size());
    bytes.remove_prefix(input.size());
    while (true) {
      const Event event = reader.read(input);
      // A compressed message may be larger than its content.
      REQUIRE(reader.received() <= (is_compressed ? 2 * kMaxMessage + 64 : kMaxMessage));
      if (event == Event::none) break;
      if (event == Event::message) {
        std::string content = reader.take_message();
        REQUIRE(content.size() <= kMaxMessage);
        events.push_back((reader.is_text() ? "text:" : "bytes:") + content);
      } else if (event == Event::failed) {
        const int code = reader.code();
        REQUIRE((code == 1002 || code == 1007 || code == 1008 || code == 1009));
        events.push_back("failed:" + std::to_string(code));
        return events;
      } else {
        const std::string payload(reader.payload());
        REQUIRE(payload.size() <= 125);
        events.push_back((event == Event::ping   ? "ping:"
                          : event == Event::pong ? "pong:"
                                                 : "close:") +
                         payload);
      }
    }
    REQUIRE(input.empty());
  }
  return events;
}

/// A change that a careless or hostile client may make.
void damage(Random& random, std::string& bytes) {
  for (std::size_t rest = 1 + random.below(4); rest > 0 && !bytes.empty(); --rest) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(4)) {
      case 0:
        bytes.erase(at, 1 + random.below(8));
        break;
      case 1:
        bytes.insert(at, random.bytes(1 + random.below(8)));
        break;
      case 2:
        bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(64)));
        break;
      default:
        bytes[at] =
            static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << random.below(8)));
    }
  }
}

}  // namespace

TEST_CASE("websocket at random: valid frames are read as they were made, however they arrive") {
  Random random(1);
  for (int round = 0; round < 1'000; ++round) {
    CAPTURE(round);
    const bool is_compressed = random.one_in(2) && ws::has_deflate();
    const Sample sample = make_sample(random, is_compressed);
    CHECK(read(sample.bytes, is_compressed, [] { return std::string::npos; }) == sample.events);
    CHECK(read(sample.bytes, is_compressed, [&] { return 1 + random.below(40); }) == sample.events);
  }
}

TEST_CASE(
    "websocket at random: damaged frames keep the bounds, and fail alike however they arrive") {
  Random random(2);
  int failed = 0;
  int changed = 0;
  for (int round = 0; round < 3'000; ++round) {
    CAPTURE(round);
    const bool is_compressed = random.one_in(2) && ws::has_deflate();
    Sample sample = make_sample(random, is_compressed);
    damage(random, sample.bytes);
    const auto whole = read(sample.bytes, is_compressed, [] { return std::string::npos; });
    CHECK(read(sample.bytes, is_compressed, [&] { return 1 + random.below(40); }) == whole);
    CHECK(read(sample.bytes, is_compressed, [] { return std::size_t{1}; }) == whole);
    if (!whole.empty() && whole.back().starts_with("failed:")) {
      ++failed;
    } else if (whole != sample.events) {
      ++changed;
    }
  }
  // The damage matters, and some of it breaks no rule.
  CHECK(failed > 500);
  CHECK(changed > 100);
}

}  // namespace websocket_random_test
