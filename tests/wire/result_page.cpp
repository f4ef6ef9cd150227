#include "result_page.hpp"

#include <algorithm>

namespace wire {
namespace {

constexpr std::size_t kShownBytes = 120;

/// Text for a cell of a table.
std::string cell(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2) {
    text.insert(i, 1, '\\');
  }
  return text;
}

/// The bytes without what nearly all requests have.
std::string sent(const Case& wire_case) {
  std::string text;
  for (const auto& piece : wire_case.pieces) {
    text += (text.empty() ? "" : " ‖ ") + escaped(piece, kShownBytes);
  }
  const std::string usual = "\\r\\nHost: a\\r\\n";
  const auto found = text.find(usual);
  if (found != std::string::npos &&
      text.find("Host: ", found + usual.size()) == std::string::npos) {
    text.replace(found, usual.size(), "\\r\\n");
  }
  // Backticks end a code span.
  return text.empty() ? "nothing" : "`" + text + "`";
}

std::string expected(const Case& wire_case) {
  std::string text;
  for (const auto& answer : wire_case.answers) text += std::to_string(answer.status) + ", ";
  return text + name_of(wire_case.ending);
}

std::string in_words(const CaseResult& result) {
  return result.faults.empty() ? result.got : result.got + " **differs**";
}

std::string table(const SetResult& set) {
  std::string text = "| case | sent | expected | got | note |\n| --- | --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < set.set.cases.size(); ++i) {
    const auto& wire_case = set.set.cases[i];
    text += "| " + cell(wire_case.name) + " | " + cell(sent(wire_case)) + " | " +
            expected(wire_case) + " | " + cell(in_words(set.results[i])) + " | " +
            cell(wire_case.note) + " |\n";
  }
  return text;
}

std::size_t passed(const SetResult& set) {
  return static_cast<std::size_t>(
      std::count_if(set.results.begin(), set.results.end(),
                    [](const CaseResult& result) { return result.faults.empty(); }));
}

}  // namespace

std::string result_page(const std::vector<SetResult>& sets) {
  std::string page = R"(# HTTP/1.1 on the wire

What the server does with requests, byte for byte: RFC 9112 and RFC 9110, read strictly. What could
be taken for two different messages is refused with a status of the 400s, a body in the shape of all
errors, and the end of the connection, so that nothing behind it is taken for a request.

This page is written by `tools/http-conformance.sh` from the cases in `tests/wire/cases/`, which are
run against a real server for it. Each case is sent at once, byte by byte, in three arbitrary cuts,
and, if the server is done with it, with another request right behind it; all of these have to come
out the same. "open" means that the next request on the connection was answered, "closed" that the
connection was closed in an orderly way with nothing more on it, "waits" that the server waited for
the rest of a request, "ends" that it closed without an answer when the client ended its sending.
Where a request's only host is "a", its line is left out of the table; ‖ is where the client waited.
The tables are those of the epoll engine; what the httplib engine does otherwise is named in
`tests/wire/httplib_differs.txt`, and in docs/server.md.

| set | cases | passed | passed by the httplib engine |
| --- | --- | --- | --- |
)";
  for (const auto& set : sets) {
    page += "| " + set.set.title + " | " + std::to_string(set.results.size()) + " | " +
            std::to_string(passed(set)) + " | " + std::to_string(set.passed_by_httplib) + " |\n";
  }
  for (const auto& set : sets) {
    page += "\n## " + set.set.title + "\n\n" + set.set.introduction + "\n" + table(set);
  }
  return page;
}

}  // namespace wire
