// The parts of the catalogue.
#pragma once

#include <vector>

#include "diff/catalogue.hpp"

namespace fairway::diff {

std::vector<ChangeKind> operation_changes();      ///< operations, parameters, bodies, answers
std::vector<ChangeKind> schema_changes();         ///< each for requests and for answers
std::vector<ChangeKind> documentation_changes();  ///< what is not on the wire

}  // namespace fairway::diff
