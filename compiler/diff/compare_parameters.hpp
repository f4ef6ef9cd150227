// Parameters of an operation: path, query, header and cookie.
#pragma once

#include "diff/schema_comparison.hpp"

namespace fairway::diff {

struct ParameterOwner {
  const std::string& path;
  Place item;  ///< the path item, whose parameters all its operations share
  Place operation;
};

void compare_parameters(const Documents& documents, const ParameterOwner& before,
                        const ParameterOwner& after, Recorder& recorder);

}  // namespace fairway::diff
