#include "check_log.hpp"

#include <regex>

namespace conformance {
namespace {

bool is_access_line(const Json& line) {
  static const std::regex access(R"(^[A-Z]+ \S+ \d{3} \d+ms \| )");
  return std::regex_search(line.value("msg", ""), access);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n    " + line;
  return text.empty() ? "nothing" : text;
}

/// Members and their order must equal `expected`.
bool matches_ordered(const Json& expected, const std::string& line, Memory& memory) {
  const Json came = Json::parse(line, nullptr, false);
  if (!came.is_object() || came.size() != expected.size()) return false;
  auto at = came.begin();
  for (auto wanted = expected.begin(); wanted != expected.end(); ++wanted, ++at) {
    if (wanted.key() != at.key()) return false;
    if (!matches_json(wanted.value(), at.value(), memory)) return false;
  }
  return true;
}

void check_access(const Json& expected, const std::vector<Json>& entries,
                  const std::vector<std::string>& lines, Memory& memory,
                  std::vector<std::string>& failures) {
  std::vector<Json> came;
  for (const Json& entry : entries) {
    if (is_access_line(entry)) came.push_back(entry);
  }
  bool same = came.size() == expected.size();
  for (std::size_t index = 0; same && index < came.size(); ++index) {
    for (const char* member : {"level", "msg", "requestId"}) {
      const bool wanted = expected[index].contains(member);
      same = same && wanted == came[index].contains(member) &&
             (!wanted || matches_json(expected[index].at(member), came[index].at(member), memory));
    }
  }
  if (!same)
    failures.push_back("log.access: expected " + expected.dump() + ", came " + joined(lines));
}

void check_lines(const Json& expected, const std::vector<std::string>& lines, Memory& memory,
                 std::vector<std::string>& failures) {
  std::size_t next = 0;
  for (const std::string& line : lines) {
    if (next < expected.size() && matches_ordered(expected[next], line, memory)) ++next;
  }
  if (next < expected.size()) {
    failures.push_back("log.lines: missing " + expected[next].dump() + " in " + joined(lines));
  }
}

void check_pretty(const Json& expected, const std::vector<std::string>& lines, Memory& memory,
                  std::vector<std::string>& failures) {
  bool same = lines.size() == expected.size();
  for (std::size_t index = 0; same && index < lines.size(); ++index) {
    same = matches_text(expected[index], lines[index], memory);
  }
  if (!same)
    failures.push_back("log.pretty: expected " + expected.dump() + ", came " + joined(lines));
}

void check_outbound(const Json& expected, const std::vector<Json>& entries,
                    const std::vector<std::string>& lines, std::vector<std::string>& failures) {
  Json came = Json::array();
  for (const Json& entry : entries) {
    const std::string type = entry.value("type", "");
    if (type != "outbound" && type != "proxy") continue;
    if (!entry.contains("status") && !(entry.contains("error") && entry.contains("method")))
      continue;
    Json seen = {{"level", entry.value("level", 0)}, {"method", entry.value("method", "")}};
    if (entry.contains("status")) seen["status"] = entry.at("status");
    came.push_back(seen);
  }
  if (came != expected) {
    failures.push_back("log.outbound: expected " + expected.dump() + ", came " + joined(lines));
  }
}

}  // namespace

void check_log(const Json& expected, const std::vector<std::string>& lines, Memory& memory,
               std::vector<std::string>& failures) {
  std::vector<Json> entries;
  std::string error_text;
  bool has_errors = false;
  for (const std::string& line : lines) {
    Json entry = Json::parse(line, nullptr, false);
    if (!entry.is_object()) continue;
    if (entry.value("level", 0) >= 40 && !is_access_line(entry)) {
      has_errors = true;
      error_text += line + "\n";
    }
    entries.push_back(std::move(entry));
  }
  if (expected.contains("access")) {
    check_access(expected.at("access"), entries, lines, memory, failures);
  }
  if (expected.contains("lines")) {
    check_lines(expected.at("lines"), lines, memory, failures);
  }
  if (expected.contains("pretty")) check_pretty(expected.at("pretty"), lines, memory, failures);
  if (expected.contains("outbound")) {
    check_outbound(expected.at("outbound"), entries, lines, failures);
  }
  for (const Json& text : expected.value("absent", Json::array())) {
    for (const std::string& line : lines) {
      if (line.find(text.get<std::string>()) != std::string::npos) {
        failures.push_back("log.absent: " + text.dump() + " occurs in " + line);
      }
    }
  }
  if (expected.value("errors", "") == "none" && has_errors) {
    failures.push_back("log.errors: expected none, came " + error_text);
  }
  if (expected.value("errors", "") == "some" && !has_errors) {
    failures.push_back("log.errors: expected some, came " + joined(lines));
  }
  for (const Json& text : expected.value("mentions", Json::array())) {
    if (error_text.find(text.get<std::string>()) == std::string::npos) {
      failures.push_back("log.mentions: " + text.dump() + " is not in " + joined(lines));
    }
  }
}

}  // namespace conformance
