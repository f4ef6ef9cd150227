// The parts of a request that can have a schema (reference: Validation).
#pragma once

namespace fw {

enum class Location { param, query, header, cookie, body };

}  // namespace fw
