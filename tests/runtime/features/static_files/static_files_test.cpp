#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "base/open_file.hpp"
#include "features/static_files/byte_ranges.hpp"
#include "features/static_files/static_file_set.hpp"
#include "http/http_date.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace static_files_test {

namespace {

namespace fs = std::filesystem;
using fw::support::OneFileApp;
using fw::testing::TestApp;
using fw::testing::TestResponse;

using Headers = std::vector<std::pair<std::string, std::string>>;

/// A directory with a site, and what must not be reached outside of it.
struct Site {
  fairway::test::TemporaryDirectory directory;
  fs::path root = directory.path() / "site";

  Site() {
    write("index.html", "<h1>Home</h1>");
    write("app.css", "body {}");
    write("app.3f8a2c91.js", "let x;");
    write("data/list.json", "[1]");
    write("docs/index.html", "<h1>Docs</h1>");
    write("empty.txt", "");
    write("digits.txt", "0123456789");
    // A time in the future has no Last-Modified: the tests do not depend on a clock that steps.
    fs::last_write_time(root / "digits.txt",
                        fs::file_time_type::clock::now() - std::chrono::hours(1));
    write("a b%.txt", "blank");
    write(".env", "SECRET=1");
    write(".git/config", "secret");
    write(".well-known/security.txt", "contact");
    write("strange.unknown", "?");
    std::ofstream(directory.path() / "outside.txt") << "outside";
    fs::create_symlink(directory.path() / "outside.txt", root / "link.txt");
  }

  void write(const std::string& name, const std::string& content) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << content;
  }
};

OneFileApp serve(const Site& site, const std::string& prefix = "/",
                 const fw::StaticOptions& options = {}, fw::Config config = TestApp::test_config(),
                 const std::function<void(fw::App&)>& set_up = {}) {
  return OneFileApp(
      [](fw::Router& app) {
        app.get("/app.css", [](fw::Request&, fw::Response& res) { res.text("route"); });
        app.post("/digits.txt", [](fw::Request&, fw::Response& res) { res.text("posted"); });
      },
      std::move(config),
      [=, root = site.root.string()](fw::App& app) {
        app.serve_static(prefix, root, options);
        if (set_up) set_up(app);
      });
}

TestResponse get(TestApp& app, const std::string& path, const Headers& headers = {}) {
  auto request = app.request("GET", path);
  for (const auto& [name, value] : headers) request.header(name, value);
  return request.send();
}

