// The protocol of WebSocket: frames and messages of a client (RFC 6455, 5 to 8), compression
// (RFC 7692), the handshake, and the session between connection and application.
#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "http/socket_frames.hpp"
#include "http/websocket/handshake.hpp"
#include "http/websocket/message_reader.hpp"
#include "http/websocket/permessage_deflate.hpp"
#include "http/websocket/socket_session.hpp"

namespace websocket_test {

namespace {

namespace ws = fw::http::websocket;
using namespace fw::http::test;
using Event = ws::MessageReader::Event;

/// The events of a reader: "text:hi", "ping:", "close:1000:bye", "failed:1002"; separated
/// by spaces. It gets the bytes in parts of that size.
std::string read(std::string_view bytes, std::size_t part = 1'000'000, bool compressed = false,
                 std::size_t most = 1'000) {
  ws::MessageReader reader(most, compressed);
  std::string events;
  while (!bytes.empty()) {
    std::string_view input = bytes.substr(0, part);
    bytes.remove_prefix(input.size());
    while (true) {
      const Event event = reader.read(input);
      if (event == Event::none) break;
      if (!events.empty()) events += ' ';
      if (event == Event::message) {
        events += (reader.is_text() ? "text:" : "bytes:") + reader.take_message();
      } else if (event == Event::ping || event == Event::pong) {
        events += (event == Event::ping ? "ping:" : "pong:") + std::string(reader.payload());
      } else if (event == Event::close) {
        events += "close:" + std::to_string(reader.code()) + ":" + std::string(reader.payload());
      } else {
        return events + "failed:" + std::to_string(reader.code());
      }
    }
    CHECK(input.empty());
  }
  return events;
}

/// The same, and checks that the result does not depend on how the bytes arrive.
std::string read_anyhow(std::string_view bytes, bool compressed = false) {
  const std::string events = read(bytes, 1'000'000, compressed);
  for (const std::size_t part : {1U, 2U, 3U, 7U}) CHECK(read(bytes, part, compressed) == events);
  return events;
}

}  // namespace

TEST_CASE("websocket: messages of each length are unmasked") {
  CHECK(read_anyhow(text_frame("")) == "text:");
  CHECK(read_anyhow(text_frame("hi")) == "text:hi");
  CHECK(read_anyhow(binary_frame(std::string("\0\xff", 2))) == "bytes:" + std::string("\0\xff", 2));
  for (const std::size_t size : {7U, 8U, 9U, 125U, 126U, 127U, 1'000U}) {
    CHECK(read_anyhow(text_frame(std::string(size, 'a'))) == "text:" + std::string(size, 'a'));
  }
  const std::string large(70'000, 'b');
  CHECK(read(text_frame(large), 1'000, false, 70'000) == "text:" + large);
  CHECK(read_anyhow(masked_frame(kFin | 1, "zeros", std::string(4, '\0'))) == "text:zeros");
}

TEST_CASE("websocket: fragments are joined, with control frames between them") {
  const std::string parts = masked_frame(1, "a") + masked_frame(kFin | 9, "p") +
                            masked_frame(0, "") + masked_frame(0, "b") +
                            masked_frame(kFin | 10, "") + masked_frame(kFin, "c");
  CHECK(read_anyhow(parts + text_frame("next")) == "ping:p pong: text:abc text:next");
  CHECK(read_anyhow(masked_frame(2, "") + masked_frame(kFin, "")) == "bytes:");
}

TEST_CASE("websocket: frames that break a rule of the protocol fail with 1002") {
  CHECK(read_anyhow(masked_frame(kFin, "a")) == "failed:1002");  // continues nothing
  CHECK(read_anyhow(masked_frame(0, "a")) == "failed:1002");
  CHECK(read_anyhow(masked_frame(1, "a") + text_frame("b")) == "failed:1002");
  CHECK(read_anyhow(masked_frame(1, "a") + masked_frame(2, "b")) == "failed:1002");
  for (const unsigned opcode : {3U, 4U, 5U, 6U, 7U, 11U, 12U, 13U, 14U, 15U}) {
    CHECK(read_anyhow(masked_frame(kFin | opcode, "")) == "failed:1002");
  }
  for (const unsigned bit : {0x40U, 0x20U, 0x10U}) {
    CHECK(read_anyhow(masked_frame(kFin | bit | 1, "a")) == "failed:1002");
    CHECK(read_anyhow(masked_frame(kFin | bit | 9, "a")) == "failed:1002");
  }
  for (const unsigned opcode : {8U, 9U, 10U}) {
    CHECK(read_anyhow(masked_frame(opcode, "")) == "failed:1002");  // fragmented
    CHECK(read_anyhow(masked_frame(kFin | opcode, std::string(126, 'a'))) == "failed:1002");
  }
  CHECK(read_anyhow(masked_frame(kFin | 9, std::string(125, 'a'))) ==
        "ping:" + std::string(125, 'a'));
  // Not masked.
  CHECK(read_anyhow("\x81\x02hi") == "failed:1002");
  // Lengths that are longer than necessary, or negative.
  CHECK(read_anyhow(std::string("\x81\xfe\x00\x7d", 4) + "1234") == "failed:1002");
  CHECK(read_anyhow(std::string("\x81\xff\0\0\0\0\0\0\xff\xff", 10) + "1234") == "failed:1002");
  CHECK(read_anyhow(std::string("\x81\xff\x80\0\0\0\0\0\0\0", 10) + "1234") == "failed:1002");
}

TEST_CASE("websocket: messages above the limit fail with 1009 before they arrive") {
  CHECK(read(text_frame(std::string(1'000, 'a'))).starts_with("text:"));
  CHECK(read(text_frame(std::string(1'001, 'a')).substr(0, 8)) == "failed:1009");
  CHECK(read(masked_frame(1, std::string(600, 'a')) +
             masked_frame(0, std::string(401, 'a')).substr(0, 8)) == "failed:1009");
  CHECK(read(std::string("\x82\xff\x7f\0\0\0\0\0\0\0", 10) + "1234") == "failed:1009");
  std::string fragments = masked_frame(1, "");
  for (int i = 0; i < 200; ++i) fragments += masked_frame(0, "");
  CHECK(read(fragments) == "failed:1008");
}

TEST_CASE("websocket: texts must be UTF-8, also across fragments, and fail at once") {
  const std::string euro = "\xe2\x82\xac";
  CHECK(read_anyhow(text_frame("a" + euro)) == "text:a" + euro);
  CHECK(read_anyhow(masked_frame(1, euro.substr(0, 1)) + masked_frame(0, euro.substr(1, 1)) +
                    masked_frame(kFin, euro.substr(2))) == "text:" + euro);
  CHECK(read_anyhow(text_frame("\xf4\x8f\xbf\xbf")) == "text:\xf4\x8f\xbf\xbf");
  for (const std::string_view bad :
       {"\xff", "\x80", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\xe2\x82", "\xe2"}) {
    CHECK(read_anyhow(text_frame(bad)) == "failed:1007");
  }
  // Before the end of the message.
  CHECK(read_anyhow(masked_frame(1, "\xed\xa0")) == "failed:1007");
  CHECK(read_anyhow(binary_frame("\xff")) == "bytes:\xff");
}

TEST_CASE("websocket: a close frame has a code that may be sent, and a reason in UTF-8") {
  CHECK(read_anyhow(masked_frame(kFin | 8, "")) == "close:1005:");
  for (const int code : {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014,
                         3000, 3999, 4000, 4999}) {
    CHECK(read_anyhow(close_frame(code, "why")) == "close:" + std::to_string(code) + ":why");
  }
  for (const int code : {0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535}) {
    CHECK(read_anyhow(close_frame(code)) == "failed:1002");
  }
  CHECK(read_anyhow(masked_frame(kFin | 8, "x")) == "failed:1002");
  CHECK(read_anyhow(close_frame(1000, "\xff")) == "failed:1007");
  CHECK(read_anyhow(close_frame(1000, "\xe2\x82")) == "failed:1007");
}

TEST_CASE("websocket: frames of the server have the shortest length and no mask") {
  const auto frame = [](const std::string& payload) {
    std::string bytes;
    ws::append_frame(bytes, ws::Opcode::text, payload);
    return bytes;
  };
  CHECK(frame("hi") == "\x81\x02hi");
  CHECK(frame(std::string(125, 'a')).size() == 127);
  CHECK(frame(std::string(126, 'a')).substr(0, 4) == std::string("\x81\x7e\x00\x7e", 4));
  CHECK(frame(std::string(65'536, 'a')).substr(0, 10) ==
        std::string("\x81\x7f\0\0\0\0\0\1\0\0", 10));
  std::string close;
  ws::append_close(close, 1000, "bye");
  CHECK(close == std::string("\x88\x05\x03\xe8", 4) + "bye");
  close.clear();
  ws::append_close(close, ws::kNoCode, "");
  CHECK(close == std::string("\x88\x00", 2));
}

TEST_CASE("websocket: the handshake has the key of RFC 6455") {
  CHECK(ws::accept_key("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST_CASE("websocket: requests that open no socket") {
  const auto status = [](fw::http::Fields fields, std::string_view version = "1.1",
                         std::string_view method = "GET", bool has_body = false) {
    const fw::http::RequestHead head{.method = method,
                                     .target = "/",
                                     .fields = std::move(fields),
                                     .remote_address = "",
                                     .has_body = has_body,
                                     .content_length = {}};
    const auto error = ws::find_handshake_error(head, version);
    return error ? error->status : 101;
  };
  const auto fields = [](std::string_view connection = "keep-alive, Upgrade",
                         std::string_view upgrade = "WebSocket", std::string_view version = "13",
                         std::string_view key = "dGhlIHNhbXBsZSBub25jZQ==") {
    return fw::http::Fields{{"Connection", connection},
                            {"Upgrade", upgrade},
                            {"Sec-WebSocket-Version", version},
                            {"Sec-WebSocket-Key", key}};
  };
  CHECK(status(fields()) == 101);
  CHECK(status({}) == 426);
  CHECK(status(fields("close")) == 426);
  CHECK(status(fields("Upgrade", "h2c")) == 426);
  CHECK(status(fields("Upgrade", "websocket", "8")) == 426);
  CHECK(status(fields("Upgrade", "websocket", "13", "short")) == 400);
  CHECK(status(fields("Upgrade", "websocket", "13", "dGhlIHNhbXBsZSBub25jZQ=!")) == 400);
  fw::http::Fields two_keys = fields();
  two_keys.add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
  CHECK(status(two_keys) == 400);
  CHECK(status(fields(), "1.0") == 426);
  CHECK(status(fields(), "2") == 400);
  CHECK(status(fields(), "1.1", "HEAD") == 426);
  CHECK(status(fields(), "1.1", "GET", true) == 400);
}

TEST_CASE("websocket: the first acceptable offer of compression is chosen") {
  if (!ws::has_deflate()) return;
  const auto response = [](std::string_view offers) {
    const auto chosen = ws::choose_deflate(offers);
    return chosen ? chosen->response : "none";
  };
  const std::string usual =
      "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
  CHECK(response("permessage-deflate") == usual);
  CHECK(response("permessage-deflate; client_max_window_bits") == usual);
  CHECK(response("permessage-deflate; client_max_window_bits=8; server_no_context_takeover") ==
        usual);
  CHECK(response("permessage-deflate; server_max_window_bits=10") ==
        usual + "; server_max_window_bits=10");
  CHECK(response("permessage-deflate; server_max_window_bits=\"9\"") ==
        usual + "; server_max_window_bits=9");
  CHECK(response("x-other, permessage-deflate; x=1, permessage-deflate") == usual);
  for (const std::string_view offer :
       {"", "x-webkit-deflate-frame", "permessage-deflate; x",
        "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_max_window_bits=8",
        "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; server_max_window_bits=010",
        "permessage-deflate; client_max_window_bits=7",
        "permessage-deflate; server_no_context_takeover=1",
        "permessage-deflate; client_no_context_takeover; client_no_context_takeover"}) {
    CHECK(response(offer) == "none");
  }
}

TEST_CASE("websocket deflate: a small window does not make compression much more expensive") {
  if (!ws::has_deflate()) return;
  std::string message;
  for (unsigned random = 1; message.size() < 60'000;) {
    random = random * 1'103'515'245U + 12'345U;
    message += "{\"id\":" + std::to_string(random % 10'000) + ",\"state\":\"open\"},";
  }
  // Processor time of this thread in comparison, which does not depend on how fast it is: a factor
  // of 11 with the table of hashes of a large window.
  const auto time = [&](int bits) {
    const auto now = [] {
      timespec time{};
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
    };
    double least = 1e12;
    for (int i = 0; i < 20; ++i) {
      const double begin = now();
      ws::compress(message, bits);
      least = std::min(least, now() - begin);
    }
    return least;
  };
  const double usual = time(15);
  for (const int bits : {9, 10, 12, 14}) CHECK(time(bits) < 5 * usual);
}

TEST_CASE("websocket deflate: a message has a bounded number of streams") {
  const auto decompressed = [](int streams) {
    std::string payload;
    for (int i = 0; i < streams; ++i) payload.append("\x03\x00", 2);  // an empty last block
    std::string content;
    return ws::decompress(payload, 1024, content);
  };
  CHECK(decompressed(64) == ws::Decompressed::complete);
  CHECK(decompressed(65) == ws::Decompressed::malformed);
}

TEST_CASE("websocket: compressed messages, and their limit after decompression") {
  if (!ws::has_deflate()) return;
  const auto compressed = [](std::string_view message) { return ws::compress(message, 15); };
  for (const int bits : {9, 10, 11, 12, 13, 14, 15}) {
    for (const std::size_t size : {0U, 1U, 100U, 100'000U}) {
      const std::string message(size, 'x');
      std::string content;
      CHECK(ws::decompress(ws::compress(message, bits), size, content) ==
            ws::Decompressed::complete);
      CHECK(content == message);
    }
  }
  // The examples of RFC 7692, 7.2.3: the last is one with a final block.
  CHECK(read_anyhow(masked_frame(kFin | kRsv1 | 1, std::string("\xf2\x48\xcd\xc9\xc9\x07\x00", 7)),
                    true) == "text:Hello");
  CHECK(read_anyhow(masked_frame(kRsv1 | 1, "\xf2\x48\xcd") +
                        masked_frame(kFin, std::string("\xc9\xc9\x07\x00", 4)),
                    true) == "text:Hello");
  CHECK(read_anyhow(masked_frame(kFin | kRsv1 | 1,
                                 std::string("\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00", 11)),
                    true) == "text:Hello");
  CHECK(read_anyhow(
            masked_frame(kFin | kRsv1 | 1, std::string("\xf3\x48\xcd\xc9\xc9\x07\x00\x00", 8)),
            true) == "text:Hello");
  CHECK(read_anyhow(text_frame("plain"), true) == "text:plain");
  CHECK(read(masked_frame(kFin | kRsv1 | 2, compressed(std::string(1'000, 'a'))), 100, true)
            .starts_with("bytes:aaa"));
  CHECK(read(masked_frame(kFin | kRsv1 | 2, compressed(std::string(1'001, 'a'))), 100, true) ==
        "failed:1009");
  CHECK(read(masked_frame(kFin | kRsv1 | 2, compressed(std::string(10'000'000, 'a'))), 100, true,
             100'000) == "failed:1009");
  CHECK(read_anyhow(masked_frame(kFin | kRsv1 | 1, "\xff\xff"), true) == "failed:1007");
  CHECK(read_anyhow(masked_frame(kFin | kRsv1 | 1, compressed("\xff")), true) == "failed:1007");
  CHECK(read_anyhow(masked_frame(1, "a") + masked_frame(kFin | kRsv1, "a"), true) == "failed:1002");
  CHECK(read_anyhow(masked_frame(kFin | kRsv1 | 9, ""), true) == "failed:1002");
}

namespace {

/// An application that records what it gets.
class RecordingPeer final : public fw::http::SocketPeer {
 public:
  std::size_t max_message() const noexcept override { return 1'000; }
  bool is_compressed() const noexcept override { return false; }
  std::chrono::milliseconds heartbeat() const noexcept override {
    return std::chrono::milliseconds(100);
  }
  void begin(std::weak_ptr<fw::http::SocketWaker>,
             std::shared_ptr<fw::http::BufferBudget>) noexcept override {}
  bool has_room() noexcept override { return messages.size() < room; }
  bool receive(std::string message, bool) override {
    messages.push_back(std::move(message));
    return has_memory;
  }
  bool take(std::string& frames) override {
    if (to_send.empty()) return false;
    frames += to_send.front();
    to_send.pop_front();
    return true;
  }
  fw::http::SocketClose closing() noexcept override {
    return to_send.empty() ? close : fw::http::SocketClose();
  }
  bool may_wait() noexcept override { return true; }
  void discard() noexcept override {}
  std::size_t waiting() const noexcept override { return 0; }
  void stop() noexcept override { close = {1001, ""}; }
  void end(int code, std::string_view reason, bool by_client) noexcept override {
    if (!ended.empty()) return;
    ended = std::to_string(code) + ":" + std::string(reason) + (by_client ? ":client" : "");
  }
  void run(bool) noexcept override {}

  std::size_t room = 1'000;
  bool has_memory = true;
  std::vector<std::string> messages;
  std::deque<std::string> to_send;
  fw::http::SocketClose close;
  std::string ended;
};

struct TestedSession {
  void receive(std::string_view bytes) {
    session.receive(bytes, now);
    rest = bytes;
  }
  std::string produce() {
    std::string frames;
    session.produce(frames, now);
    return frames;
  }

  std::int64_t now = 1'000;
  std::shared_ptr<RecordingPeer> peer = std::make_shared<RecordingPeer>();
  ws::SocketSession session{peer, now};
  std::string rest;
};

const std::string kPing("\x89\x00", 2);

}  // namespace

TEST_CASE("websocket session: only the last ping gets a pong, before messages") {
  TestedSession tested;
  tested.peer->to_send = {"frame"};
  tested.receive(masked_frame(kFin | 9, "one") + masked_frame(kFin | 9, "two"));
  CHECK(tested.produce() ==
        "\x8a\x03two"
        "frame");
  CHECK(tested.produce().empty());
}

TEST_CASE("websocket session: the close of a client gets a close with its code, and ends it") {
  TestedSession tested;
  tested.peer->to_send = {"never sent"};
  tested.receive(text_frame("a") + close_frame(4000, "bye") + text_frame("ignored"));
  CHECK(tested.peer->messages == std::vector<std::string>{"a"});
  CHECK(tested.peer->ended == "4000:bye:client");
  CHECK(!tested.session.is_finished());
  CHECK(tested.produce() == std::string("\x88\x02\x0f\xa0", 4));
  CHECK(tested.session.is_finished());
  CHECK(tested.produce().empty());
}

TEST_CASE("websocket session: the application closes after what it has sent, and waits") {
  TestedSession tested;
  tested.peer->to_send = {"frame"};
  tested.peer->close = {1000, "done"};
  CHECK(tested.produce() == "frame");
  CHECK(tested.produce() == std::string("\x88\x06\x03\xe8", 4) + "done");
  CHECK(!tested.session.is_finished());
  tested.receive(text_frame("discarded") + masked_frame(kFin | 9, "no pong"));
  CHECK(tested.peer->messages.empty());
  CHECK(tested.produce().empty());
  CHECK(tested.peer->ended.empty());
  tested.receive(close_frame(1000));
  CHECK(tested.peer->ended == "1000:done");
  CHECK(tested.session.is_finished());
}

TEST_CASE("websocket session: nothing is kept of messages after the close of the application") {
  TestedSession tested;
  tested.receive(masked_frame(1, std::string(600, 'a')));
  CHECK(tested.session.arriving()->buffered >= 600);
  tested.peer->close = {1000, "done"};
  tested.produce();
  CHECK(!tested.session.arriving());
  // More than the limit of a message, because nothing of it is in memory.
  tested.receive(masked_frame(0, std::string(600, 'a')) + masked_frame(kFin, "a"));
  tested.receive(masked_frame(kFin | 9, "") + masked_frame(2, "\xff"));
  CHECK(tested.peer->messages.empty());
  CHECK(!tested.session.is_finished());
  tested.receive(close_frame(1000));
  CHECK(tested.session.is_finished());
}

TEST_CASE("websocket session: a client that does not close is disconnected") {
  TestedSession tested;
  tested.session.stop();
  tested.produce();
  tested.now = tested.session.deadline();
  CHECK(!tested.session.expire(tested.now));
  tested.session.lose();
  CHECK(tested.peer->ended == "1001:");
}

TEST_CASE("websocket session: a broken rule is reported to the client, and ends it") {
  TestedSession tested;
  tested.peer->to_send = {"never sent"};
  tested.receive(masked_frame(kFin | 3, ""));
  CHECK(tested.peer->ended.starts_with("1002:"));
  CHECK(tested.produce() ==
        std::string("\x88\x22\x03\xea", 4) + "the opcode of a frame is unknown");
  CHECK(tested.session.is_finished());
}

TEST_CASE("websocket session: a silent client gets a ping, and is gone without a response") {
  TestedSession tested;
  CHECK(tested.session.deadline() == 1'100);
  tested.now = 1'100;
  CHECK(tested.session.expire(tested.now));
  CHECK(tested.produce() == kPing);
  tested.now = 1'150;
  tested.receive(masked_frame(kFin | 10, ""));
  CHECK(tested.session.deadline() == 1'250);
  tested.now = 1'250;
  CHECK(tested.session.expire(tested.now));
  CHECK(tested.produce() == kPing);
  tested.now = 1'350;
  CHECK(!tested.session.expire(tested.now));
  tested.session.lose();
  CHECK(tested.peer->ended == "1006::client");
}

TEST_CASE("websocket session: an unfinished message has a beginning, and only its bytes count") {
  TestedSession tested;
  const auto arriving = [&] {
    const auto message = tested.session.arriving();
    return message ? std::to_string(message->since) + ":" + std::to_string(message->received)
                   : "none";
  };
  CHECK(arriving() == "none");
  tested.receive(masked_frame(1, "abc"));
  CHECK(arriving() == "1000:3");
  tested.now = 2'000;
  tested.receive(masked_frame(kFin | 9, "pings do not count"));
  tested.receive(masked_frame(0, "de"));
  CHECK(arriving() == "1000:5");
  tested.receive(masked_frame(kFin, ""));
  CHECK(arriving() == "none");
  CHECK(tested.peer->messages == std::vector<std::string>{"abcde"});
  // A part of a head, after a whole message, and of the payload of a control frame.
  tested.receive(text_frame("a") + text_frame("b").substr(0, 1));
  CHECK(arriving() == "2000:0");
  tested.now = 3'000;
  tested.receive(text_frame("b").substr(1) + masked_frame(kFin | 9, "ping").substr(0, 8));
  CHECK(arriving() == "3000:0");
  tested.session.reject_late_message();
  CHECK(arriving() == "none");
  CHECK(tested.peer->ended == "1008:a message did not arrive in time");
}

TEST_CASE("websocket session: a message that there is no memory for closes the socket") {
  TestedSession tested;
  tested.peer->has_memory = false;
  tested.receive(text_frame("a") + text_frame("b"));
  CHECK(tested.peer->messages == std::vector<std::string>{"a"});
  CHECK(tested.peer->ended.starts_with("1013:"));
  CHECK(tested.produce().starts_with("\x88"));
  CHECK(tested.session.is_finished());
}

TEST_CASE("websocket: a rejected message keeps no memory") {
  ws::MessageReader reader(100'000, false);
  const std::string bytes = masked_frame(1, std::string(90'000, 'a')) + masked_frame(0, "\xff");
  std::string_view input = bytes;
  CHECK(reader.read(input) == Event::failed);
  CHECK(reader.buffered() == 0);
  CHECK(reader.take_message().capacity() < 1'000);
}

TEST_CASE("websocket session: a client is not read while its peer has no room") {
  TestedSession tested;
  tested.peer->room = 1;
  tested.receive(text_frame("a") + text_frame("b"));
  CHECK(tested.peer->messages == std::vector<std::string>{"a"});
  CHECK(tested.rest == text_frame("b"));
  CHECK(!tested.session.may_receive());
  // Nor is it taken for silent.
  tested.now = tested.session.deadline();
  CHECK(tested.session.expire(tested.now));
  tested.now = tested.session.deadline();
  CHECK(tested.session.expire(tested.now));
  CHECK(tested.produce().empty());
}

}  // namespace websocket_test
