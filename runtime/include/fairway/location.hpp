// The parts of a request that can have a schema (docs/validation.md).
#pragma once

namespace fw {

/// A part of a request; also the values of `in` in messages and documents.
enum class Location { param, query, header, cookie, body };

}  // namespace fw
