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
  for (const auto& response : wire_case.responses) text += std::to_string(response.status) + ", ";
  return text + name_of(wire_case.ending);
}

std::string in_words(const CaseResult& result) {
  return result.failures.empty() ? result.got : result.got + " **differs**";
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
                    [](const CaseResult& result) { return result.failures.empty(); }));
}

}  // namespace

std::string result_page(const std::vector<SetResult>& sets) {
  std::string page = R"(# HTTP/1.1 on the wire

How the server handles requests, byte for byte. It follows RFC 9110 and RFC 9112 strictly: a message that two
recipients could read differently gets a 4xx response with the usual error body, and the connection is closed,
so that nothing after it is read as a request. The cases of HTTP/2 are in [http2.md](http2.md#cases-of-our-own).

`tools/http-conformance.sh` writes this page from the cases in `tests/wire/cases/`, which it runs against a real
server. Each case is sent at once, byte by byte, in three arbitrary pieces and, if the server completes it, with
another request directly after it; all of these must give the same result. "open" means that the next request on
the connection got a response, "closed" that the server closed the connection without further data, "waits" that
the server waited for the rest of a request, and "ends" that it closed the connection without a response when the
client stopped sending. ‖ marks where the client waited. `Host: a` is left out of the table where it is the only
host. The tables show the epoll engine; `tests/wire/httplib_differs.txt` and docs/server.md list the differences
of the httplib engine.

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
