#include "resolve/comments.hpp"

#include <doctest/doctest.h>

#include <string>

namespace comments_test {

using fairway::resolve::CommentLine;
using fairway::resolve::find_comments;

namespace {

/// "line:column text" of each, a line each.
std::string comments(std::string_view source) {
  std::string list;
  for (const CommentLine& comment : find_comments(source)) {
    list += std::to_string(comment.line) + ':' + std::to_string(comment.column) + ' ';
    list.append(comment.text).append("\n");
  }
  return list;
}

}  // namespace

TEST_CASE("comment scanner: line and block comments are found with line and column") {
  CHECK(comments("a; // one\n/* two */ b;") == "1:4 // one\n2:1 /* two */\n");
  CHECK(comments("  /* one\r\n   two\r\n three */ x") == "1:3 /* one\n2:1    two\n3:1  three */\n");
  CHECK(comments("a / b; c /= d; // x") == "1:16 // x\n");
  CHECK(comments("/* open") == "1:1 /* open\n");
  CHECK(comments("/*/ a */ b // c") == "1:1 /*/ a */\n1:12 // c\n");
  CHECK(comments("// a /* b\nc") == "1:1 // a /* b\n");
}

TEST_CASE("comment scanner: a trailing backslash continues a line comment") {
  CHECK(comments("// one\\\ntwo\nthree") == "1:1 // one\\\n2:1 two\n");
  CHECK(comments("// one\\\r\ntwo\r\nthree") == "1:1 // one\\\n2:1 two\n");
}

TEST_CASE("comment scanner: comment markers inside literals are ignored") {
  CHECK(comments(R"("// a" '/' "/* b")") == "");
  CHECK(comments(R"("\"// a" // b)") == "1:10 // b\n");
  CHECK(comments(R"("\\" // b)") == "1:6 // b\n");
  CHECK(comments("'\"' // a\n'\\'' // b") == "1:5 // a\n2:6 // b\n");
  CHECK(comments("\"one\\\n// two\" // three") == "2:9 // three\n");
  CHECK(comments("\"open // a\n// b") == "2:1 // b\n");
}

TEST_CASE("comment scanner: raw strings contain no comments and no escapes") {
  CHECK(comments("R\"(// a\n\"// b\\)\" // c") == "2:10 // c\n");
  CHECK(comments("u8R\"x(// a)\" // b)x\" // c") == "1:22 // c\n");
  CHECK(comments("XR\"(// a\" // b") == "1:11 // b\n");
  CHECK(comments("R\"(open // a\n// b") == "");
}

TEST_CASE("comment scanner: a digit separator starts no character literal") {
  CHECK(comments("1'000 // a") == "1:7 // a\n");
  CHECK(comments("0x1'F'F + .5'0 // a") == "1:16 // a\n");
  CHECK(comments("u8'/' // a") == "1:7 // a\n");
}

TEST_CASE("comment scanner: header names contain no comments") {
  CHECK(comments("#include <a//b.hpp> // c\n#  include \"d//e.hpp\" // f") ==
        "1:21 // c\n2:23 // f\n");
  CHECK(comments("#include <it's.hpp>\n// a") == "2:1 // a\n");
  CHECK(comments("#if a < b // c") == "1:11 // c\n");
}

}  // namespace comments_test
