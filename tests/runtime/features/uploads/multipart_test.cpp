#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "features/uploads/multipart_form.hpp"
#include "support/allocation_count.hpp"
#include "support/table_builder.hpp"

namespace multipart_test {

namespace {

using fw::Config;
using fw::Json;
using fw::detail::multipart_boundary;
using fw::detail::MultipartError;
using fw::detail::MultipartReader;
using fw::support::OneFileApp;
using fw::testing::TestApp;
using fw::testing::TestResponse;

/// "name|filename|type|content" of each part, or the error.
std::vector<std::string> read_parts(const auto& input, std::string_view boundary) {
  std::vector<std::string> parts;
  try {
    MultipartReader reader(input, boundary);
    while (const auto part = reader.next()) {
      std::string text =
          part->name + "|" + part->filename.value_or("-") + "|" + part->media_type + "|";
      for (auto bytes = reader.content(); !bytes.empty(); bytes = reader.content()) text += bytes;
      parts.push_back(text);
    }
  } catch (const MultipartError& error) {
    parts.emplace_back(error.what());
  }
  return parts;
}

/// A source of so many bytes at a time.
MultipartReader::Source in_parts(std::string_view body, std::size_t size) {
  return [body, size, at = std::size_t{0}](std::span<char> buffer) mutable {
    const std::size_t count = body.copy(buffer.data(), std::min(size, buffer.size()), at);
    at += count;
    return count;
  };
}

/// As `read_parts`, which must not depend on how the body arrives.
std::vector<std::string> parts_of(std::string_view body, std::string_view boundary = "XX") {
  const auto parts = read_parts(body, boundary);
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{20'000}}) {
    CHECK(read_parts(in_parts(body, size), boundary) == parts);
  }
  return parts;
}

std::string with_disposition(const std::string& parameters) {
  const auto parts =
      parts_of("--XX\r\nContent-Disposition: form-data" + parameters + "\r\n\r\nc\r\n--XX--\r\n");
  return parts.size() == 1 ? parts[0] : "";
}

std::string boundary_error(std::string_view content_type) {
  try {
    multipart_boundary(content_type);
  } catch (const MultipartError& error) {
    return error.what();
  }
  return "";
}

using Parts = std::vector<std::string>;

void uploads(fw::Request& req, fw::Response& res) {
  Json files = Json::array();
  for (const fw::ParsedFile& file : req.files()) {
    files.push_back({file.fieldname, file.filename, file.mimetype, file.size, file.buffer});
  }
  res.json({{"files", files}, {"body", req.body()}});
}

/// A file of a form with the boundary XX.
std::string file_part(const std::string& field, const std::string& name, const std::string& content,
                      const std::string& type = "text/plain") {
  return "--XX\r\nContent-Disposition: form-data; name=\"" + field + "\"; filename=\"" + name +
         "\"\r\n" + (type.empty() ? "" : "Content-Type: " + type + "\r\n") + "\r\n" + content +
         "\r\n";
}

/// A text field of a form with the boundary XX.
std::string field(const std::string& name, const std::string& value) {
  return "--XX\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
}

TestResponse post(TestApp& app, const char* path, const std::string& parts) {
  return app.request("POST", path)
      .header("Content-Type", "multipart/form-data; boundary=XX")
      .body(parts + "--XX--\r\n")
      .send();
}

std::string message_of(const TestResponse& response) {
  return std::to_string(response.status) + " " + response.json()["message"].get<std::string>();
}

Config config_with(const Json& multipart) {
  Config config = TestApp::test_config();
  fw::apply_config_layer(config, {{"multipart", multipart}}, "test");
  return config;
}

}  // namespace

TEST_CASE("multipart: the boundary is read from Content-Type") {
  CHECK(multipart_boundary("multipart/form-data; boundary=abc") == "abc");
  CHECK(multipart_boundary("Multipart/Form-Data;charset=utf-8; Boundary=\"a b\"") == "a b");
  CHECK(multipart_boundary("multipart/form-data; boundary=" + std::string(70, 'a')).has_value());
  CHECK(!multipart_boundary("multipart/mixed; boundary=abc"));
  CHECK(!multipart_boundary("application/json"));
  CHECK(!multipart_boundary(""));
  const std::string missing = "the Content-Type has no boundary";
  CHECK(boundary_error("multipart/form-data") == missing);
  CHECK(boundary_error("multipart/form-data; boundary=\"\"") == missing);
  const std::string invalid = "the boundary is not one of 1 to 70 characters that RFC 2046 allows";
  CHECK(boundary_error("multipart/form-data; boundary=" + std::string(71, 'a')) == invalid);
  CHECK(boundary_error("multipart/form-data; boundary=\"a \"") == invalid);
  CHECK(boundary_error("multipart/form-data; boundary=a@b") == invalid);
  CHECK(boundary_error("multipart/form-data; boundary=a; boundary=b") ==
        "a part has two values of 'boundary'");
  CHECK(boundary_error("multipart/form-data; boundary=\"a") ==
        "a quoted string of a header has no end");
  CHECK(boundary_error("multipart/form-data; =a") ==
        "a parameter of a header has no name or no value");
}

TEST_CASE("multipart: parts are parsed with the padding that RFC 2046 allows") {
  const std::string head = "Content-Disposition: form-data; name=\"a\"";
  const std::string part = head + "\r\n\r\n";
  CHECK(parts_of("--XX\r\n" + part + "1\r\n--XX\r\n" + part + "2\r\n--XX--\r\n") ==
        Parts{"a|-||1", "a|-||2"});
  CHECK(parts_of("preamble\r\n--XX \t\r\n" + part + "1\r\n--XX-- \r\nepilogue") == Parts{"a|-||1"});
  CHECK(parts_of("--XX\r\n" + part + "1\r\n--XX--") == Parts{"a|-||1"});
  CHECK(parts_of("--XX--\r\n").empty());
  CHECK(parts_of("--XX\r\n" + part + "\r\n--XX--") == Parts{"a|-||"});
  CHECK(parts_of("--XX\r\n" + part + "--XX--") == Parts{"a|-||"});  // no content at all
  CHECK(parts_of("--XX\r\n" + part + "1\r\n\r\n--XX--") == Parts{"a|-||1\r\n"});
  // Lines that are no delimiters: not at the start, or only begun as one.
  CHECK(parts_of("--XX\r\n" + part + "x--XX--\r\n--XXY\r\n--XX-\r\n--XX--y\r\n--XX--") ==
        Parts{"a|-||x--XX--\r\n--XXY\r\n--XX-\r\n--XX--y"});
  CHECK(parts_of("--XX\r\n" + part + "\n--XX--\r\n--XX--") == Parts{"a|-||\n--XX--"});
  CHECK(parts_of("--XX\r\ncontent-type: Image/PNG; q=1\r\nX-Other: 1\r\n" + part + "1\r\n--XX--") ==
        Parts{"a|-|image/png|1"});
}

TEST_CASE("multipart: malformed forms are rejected") {
  const std::string head = "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n";
  const std::string no_boundary = "the boundary does not occur in the body";
  CHECK(parts_of("garbage") == Parts{no_boundary});
  CHECK(parts_of("") == Parts{no_boundary});
  CHECK(parts_of("--XY\r\n") == Parts{no_boundary});
  CHECK(parts_of("x--XX--") == Parts{no_boundary});
  CHECK(parts_of(head + "\r\n1") == Parts{"the last boundary is missing"});
  CHECK(parts_of(head + "\r\n1\r\n--XX") == Parts{"the last boundary is missing"});
  CHECK(parts_of(head + "\r\n1\n--XX--") == Parts{"the last boundary is missing"});
  CHECK(parts_of(head) == Parts{"the head of a part does not end within 8192 bytes"});
  CHECK(parts_of(head + "X-Long: " + std::string(9'000, 'x') + "\r\n\r\n1\r\n--XX--") ==
        Parts{"the head of a part does not end within 8192 bytes"});
  std::string many_lines;
  for (int i = 0; i < 2'000; ++i) many_lines += "X: 1\r\n";
  CHECK(parts_of(head + many_lines + "\r\n1\r\n--XX--") ==
        Parts{"the head of a part does not end within 8192 bytes"});
  CHECK(parts_of("--XX\r\nX: 1\r\n\r\n1\r\n--XX--") == Parts{"a part has no Content-Disposition"});
  CHECK(parts_of("--XX\r\n\r\n1\r\n--XX--") == Parts{"a part has no Content-Disposition"});
  const std::string no_header = "a line in the head of a part is not a header";
  CHECK(parts_of(head + "folded\r\n\r\n1\r\n--XX--") == Parts{no_header});
  CHECK(parts_of(head + " folded: 1\r\n\r\n1\r\n--XX--") == Parts{no_header});
  CHECK(parts_of(head + head.substr(6) + "\r\n1\r\n--XX--") ==
        Parts{"a part has two Content-Disposition headers"});
  CHECK(parts_of(head + "Content-Type: a/b\r\nContent-Type: c/d\r\n\r\n1\r\n--XX--") ==
        Parts{"a part has two Content-Type headers"});
}

TEST_CASE("multipart: names of fields and files are decoded") {
  CHECK(with_disposition("; name=\"a\"; filename=\"b.txt\"") == "a|b.txt||c");
  CHECK(with_disposition(";name=a;FileName=b.txt") == "a|b.txt||c");
  CHECK(with_disposition("; name=\"a\\\"b\\\\c\"; filename=\"x;y=z\"") == "a\"b\\c|x;y=z||c");
  CHECK(with_disposition("; name=\"ä\"; filename=\"ß\"") == "ä|ß||c");
  CHECK(with_disposition("; name=\"a\"; filename*=UTF-8'en'na%C3%AFve.txt") == "a|naïve.txt||c");
  CHECK(with_disposition("; name=\"a\"; filename=\"b\"; filename*=UTF-8''c") == "a|b||c");
  CHECK(with_disposition("; name=\"\"; filename=\"\"") == "|||c");
  // A client's directories are dropped, whichever way it writes them.
  for (const char* name : {"/etc/passwd", "../../passwd", "C:\\fakepath\\passwd", "a\\/passwd"}) {
    CHECK(with_disposition("; name=\"a\"; filename=\"" + std::string(name) + "\"") ==
          "a|passwd||c");
  }
  CHECK(with_disposition("; name=\"a\"; filename*=UTF-8''..%2Fpasswd") == "a|passwd||c");
  for (const char* name : {"..", ".", "a/..", "a/"}) {
    CHECK(with_disposition("; name=\"a\"; filename=\"" + std::string(name) + "\"") == "a|||c");
  }

  CHECK(with_disposition("") == "a part has no name");
  CHECK(with_disposition("; filename=\"b\"") == "a part has no name");
  CHECK(with_disposition("; name=\"a\"; name=\"b\"") == "a part has two values of 'name'");
  CHECK(with_disposition("; name=\"a\"; filename=\"b\"; filename=\"c\"") ==
        "a part has two values of 'filename'");
  CHECK(with_disposition("; name=\"a") == "a quoted string of a header has no end");
  CHECK(with_disposition("; name=\"a\"x") == "there is text after the value of a parameter");
  CHECK(with_disposition("; name=") == "a parameter of a header has no value");
  CHECK(with_disposition("; name=\"\xFF\"") == "the name of a part is not plain UTF-8");
  CHECK(with_disposition(std::string("; name=\"a\"; filename=\"b\0c\"", 26)) ==
        "a file name is not plain UTF-8");
  CHECK(with_disposition("; name=\"a\"; filename*=UTF-8''%0A") == "a file name is not plain UTF-8");
  CHECK(with_disposition("; name=\"a\"; filename*=latin-1''a") ==
        "filename* is not encoded as UTF-8''…");
  CHECK(with_disposition("; name=\"" + std::string(257, 'a') + "\"") ==
        "the name of a part has more than 256 bytes");
  CHECK(with_disposition("; name=\"a\"; filename=\"" + std::string(1025, 'a') + "\"") ==
        "a file name has more than 1024 bytes");
  CHECK(parts_of("--XX\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n1\r\n--XX--") ==
        Parts{"the Content-Disposition of a part is not form-data"});
}

TEST_CASE("multipart: files of a form are kept without its text fields") {
  OneFileApp app([](fw::Router& router) {
    router.post("/up", {.multipart = {.enabled = true}}, uploads);
    router.post("/none", uploads);
    router.post("/declared", {.multipart = {.files = {{"a", "A file"}}}}, uploads);
  });
  const std::string text = "--XX\r\nContent-Disposition: form-data; name=\"t\"\r\n\r\nT\r\n";
  const std::string bytes = std::string("\0\r\n--\xFF", 6);
  const Json files = {{"f", "a.bin", "application/octet-stream", 6, bytes}};
  const std::string form = text + file_part("f", "a.bin", bytes, "") +
                           file_part("empty", "", "", "application/octet-stream");
  const TestResponse r = post(app, "/up", form);
  CHECK(r.status == 200);
  CHECK(r.body.find("a.bin") != std::string::npos);
  CHECK(r.body.find("\"body\":null") != std::string::npos);
  CHECK(r.body.find("empty") == std::string::npos);  // a file input without a file
  for (const char* path : {"/none", "/declared"}) {
    CHECK(post(app, path, form).json()["data"] ==
          Json{{"files", Json::array()}, {"body", nullptr}});
  }
  CHECK(app.request("POST", "/up").json({{"a", 1}}).send().json()["data"]["body"] ==
        Json{{"a", 1}});
  const TestResponse own_bytes = post(app, "/up", file_part("f", "a.txt", "x"));
  CHECK(own_bytes.json()["data"]["files"] == Json{{"f", "a.txt", "text/plain", 1, "x"}});
}

TEST_CASE("multipart: text fields are the body if a route enables them") {
  const auto routes = [](fw::Router& router) {
    router.post("/any", {.multipart = {.enabled = true, .fields = true}}, uploads);
    router.post("/off", {.multipart = {.enabled = true, .fields = false}}, uploads);
    router.post("/default", {.multipart = {.enabled = true}}, uploads);
    router.post("/checked",
                {.validate = {.body = {{"title", "string:1-5"},
                                       {"count", "integer?"},
                                       {"tags", "array<string>?"}}},
                 .multipart = {.enabled = true, .fields = true}},
                [](fw::Request& req, fw::Response& res) {
                  res.json({{"valid", req.valid(fw::Location::body)},
                            {"raw", req.raw_body().substr(0, 4)},
                            {"files", req.files().size()}});
                });
  };
  const std::string odd = "a&b=c%41+\r\n é";
  const Json expected = {{"t", odd}, {"", ""}};
  const std::string form =
      field("t", "replaced") + file_part("f", "a.txt", "x") + field("t", odd) + field("", "");
  OneFileApp app(routes);
  const Json any = post(app, "/any", form).json()["data"];
  CHECK(any["body"] == expected);
  CHECK(any["files"].size() == 1);
  CHECK(post(app, "/any", "").json()["data"]["body"] == Json::object());
  for (const char* path : {"/off", "/default"}) {
    CHECK(post(app, path, form).json()["data"]["body"] == nullptr);
  }
  CHECK(app.request("POST", "/any").json({{"a", 1}}).send().json()["data"]["body"] ==
        Json{{"a", 1}});

  const Json checked = post(app, "/checked",
                            field("tags", "1") + field("title", "T") + field("count", "7") +
                                field("tags", "2") + file_part("f", "a.txt", "x"))
                           .json()["data"];
  CHECK(checked["valid"] == Json{{"title", "T"}, {"count", 7}, {"tags", {"1", "2"}}});
  CHECK(checked["raw"] == "--XX");
  CHECK(checked["files"] == 1);
  CHECK(post(app, "/checked", field("title", "too long")).status == 422);
  CHECK(post(app, "/checked", file_part("title", "a.txt", "T")).status == 422);

  OneFileApp configured(routes, config_with({{"enabled", true}, {"fields", true}}));
  CHECK(post(configured, "/default", form).json()["data"]["body"] == expected);
  CHECK(post(configured, "/off", form).json()["data"]["body"] == nullptr);
}

TEST_CASE("multipart: names and values of text fields are not interpreted") {
  OneFileApp app([](fw::Router& router) {
    router.post("/any", {.multipart = {.enabled = true, .fields = true}}, uploads);
    router.post("/arrays",
                {.validate = {.body = {{"a[]", "array<string>"}, {"b", "array<string:0-9>?"}}},
                 .multipart = {.enabled = true, .fields = true}},
                [](fw::Request& req, fw::Response& res) {
                  res.json({req.valid(fw::Location::body), req.body()});
                });
  });
  std::string form;
  const Json expected = {{"a[b]", "1"},     {"a.b", "2"}, {"a[]", "4"}, {"a&b=c", "5"},
                         {"a%41+ b", "6"},  {"é", "7"},   {" ", "8"},   {"__proto__", "9"},
                         {"plus", "a+%41"}, {"", "="}};
  for (const auto& [name, value] : expected.items()) form += field(name, value);
  CHECK(post(app, "/any", field("a[]", "3") + form).json()["data"]["body"] == expected);

  // Bytes that are not UTF-8, in a value only: a name with them is an error.
  const std::string invalid =
      "\xFF"
      "a\xC3";
  const std::string replaced =
      "\xEF\xBF\xBD"
      "a\xEF\xBF\xBD";
  CHECK(post(app, "/any", field("v", invalid)).json()["data"]["body"] == Json{{"v", replaced}});
  CHECK(message_of(post(app, "/any", field(invalid, "v"))) ==
        "400 Bad Request: malformed multipart body: the name of a part is not plain UTF-8");

  const std::string arrays = field("a[]", invalid) + field("b", "") + file_part("b", "b", "file") +
                             field("a[]", "x") + field("b", "x--XX") + field("c", "undeclared");
  CHECK(post(app, "/arrays", arrays).json()["data"] ==
        Json{{{"a[]", {replaced, "x"}}, {"b", {"", "x--XX"}}, {"c", "undeclared"}},
             {{"a[]", "x"}, {"b", "x--XX"}, {"c", "undeclared"}}});
}

TEST_CASE("multipart: the number of text fields is limited, kept or not") {
  Config config = TestApp::test_config();
  config.body_parser.max_form_fields = 2;
  OneFileApp app(
      [](fw::Router& router) {
        router.post("/kept", {.multipart = {.enabled = true, .fields = true}}, uploads);
        router.post("/not", {.multipart = {.enabled = true}}, uploads);
      },
      config);
  const std::string two = field("a", "1") + file_part("f", "f", "") + field("a", "2");
  for (const char* path : {"/kept", "/not"}) {
    CAPTURE(path);
    CHECK(post(app, path, two).status == 200);
    CHECK(message_of(post(app, path, two + field("a", "3"))) ==
          "400 Bad Request: more than 2 form fields");
  }
}

TEST_CASE("multipart: the text of a form is stored once besides its bytes") {
  std::size_t in_use = 0;
  OneFileApp app([&](fw::Router& router) {
    const auto measure = [&](fw::Request&, fw::Response& res) {
      in_use = fw::support::allocated_bytes();
      res.json(1);
    };
    for (const bool fields : {true, false}) {
      router.post(fields ? "/kept" : "/not", {.multipart = {.enabled = true, .fields = fields}},
                  measure);
    }
  });
  // Of characters that an urlencoded form would write in three bytes.
  const std::string form = field("a", std::string(200'000, '%'));
  const auto bytes_of = [&](const char* path) {
    REQUIRE(post(app, path, form).status == 200);
    return in_use;
  };
  bytes_of("/kept");  // fills what a thread keeps
  const std::size_t without = bytes_of("/not");
  const std::size_t with = bytes_of("/kept");
  CHECK(with > without + 200'000);
  CHECK(with < without + 210'000);
}

TEST_CASE("multipart: a text field may have the CSRF token") {
  Config config = TestApp::test_config();
  config.csrf.enabled = true;
  config.csrf.mode = fw::CsrfMode::signed_cookie;
  config.csrf.secret = "0123456789abcdef0123456789abcdef";
  OneFileApp app(
      [](fw::Router& router) {
        router.get("/", [](fw::Request& req, fw::Response& res) { res.json(req.csrf_token()); });
        router.post("/up", {.multipart = {.enabled = true, .fields = true}}, uploads);
      },
      config);
  const auto first = app.request("GET", "/").send();
  const std::string cookie(first.header("set-cookie").value_or(""));
  const auto send = [&](const std::string& token) {
    return app.request("POST", "/up")
        .header("Content-Type", "multipart/form-data; boundary=XX")
        .header("Cookie", cookie.substr(0, cookie.find(';')))
        .body("--XX\r\nContent-Disposition: form-data; name=\"_csrf\"\r\n\r\n" + token +
              "\r\n--XX--\r\n")
        .send()
        .status;
  };
  CHECK(send(first.json()["data"].get<std::string>()) == 200);
  CHECK(send("forged") == 403);
}

TEST_CASE("multipart: the testing kit sends files") {
  OneFileApp app(
      [](fw::Router& router) { router.post("/up", {.multipart = {.enabled = true}}, uploads); });
  const TestResponse r = app.request("POST", "/up")
                             .file("a", "1.txt", "--\r\n", "text/plain")
                             .file("b", "2", "")
                             .send();
  CHECK(r.json()["data"]["files"] == Json{{"a", "1.txt", "text/plain", 4, "--\r\n"},
                                          {"b", "2", "application/octet-stream", 0, ""}});
}

TEST_CASE("multipart: limits of the route and of the application") {
  const auto routes = [](fw::Router& router) {
    router.post("/global", uploads);
    router.post("/own",
                {.multipart = {.max_files = 2,
                               .max_file_size = "3b",
                               .allowed_mime_types = {"Image/*", "text/csv"}}},
                uploads);
    router.post("/off", {.multipart = {.enabled = false}}, uploads);
    router.post("/required",
                {.multipart = {.files = {{"a", {.required = true}}, {"b", {.required = true}}}}},
                uploads);
    router.post("/small", {.body_parser = {.max_body_size = 20}}, uploads);
  };
  OneFileApp app(routes, config_with({{"enabled", true},
                                      {"maxFiles", 1},
                                      {"maxFileSize", "2b"},
                                      {"allowedMimeTypes", {"text/plain"}}}));
  const auto file = [](const char* name, const char* content, const char* type = "text/plain") {
    return file_part("a", name, content, type);
  };
  CHECK(post(app, "/global", file("x", "12")).status == 200);
  CHECK(message_of(post(app, "/global", file("x", "123"))) ==
        "413 Payload Too Large: 'x' has more than 2 bytes");
  CHECK(message_of(post(app, "/global", file("x", "1") + file("y", "1"))) ==
        "413 Payload Too Large: more than 1 files");
  CHECK(message_of(post(app, "/global", file("x", "1", "text/html"))) ==
        "415 Unsupported Media Type: 'x' is text/html, not text/plain");
  CHECK(post(app, "/own", file("x", "123", "IMAGE/png") + file("y", "1", "text/csv; a=b")).status ==
        200);
  CHECK(message_of(post(app, "/own", file("x", "1234", "image/png"))) ==
        "413 Payload Too Large: 'x' has more than 3 bytes");
  CHECK(message_of(post(app, "/own", file("x", "1"))) ==
        "415 Unsupported Media Type: 'x' is text/plain, not image/* or text/csv");
  CHECK(post(app, "/off", file("x", "123")).json()["data"]["files"].empty());
  CHECK(message_of(post(app, "/required", "")) == "400 Bad Request: missing required files: a, b");
  CHECK(message_of(post(app, "/required", file("x", "1"))) ==
        "400 Bad Request: missing required files: b");
  CHECK(message_of(post(app, "/small", file("x", "1"))) == "413 Payload Too Large");
  CHECK(message_of(app.request("POST", "/global")
                       .header("Content-Type", "multipart/form-data; boundary=XX")
                       .body("garbage")
                       .send()) ==
        "400 Bad Request: malformed multipart body: the boundary does not occur in the body");
}

TEST_CASE("multipart: a request without a required file is rejected") {
  int runs = 0;
  OneFileApp app([&](fw::Router& router) {
    const auto first = [&](fw::Request& req, fw::Response& res) {
      ++runs;
      res.json(req.files().front().fieldname);
    };
    const fw::Multipart options = {.enabled = true,
                                   .files = {{"a", {.required = true}}, {"b", ""}}};
    router.post("/up", {.multipart = options}, first);
    router.put("/up", {.multipart = options}, first);
    router.post("/optional", {.multipart = {.enabled = true, .files = {{"b", ""}}}}, uploads);
  });
  const std::string missing = "400 Bad Request: missing required files: a";
  const std::string other_type = "415 Unsupported Media Type: the body must be multipart/form-data";
  for (const char* method : {"POST", "PUT"}) {
    CAPTURE(method);
    const auto send = [&](const std::string& type, const std::string& body) {
      auto request = app.request(method, "/up");
      if (!type.empty()) request.header("Content-Type", type);
      return message_of(request.body(body).send());
    };
    CHECK(send("", "") == missing);
    CHECK(send("application/json", "") == missing);
    CHECK(send("application/json", "{}") == other_type);
    CHECK(send("application/x-www-form-urlencoded", "a=1") == other_type);
    CHECK(send("image/png", "PNG") == other_type);
    CHECK(send("multipart/mixed; boundary=XX", file_part("a", "x", "1") + "--XX--\r\n") ==
          other_type);
    CHECK(send("", "{}") == other_type);
    CHECK(send("multipart/form-data; boundary=XX", file_part("b", "x", "1") + "--XX--\r\n") ==
          missing);
    CHECK(send("multipart/form-data; boundary=XX",
               file_part("a", "", "", "application/octet-stream") + "--XX--\r\n") == missing);
    CHECK(send("multipart/form-data; boundary=XX", "") ==
          "400 Bad Request: malformed multipart body: the boundary does not occur in the body");
    CHECK(send("multipart/form-data", "x") ==
          "400 Bad Request: malformed multipart body: the Content-Type has no boundary");
  }
  CHECK(app.request("HEAD", "/up").send().status == 405);
  CHECK(app.request("OPTIONS", "/up").send().status == 204);
  CHECK(runs == 0);
  CHECK(post(app, "/up", file_part("a", "x", "1")).json()["data"] == "a");
  // Without a required file, other bodies skip the checks of files (docs/uploads.md).
  CHECK(app.request("POST", "/optional").json({{"a", 1}}).send().status == 200);
  CHECK(app.request("POST", "/optional").send().status == 200);
}

TEST_CASE("multipart: required files that are never checked are reported at the start") {
  const auto warnings = [](const fw::RouteOptions& options, bool is_enabled = false) {
    const auto sink = std::make_shared<fw::support::RecordingSink>();
    OneFileApp app([&](fw::Router& router) { router.post("/x", options, uploads); },
                   config_with({{"enabled", is_enabled}}),
                   [&](fw::App& a) { a.set_logger(fw::Logger(sink, fw::LogLevel::warn)); });
    return sink->messages();
  };
  const std::vector<fw::FileField> required = {{"a", {.required = true}}};
  const std::vector<fw::FileField> optional = {{"a", "A file"}};
  const std::vector<std::string> unchecked = {
      "src/routes/index.cpp:10: POST /x requires files, but its forms are not parsed, so nothing "
      "checks them; set multipart.enabled to true, or to false if the handler or a middleware "
      "parses forms"};
  CHECK(warnings({.multipart = {.files = required}}) == unchecked);
  CHECK(warnings({.multipart = {.files = required}, .body_parser = {.stream = true}}, true) ==
        unchecked);
  CHECK(warnings({.multipart = {.files = required}}, true).empty());
  CHECK(warnings({.multipart = {.enabled = true, .files = required}}).empty());
  CHECK(warnings({.multipart = {.enabled = false, .files = required}}).empty());
  CHECK(warnings({.multipart = {.files = optional}}).empty());
  CHECK_THROWS_WITH_AS(
      OneFileApp([&](fw::Router& router) {
        router.get("/x", {.multipart = {.enabled = true, .files = required}}, uploads);
      }),
      doctest::Contains("GET /x: multipart.files requires files, which only requests with a body "
                        "can have: register the route with post, put or patch"),
      fw::StartupError);
}

TEST_CASE("multipart: text fields are counted, and file limits above the body limit are reported") {
  Config config = config_with({{"enabled", true}});
  config.body_parser.max_form_fields = 2;
  const auto sink = std::make_shared<fw::support::RecordingSink>();
  OneFileApp app(
      [](fw::Router& router) {
        router.post("/x", uploads);
        router.post("/large", {.multipart = {.max_file_size = "2mb"}}, uploads);
      },
      config, [&](fw::App& a) { a.set_logger(fw::Logger(sink, fw::LogLevel::warn)); });
  const std::string field = "--XX\r\nContent-Disposition: form-data; name=\"t\"\r\n\r\nT\r\n";
  CHECK(post(app, "/x", field + field).status == 200);
  CHECK(message_of(post(app, "/x", field + field + field)) ==
        "400 Bad Request: more than 2 form fields");
  REQUIRE(sink->messages().size() == 1);
  CHECK(
      sink->messages().front() ==
      "src/routes/index.cpp:11: POST /large accepts files of 2097152 bytes, but bodies of 1048576 "
      "bytes only; raise body_parser.max_body_size");
}

TEST_CASE("multipart: a custom parser provides files and body") {
  OneFileApp app(
      [](fw::Router& router) {
        router.post("/x", {.validate = {.body = {{"n", "integer"}}}},
                    [](fw::Request& req, fw::Response& res) {
                      res.json({{"valid", req.valid(fw::Location::body)},
                                {"body", req.body()},
                                {"file", req.files()[0].filename}});
                    });
      },
      TestApp::test_config(),
      [](fw::App& a) {
        a.use([](fw::Request& req, fw::Response&, fw::Next next) {
          req.set_files({{.fieldname = "f", .filename = "f.txt", .mimetype = "", .buffer = ""}});
          req.set_body({{"n", "1"}});
          next();
        });
      });
  CHECK(post(app, "/x", "").json()["data"] ==
        Json{{"valid", {{"n", 1}}}, {"body", {{"n", "1"}}}, {"file", "f.txt"}});
  CHECK(app.request("POST", "/x").json({{"n", "not this"}}).send().status == 200);
}

TEST_CASE("multipart: a streamed form is read part by part") {
  OneFileApp app(
      [](fw::Router& router) {
        router.post("/form", {.body_parser = {.max_body_size = 1'000, .stream = true}},
                    [](fw::Request& req, fw::Response& res) {
                      CHECK(req.streams_body());
                      CHECK(req.body().is_null());
                      CHECK(req.files().empty());
                      Json parts = Json::array();
                      fw::MultipartStream form(req);
                      while (const auto part = form.next()) {
                        if (part->name == "skipped") continue;
                        std::array<char, 3> buffer;
                        const std::size_t size = form.read(buffer);
                        std::string content(buffer.data(), size);
                        content += form.text(10);
                        parts.push_back(
                            {part->name, part->filename.value_or("-"), part->media_type, content});
                      }
                      CHECK_THROWS_AS(req.raw_body(), std::logic_error);
                      res.json(parts);
                    });
        router.post(
            "/bytes", {.body_parser = {.stream = true}},
            [](fw::Request& req, fw::Response& res) { res.text(std::string(req.raw_body())); });
        router.post("/plain", [](fw::Request& req, fw::Response& res) {
          fw::Readable body = req.body_stream();
          std::array<char, 100> buffer;
          const std::size_t size = body.read(buffer);
          CHECK(body.read(buffer) == 0);
          CHECK(req.raw_body().size() == size);
          res.text(std::string(buffer.data(), size));
        });
      },
      config_with({{"enabled", true}}));
  CHECK(post(app, "/form",
             file_part("a", "../a.txt", "content") + file_part("skipped", "s", "s") +
                 "--XX\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\nB\r\n")
            .json()["data"] ==
        Json::parse(R"([["a", "a.txt", "text/plain", "content"], ["b", "-", "", "B"]])"));
  CHECK(message_of(post(app, "/form", file_part("a", "a", std::string(14, 'x')))) ==
        "413 Payload Too Large");
  CHECK(message_of(post(app, "/form", file_part("a", "a", std::string(1'000, 'x')))) ==
        "413 Payload Too Large");
  const auto with_type = [&](const char* path, const char* type) {
    return app.request("POST", path).header("Content-Type", type).body("{\"a\": 1}").send();
  };
  CHECK(message_of(with_type("/form", "application/json")) ==
        "415 Unsupported Media Type: the body must be multipart/form-data");
  CHECK(message_of(with_type("/form", "multipart/form-data")) ==
        "400 Bad Request: malformed multipart body: the Content-Type has no boundary");
  CHECK(message_of(with_type("/form", "multipart/form-data; boundary=XX")) ==
        "400 Bad Request: malformed multipart body: the boundary does not occur in the body");
  // Nothing parses it, but it can be read.
  CHECK(with_type("/bytes", "application/json").body == "{\"a\": 1}");
  CHECK(with_type("/plain", "application/json").body == "{\"a\": 1}");
}

TEST_CASE("multipart: a streamed body is not parsed by the framework") {
  const auto start = [] {
    OneFileApp app(
        [](fw::Router& router) {
          router.post("/x", {.multipart = {.enabled = true}, .body_parser = {.stream = true}},
                      uploads);
        },
        TestApp::test_config());
  };
  CHECK_THROWS_WITH_AS(start(),
                       doctest::Contains("'body_parser.stream' excludes 'multipart.enabled'"),
                       fw::StartupError);
}

}  // namespace multipart_test
