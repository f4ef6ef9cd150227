// Header fields: look-ups by name, and the copies of received lines.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/ascii.hpp"
#include "http/field_lines.hpp"
#include "http/header_fields.hpp"

namespace fields_test {

using fw::http::Fields;

namespace {

/// Names that differ in size, in letters, in case, and in one character alone.
std::vector<std::string> many_names() {
  std::vector<std::string> names;
  for (std::size_t size = 1; size < 40; ++size) {
    names.emplace_back(size, 'a');
    names.push_back(std::string(size, 'a') + "-b");
    names.push_back("x-" + std::string(size, 'q') + "-" + std::to_string(size * 7919));
  }
  return names;
}

std::string upper_case(std::string text) {
  for (char& c : text) c = fw::base::to_upper(c);
  return text;
}

}  // namespace

TEST_CASE("fields: a name is found in any letter case") {
  const auto names = many_names();
  for (std::size_t count = 0; count <= names.size(); count += 13) {
    Fields fields;
    for (std::size_t i = 0; i < count; ++i)
      fields.add(i % 2 == 0 ? names[i] : upper_case(names[i]), "1");
    Fields copied;
    copied.add("before", "1");
    copied.add(fields);
    for (std::size_t i = 0; i < names.size(); ++i) {
      CAPTURE(names[i]);
      CHECK(fields.find(names[i]).has_value() == (i < count));
      CHECK(fields.index_of(upper_case(names[i])) == (i < count ? i : fields.size()));
      CHECK(copied.index_of(names[i]) == (i < count ? i + 1 : copied.size()));
    }
  }
}

TEST_CASE("fields: removed names are gone and the others kept") {
  const auto names = many_names();
  Fields fields;
  for (const std::string& name : names) fields.add(name, name);
  for (std::size_t i = 0; i < names.size(); i += 2) fields.remove(upper_case(names[i]));
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i]);
    CHECK(fields.find(names[i]).value_or("none") == (i % 2 == 0 ? "none" : names[i]));
  }
  fields.clear();
  CHECK(!fields.find(names[1]));
  fields.set(names[1], "again");
  CHECK(fields.find(names[1]) == "again");
}

TEST_CASE("fields: name and value of set may be views into the same fields") {
  // On a thread of its own, which has no larger buffer from other tests: the buffer is replaced.
  std::thread([] {
    Fields fields;
    fields.add("X-Repeated-Name", "1");
    fields.add("Other", "2");
    fields.add("X-Repeated-Name", "3");
    fields.set(fields[0].name, std::string(2000, 'v'));
    CHECK(fields.size() == 2);
    CHECK(fields[0].name == "X-Repeated-Name");
    CHECK(fields[0].value == std::string(2000, 'v'));
    CHECK(fields[1].value == "2");
    for (int i = 0; i < 3; ++i) fields.set("other", fields[0].value);
    CHECK(fields[1].value == fields[0].value);
  }).join();
}

TEST_CASE("fields: replacing a value repeatedly needs no more memory") {
  Fields fields;
  fields.add("first", "1");
  fields.add("changed", "");
  fields.add("last", "2");
  for (int i = 0; i < 10'000; ++i) {
    fields.set("Changed", std::string(static_cast<std::size_t>(i % 100), 'v'));
  }
  CHECK(fields.memory() < 16 * 1024);
  CHECK(fields == Fields{{"first", "1"}, {"changed", std::string(99, 'v')}, {"last", "2"}});
  fields.add("new", "3");
  fields.remove("first");
  CHECK(fields == Fields{{"changed", std::string(99, 'v')}, {"last", "2"}, {"new", "3"}});
}

TEST_CASE("fields: received lines are delimited, whatever the buffer contained before") {
  // The thread keeps the buffer of `larger` for `fields`.
  {
    Fields larger;
    larger.append_received("A: " + std::string(400, 'x') + "\r\nB: y\r\n");
  }
  for (const std::string_view lines : {"A: 1\r", "A: 1", "A", "A:", "A: \t", "A: 12345678"}) {
    CAPTURE(lines);
    Fields fields;
    const auto error = fw::http::parse_field_lines(lines, 10, fields);
    REQUIRE(error);
    CHECK(error->status == 400);
    CHECK(error->message == std::string_view("a header line does not end with CR LF"));
  }
  for (std::size_t size = 0; size < 40; ++size) {
    const std::string value(size, 'v');
    Fields fields;
    REQUIRE(
        !fw::http::parse_field_lines("Name:\t" + value + " \r\nN2: " + value + "\r\n", 2, fields));
    CHECK(fields.find("name") == value);
    CHECK(fields.find("n2") == value);
  }
}

TEST_CASE("fields: only ASCII letters are compared ignoring case") {
  std::vector<std::string> wrong;
  const auto compare = [&](const std::string& a, const std::string& b, bool is_equal) {
    if (fw::base::equal_ignoring_case(a, b) != is_equal) wrong.push_back(a + " and " + b);
  };
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const auto a = static_cast<char>(first);
      const auto b = static_cast<char>(second);
      const bool is_equal = fw::base::to_lower(a) == fw::base::to_lower(b);
      for (const char* rest : {"", "Re7", "Rest-7", "the rest of a name"}) {
        compare(rest + std::string(1, a), upper_case(rest) + b, is_equal);
        compare(a + std::string(rest), b + upper_case(rest), is_equal);
      }
    }
  }
  CHECK(wrong.empty());
}

}  // namespace fields_test
