#include "dev/stored_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <optional>
#include <system_error>
#include <vector>

#include "diagnostics/renderers.hpp"
#include "files/input.hpp"
#include "files/user_error.hpp"
#include "files/whole_file.hpp"

namespace fairway::dev {
namespace {

namespace fs = std::filesystem;

struct Stored {
  std::string text;
  std::string html;
};

/// Nothing for what is not a stored report.
std::optional<Stored> read_stored(const fs::path& file) {
  const nlohmann::json json =
      nlohmann::json::parse(files::read_file(file).value_or(""), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  Stored stored{json.value("text", ""), json.value("html", "")};
  if (stored.text.empty()) return std::nullopt;
  return stored;
}

std::string preformatted(std::string_view text) {
  const auto begin = text.find_first_not_of('\n');
  if (begin == text.npos) return {};
  return fmt::format("<pre class=\"output\" tabindex=\"0\">{}</pre>\n",
                     diagnostics::html_text(text.substr(begin)));
}

std::string html_with(std::string_view output, const std::vector<Stored>& reports) {
  const Stored* first = nullptr;
  std::size_t begin = output.npos;
  for (const Stored& report : reports) {
    const auto found = output.find(report.text);
    if (found == output.npos || (first != nullptr && found >= begin)) continue;
    first = &report;
    begin = found;
  }
  if (first == nullptr) return preformatted(output);
  return preformatted(output.substr(0, begin)) + first->html +
         html_with(output.substr(begin + first->text.size()), reports);
}

}  // namespace

void store_report(const diagnostics::Report& report) {
  const char* const folder = std::getenv(kReportsVariable);
  if (folder == nullptr || *folder == '\0' || report.diagnostics.empty()) return;
  diagnostics::FileSourceText sources;
  const std::string text = diagnostics::render_text(report, sources, false) +
                           diagnostics::render_text_summary(report) + '\n';
  const nlohmann::json stored = {{"text", text},
                                 {"html", diagnostics::render_html(report, sources, kRulePages)}};
  try {
    files::replace_file(fs::path(folder) / fmt::format("{:016x}.json", files::content_hash(text)),
                        stored.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } catch (const UserError&) {
  }
}

std::string html_of_output(const fs::path& folder, std::string_view output) {
  std::vector<Stored> reports;
  std::error_code error;
  std::vector<fs::path> outdated;
  fs::directory_iterator entry(folder, error);
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
    auto stored = read_stored(entry->path());
    if (stored && output.find(stored->text) != output.npos) {
      reports.push_back(std::move(*stored));
    } else {
      outdated.push_back(entry->path());
    }
  }
  for (const fs::path& file : outdated) fs::remove(file, error);
  return html_with(output, reports);
}

}  // namespace fairway::dev
