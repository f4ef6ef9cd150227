// Where a request's declared data comes from (reference: Validation).
#pragma once

namespace fw {

enum class Location { param, query, header, cookie, body };

}  // namespace fw
