#include "http/body_decoder.hpp"

#include <doctest/doctest.h>

namespace body_decoder_test {

using fw::http::BodyDecoder;
using fw::http::Framing;
using Status = BodyDecoder::Status;

namespace {

Framing chunked() {
  Framing framing;
  framing.chunked = true;
  return framing;
}

Framing with_length(std::uint64_t length) {
  Framing framing;
  framing.content_length = length;
  return framing;
}

struct Decoded {
  Status status;
  std::string content;
  std::string rest;
};

Decoded decode(const Framing& framing, std::string_view bytes, std::uint64_t limit = 1000) {
  BodyDecoder decoder(framing, limit);
  Decoded result{};
  result.status = decoder.decode(bytes, &result.content);
  result.rest = bytes;
  return result;
}

Status decode_bytewise(const Framing& framing, std::string_view bytes, std::string& content) {
  BodyDecoder decoder(framing, 1000);
  std::string pending;
  auto status = Status::need_more;
  for (const char c : bytes) {
    pending += c;
    std::string_view input = pending;
    status = decoder.decode(input, &content);
    pending.erase(0, pending.size() - input.size());
    if (status != Status::need_more) return status;
  }
  return status;
}

}  // namespace

TEST_CASE("body decoder: a body ends after its length") {
  const auto decoded = decode(with_length(5), "helloGET");
  CHECK(decoded.status == Status::complete);
  CHECK(decoded.content == "hello");
  CHECK(decoded.rest == "GET");
  CHECK(decode(with_length(5), "hell").status == Status::need_more);
  CHECK(decode(with_length(0), "GET").rest == "GET");
}

TEST_CASE("body decoder: a length above the limit is rejected before anything is read") {
  const auto decoded = decode(with_length(1001), "hello");
  CHECK(decoded.status == Status::too_large);
  CHECK(decoded.rest == "hello");
}

TEST_CASE("body decoder: chunks, chunk extensions and a trailer are read") {
  constexpr std::string_view kBody =
      "5;a\r\nhello\r\n6 ;name=\"v;\\\"\" ; b = c\r\n world\r\n000\r\nX-Sum: 1\r\n\r\nGET";
  const auto decoded = decode(chunked(), kBody);
  CHECK(decoded.status == Status::complete);
  CHECK(decoded.content == "hello world");
  CHECK(decoded.rest == "GET");
  std::string content;
  CHECK(decode_bytewise(chunked(), kBody, content) == Status::complete);
  CHECK(content == "hello world");
}

TEST_CASE("body decoder: chunks above the limit are rejected at their size line") {
  const auto decoded = decode(chunked(), "3e8\r\n" + std::string(1000, 'a') + "\r\n1\r\nb\r\n");
  CHECK(decoded.status == Status::too_large);
  CHECK(decoded.content.size() == 1000);
  CHECK(decode(chunked(), "3e9\r\n").status == Status::too_large);
  CHECK(decode(chunked(), "ffffffffffffffff\r\n").status == Status::too_large);
}

TEST_CASE("body decoder: malformed chunks are rejected") {
  for (const std::string_view bytes : {"x\r\n",
                                       "\r\n",
                                       "-1\r\n",
                                       "+1\r\n",
                                       " 1\r\n",
                                       "0x1\r\n",
                                       "1 x\r\n",
                                       "1 \r\n",
                                       "5\nhello\r\n",
                                       "5\r\nhelloX",
                                       "5\r\nhello\rX",
                                       "5\r\nhello\n",
                                       "10000000000000000\r\n",
                                       "1;\x01\r\n",
                                       "1;\r\n",
                                       "1;a;\r\n",
                                       "1;a=\r\n",
                                       "1;a=\"b\r\n",
                                       "1;a=\"b\\\"\r\n",
                                       "1;a=\"b\"c\r\n",
                                       "1;a \r\n",
                                       "0\r\n folded\r\n",
                                       "0\r\nbad name: 1\r\n",
                                       "0\r\nX: 1\n"}) {
    CAPTURE(bytes);
    CHECK(decode(chunked(), bytes).status == Status::malformed);
  }
}

TEST_CASE("body decoder: chunk extensions and trailers are bounded") {
  const std::string long_part(17 * 1024, 'a');
  CHECK(decode(chunked(), "1;" + long_part).status == Status::malformed);
  CHECK(decode(chunked(), "0\r\nX: " + long_part).status == Status::malformed);
  CHECK(decode(chunked(), std::string(17 * 1024, '0') + "\r\n").status == Status::malformed);
  std::string many;
  for (int i = 0; i < 900; ++i) many += "1;" + std::string(20, 'e') + "\r\na\r\n";
  CHECK(decode(chunked(), many).status == Status::malformed);
  std::string zeros;
  for (int i = 0; i < 900; ++i) zeros += std::string(20, '0') + "1\r\na\r\n";
  CHECK(decode(chunked(), zeros).status == Status::malformed);
  std::string plain;
  for (int i = 0; i < 900; ++i) plain += "1\r\na\r\n";
  CHECK(decode(chunked(), plain + "0\r\n\r\n").status == Status::complete);
}

}  // namespace body_decoder_test
