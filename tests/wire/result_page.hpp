// The results of all sets as a page of documentation.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "run_case.hpp"
#include "wire_case.hpp"

namespace wire {

struct SetResult {
  CaseSet set;
  std::vector<CaseResult> results;  ///< one a case
  std::size_t passed_by_httplib = 0;
};

std::string result_page(const std::vector<SetResult>& sets);

}  // namespace wire
