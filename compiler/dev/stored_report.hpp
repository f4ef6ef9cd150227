// How the commands that a build runs hand their findings to the page of `fairway dev`, beside the
// text that they print.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "diagnostics/report.hpp"

namespace fairway::dev {

/// Names the folder of the stored reports in the environment of a build.
inline constexpr const char* kReportsVariable = "FAIRWAY_DEV_REPORTS";
/// The address of the page of a rule, without its id.
inline constexpr std::string_view kRulePages = "/.fairway/dev/rules/";

/// Stores findings if the environment names a folder. A file that cannot be written is left out:
/// the page then shows the text.
void store_report(const diagnostics::Report& report);

/// The output of a build as HTML: stored reports whose text is in it are rendered, and the rest is
/// preformatted. Removes the reports that are not in the output. The same report may be printed
/// again by a later build that does not store it again.
std::string html_of_output(const std::filesystem::path& folder, std::string_view output);

}  // namespace fairway::dev
