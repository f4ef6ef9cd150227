#include <doctest/doctest.h>

#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <sstream>
#include <system_error>
#include <unistd.h>

#include "base/open_file.hpp"
#include "support/table_builder.hpp"
#include "temporary_directory.hpp"

namespace response_test {

namespace {

using fw::Json;
using fw::support::OneFileApp;
using fw::support::RecordingSink;
using fw::testing::TestApp;
using fw::testing::TestResponse;

TestResponse response_of(fw::Handler handler, fw::Config config = TestApp::test_config()) {
  OneFileApp app([&](fw::Router& router) { router.get("/x", handler); }, std::move(config));
  return app.request("GET", "/x").send();
}

fw::Config unwrapped() {
  fw::Config config = TestApp::test_config();
  config.response.wrap = false;
  return config;
}

}  // namespace

TEST_CASE("response: JSON is sent in the envelope") {
  const auto text = [](fw::Request&, fw::Response& res) { res.json("é\n\"<>&"); };
  const TestResponse wrapped = response_of(text);
  CHECK(wrapped.status == 200);
  CHECK(wrapped.header("content-type") == "application/json; charset=utf-8");
  CHECK(wrapped.json() == Json{{"code", 0},
                               {"data", "é\n\"<>&"},
                               {"requestId", wrapped.header("x-request-id").value_or("")}});
  CHECK(response_of(text, unwrapped()).body == "\"é\\n\\\"<>&\"");
  const auto none = [](fw::Request&, fw::Response& res) { res.json(nullptr, 404); };
  CHECK(response_of(none).status == 404);
  CHECK(response_of(none).json()["code"] == 0);
  CHECK(response_of(none, unwrapped()).body == "null");
  const auto raw = [](fw::Request&, fw::Response& res) { res.raw_json({{"a", 1}}, 203); };
  CHECK(response_of(raw).status == 203);
  CHECK(response_of(raw).body == R"({"a":1})");
}

TEST_CASE("response: status and headers chain, and header names ignore case") {
  const TestResponse r = response_of([](fw::Request&, fw::Response& res) {
    res.status(202).set_header("x-a", "1").set_header("X-A", "2").append_header("x-b", "1");
    res.append_header("x-b", "2").json(res.status_code());
  });
  CHECK(r.status == 202);
  CHECK(r.json()["data"] == 202);
  CHECK(r.header("X-a") == "2");
  CHECK(std::count_if(r.headers.begin(), r.headers.end(),
                      [](const auto& field) { return field.first == "x-b"; }) == 2);
}

TEST_CASE("response: 204, 205 and 304 have no body") {
  for (const int status : {204, 205, 304}) {
    const TestResponse r =
        response_of([&](fw::Request&, fw::Response& res) { res.json({{"a", 1}}, status); });
    CHECK(r.status == status);
    CHECK(r.body.empty());
    CHECK(!r.header("content-type"));
  }
  CHECK(
      response_of([](fw::Request&, fw::Response& res) { res.status(204).text("x"); }).body.empty());
  const TestResponse streamed = response_of(
      [](fw::Request&, fw::Response& res) { res.status(205).stream(fw::Readable("x"), "a/b"); });
  CHECK(streamed.body.empty());
  CHECK(!streamed.header("content-type"));
}

TEST_CASE("response: the length of a 205 response is sent") {
  const TestResponse r = response_of([](fw::Request&, fw::Response& res) { res.json(1, 205); });
  CHECK(r.header("content-length") == "0");
}

TEST_CASE("response: empty responses have no body") {
  for (const int status : {204, 205, 304}) {
    const TestResponse r =
        response_of([&](fw::Request&, fw::Response& res) { res.status(status); });
    CHECK(r.status == status);
    CHECK(r.body.empty());
    CHECK(!r.header("content-type"));
  }
  const TestResponse created = response_of([](fw::Request&, fw::Response& res) {
    res.status(201).set_header("Location", "/x/1").end();
    res.json("ignored");
  });
  CHECK(created.status == 201);
  CHECK(created.body.empty());
  CHECK(created.header("content-length") == "0");
  CHECK(!created.header("content-type"));
}

TEST_CASE("response: text is sent with its media type") {
  const TestResponse r =
      response_of([](fw::Request&, fw::Response& res) { res.text("héllo", 418); });
  CHECK(r.status == 418);
  CHECK(r.body == "héllo");
  CHECK(r.header("content-type") == "text/plain; charset=utf-8");
  const TestResponse html = response_of([](fw::Request&, fw::Response& res) {
    res.set_header("Content-Type", "text/html").text("<p>");
  });
  CHECK(html.header("content-type") == "text/html");
}

TEST_CASE("response: streams are sent") {
  const TestResponse generated = response_of([](fw::Request&, fw::Response& res) {
    res.stream([count = 0](std::span<char> buffer) mutable -> std::size_t {
      if (count == 3) return 0;
      buffer[0] = static_cast<char>('a' + count++);
      return 1;
    });
  });
  CHECK(generated.body == "abc");
  CHECK(generated.header("content-type") == "application/octet-stream");
  CHECK(!generated.header("content-length"));
  const TestResponse typed = response_of([](fw::Request&, fw::Response& res) {
    res.status(206).stream(std::make_unique<std::istringstream>("x,y"), "text/csv");
  });
  CHECK(typed.status == 206);
  CHECK(typed.body == "x,y");
  CHECK(typed.header("content-type") == "text/csv");
  const TestResponse known =
      response_of([](fw::Request&, fw::Response& res) { res.stream("four"); });
  CHECK(known.header("content-length") == "4");
}

TEST_CASE("response: files are sent with their media type") {
  const fairway::test::TemporaryDirectory directory;
  directory.write("big", std::string(10'000, 'x'));
  const std::string path = directory.path() / "big";
  const TestResponse r = response_of(
      [&](fw::Request&, fw::Response& res) { res.download(fw::file(path), "big.txt"); });
  CHECK(r.body.size() == 10'000);
  CHECK(r.header("content-length") == "10000");
  for (const std::string& missing : {std::string("no/such/file"), std::string("."), path + "/below",
                                     path + std::string("\0.txt", 5)}) {
    CAPTURE(missing);
    const TestResponse rejected =
        response_of([&](fw::Request&, fw::Response& res) { res.download(fw::file(missing), "x"); });
    CHECK(rejected.status == 404);
    CHECK(rejected.json()["message"] == "Not Found");
    CHECK(!rejected.header("content-disposition"));
  }
}

TEST_CASE("response: send_file_below never leaves its directory") {
  const fairway::test::TemporaryDirectory directory;
  directory.write("public/a.txt", "a");
  directory.write("public/deep/b.txt", "b");
  directory.write("secret", "s");
  const std::filesystem::path base = directory.path();
  std::filesystem::create_symlink("deep/b.txt", base / "public/link");
  std::filesystem::create_symlink("../secret", base / "public/out");
  std::filesystem::create_symlink(base / "secret", base / "public/absolute");
  std::filesystem::create_directory_symlink("..", base / "public/up");
  const std::string root = base / "public";
  OneFileApp app([&](fw::Router& router) {
    router.get("/files/*", [root](fw::Request& req, fw::Response& res) {
      auto file = fw::file_below(root, req.param("*").value_or(""));
      if (!file) fw::raise(404, "Not Found");
      res.stream(std::move(*file));
    });
  });
  CHECK(app.request("GET", "/files/a.txt").send().body == "a");
  CHECK(app.request("GET", "/files/deep/b.txt").send().header("content-length") == "1");
  for (const std::string path :
       {"", "deep", "nothing", "../secret", "%2e%2e/secret", "..%2fsecret", "deep/../../secret",
        "%2fetc%2fhostname", "out", "absolute", "up/secret", "a.txt%2f."}) {
    CAPTURE(path);
    CHECK(app.request("GET", "/files/" + path).send().status == 404);
  }
  CHECK(app.request("GET", "/files/a.txt%00.png").send().status == 400);
  CHECK_FALSE(fw::file_below(root, std::string_view("a.txt\0", 6)));
  CHECK_THROWS_AS(fw::file_below(base / "nowhere", "a.txt"), std::system_error);

  // Both ways of confinement agree, but for symbolic links.
  const int descriptor = open(root.c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(descriptor >= 0);
  const auto opens = [&](const std::string& path, fw::detail::Confinement confinement) {
    const int file = fw::detail::open_beneath(descriptor, path, confinement);
    if (file >= 0) close(file);
    return file >= 0;
  };
  for (const auto confinement :
       {fw::detail::Confinement::kernel, fw::detail::Confinement::by_segments}) {
    CHECK(opens("a.txt", confinement));
    CHECK(opens("deep/b.txt", confinement));
    for (const std::string path : {"../secret", "/etc/hostname", "deep/../../secret", "out",
                                   "absolute", "up/secret", "nothing", "a.txt/b"}) {
      CAPTURE(path);
      CHECK_FALSE(opens(path, confinement));
    }
  }
  CHECK_FALSE(opens("link", fw::detail::Confinement::by_segments));
  close(descriptor);
}

TEST_CASE("response: names of downloads are encoded") {
  const auto disposition = [](const std::string& name) {
    const TestResponse r = response_of(
        [&](fw::Request&, fw::Response& res) { res.download("data", name, "text/csv"); });
    CHECK(r.body == "data");
    CHECK(r.header("content-type") == "text/csv");
    return std::string(r.header("content-disposition").value_or(""));
  };
  CHECK(disposition("report.csv") == "attachment; filename=\"report.csv\"");
  CHECK(disposition("a b.txt") == "attachment; filename=\"a b.txt\"");
  CHECK(disposition("../../etc/passwd") == "attachment; filename=\"passwd\"");
  CHECK(disposition("报告 \"x\"; (1).txt") ==
        "attachment; filename=\"__ 'x'; (1).txt\"; "
        "filename*=UTF-8''%E6%8A%A5%E5%91%8A%20%22x%22%3B%20%281%29.txt");
}

TEST_CASE("response: redirects have status and Location") {
  const auto redirect = [](int status) {
    return response_of([&](fw::Request&, fw::Response& res) { res.redirect("/to?x=1", status); });
  };
  for (const int status : {301, 302, 307, 308}) {
    CHECK(redirect(status).status == status);
    CHECK(redirect(status).header("location") == "/to?x=1");
    CHECK(redirect(status).body.empty());
  }
  for (const int status : {200, 303, 404}) CHECK(redirect(status).status == 500);
  const TestResponse after_status =
      response_of([](fw::Request&, fw::Response& res) { res.status(201).redirect("/é\r\nX: y"); });
  CHECK(after_status.status == 302);
  CHECK(after_status.header("location") == "/%C3%A9%0D%0AX:%20y");
}

TEST_CASE("response: the first response is sent, and a second one is logged") {
  auto sink = std::make_shared<RecordingSink>();
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/double", [](fw::Request&, fw::Response& res) {
          res.json({{"first", true}});
          res.json({{"second", true}}, 500);
          res.status(500).text("third");
        });
      },
      TestApp::test_config(), [&](fw::App& a) { a.set_logger(fw::Logger(sink)); });
  const TestResponse r = app.request("GET", "/double").send();
  CHECK(r.status == 200);
  CHECK(r.json()["data"] == Json{{"first", true}});
  const auto messages = sink->messages(fw::LogLevel::warn);
  REQUIRE(messages.size() == 2);
  CHECK(messages[0] == "second response ignored: GET /double already has one");
}

TEST_CASE("response: a handler without a response is an error that names the route") {
  auto sink = std::make_shared<RecordingSink>();
  OneFileApp app(
      [](fw::Router& router) { router.get("/nothing", [](fw::Request&, fw::Response&) {}); },
      TestApp::test_config(), [&](fw::App& a) { a.set_logger(fw::Logger(sink)); });
  const TestResponse r = app.request("GET", "/nothing").send();
  CHECK(r.status == 500);
  CHECK(r.json()["message"] == "Internal Server Error");
  const auto messages = sink->messages(fw::LogLevel::error);
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].find("GET /nothing (src/routes/index.cpp:10)") != std::string::npos);
}

