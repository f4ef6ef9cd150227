// [duplicate-response-schema] A selector has its schema in `responses` or in `docs.responses`.
#pragma once

#include "check/reporter.hpp"
#include "model/application.hpp"

namespace fairway::check {

void check_duplicate_response_schemas(const model::Route& route, Reporter& reporter);

}  // namespace fairway::check
