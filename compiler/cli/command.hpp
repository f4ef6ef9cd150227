// The commands of `fairway`: one file each.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace fairway::cli {

/// Exit statuses, documented in --help.
inline constexpr int kClean = 0;
inline constexpr int kFindings = 1;
inline constexpr int kFault = 2;  ///< wrong usage or environment

struct Command {
  std::string_view name;
  std::string_view summary;
  /// Arguments after the command's name; returns the exit status. Throws UsageError and
  /// frontend::EnvironmentError.
  int (*run)(std::span<const std::string> words);
  std::string (*help)();
};

int run_build(std::span<const std::string> words);
int run_doctor(std::span<const std::string> words);
int run_routes(std::span<const std::string> words);
int run_openapi(std::span<const std::string> words);
int run_diff(std::span<const std::string> words);
std::string build_help();
std::string doctor_help();
std::string routes_help();
std::string openapi_help();
int run_client(std::span<const std::string> words);
std::string client_help();
std::string diff_help();

}  // namespace fairway::cli
