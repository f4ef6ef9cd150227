#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <malloc.h>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "base/ascii.hpp"
#include "compression/coding.hpp"
#include "http/adapter.hpp"
#include "sanitizers.hpp"
#include "support/decode.hpp"
#include "support/table_builder.hpp"

namespace compression_test {

namespace {

using fw::compression::Coding;
using fw::compression::Encoder;
using fw::support::decode;
using fw::support::OneFileApp;
using fw::testing::TestApp;
using fw::testing::TestResponse;

using Headers = std::vector<std::pair<std::string, std::string>>;

std::string sample(std::size_t size) {
  std::string text;
  for (int i = 0; text.size() < size; ++i) text += "line " + std::to_string(i % 97) + " of many\n";
  text.resize(size);
  return text;
}

fw::Config compressing() {
  fw::Config config = TestApp::test_config();
  config.compression.enabled = true;
  return config;
}

TestResponse get(TestApp& app, const std::string& path, const std::string& accept,
                 const Headers& headers = {}) {
  auto request = app.request("GET", path);
  if (!accept.empty()) request.header("Accept-Encoding", accept);
  for (const auto& [name, value] : headers) request.header(name, value);
  return request.send();
}

std::string coding_of(const TestResponse& response) {
  return std::string(response.header("content-encoding").value_or("-"));
}

/// Whether Vary names Accept-Encoding; -1 if it does so twice.
int varies(const TestResponse& response) {
  std::string all;
  for (const auto& [name, value] : response.headers) {
    if (name == "vary") all += fw::base::lower_case(value) + ",";
  }
  const auto first = all.find("accept-encoding");
  if (first == std::string::npos) return 0;
  return all.find("accept-encoding", first + 1) == std::string::npos ? 1 : -1;
}

void routes(fw::Router& app) {
  app.get("/text", [](fw::Request& req, fw::Response& res) {
    const std::string size(req.query("size").value_or("5000"));
    if (const auto type = req.query("type")) res.set_header("content-type", *type);
    if (const auto name = req.query("name")) res.set_header(*name, *req.query("value"));
    res.text(sample(std::stoul(size)));
  });
  app.get("/plain", {.compression = false},
          [](fw::Request&, fw::Response& res) { res.text(sample(5'000)); });
  app.get("/wanted", {.compression = true},
          [](fw::Request&, fw::Response& res) { res.text(sample(5'000)); });
  app.get("/error", [](fw::Request&, fw::Response&) { fw::raise(400, sample(5'000)); });
  app.get("/stream", [](fw::Request&, fw::Response& res) {
    res.set_header("content-length", "6000");
    res.stream(
        [left = 3](std::span<char> buffer) mutable -> std::size_t {
          if (left-- == 0) return 0;
          const std::string text = sample(2'000);
          return text.copy(buffer.data(), buffer.size());
        },
        "text/plain");
  });
  app.get("/known", [](fw::Request&, fw::Response& res) { res.stream("short", "text/plain"); });
  app.get("/token", [](fw::Request& req, fw::Response& res) {
    res.json({{"token", req.csrf_token()}, {"text", sample(5'000)}});
  });
}

}  // namespace

TEST_CASE("compression: gzip data is decompressed, other data is an error") {
  using fw::compression::decompress_gzip;
  if (!is_available(Coding::gzip)) return;
  std::string content;
  for (int i = 0; i < 20'000; ++i) content += std::to_string(i);
  const std::string compressed = fw::compression::compress(Coding::gzip, 6, content);
  CHECK(decompress_gzip(compressed) == content);
  CHECK(decompress_gzip(fw::compression::compress(Coding::gzip, 6, "")) == "");
  CHECK_FALSE(decompress_gzip(compressed.substr(0, compressed.size() - 9)));
  CHECK_FALSE(decompress_gzip("plain text"));
  CHECK_FALSE(decompress_gzip(""));
}

TEST_CASE("compression: each coding restores the original data") {
  std::mt19937 random(7);
  std::string noise(70'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  for (const Coding coding : fw::compression::kCodings) {
    const std::string name(fw::compression::name_of(coding));
    CAPTURE(name);
    REQUIRE(fw::compression::is_available(coding));
    CHECK(fw::compression::coding_of(name) == coding);
    for (const std::string& text : {std::string(), std::string("x"), sample(300'000), noise}) {
      CHECK(decode(name, fw::compression::compress(coding, 3, text)) == text);
      for (const std::string& end :
           {std::string(), std::string("}"), std::string(3'000, 'e'), sample(200'000)}) {
        if (text.empty()) continue;
        const std::string beginning = fw::compression::compress_beginning(coding, 3, text);
        CHECK(decode(name, fw::compression::complete(coding, beginning, end)) == text + end);
      }
    }
  }
  CHECK_FALSE(fw::compression::coding_of("deflate"));
}

TEST_CASE("compression: flushed data can be decoded before the body ends") {
  for (const Coding coding : fw::compression::kCodings) {
    const std::string_view name = fw::compression::name_of(coding);
    CAPTURE(name);
    const auto encoder = fw::compression::make_encoder(coding, 3, std::nullopt);
    std::string bytes;
    encoder->write("first ", Encoder::Flush::block, bytes);
    CHECK(fw::support::decode_beginning(name, bytes) == "first ");
    encoder->write("second ", Encoder::Flush::none, bytes);
    encoder->write("third", Encoder::Flush::block, bytes);
    CHECK(fw::support::decode_beginning(name, bytes) == "first second third");
    encoder->write("", Encoder::Flush::finish, bytes);
    CHECK(decode(name, bytes) == "first second third");
  }
}

TEST_CASE("compression: responses use the coding that the client prefers") {
  OneFileApp app(routes, compressing());
  for (const std::string coding : {"gzip", "br", "zstd"}) {
    CAPTURE(coding);
    const TestResponse r = get(app, "/text", coding);
    CHECK(coding_of(r) == coding);
    CHECK(varies(r) == 1);
    CHECK(r.header("content-length") == std::to_string(r.body.size()));
    CHECK(r.body.size() < 1'000);
    CHECK(decode(coding, r.body) == sample(5'000));
  }
  CHECK(coding_of(get(app, "/text", "gzip, deflate, br, zstd")) == "zstd");
  CHECK(coding_of(get(app, "/text", "gzip;q=1, br;q=0.5")) == "gzip");
  const TestResponse plain = get(app, "/text", "");
  CHECK(coding_of(plain) == "-");
  CHECK(varies(plain) == 1);
  CHECK(plain.body == sample(5'000));
  CHECK(coding_of(get(app, "/text", "gzip;q=0.5, identity")) == "-");
}

TEST_CASE("compression: small, incompressible and already compressed bodies are sent unchanged") {
  OneFileApp app(routes, compressing());
  const auto coding = [&](const std::string& query) {
    return coding_of(get(app, "/text?" + query, "gzip"));
  };
  CHECK(coding("size=1023") == "-");
  CHECK(varies(get(app, "/text?size=1023", "gzip")) == 0);
  CHECK(coding("size=1024") == "gzip");
  CHECK(coding_of(get(app, "/text?size=10", "gzip, identity;q=0")) == "gzip");
  CHECK(coding("type=image/png") == "-");
  CHECK(coding("type=application/problem%2Bjson") == "gzip");
  CHECK(coding("type=image/svg%2Bxml;charset=utf-8") == "gzip");
  CHECK(coding("type=TEXT/HTML") == "gzip");
  CHECK(coding("type=textual/x") == "-");
  CHECK(coding("name=content-encoding&value=br") == "br");
  CHECK(coding("name=cache-control&value=max-age=1,%20No-Transform") == "-");
  CHECK(coding("name=vary&value=*") == "gzip");
  CHECK(varies(get(app, "/text?name=vary&value=X-A,%20accept-encoding", "gzip")) == 1);
  CHECK(coding_of(get(app, "/error", "gzip")) == "-");
}

TEST_CASE("compression: routes can disable and enable it") {
  OneFileApp on(routes, compressing());
  CHECK(coding_of(get(on, "/plain", "gzip")) == "-");
  CHECK(varies(get(on, "/plain", "gzip")) == 0);
  OneFileApp off(routes);
  CHECK(coding_of(get(off, "/text", "gzip")) == "-");
  CHECK(varies(get(off, "/text", "gzip")) == 0);
  CHECK(coding_of(get(off, "/wanted", "gzip")) == "gzip");
}

TEST_CASE("compression: HEAD has the header fields of GET") {
  OneFileApp app(routes, compressing());
  const TestResponse r = app.request("HEAD", "/text").header("Accept-Encoding", "br").send();
  const TestResponse whole = get(app, "/text", "br");
  CHECK(r.body.empty());
  CHECK(coding_of(r) == "br");
  CHECK(r.header("content-length") == whole.header("content-length"));
}

TEST_CASE("compression: streams are compressed while they are sent") {
  OneFileApp app(routes, compressing());
  for (const std::string coding : {"gzip", "br", "zstd"}) {
    CAPTURE(coding);
    const TestResponse r = get(app, "/stream", coding);
    CHECK(coding_of(r) == coding);
    CHECK_FALSE(r.header("content-length"));
    CHECK(decode(coding, r.body) == sample(2'000) + sample(2'000) + sample(2'000));
  }
  CHECK(get(app, "/stream", "").header("content-length") == "6000");
  CHECK(coding_of(get(app, "/known", "gzip")) == "-");
}

TEST_CASE("compression: the encoders of streams have a bound, beyond which they are not used") {
  for (const auto& [limit, coding, expected] :
       {std::tuple("100kb", "gzip", "-"), std::tuple("400kb", "gzip", "gzip"),
        std::tuple("400kb", "br", "-"), std::tuple("400kb", "zstd", "-"),
        std::tuple("2mb", "br", "br"), std::tuple("2mb", "zstd", "zstd")}) {
    CAPTURE(limit);
    CAPTURE(coding);
    fw::Config config = compressing();
    config.server.max_buffered_bytes = limit;
    OneFileApp app(routes, config);
    // Each of them returns its part.
    for (int i = 0; i < 3; ++i) {
      const TestResponse r = get(app, "/stream", coding);
      CHECK(coding_of(r) == expected);
      CHECK(varies(r) == 1);
      const std::string text = sample(2'000) + sample(2'000) + sample(2'000);
      CHECK((r.header("content-encoding") ? decode(coding, r.body) : r.body) == text);
    }
    CHECK(coding_of(get(app, "/text", coding)) == coding);
  }
}

TEST_CASE("compression: an encoder of a stream takes no more memory than is counted" *
          doctest::skip(fairway::test::kAllocatesItself)) {
  const std::string text = sample(3'000'000);
  for (const Coding coding : fw::compression::kCodings) {
    CAPTURE(fw::compression::name_of(coding));
    for (const int level : {1, 3, 4, 6, 9}) {
      CAPTURE(level);
      const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
      const auto encoder = fw::compression::make_stream_encoder(coding, level, std::nullopt);
      std::string out;
      std::size_t most = 0;
      for (std::size_t at = 0; at < text.size(); at += 16'384) {
        out.clear();
        encoder->write(std::string_view(text).substr(at, 16'384), Encoder::Flush::none, out);
        const std::size_t now = mallinfo2().uordblks + mallinfo2().hblkhd;
        most = std::max(most, now - std::min(now, before + out.capacity()));
      }
      CHECK(most <= fw::compression::stream_encoder_memory(coding, level));
    }
  }
}

TEST_CASE("compression: an encoder does not keep long runs back") {
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/zeros", [](fw::Request&, fw::Response& res) {
          res.stream(
              [left = std::size_t{16} << 20U](std::span<char> buffer) mutable {
                const std::size_t size = std::min(left, buffer.size());
                std::fill_n(buffer.begin(), size, '0');
                left -= size;
                return size;
              },
              "text/plain");
        });
      },
      compressing());
  const TestResponse r = get(app, "/zeros", "gzip");
  // The marks of a flush, of which there is one for 256 KB.
  constexpr std::string_view kMark("\0\0\xff\xff", 4);
  std::size_t count = 0;
  for (auto at = r.body.find(kMark); at != std::string::npos; at = r.body.find(kMark, at + 1)) {
    ++count;
  }
  CHECK(count >= 60);
  CHECK(decode("gzip", r.body).size() == std::size_t{16} << 20U);
}

TEST_CASE("compression: a response with a CSRF token is not compressed") {
  fw::Config config = compressing();
  config.csrf.enabled = true;
  config.csrf.secret = std::string(32, 's');
  OneFileApp app(routes, config);
  CHECK(coding_of(get(app, "/token", "gzip")) == "-");
  CHECK(coding_of(get(app, "/text", "gzip")) == "gzip");
}

TEST_CASE("compression: the entity tag of a compressed response is weak, also in a 304") {
  fw::Config config = compressing();
  config.etag = fw::EntityTags::strong;
  config.response.wrap = false;
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/json", [](fw::Request&, fw::Response& res) { res.json(sample(5'000)); });
      },
      config);
  const std::string strong(*get(app, "/json", "").header("etag"));
  CHECK(strong.starts_with('"'));
  const TestResponse compressed = get(app, "/json", "gzip");
  CHECK(compressed.header("etag") == "W/" + strong);
  const TestResponse same = get(app, "/json", "gzip", {{"if-none-match", "W/" + strong}});
  CHECK(same.status == 304);
  CHECK(same.header("etag") == "W/" + strong);
  CHECK(varies(same) == 1);
  CHECK(coding_of(same) == "-");
  CHECK(get(app, "/json", "", {{"if-match", strong}}).status == 200);
  CHECK(get(app, "/json", "gzip", {{"if-match", strong}}).status == 412);
}

TEST_CASE("compression: cached responses are stored compressed, and each has its own request id") {
  int calls = 0;
  OneFileApp app(
      [&](fw::Router& router) {
        router.get("/c", {.cache = 60'000}, [&](fw::Request&, fw::Response& res) {
          ++calls;
          res.json(sample(5'000));
        });
        router.get("/raw", {.cache = 60'000},
                   [&](fw::Request&, fw::Response& res) { res.raw_json(sample(5'000)); });
      },
      compressing());
  const auto content = [&](const TestResponse& r) {
    const std::string coding = coding_of(r);
    return fw::Json::parse(coding == "-" ? r.body : decode(coding, r.body));
  };
  const char* const codings[] = {"gzip", "br", "zstd", "", "gzip", "br", "zstd"};
  for (int i = 0; i < 7; ++i) {
    const std::string coding = codings[i];
    CAPTURE(i);
    const std::string id = "id \"" + std::to_string(i) + '"';
    const TestResponse r = get(app, "/c", coding, {{"x-request-id", id}});
    CHECK(coding_of(r) == (coding.empty() ? "-" : coding));
    CHECK(r.header("x-cache") == (i == 0 ? "MISS" : "HIT"));
    CHECK(varies(r) == 1);
    CHECK(content(r) == fw::Json{{"code", 0}, {"data", sample(5'000)}, {"requestId", id}});
    CHECK(content(get(app, "/raw", coding)) == sample(5'000));
  }
  CHECK(calls == 1);
  CHECK(app.app().cache().stats().writes == 2);
}

}  // namespace compression_test
