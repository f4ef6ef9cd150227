// The programs in the folders of PATH.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fairway::process {

/// The folders of PATH, in order.
std::vector<std::filesystem::path> search_path();

bool is_in_path(const std::string& program);

}  // namespace fairway::process
