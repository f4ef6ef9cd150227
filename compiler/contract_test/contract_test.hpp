// Tests that an application does what its OpenAPI document says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "contract_test/requests.hpp"
#include "contract_test/response_check.hpp"
#include "contract_test/socket_conversation.hpp"
#include "contract_test/test_settings.hpp"

namespace fairway::contract_test {

struct TestOptions {
  std::string url;
  std::uint32_t seed = 1;
  unsigned valid_requests = 20;         ///< for each operation
  std::vector<std::string> operations;  ///< ids; empty: all
  ErrorStatuses error_statuses = ErrorStatuses::any;
  /// How the program has ended, if it has.
  std::function<std::string()> end_of_program = [] { return std::string(); };
};

struct Failure {
  std::string operation;
  Request request;
  Response response;  ///< status 0: there was none
  Violation violation;
  std::string message = {};     ///< to a socket; empty for requests
  std::size_t repetitions = 0;  ///< how many other requests had the same violation
};

/// An operation that the test could not show to work.
struct Gap {
  std::string operation;
  std::string reason;  ///< "every valid request got status 404"
};

struct Report {
  std::vector<Failure> failures;
  std::vector<Gap> gaps;
  std::vector<Gap> excluded;
  std::size_t operations = 0;
  std::size_t requests = 0;
};

/// Throws UserError for settings that name unknown operations, and for steps that fail. The
/// end of the program is a failure, and the last one.
Report run_contract_test(const diff::Document& document, const Settings& settings,
                         const TestOptions& options);

/// The report for a terminal. `url` is used in the commands that repeat a request; `repeat` is the
/// command that repeats the test.
std::string report_text(const Report& report, std::string_view url, std::string_view repeat);

}  // namespace fairway::contract_test
