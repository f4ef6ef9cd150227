// Requests and responses of the test, whatever they travel through.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client.hpp"

namespace pairs {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// The first field of that name in lower case; nothing if there is none.
std::optional<std::string_view> field_of(const Fields& fields, std::string_view name);
/// All fields of that name, joined with ", ".
std::string joined_field(const Fields& fields, std::string_view name);
/// Whether a comma-separated list has a member, in any case.
bool lists(std::string_view list, std::string_view member);
/// The number of a directive such as `max-age=60`; nothing if it is not there.
std::optional<long> seconds_of(std::string_view cache_control, std::string_view directive);

struct Message {
  Client client;
  std::string method = "GET";
  std::string target;
  Fields fields = {};  ///< with lower-case names
  std::string body = {};
  std::string id = {};  ///< the request id that the client sends
  /// Statuses that are right; empty: any below 500.
  std::vector<int> expected = {};
  int word = 0;    ///< index of the word in the body
  int query = -1;  ///< index of the value in the query
};

struct Reply {
  int status = 0;
  Fields fields = {};          ///< with lower-case names
  std::string body = {};       ///< decoded
  std::size_t sent_bytes = 0;  ///< of the body before it was decoded
  std::string error = {};      ///< why there is no response
};

/// A request and its response.
struct Exchange {
  Message request;
  Reply reply;
};

/// As people read it in a report: head of the request, head of the response, and its body.
std::string describe(const Exchange& exchange);

}  // namespace pairs