TEST_CASE("response: invalid header names and values are errors") {
  const auto set = [](const std::string& name, const std::string& value) {
    return response_of(
               [&](fw::Request&, fw::Response& res) { res.set_header(name, value).json(1); })
        .status;
  };
  CHECK(set("X-Good", "tab\tand é") == 200);
  CHECK(set("X-Bad", "a\r\nX-Injected: 1") == 500);
  CHECK(set("X Bad", "a") == 500);
  CHECK(set("", "a") == 500);
  CHECK(set("Transfer-Encoding", "chunked") == 500);
  CHECK(response_of([](fw::Request&, fw::Response& res) { res.status(99).json(1); }).status == 500);
  CHECK(response_of([](fw::Request&, fw::Response& res) { res.json(1, 600); }).status == 500);
}

TEST_CASE("response: cookies are serialised with their attributes") {
  const TestResponse r = response_of([](fw::Request&, fw::Response& res) {
    res.set_cookie("id", "a b;ü", {.max_age = 60, .secure = true, .same_site = fw::SameSite::none});
    res.clear_cookie("old", {.path = "/x"}).json(1);
  });
  CHECK(r.headers[1].second ==
        "id=a%20b%3B%C3%BC; Max-Age=60; Path=/; Secure; HttpOnly; SameSite=None");
  CHECK(r.headers[2].second == "old=; Max-Age=0; Path=/x; HttpOnly; SameSite=Lax");
  CHECK(response_of([](fw::Request&, fw::Response& res) {
          res.set_cookie("a b", "").json(1);
        }).status == 500);
  CHECK(response_of([](fw::Request&, fw::Response& res) {
          res.set_cookie("a", "", {.path = "/;x"}).json(1);
        }).status == 500);
}

