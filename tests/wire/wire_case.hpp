// Cases of bytes that a client sends and what has to come of them, written in text files.
//
//   # a remark
//   case Content-Length with a sign
//   note why it is so, for the page of results
//   > POST / HTTP/1.1\r\n
//   > Host: a\r\n
//   > Content-Length: +5\r\n\r\nhello
//   < 400 not a number
//   = closed
//
// `>` lines are the bytes, joined. Escapes: \r \n \t \\ \xHH, and \*COUNT[TEXT] repeats a text.
// At `...` the server must not have responded so far. `<` lines are the responses in
// order: `< 200 METHOD TARGET` (or `-`) and, in quotes, the body that the application was given; `<
// 400 WORDS` for an error response whose message has these words (`HEAD`: one without a body). `saw
// NAME: VALUE` behind a response is a field that the application was given, `sent NAME: VALUE` one
// of the response (VALUE `-`: none of that name). The last line tells what becomes of the
// connection: `= open`, `= closed`, `= waits` (for more bytes of a request), or `= ends`: as waits,
// but the client ends its sending and sees the connection close.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace wire {

struct ExpectedResponse {
  int status = 0;
  std::string text;  ///< the application's request line, or words of the error response
  std::string body;  ///< that the application was given
  std::vector<std::pair<std::string, std::string>> saw;
  std::vector<std::pair<std::string, std::string>> sent;
};

enum class Ending { open, closed, waits, ends };

struct Case {
  std::string name;
  std::string note;
  std::vector<std::string> pieces;  ///< more than one: there is no response before the last
  std::vector<ExpectedResponse> responses;
  Ending ending = Ending::open;

  std::string bytes() const;
};

struct CaseSet {
  std::string title;
  std::string introduction;
  std::vector<Case> cases;
};

/// Throws std::runtime_error with file and line.
CaseSet read_cases(const std::filesystem::path& file);

/// Bytes as the files write them, at most `limit` of them.
std::string escaped(const std::string& bytes, std::size_t limit = std::string::npos);

const char* name_of(Ending ending);

}  // namespace wire
