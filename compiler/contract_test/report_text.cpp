#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/counted.hpp"
#include "base/utf8.hpp"
#include "contract_test/contract_test.hpp"

namespace fairway::contract_test {
namespace {

constexpr std::size_t kMaxBody = 2000;

/// Every line of `text` below the label: "  request   GET /orders".
std::string block(std::string_view label, std::string_view text) {
  std::string result;
  while (true) {
    const std::size_t end = text.find('\n');
    result += fmt::format("  {:<9} {}", label, text.substr(0, end));
    while (result.ends_with(' ')) result.pop_back();
    result += '\n';
    if (end == text.npos || end + 1 == text.size()) return result;
    text.remove_prefix(end + 1);
    label = "";
  }
}

std::string shortened(const std::string& body) {
  const bool is_text =
      fw::base::count_code_points(body).well_formed && body.find('\0') == std::string::npos;
  if (!is_text) return fmt::format("({} bytes)", body.size());
  if (body.size() <= kMaxBody) return body;
  return fmt::format("{}… ({} bytes)", body.substr(0, kMaxBody), body.size());
}

std::string message_text(std::string text, const Headers& headers, const std::string& body) {
  for (const auto& [name, value] : headers) text += fmt::format("\n{}: {}", name, value);
  if (!body.empty()) text += "\n" + shortened(body);
  return text;
}

std::string failure_text(const Failure& failure, std::string_view url) {
  const Request& request = failure.request;
  std::string text = fmt::format("{}: {}{}{}\n", failure.operation, failure.violation.title,
                                 request.reason.empty() ? "" : ", ", request.reason);
  text += block("request", message_text(fmt::format("{} {}", request.method, request.target),
                                        request.headers, request.body));
  if (!failure.message.empty()) text += block("message", shortened(failure.message));
  if (failure.response.status != 0) {
    text += block("response", message_text(std::to_string(failure.response.status),
                                           failure.response.headers, failure.response.body));
  }
  text += block("expected", failure.violation.expected);
  if (!failure.violation.found.empty()) text += block("found", failure.violation.found);
  if (failure.repetitions > 0) {
    text += block("also", fmt::format("{} of this operation",
                                      fw::base::counted(failure.repetitions, "other request")));
  }
  // What opens a socket is no reason for what it does later.
  if (failure.message.empty() && failure.response.status != kSwitchingProtocols) {
    text += block("repeat", curl_command(std::string(url), request));
  }
  return text + "\n";
}

}  // namespace

std::string report_text(const Report& report, std::string_view url, std::string_view repeat) {
  std::string text;
  std::string command(repeat);
  std::string_view last;
  for (const Failure& failure : report.failures) {
    text += failure_text(failure, url);
    if (failure.operation != last) command += " --operation " + failure.operation;
    last = failure.operation;
  }
  for (const Gap& each : report.excluded) {
    text += fmt::format("{}: excluded: {}\n", each.operation, each.reason);
  }
  for (const Gap& each : report.gaps) {
    text += fmt::format("{}: warning: {}: give values or credentials in the settings\n",
                        each.operation, each.reason);
  }
  const bool is_good = report.failures.empty();
  text += fmt::format("{} of {}: {}\n", fw::base::counted(report.requests, "request"),
                      fw::base::counted(report.operations, "operation"),
                      is_good ? "all responses are as declared"
                              : fw::base::counted(report.failures.size(), "failure"));
  if (!is_good) text += fmt::format("repeat them with: {}\n", command);
  return text;
}

}  // namespace fairway::contract_test