TEST_CASE("response: the last value of a cookie replaces earlier ones") {
  const auto cookies_of = [](const fw::Handler& handler) {
    std::vector<std::string> lines;
    for (const auto& [name, value] : response_of(handler).headers) {
      if (name == "set-cookie") lines.push_back(value);
    }
    return lines;
  };
  using Lines = std::vector<std::string>;
  constexpr fw::SameSite kUnset = fw::SameSite::unset;
  CHECK(cookies_of([](fw::Request&, fw::Response& res) {
          const fw::CookieOptions plain{.http_only = false, .same_site = kUnset};
          res.set_cookie("a", "1", plain).set_cookie("b", "2", plain);
          res.set_cookie("a", "3", {.max_age = 5, .http_only = false, .same_site = kUnset});
          res.clear_cookie("b", plain).append_header("Set-Cookie", "a=4; path=/ ; x").json(1);
        }) == Lines{"a=4; path=/ ; x", "b=; Max-Age=0; Path=/"});
  // Names, paths and domains distinguish cookies, and so does Partitioned.
  const Lines different = {"a=1; Path=/",
                           "A=1; Path=/",
                           "a=1; Path=/x",
                           "a=1",
                           "a=1; Path=/; Domain=example.com",
                           "a=1; Path=/; Secure; Partitioned"};
  CHECK(cookies_of([&](fw::Request&, fw::Response& res) {
          for (const std::string& line : different) res.append_header("set-cookie", line);
          res.append_header("set-cookie", "a=2; domain=.Example.com; PATH=/").json(1);
        }) == Lines{different[0], different[1], different[2], different[3],
                    "a=2; domain=.Example.com; PATH=/", different[5]});
}

TEST_CASE("response: cookies that browsers would drop are rejected") {
  const auto status = [](const std::string& name, const fw::CookieOptions& options) {
    return response_of(
               [&](fw::Request&, fw::Response& res) { res.set_cookie(name, "v", options).json(1); })
        .status;
  };
  CHECK(status("a", {.same_site = fw::SameSite::none}) == 500);
  CHECK(status("a", {.partitioned = true}) == 500);
  CHECK(status("a", {.secure = true, .partitioned = true}) == 200);
  CHECK(status("__Secure-a", {}) == 500);
  CHECK(status("__Secure-a", {.domain = "x.example", .secure = true}) == 200);
  CHECK(status("__host-a", {}) == 500);
  CHECK(status("__Host-a", {.secure = true}) == 200);
  CHECK(status("__Host-a", {.path = "/x", .secure = true}) == 500);
  CHECK(status("__Host-a", {.domain = "x.example", .secure = true}) == 500);
}

TEST_CASE("response: an exception after the response does not replace it") {
  const TestResponse r = response_of([](fw::Request&, fw::Response& res) {
    res.json(1);
    throw std::runtime_error("late");
  });
  CHECK(r.status == 200);
}

}  // namespace response_test
