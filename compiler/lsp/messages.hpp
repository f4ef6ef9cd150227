// The names of JSON-RPC that the language server uses.
#pragma once

#include "rpc/json_rpc.hpp"

namespace fairway::lsp {

using rpc::error_response;
using rpc::ErrorCode;
using rpc::Json;
using rpc::notification;
using rpc::request;
using rpc::RequestError;
using rpc::response;

}  // namespace fairway::lsp
