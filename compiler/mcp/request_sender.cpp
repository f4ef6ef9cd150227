#include "mcp/request_sender.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/ascii.hpp"
#include "base/connection_fields.hpp"
#include "base/ip_network.hpp"
#include "base/utf8.hpp"
#include "contract_test/http_client.hpp"
#include "files/user_error.hpp"
#include "mcp/tools.hpp"
#include "rpc/helper_process.hpp"

namespace fairway::mcp {
namespace {

constexpr std::size_t kMaxBody = 256 * 1024;

bool is_loopback(std::string_view host) {
  if (host == "localhost") return true;
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  static const auto kIpv4 = fw::base::IpNetwork::parse("127.0.0.0/8");
  static const auto kIpv6 = fw::base::IpNetwork::parse("::1");
  // Not a name that begins like an address.
  return fw::base::IpNetwork::parse(host) && (kIpv4->contains(host) || kIpv6->contains(host));
}

/// The headers of the arguments; an empty object if there are none.
const Json& headers_in(const Json& arguments) {
  static const Json kNone = Json::object();
  const auto headers = arguments.find("headers");
  return headers == arguments.end() ? kNone : *headers;
}

contract_test::Request request_of(const Json& arguments) {
  contract_test::Request request{.method = arguments.at("method").get<std::string>(),
                                 .target = arguments.at("path").get<std::string>()};
  bool has_type = false;
  for (const auto& [name, value] : headers_in(arguments).items()) {
    request.headers.emplace_back(name, value.get<std::string>());
    has_type = has_type || fw::base::equal_ignoring_case(name, "content-type");
  }
  const auto body = arguments.find("body");
  if (body == arguments.end()) return request;
  if (body->is_string()) {
    request.body = body->get<std::string>();
  } else {
    request.body = body->dump();
    if (!has_type) request.headers.emplace_back("Content-Type", "application/json");
  }
  return request;
}

Json result_of_response(contract_test::Response response) {
  Json headers = Json::array();
  for (const auto& [name, value] : response.headers) {
    headers.push_back({{"name", name}, {"value", value}});
  }
  std::string& body = response.body;
  // A cut may have been within a character.
  for (int i = 0; i < 3 && !response.is_complete && !body.empty() &&
                  !fw::base::count_code_points(body).well_formed;
       ++i) {
    body.pop_back();
  }
  const bool is_text = fw::base::count_code_points(body).well_formed;
  return result_of({{"status", response.status},
                    {"headers", headers},
                    {"body", is_text ? std::move(body) : std::string()},
                    {"body_is_complete", response.is_complete},
                    {"body_is_text", is_text}});
}

}  // namespace

void check_base_url(const std::string& base_url, bool allows_remote) {
  const contract_test::HttpClient client(base_url);  // checks the form
  if (std::ranges::any_of(base_url, [](char c) {
        return c == '@' || c == '?' || c == '#' || c == ' ' || fw::base::is_control(c);
      })) {
    throw UserError(fmt::format(
        "--url must be a URL such as http://127.0.0.1:3000, without credentials and query, not "
        "'{}'",
        base_url));
  }
  const std::string host = contract_test::host_of(base_url);
  if (allows_remote || is_loopback(host)) return;
  throw UserError(fmt::format(
      "'{}' is not this machine: use --allow-remote to send requests to it nevertheless", host));
}

std::string request_error(const Json& arguments) {
  const auto& path = arguments.at("path").get_ref<const std::string&>();
  const bool is_path = path.starts_with('/') && std::ranges::all_of(path, [](char c) {
                         return static_cast<unsigned char>(c) > ' ' &&
                                static_cast<unsigned char>(c) < 0x7F && c != '#';
                       });
  if (!is_path) {
    return "'path' must begin with '/' and have neither spaces, fragments nor characters that are "
           "not ASCII: percent-encode them";
  }
  for (const auto& [name, value] : headers_in(arguments).items()) {
    if (!fw::base::is_token(name)) return fmt::format("'{}' is not the name of a header", name);
    if (fw::base::is_connection_field(name) ||
        fw::base::equal_ignoring_case(name, "content-length") ||
        fw::base::equal_ignoring_case(name, "expect")) {
      return fmt::format("the header '{}' cannot be given: the client sets it", name);
    }
    const auto& text = value.get_ref<const std::string&>();
    if (std::ranges::any_of(text, [](char c) { return fw::base::is_control(c) && c != '\t'; })) {
      return fmt::format("the value of the header '{}' has control characters", name);
    }
  }
  return {};
}

void send_requests(const std::string& base_url, int connection) {
  rpc::respond_to_requests(connection, [&](const std::string& tool, const Json& arguments) {
    try {
      if (tool != "call") return read_history(base_url, tool, arguments);
      contract_test::HttpClient client(base_url, kMaxBody);
      return result_of_response(client.send(request_of(arguments)));
    } catch (const contract_test::NoResponse& error) {
      return error_result(fmt::format("no response from {} ({}): is the program running there?",
                                      base_url, error.what()));
    }
  });
}

}  // namespace fairway::mcp
