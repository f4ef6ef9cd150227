// Checks a response against what its operation declares.
#pragma once

#include <optional>
#include <string>

#include "contract_test/operations.hpp"
#include "contract_test/requests.hpp"
#include "contract_test/schema_check.hpp"

namespace fairway::contract_test {

struct Response {
  int status = 0;
  Headers headers;
  std::string body;
  bool is_complete = true;  ///< false for a stream that continues and for a body that was cut

  /// The first field of that name in any case; empty if there is none.
  std::string header(std::string_view name) const;
};

/// A response that breaks the contract.
struct Violation {
  std::string title;     ///< "undeclared status 202"
  std::string expected;  ///< "status 201, 422 or any 4xx"
  std::string found;     ///< empty if the title says it
};

/// Whether a `default` response declares the statuses 400 to 499 (`any`), or only a selector such
/// as 404 or 4XX does (`declared`).
enum class ErrorStatuses { any, declared };

/// A `default` response declares the statuses 400 to 499 if these may be `any`, and those below 400
/// if the operation declares no success (2xx or 3xx), but never 5xx. Responses with status 401, 403
/// and 429 to a request that is invalid on purpose are not a violation: the request did not get as
/// far as its error.
std::optional<Violation> check_response(const SchemaChecker& checker, const Operation& operation,
                                        const Request& request, const Response& response,
                                        ErrorStatuses error_statuses);

}  // namespace fairway::contract_test
