// Bodies of requests and answers, and the answers' headers.
#pragma once

#include "diff/schema_comparison.hpp"

namespace fairway::diff {

/// `requestBody` of two operations. `direction` tells who sends it; `label` begins the locations.
void compare_request_bodies(const Documents& documents, const Place& before, const Place& after,
                            Direction direction, const std::string& label, Recorder& recorder);

/// `responses` of two operations.
void compare_responses(const Documents& documents, const Place& before, const Place& after,
                       Direction direction, const std::string& label, Recorder& recorder);

/// `content` of two bodies. Nothing stands for a body without content.
void compare_contents(const Documents& documents, const Place& before, const Place& after,
                      Direction direction, const Location& location, Recorder& recorder);

}  // namespace fairway::diff
