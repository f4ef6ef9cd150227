// The requests of the tools for a running program: `call`, `requests` and `trace`.
#pragma once

#include <string>
#include <string_view>

#include "rpc/json_rpc.hpp"

namespace fairway::mcp {

using rpc::Json;

/// Throws UserError unless `base_url` is "http://host:port", with an optional path and without
/// credentials. Unless `allows_remote`, its host must be this machine.
void check_base_url(const std::string& base_url, bool allows_remote);

/// Why a request with these arguments must not be sent; empty if it may.
std::string request_error(const Json& arguments);

/// The program of a process (rpc::HelperProcess) that sends the request of one tool and responds
/// with its result. It may wait for ever.
void send_requests(const std::string& base_url, int connection);

// request_history.cpp: The last requests of the running program, with their spans, which `fairway
// dev` keeps for its page (docs/dev.md).

/// The rows that the arguments of `requests` select, the last one first. `rows` is what the page
/// loads.
Json selected_requests(const Json& rows, const Json& arguments);

/// The result of the tools `requests` and `trace`. Throws contract_test::NoResponse.
Json read_history(const std::string& base_url, std::string_view tool, const Json& arguments);

}  // namespace fairway::mcp
