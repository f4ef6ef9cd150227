#include "diff/comparison.hpp"

namespace fairway::diff {
namespace {

constexpr int kFormatVersion = 1;

Json change_json(const Change& change) {
  Json object;
  object["id"] = change.id;
  object["level"] = level_name(change.level);
  object["operation"] = change.operation();
  if (!change.method.empty()) {
    object["method"] = change.method;
    object["path"] = change.path;
  }
  if (!change.metric.empty()) object["metric"] = change.metric;
  object["location"] = change.location;
  object["pointer"] = change.pointer;
  object["document"] = change.side == Side::before ? "old" : "new";
  object["message"] = change.message;
  object["approved"] = change.approved;
  if (!change.reason.empty()) object["reason"] = change.reason;
  return object;
}

}  // namespace

std::string render_json(const Comparison& comparison) {
  Json document;
  document["version"] = kFormatVersion;
  document["ok"] = comparison.ok();
  document["old"] = comparison.old_name;
  document["new"] = comparison.new_name;
  document["summary"] = {{"breaking", comparison.count(Level::breaking)},
                         {"approved", comparison.approved()},
                         {"non_breaking", comparison.count(Level::non_breaking)},
                         {"documentation", comparison.count(Level::documentation)}};
  document["changes"] = Json::array();
  for (const Change& change : comparison.changes) {
    document["changes"].push_back(change_json(change));
  }
  document["unused_approvals"] = Json::array();
  for (const Approval& approval : comparison.unused) {
    document["unused_approvals"].push_back(
        {{"id", approval.id}, {"operation", approval.operation}, {"location", approval.location}});
  }
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace fairway::diff
