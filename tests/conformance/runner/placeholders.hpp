// Comparison of what came with what a case expects, placeholders included.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace conformance {

/// Ordered: the order of members counts in log lines, and is free everywhere else.
using Json = nlohmann::ordered_json;

/// What placeholders of the cases of one group stand for.
struct Memory {
  std::string request_id;  ///< of the current response's header
  bool request_brought_id = false;
  std::string session_cookie = "fw.sid";          ///< name of the group's session cookie
  std::map<std::string, std::string> remembered;  ///< session_id, csrf_token, csrf_cookie
};

/// True when `text` is what `expected`, a string that may contain placeholders, describes.
bool matches_text(const std::string& expected, const std::string& text, Memory& memory);

/// As `matches_text` for any JSON value: order of members free, numbers by value.
bool matches_json(const Json& expected, const Json& value, Memory& memory);

/// `text` with the remembered values put in, for requests.
std::string substituted(std::string text, const Memory& memory);

}  // namespace conformance
