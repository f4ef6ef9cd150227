// A parsed file as bytes and back.
#include "model/parsed_file_archive.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace parsed_file_archive_test {

using namespace fairway;

namespace {

model::Range range(unsigned line) {
  return {.file = "src/routes/users.cpp",
          .line = line,
          .column = line + 1,
          .end_line = line + 2,
          .end_column = line + 300};
}

model::Value text(const std::string& bytes) {
  model::Value value;
  value.kind = model::Value::Kind::string;
  value.text = bytes;
  value.range = range(7);
  for (unsigned index = 0; index < bytes.size(); ++index) value.bytes.push_back(range(index));
  return value;
}

/// Every member has a value that it does not have by default.
model::ParsedFile full_file() {
  model::Value options;
  options.kind = model::Value::Kind::record;
  options.boolean = true;
  options.integer = std::numeric_limits<std::int64_t>::min();
  options.number = -0.1;
  options.text = std::string("Options\0\xFF", 9);
  options.items = {text("a"), text("")};
  options.members = {{"docs", text("b"), range(1)}};
  model::Registration registration;
  registration.method = "GET";
  registration.path = "/:id";
  registration.path_value = text("/:id");
  registration.options = options;
  registration.options_resolved = false;
  registration.range = range(2);
  registration.method_range = range(3);
  registration.handler.reads = {
      {.location = "body", .path = {"user", "name"}, .validated = true, .range = range(9)}};
  registration.handler.typed_reads = {
      {.location = "query", .type = "::shop::Page", .range = range(10)}};
  registration.handler.compile_error = {"no member named 'x'", range(11)};
  registration.handler.may_send_json = false;
  registration.handler.sends_others = false;
  registration.handler.sent = {{"text", {201, 404}, "text/plain"}};
  model::Registration without_options;
  without_options.method = "POST";

  model::Diagnostic diagnostic;
  diagnostic.id = "duplicate-route";
  diagnostic.severity = model::Severity::warning;
  diagnostic.message = "a message";
  diagnostic.range = range(4);
  diagnostic.method = "GET";
  diagnostic.route = "/users";
  diagnostic.notes = {{"a note", range(5)}};
  diagnostic.help = "do otherwise";
  diagnostic.fixes = {{range(6), "otherwise"}};

  model::ParsedFile file;
  file.path = "routes/users.cpp";
  file.display_path = "src/routes/users.cpp";
  file.export_kind = model::ExportKind::reexport;
  file.export_range = range(8);
  file.reexport_target = "../people.cpp";
  file.registrations = {registration, without_options};
  file.dependencies = {"/src/routes/users.cpp", "/include/fairway.hpp"};
  file.diagnostics = {diagnostic, diagnostic};
  return file;
}

std::string bytes_of(const model::ParsedFile& file) {
  files::ArchiveWriter writer;
  writer(file);
  return writer.bytes();
}

model::ParsedFile read(std::string_view bytes) {
  model::ParsedFile file;
  files::ArchiveReader reader(bytes);
  reader(file);
  reader.finish();
  return file;
}

void check_equal(const model::Value& a, const model::Value& b) {
  CHECK(a.kind == b.kind);
  CHECK(a.boolean == b.boolean);
  CHECK(a.integer == b.integer);
  CHECK(a.number == b.number);
  CHECK(a.text == b.text);
  CHECK(a.range == b.range);
  CHECK(a.bytes == b.bytes);
  REQUIRE(a.items.size() == b.items.size());
  for (std::size_t index = 0; index < a.items.size(); ++index) {
    check_equal(a.items[index], b.items[index]);
  }
  REQUIRE(a.members.size() == b.members.size());
  for (std::size_t index = 0; index < a.members.size(); ++index) {
    CHECK(a.members[index].name == b.members[index].name);
    CHECK(a.members[index].name_range == b.members[index].name_range);
    check_equal(a.members[index].value, b.members[index].value);
  }
}

}  // namespace

TEST_CASE("parsed file archive: every member of a parsed file is stored and restored") {
  const model::ParsedFile file = full_file();
  const model::ParsedFile back = read(bytes_of(file));
  CHECK(back.path == file.path);
  CHECK(back.display_path == file.display_path);
  CHECK(back.export_kind == file.export_kind);
  CHECK(back.export_range == file.export_range);
  CHECK(back.reexport_target == file.reexport_target);
  CHECK(back.dependencies == file.dependencies);
  REQUIRE(back.registrations.size() == 2);
  const auto& registration = back.registrations[0];
  CHECK(registration.method == "GET");
  CHECK(registration.path == "/:id");
  check_equal(registration.path_value, file.registrations[0].path_value);
  REQUIRE(registration.options.has_value());
  check_equal(*registration.options, *file.registrations[0].options);
  CHECK_FALSE(registration.options_resolved);
  CHECK(registration.range == range(2));
  CHECK(registration.method_range == range(3));
  REQUIRE(registration.handler.reads.size() == 1);
  CHECK(registration.handler.reads[0].location == "body");
  CHECK(registration.handler.reads[0].path == std::vector<std::string>{"user", "name"});
  CHECK(registration.handler.reads[0].validated);
  CHECK(registration.handler.reads[0].range == range(9));
  REQUIRE(registration.handler.typed_reads.size() == 1);
  CHECK(registration.handler.typed_reads[0].location == "query");
  CHECK(registration.handler.typed_reads[0].type == "::shop::Page");
  CHECK(registration.handler.typed_reads[0].range == range(10));
  REQUIRE(registration.handler.compile_error);
  CHECK(registration.handler.compile_error->message == "no member named 'x'");
  CHECK(registration.handler.compile_error->range == range(11));
  CHECK_FALSE(registration.handler.may_send_json);
  CHECK_FALSE(registration.handler.sends_others);
  REQUIRE(registration.handler.sent.size() == 1);
  CHECK(registration.handler.sent[0].function == "text");
  CHECK(registration.handler.sent[0].statuses == std::vector<int>{201, 404});
  CHECK(registration.handler.sent[0].media_type == "text/plain");
  CHECK_FALSE(back.registrations[1].options.has_value());
  CHECK(back.registrations[1].options_resolved);
  REQUIRE(back.diagnostics.size() == 2);
  const auto& diagnostic = back.diagnostics[1];
  CHECK(diagnostic.id == "duplicate-route");
  CHECK(diagnostic.severity == model::Severity::warning);
  CHECK(diagnostic.message == "a message");
  CHECK(diagnostic.range == range(4));
  CHECK(diagnostic.method == "GET");
  CHECK(diagnostic.route == "/users");
  REQUIRE(diagnostic.notes.size() == 1);
  CHECK(diagnostic.notes[0].message == "a note");
  CHECK(diagnostic.notes[0].range == range(5));
  CHECK(diagnostic.help == "do otherwise");
  REQUIRE(diagnostic.fixes.size() == 1);
  CHECK(diagnostic.fixes[0].range == range(6));
  CHECK(diagnostic.fixes[0].text == "otherwise");
  // Members that others add are compared here.
  CHECK(bytes_of(back) == bytes_of(file));
}

TEST_CASE("parsed file archive: truncated and trailing bytes are rejected") {
  const std::string bytes = bytes_of(full_file());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    CHECK_THROWS_AS(read(std::string_view(bytes).substr(0, length)), files::BadArchive);
  }
  CHECK_THROWS_AS(read(bytes + "x"), files::BadArchive);
  CHECK_THROWS_AS(read(std::string(100, '\xFF')), files::BadArchive);
}

}  // namespace parsed_file_archive_test
