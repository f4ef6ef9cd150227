// Inference of operation ids (reference: Documentation metadata).
#pragma once

#include <string>
#include <string_view>

namespace fairway::check {

/// The id of a route that writes none: "GET" and "/users/:id" give "getUsersById". `method` is
/// upper case, `path` the final path.
std::string inferred_operation_id(std::string_view method, std::string_view path);

}  // namespace fairway::check
