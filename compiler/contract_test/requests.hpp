// The requests that a contract test sends to one operation.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "contract_test/operations.hpp"
#include "contract_test/random_source.hpp"
#include "contract_test/schema_check.hpp"
#include "contract_test/test_settings.hpp"

namespace fairway::contract_test {

enum class Expectation {
  accepted,      ///< the request is valid
  rejected,      ///< with `status`, because one part is invalid
  unauthorized,  ///< because the request has no credentials
};

struct Request {
  std::string method;
  std::string target;
  Headers headers = {};
  std::string body = {};
  Expectation expectation = Expectation::accepted;
  int status = 0;           ///< of a rejection
  std::string reason = {};  ///< "without the query parameter 'limit'"; empty for a valid request

  bool operator==(const Request&) const = default;
};

/// What requests of one operation have in common.
struct RequestContext {
  const SchemaChecker& checker;
  Headers headers;      ///< expanded, as are the others
  Headers credentials;  ///< with the cookies of the steps before
  OperationSettings values;
  std::filesystem::path directory;  ///< where the files of forms are
};

/// The requests without repetitions: `valid_count` valid ones, one without credentials if the
/// operation is secured, and one for each rule that a request can break. Invalid requests are only
/// made if the operation declares the status for them: 400 for paths and malformed bodies, else
/// 422. Throws UserError if no valid value is found.
std::vector<Request> make_requests(const Operation& operation, const RequestContext& context,
                                   RandomSource random, unsigned valid_count);

}  // namespace fairway::contract_test
