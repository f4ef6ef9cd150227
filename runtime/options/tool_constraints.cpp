#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/ascii.hpp"
#include "base/methods.hpp"
#include "options/option_constraints.hpp"
#include "options/option_members.hpp"

namespace fw::options {
namespace {

/// Clients reject longer names, and other characters.
constexpr std::size_t kMaxName = 64;

constexpr std::string_view kHelp = "remove '.mcp', or register another route for agents";

bool is_tool_name(std::string_view name) {
  return name.size() <= kMaxName && std::ranges::all_of(name, [](char c) {
           return base::is_alphanumeric(c) || c == '_' || c == '-';
         });
}

bool has_tools(std::string_view method) {
  static constexpr std::array<std::string_view, 5> kMethods = {"GET", "POST", "PUT", "PATCH",
                                                               "DELETE"};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

/// The value of a member of an object; null if it is absent.
const Json& option_of(const Json& object, std::string_view name) {
  static const Json kAbsent;
  if (!object.is_object()) return kAbsent;
  const auto found = object.find(reference_name(name));
  return found == object.end() ? kAbsent : *found;
}

bool is_stream(const Json& response) {
  return response.is_object() && (response.contains("$events") || response.contains("$lines"));
}

class ToolCheck {
 public:
  explicit ToolCheck(const ToolRoute& route) : route_(route) {}

  std::vector<Violation> run() && {
    if (option_of(route_.options, "mcp") != true) return {};
    check_method();
    check_streams();
    check_options();
    if (found_.empty() && !is_tool_name(route_.operation_id)) {
      add(fmt::format("'{}' cannot be the name of a tool: it must have at most {} letters, digits, "
                      "'_' and '-'",
                      route_.operation_id, kMaxName),
          "set 'docs.operation_id'");
    }
    return std::move(found_);
  }

 private:
  Violation& add(std::string message, std::string_view help = kHelp) {
    return found_.emplace_back(Violation{
        .location = {{"mcp"}, true}, .message = std::move(message), .help = std::string(help)});
  }

  /// `path` leads to the option because of which the route is no tool.
  void add_conflict(std::string_view what, std::vector<std::string> path) {
    Violation& violation = add(fmt::format("{} cannot be a tool", what));
    violation.note = fmt::format("'{}' is set here", path.back());
    violation.other = OptionLocation{std::move(path), true};
  }

  void check_method() {
    if (route_.method == base::kSocketMethod) {
      add("a socket cannot be a tool");
    } else if (!has_tools(route_.method)) {
      add(fmt::format("a route of the method {} cannot be a tool", route_.method));
    }
  }

  void check_streams() {
    for (const auto& [selector, response] : option_of(route_.options, "responses").items()) {
      if (is_stream(response)) return add_conflict("a stream", {"responses", selector});
    }
    if (route_.returns_stream) add("a stream cannot be a tool");
  }

  void check_options() {
    const Json& options = route_.options;
    if (!option_of(options, "frontend").is_null()) add_conflict("a page", {"frontend"});
    const Json& multipart = option_of(options, "multipart");
    if (multipart == true || (multipart.is_object() && option_of(multipart, "enabled") != false)) {
      add_conflict("an upload", {"multipart"});
    }
    if (option_of(option_of(options, "body_parser"), "stream") == true) {
      add_conflict("a route that reads its body as a stream", {"body_parser", "stream"});
    }
    if (option_of(option_of(options, "docs"), "hidden") == true) {
      add_conflict("a route that is not in the document", {"docs", "hidden"});
    }
  }

  const ToolRoute& route_;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> tool_violations(const ToolRoute& route) { return ToolCheck(route).run(); }

}  // namespace fw::options
