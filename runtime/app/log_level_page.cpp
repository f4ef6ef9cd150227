#include <fairway/errors.hpp>
#include <fairway/json.hpp>

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/admin_pages.hpp"
#include "base/json_text.hpp"

namespace fw::detail {
namespace {

constexpr std::uint64_t kMaxAdminBody = 1'024;

void report_log_level(const Logger& logger, LogLevel before, LogLevel level) {
  logger.info(fmt::format("the log level changes from '{}' to '{}' (admin listener)",
                          to_string(before), to_string(level)));
}

}  // namespace

std::optional<LogLevel> sent_log_level(http::Transaction& transaction) {
  if (transaction.head().method != "PUT") return std::nullopt;
  std::string body;
  if (transaction.read_body(kMaxAdminBody, body) != http::BodyStatus::complete) {
    throw HttpError(400, "the body is not complete, or too large");
  }
  const Json content = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  const bool has_level = content.is_object() && content.size() == 1 && content.contains("level") &&
                         content["level"].is_string();
  const auto level =
      has_level ? parse_log_level(content["level"].get_ref<const std::string&>()) : std::nullopt;
  if (!level) {
    throw HttpError(400,
                    "the body must be {\"level\": …} with one of trace, debug, info, warn, error, "
                    "fatal, silent");
  }
  return level;
}

void change_log_level(const Logger& logger, LogLevel level) {
  const LogLevel before = logger.level();
  if (level == before) return;
  // Reported at the lower level, so that the log shows why it ends or begins.
  if (before < level) report_log_level(logger, before, level);
  logger.set_level(level);
  if (level < before) report_log_level(logger, before, level);
}

AdminPage log_level_page(LogLevel level, std::span<const pid_t> no_response) {
  Json page = {{"level", to_string(level)}};
  if (no_response.empty()) return {200, kJsonPage, base::to_json_text(page)};
  page["noResponse"] = std::vector<pid_t>(no_response.begin(), no_response.end());
  return {504, kJsonPage, base::to_json_text(page)};
}

}  // namespace fw::detail