std::string startup_error(const std::string& prefix, const std::string& root) {
  try {
    OneFileApp app([](fw::Router&) {}, TestApp::test_config(),
                   [&](fw::App& application) { application.serve_static(prefix, root); });
  } catch (const fw::StartupError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("static files: content, media type and header fields") {
  const Site site;
  OneFileApp app = serve(site);
  const TestResponse r = get(app, "/data/list.json");
  CHECK(r.status == 200);
  CHECK(r.body == "[1]");
  CHECK(r.header("content-type") == "application/json; charset=utf-8");
  CHECK(r.header("content-length") == "3");
  CHECK(r.header("x-content-type-options") == "nosniff");
  CHECK(r.header("accept-ranges") == "bytes");
  CHECK(r.header("cache-control") == "no-cache");
  CHECK(r.header("vary") == "Accept-Encoding, Origin");
  CHECK(r.header("etag")->starts_with('"'));
  CHECK(fw::http::parse_http_date(*r.header("last-modified")));
  CHECK(r.header("x-request-id"));
  CHECK(get(app, "/strange.unknown").header("content-type") == "application/octet-stream");
  CHECK(get(app, "/empty.txt").status == 200);
  CHECK(get(app, "/empty.txt").header("content-length") == "0");
  CHECK(get(app, "/a%20b%25.txt?x=1").body == "blank");
  CHECK(get(app, "/app.3f8a2c91.js").header("cache-control") ==
        "public, max-age=31536000, immutable");
  const TestResponse head = app.request("HEAD", "/digits.txt").send();
  CHECK(head.body.empty());
  CHECK(head.header("content-length") == "10");
  CHECK(head.header("etag") == get(app, "/digits.txt").header("etag"));
}

TEST_CASE("static files: index files, and no directory listings") {
  const Site site;
  OneFileApp app = serve(site, "/site");
  CHECK(get(app, "/site/").body == "<h1>Home</h1>");
  CHECK(get(app, "/site").status == 301);
  CHECK(get(app, "/site").header("location") == "/site/");
  CHECK(get(app, "/site/docs?a=1").header("location") == "/site/docs/?a=1");
  CHECK(get(app, "/site/docs/").body == "<h1>Docs</h1>");
  CHECK(get(app, "/site/data").status == 404);
  CHECK(get(app, "/site/data/").status == 404);
  CHECK(get(app, "/sitemap").status == 404);
  CHECK(get(app, "/").status == 404);
  OneFileApp without = serve(site, "/", {.index = ""});
  CHECK(get(without, "/").status == 404);
  CHECK(get(without, "/docs").status == 404);
  CHECK(get(without, "/docs/").status == 404);
}

TEST_CASE("static files: paths outside the directory and hidden files are not served") {
  const Site site;
  OneFileApp app = serve(site);
  for (const std::string path :
       {"/../outside.txt", "/%2e%2e/outside.txt", "/data/../../outside.txt", "/..%2foutside.txt",
        "/data%2flist.json", "//digits.txt", "/data//list.json", "/./digits.txt", "/link.txt",
        "/.env", "/.git/config", "/data/.well-known/x", "/data/list.json/", "/%zz",
        "/digits.txt%00", "/\\..\\outside.txt", "/data/list.json/x", "//example.com/.."}) {
    CAPTURE(path);
    const TestResponse r = get(app, path);
    CHECK((r.status == 404 || r.status == 400));
    CHECK(r.body.find("outside\"") == std::string::npos);
  }
  CHECK(get(app, "/.well-known/security.txt").body == "contact");
  OneFileApp shown = serve(site, "/", {.dot_files = true});
  CHECK(get(shown, "/.env").body == "SECRET=1");
  CHECK(get(shown, "/../outside.txt").status == 404);
}

TEST_CASE("static files: routes take precedence, and other methods are 405") {
  const Site site;
  int not_found = 0;
  OneFileApp app = serve(site, "/", {}, TestApp::test_config(), [&](fw::App& application) {
    application.hooks().on<fw::hooks::RouteNotFound>(
        [&](fw::hooks::RouteNotFound&) { ++not_found; });
  });
  CHECK(get(app, "/app.css").body == "route");
  CHECK(app.request("POST", "/digits.txt").send().body == "posted");
  CHECK(get(app, "/digits.txt").body == "0123456789");
  CHECK(not_found == 0);
  const TestResponse post = app.request("POST", "/data/list.json").send();
  CHECK(post.status == 405);
  CHECK(post.header("allow") == "GET, HEAD");
  CHECK(app.request("OPTIONS", "/data/list.json").send().status == 204);
  CHECK(get(app, "/missing.txt").status == 404);
  CHECK(get(app, "/missing.txt").json()["message"] == "Not Found");
  CHECK(not_found == 2);
}

TEST_CASE("static files: a request that the rate limit rejects looks for no file") {
  const Site site;
  fw::Config config = TestApp::test_config();
  config.rate_limit.enabled = true;
  config.rate_limit.max = 2;
  int not_found = 0;
  OneFileApp app = serve(site, "/", {}, config, [&](fw::App& application) {
    application.hooks().on<fw::hooks::RouteNotFound>(
        [&](fw::hooks::RouteNotFound&) { ++not_found; });
  });
  CHECK(get(app, "/data/list.json").status == 200);
  CHECK(get(app, "/missing.txt").status == 404);
  // Without the directory, looking for a file fails.
  fs::remove_all(site.root);
  CHECK(get(app, "/data/list.json").status == 429);
  CHECK(get(app, "/missing.txt").status == 429);
  CHECK(not_found == 1);
}

TEST_CASE("static files: preflights are handled as for routes") {
  const Site site;
  const auto preflight = [](TestApp& app, const std::string& path,
                            const std::string& origin = "https://a.example") {
    return app.request("OPTIONS", path)
        .header("Origin", origin)
        .header("Access-Control-Request-Method", "GET")
        .header("Access-Control-Request-Headers", "if-none-match")
        .send();
  };
  fw::Config config = TestApp::test_config();
  config.cors.origins = {"https://a.example"};
  config.cors.methods = {"GET", "HEAD"};
  config.cors.headers = {"If-None-Match"};
  config.security_headers.enabled = true;
  OneFileApp app = serve(site, "/", {}, config);
  for (const char* path : {"/digits.txt", "/data/list.json", "/docs/", "/docs", "/"}) {
    CAPTURE(path);
    const TestResponse response = preflight(app, path);
    CHECK(response.status == 204);
    CHECK(response.body.empty());
    CHECK(response.header("access-control-allow-origin") == "https://a.example");
    CHECK(response.header("access-control-allow-methods") == "GET, HEAD");
    CHECK(response.header("access-control-allow-headers") == "If-None-Match");
    CHECK(response.header("access-control-max-age") == "86400");
    CHECK(response.header("vary") == "Origin");
    CHECK(response.header("x-content-type-options") == "nosniff");
    CHECK_FALSE(response.header("allow"));
  }
  const TestResponse other = preflight(app, "/data/list.json", "https://b.example");
  CHECK(other.status == 204);
  CHECK_FALSE(other.header("access-control-allow-origin"));
  // No file.
  for (const char* path : {"/none.txt", "/.env", "/data/", "/link.txt"}) {
    CAPTURE(path);
    const TestResponse response = preflight(app, path);
    CHECK(response.status == 404);
    CHECK_FALSE(response.header("access-control-allow-methods"));
  }
  // Not a preflight.
  CHECK(app.request("OPTIONS", "/data/list.json").send().header("allow") == "GET, HEAD");
  config.cors.enabled = false;
  OneFileApp off = serve(site, "/", {}, config);
  CHECK(preflight(off, "/data/list.json").header("allow") == "GET, HEAD");
  CHECK_FALSE(preflight(off, "/data/list.json").header("access-control-allow-origin"));
}

TEST_CASE("static files: conditional requests get a 304 or 412") {
  const Site site;
  OneFileApp app = serve(site);
  const TestResponse r = get(app, "/digits.txt");
  const std::string tag(*r.header("etag"));
  const std::string date(*r.header("last-modified"));
  const std::string earlier = "Sun, 06 Nov 1994 08:49:37 GMT";
  const auto status = [&](const Headers& headers) {
    return get(app, "/digits.txt", headers).status;
  };
  const TestResponse same = get(app, "/digits.txt", {{"if-none-match", tag}});
  CHECK(same.status == 304);
  CHECK(same.body.empty());
  CHECK(same.header("etag") == tag);
  CHECK(same.header("cache-control") == "no-cache");
  CHECK(same.header("vary") == "Accept-Encoding, Origin");
  CHECK_FALSE(same.header("content-type"));
  CHECK(status({{"if-none-match", "\"x\""}}) == 200);
  CHECK(status({{"if-none-match", "W/" + tag}}) == 304);
  CHECK(status({{"if-none-match", "*"}}) == 304);
  CHECK(status({{"if-modified-since", date}}) == 304);
  CHECK(status({{"if-modified-since", earlier}}) == 200);
  CHECK(status({{"if-modified-since", "nonsense"}}) == 200);
  CHECK(status({{"if-none-match", "\"x\""}, {"if-modified-since", date}}) == 200);
  CHECK(status({{"if-match", tag}}) == 200);
  CHECK(status({{"if-match", "\"x\""}}) == 412);
  CHECK(status({{"if-unmodified-since", date}}) == 200);
  CHECK(status({{"if-unmodified-since", earlier}}) == 412);
  CHECK(status({{"if-match", tag}, {"if-unmodified-since", earlier}}) == 200);
  CHECK(status({{"if-match", "\"x\""}, {"if-none-match", tag}}) == 412);
  site.write("digits.txt", "changed");
  CHECK(status({{"if-none-match", tag}}) == 200);
}

TEST_CASE("static files: a modification time in the future is not sent") {
  const Site site;
  fs::last_write_time(site.root / "digits.txt",
                      fs::file_time_type::clock::now() + std::chrono::hours(48));
  OneFileApp app = serve(site);
  const TestResponse r = get(app, "/digits.txt");
  CHECK(r.status == 200);
  CHECK_FALSE(r.header("last-modified"));
  CHECK(get(app, "/digits.txt", {{"if-none-match", std::string(*r.header("etag"))}}).status == 304);
}

TEST_CASE("static files: single ranges are served") {
  const Site site;
  OneFileApp app = serve(site);
  const auto range = [&](const std::string& value, const Headers& more = {}) {
    Headers headers = {{"range", value}};
    headers.insert(headers.end(), more.begin(), more.end());
    const TestResponse r = get(app, "/digits.txt", headers);
    return std::to_string(r.status) + " " + std::string(r.header("content-range").value_or("-")) +
           (r.status == 416 ? "" : " " + r.body);
  };
  CHECK(range("bytes=2-4") == "206 bytes 2-4/10 234");
  CHECK(range("BYTES=0-0") == "206 bytes 0-0/10 0");
  CHECK(range("bytes=7-") == "206 bytes 7-9/10 789");
  CHECK(range("bytes=-3") == "206 bytes 7-9/10 789");
  CHECK(range("bytes=-30") == "206 bytes 0-9/10 0123456789");
  CHECK(range("bytes=5-99999999999999999999999") == "206 bytes 5-9/10 56789");
  CHECK(range("bytes=10-") == "416 bytes */10");
  CHECK(range("bytes=-0") == "416 bytes */10");
  for (const char* ignored : {"bytes=4-2", "bytes=x-", "bytes", "items=0-1", "bytes=", "bytes=1",
                              "bytes=--1", "bytes=1-2-3"}) {
    CAPTURE(ignored);
    CHECK(range(ignored) == "200 - 0123456789");
  }
  const TestResponse whole = get(app, "/digits.txt");
  const std::string tag(*whole.header("etag"));
  CHECK(range("bytes=2-4", {{"if-range", tag}}) == "206 bytes 2-4/10 234");
  CHECK(range("bytes=2-4", {{"if-range", "W/" + tag}}) == "200 - 0123456789");
  CHECK(range("bytes=2-4", {{"if-range", "\"x\""}}) == "200 - 0123456789");
  CHECK(range("bytes=2-4", {{"if-range", std::string(*whole.header("last-modified"))}}) ==
        "206 bytes 2-4/10 234");
  CHECK(range("bytes=2-4", {{"if-range", "Sun, 06 Nov 1994 08:49:37 GMT"}}) == "200 - 0123456789");
  CHECK(range("bytes=2-4", {{"if-none-match", tag}}) == "304 - ");
  const TestResponse part = get(app, "/digits.txt", {{"range", "bytes=2-4"}});
  CHECK(part.header("content-length") == "3");
  CHECK(part.header("etag") == tag);
  CHECK(part.header("content-type") == "text/plain; charset=utf-8");
  const TestResponse head = app.request("HEAD", "/digits.txt").header("range", "bytes=2-4").send();
  CHECK(head.status == 200);
  CHECK(head.header("content-length") == "10");
  CHECK(get(app, "/empty.txt", {{"range", "bytes=0-"}}).status == 200);
}

TEST_CASE("static files: several ranges are one multipart response") {
  const Site site;
  OneFileApp app = serve(site);
  const TestResponse r = get(app, "/digits.txt", {{"range", "bytes=7-8, 0-1,,-1, 20-"}});
  CHECK(r.status == 206);
  CHECK_FALSE(r.header("content-range"));
  const std::string type(*r.header("content-type"));
  const std::string kind = "multipart/byteranges; boundary=";
  REQUIRE(type.starts_with(kind));
  const std::string boundary = "\r\n--" + type.substr(kind.size());
  const auto part = [&](const std::string& range, const std::string& content) {
    return boundary + "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Range: bytes " +
           range + "/10\r\n\r\n" + content;
  };
  CHECK(r.body == part("7-8", "78") + part("0-1", "01") + part("9-9", "9") + boundary + "--\r\n");
  CHECK(r.header("content-length") == std::to_string(r.body.size()));
  const TestResponse joined = get(app, "/digits.txt", {{"range", "bytes=4-6,2-5"}});
  CHECK(joined.header("content-range") == "bytes 2-6/10");
  CHECK(get(app, "/digits.txt", {{"range", "bytes=0-4,5-9"}}).status == 200);
  std::string many = "bytes=0-0";
  for (int i = 0; i < 32; ++i) many += ",0-0";
  CHECK(get(app, "/digits.txt", {{"range", many}}).status == 200);
}

TEST_CASE("static files: precompressed files are served") {
  const Site site;
  site.write("style.css", "plain");
  site.write("style.css.gz", "gzipped");
  site.write("style.css.br", "brotli");
  site.write("old.css.gz", "stale");
  site.write("old.css", "new");
  fs::last_write_time(site.root / "old.css.gz",
                      fs::last_write_time(site.root / "old.css") - std::chrono::hours(1));
  site.write("picture.png", "png");
  site.write("picture.png.gz", "gzipped");
  OneFileApp app = serve(site);
  const auto body = [&](const std::string& path, const std::string& accept) {
    const TestResponse r = get(app, path, {{"accept-encoding", accept}});
    return std::string(r.header("content-encoding").value_or("-")) + " " + r.body;
  };
  CHECK(body("/style.css", "gzip, br, zstd") == "br brotli");
  CHECK(body("/style.css", "gzip") == "gzip gzipped");
  CHECK(body("/style.css", "gzip;q=1, br;q=0.1") == "gzip gzipped");
  CHECK(body("/style.css", "zstd") == "- plain");
  CHECK(body("/style.css", "") == "- plain");
  CHECK(body("/old.css", "gzip") == "- new");
  CHECK(body("/picture.png", "gzip") == "- png");
  CHECK(get(app, "/picture.png").header("vary") == "Origin");
  const TestResponse br = get(app, "/style.css", {{"accept-encoding", "br"}});
  CHECK(br.header("content-type") == "text/css; charset=utf-8");
  CHECK(br.header("vary") == "Accept-Encoding, Origin");
  const std::string tag(*br.header("etag"));
  CHECK(tag.ends_with("-br\""));
  CHECK(tag != get(app, "/style.css").header("etag"));
  CHECK(get(app, "/style.css", {{"accept-encoding", "br"}, {"range", "bytes=0-1"}}).body == "br");
  // Parts of an encoded file, with text between them, are no encoded body.
  const TestResponse parts =
      get(app, "/style.css", {{"accept-encoding", "br"}, {"range", "bytes=0-1,4-5"}});
  CHECK(parts.status == 200);
  CHECK(parts.body == "brotli");
  CHECK(get(app, "/style.css", {{"accept-encoding", "br"}, {"range", "bytes=0-1,1-2"}}).body ==
        "bro");
  CHECK(get(app, "/style.css", {{"accept-encoding", "br"}, {"if-none-match", tag}}).status == 304);
  OneFileApp without = serve(site, "/", {.precompressed = false});
  CHECK(get(without, "/style.css", {{"accept-encoding", "br"}}).body == "plain");
}

TEST_CASE("static files: a compressed file that is added is sent after a second") {
  using fw::compression::Coding;
  const Site site;
  site.write("style.css", "plain");
  std::vector<std::string> errors;
  fw::detail::StaticFiles files;
  files.add({.prefix = "/a", .root = site.root.string()}, errors);
  files.add({.prefix = "/b", .root = site.root.string()}, errors);
  REQUIRE(errors.empty());
  const fw::compression::CompressionPolicy policy{fw::CompressionConfig{}};
  const std::chrono::steady_clock::time_point begin(std::chrono::hours(1));
  const auto coding = [&](std::string_view path, std::chrono::milliseconds time) {
    const auto file =
        files.find({.path = path, .accept_encoding = "gzip, br", .now = begin + time}, policy);
    REQUIRE(file);
    return file->coding;
  };
  using namespace std::chrono_literals;
  CHECK(coding("/a/style.css", 0ms) == std::nullopt);
  site.write("style.css.gz", "gzipped");
  // It is not looked for at each request.
  CHECK(coding("/a/style.css", 500ms) == std::nullopt);
  CHECK(coding("/b/style.css", 500ms) == Coding::gzip);
  CHECK(coding("/a/style.css", 1000ms) == Coding::gzip);
  fs::remove(site.root / "style.css.gz");
  CHECK(coding("/a/style.css", 1000ms) == std::nullopt);
}

TEST_CASE("static files: names of files that do not exist are kept in bounded memory") {
  using namespace std::chrono_literals;
  fw::detail::AbsentFiles absent;
  const std::chrono::steady_clock::time_point now(1h);
  constexpr std::uint64_t kName = 0x123456789abcdef0;
  CHECK_FALSE(absent.has(kName, now));
  absent.add(kName, now);
  CHECK(absent.has(kName, now + 999ms));
  CHECK_FALSE(absent.has(kName, now + 1000ms));
  CHECK_FALSE(absent.has(kName ^ (std::uint64_t{1} << 63), now));
  absent.add(kName ^ (std::uint64_t{1} << 63), now);  // in the same place
  CHECK_FALSE(absent.has(kName, now));
}

TEST_CASE("static files: files are compressed while they are sent, without ranges") {
  const Site site;
  site.write("large.txt", std::string(50'000, 'x'));
  fw::Config config = TestApp::test_config();
  config.compression.enabled = true;
  OneFileApp app = serve(site, "/", {}, config);
  const TestResponse r =
      get(app, "/large.txt", {{"accept-encoding", "gzip"}, {"range", "bytes=0-9"}});
  CHECK(r.status == 200);
  CHECK(r.header("content-encoding") == "gzip");
  CHECK(r.header("etag")->starts_with("W/"));
  CHECK_FALSE(r.header("accept-ranges"));
  CHECK(r.body.size() < 1'000);
  CHECK(get(app, "/large.txt", {{"range", "bytes=0-9"}}).status == 206);
  const std::string tag(*r.header("etag"));
  const TestResponse same =
      get(app, "/large.txt", {{"accept-encoding", "gzip"}, {"if-none-match", tag}});
  CHECK(same.status == 304);
  CHECK(same.header("etag") == tag);
}

TEST_CASE("static files: options of a directory are applied") {
  const Site site;
  OneFileApp app = serve(site, "/",
                         {.fallback = "index.html",
                          .immutable = fw::ImmutableFiles::none,
                          .cache_control = "public, max-age=60",
                          .media_types = {{"unknown", "text/x-strange"}}});
  CHECK(get(app, "/app.3f8a2c91.js").header("cache-control") == "public, max-age=60");
  CHECK(get(app, "/strange.unknown").header("content-type") == "text/x-strange");
  const Headers browser = {{"accept", "text/html,*/*"}};
  CHECK(get(app, "/users/7", browser).body == "<h1>Home</h1>");
  CHECK(get(app, "/users/7", browser).status == 200);
  CHECK(get(app, "/users/7").status == 404);
  CHECK(get(app, "/missing.js", browser).status == 404);
  OneFileApp all = serve(site, "/", {.immutable = fw::ImmutableFiles::all, .cache_control = ""});
  CHECK(get(all, "/digits.txt").header("cache-control") == "public, max-age=31536000, immutable");
}

TEST_CASE("static files: the fallback depends on Accept, and is never immutable") {
  const Site site;
  site.write("shell.3f8a2c91.html", "<h1>Shell</h1>");
  const Headers browser = {{"accept", "text/html"}};
  for (const auto immutable : {fw::ImmutableFiles::all, fw::ImmutableFiles::hashed}) {
    OneFileApp app = serve(site, "/", {.fallback = "shell.3f8a2c91.html", .immutable = immutable});
    const TestResponse page = get(app, "/users/7", browser);
    CHECK(page.body == "<h1>Shell</h1>");
    CHECK(page.header("cache-control") == "no-cache");
    CHECK(page.header("vary") == "Accept, Accept-Encoding, Origin");
    const TestResponse same = get(
        app, "/users/7", {browser.front(), {"if-none-match", std::string(*page.header("etag"))}});
    CHECK(same.status == 304);
    CHECK(same.header("vary") == "Accept, Accept-Encoding, Origin");
    // Its absence depends on Accept, too.
    const TestResponse other = get(app, "/users/7", {{"accept", "application/json"}});
    CHECK(other.status == 404);
    CHECK(other.header("vary") == "Accept, Origin");
    CHECK(get(app, "/missing.js", browser).header("vary") == "Origin");
    const TestResponse file = get(app, "/shell.3f8a2c91.html", browser);
    CHECK(file.header("cache-control") == "public, max-age=31536000, immutable");
    CHECK(file.header("vary") == "Accept-Encoding, Origin");
  }
  OneFileApp without = serve(site);
  CHECK(get(without, "/users/7", browser).header("vary") == "Origin");
}

TEST_CASE("static files: the directory stays open until its path names another one") {
  const Site site;
  const fs::path current = site.directory.path() / "current";
  const fs::path next = site.directory.path() / "next";
  fs::create_directory(next);
  std::ofstream(next / "digits.txt") << "new";
  fs::create_directory_symlink(site.root, current);
  const fw::detail::KeptDirectory kept(current.string());
  const auto first = kept.get();
  CHECK(kept.get() == first);
  OneFileApp app([](fw::Router&) {}, TestApp::test_config(),
                 [&](fw::App& a) { a.serve_static("/", current.string()); });
  CHECK(get(app, "/digits.txt").body == "0123456789");
  fs::remove(current);
  CHECK(get(app, "/digits.txt").status == 500);
  CHECK_THROWS_AS(kept.get(), std::system_error);
  fs::create_directory_symlink(next, current);
  CHECK(get(app, "/digits.txt").body == "new");
  CHECK(get(app, "/app.3f8a2c91.js").status == 404);
  CHECK(kept.get() != first);
}

TEST_CASE("static files: `static` in the configuration, and the longest prefix wins") {
  const Site site;
  const std::string root = site.root.string();
  fw::Config config = TestApp::test_config();
  fw::apply_config_layer(config,
                         {{"static",
                           {{{"prefix", "/files"}, {"root", root}},
                            {{"prefix", "/files/docs/"}, {"root", root + "/data"}}}}},
                         "default.json");
  OneFileApp app([](fw::Router&) {}, config);
  CHECK(get(app, "/files/digits.txt").body == "0123456789");
  CHECK(get(app, "/files/docs/list.json").body == "[1]");
  CHECK(get(app, "/files/docs/index.html").status == 404);
  CHECK_THROWS_AS(
      fw::apply_config_layer(config, {{"static", {{{"prefix", "/files"}}}}}, "default.json"),
      fw::StartupError);
  CHECK_THROWS_AS(
      fw::apply_config_layer(
          config, {{"static", {{{"prefix", "/"}, {"root", "."}, {"immutable", "some"}}}}},
          "default.json"),
      fw::StartupError);
}

TEST_CASE("static files: invalid prefixes and directories are startup errors") {
  const Site site;
  const std::string root = site.root.string();
  CHECK(startup_error("/", root) == "");
  CHECK(startup_error("files", root)
            .find("static files at 'files': the prefix must begin with / "
                  "and have neither parameters nor //, ?, # and %") != std::string::npos);
  CHECK(startup_error("/:id", root) != "");
  CHECK(startup_error("/files", root + "/missing")
            .find("static files at '/files': '" + root + "/missing' is not a directory") !=
        std::string::npos);
}

TEST_CASE("static files: names with a content hash are recognised") {
  for (const char* name : {"app.3f8a2c91.js", "app-0a1b2c3d4e5f.css", "a/b_deadbeef01.woff2"}) {
    CAPTURE(name);
    CHECK(fw::detail::has_hash(name));
  }
  for (const char* name : {"app.js", "report-20240131.pdf", "deadbeef.js", "app.deadbeef.js",
                           "data.3f8a2c91", "3f8a2c91/app.js", "app.3f8a2c.js", ""}) {
    CAPTURE(name);
    CHECK_FALSE(fw::detail::has_hash(name));
  }
}

TEST_CASE("static files: media types are chosen by extension") {
  using namespace fw::detail;
  CHECK(extension_of("a/b.c/index.html") == "html");
  CHECK(extension_of("archive.tar.gz") == "gz");
  CHECK(extension_of("a.b/Makefile") == "");
  CHECK(extension_of(".profile") == "");
  CHECK(media_type_of("HTML") == "text/html; charset=utf-8");
  CHECK(media_type_of("woff2") == "font/woff2");
  CHECK(media_type_of("") == "application/octet-stream");
}

}  // namespace static_files_test
