// [openapi-invalid] What `docs` copies into the document is valid OpenAPI there.
#pragma once

#include "check/reporter.hpp"
#include "model/application.hpp"

namespace fairway::check {

/// `docs` is the record as written, `documentation` what it resolved to.
void check_documents(const model::Value& docs, const model::Documentation& documentation,
                     Reporter& reporter);

/// The names of schemes in a resolved `security` member, of `docs` or of `auth`.
void check_security_schemes(const model::Json& security, const model::Range& range,
                            Reporter& reporter);

}  // namespace fairway::check
