#include "diff/approvals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "diff/change_catalogue.hpp"

namespace fairway::diff {
namespace {

constexpr int kApprovalsVersion = 1;
constexpr std::array<std::string_view, 4> kMembers = {"id", "operation", "location", "reason"};

[[noreturn]] void fail(const std::string& name, const std::string& what) {
  throw BadDocument(fmt::format("{}: {}", name, what));
}

Approval read_approval(const std::string& name, std::size_t index, const Json& json) {
  const std::string node = fmt::format("/approvals/{}", index);
  if (!json.is_object()) fail(name, node + ": must be an object");
  for (const auto& [member, value] : json.items()) {
    if (std::ranges::find(kMembers, member) == kMembers.end()) {
      fail(name, fmt::format("{}/{}: unknown member; there are {}", node, member,
                             fmt::join(kMembers, ", ")));
    }
    if (!value.is_string()) fail(name, fmt::format("{}/{}: must be a string", node, member));
  }
  for (const char* member : {"id", "operation"}) {
    if (!json.contains(member)) fail(name, fmt::format("{}: '{}' is missing", node, member));
  }
  const auto text = [&](const char* member) { return json.value(member, std::string()); };
  Approval approval{text("id"), text("operation"), text("location"), text("reason")};
  if (find_change(approval.id) == nullptr) {
    fail(name, fmt::format("{}/id: there is no change '{}': see 'fairway diff --list-changes'",
                           node, approval.id));
  }
  return approval;
}

bool matches(const Approval& approval, const Change& change) {
  return approval.id == change.id && approval.operation == change.operation() &&
         approval.location == change.location;
}

}  // namespace

Approvals parse_approvals(const std::string& name, const std::string& text) {
  const Json root = Json::parse(text, nullptr, false);
  if (root.is_discarded()) fail(name, "is not JSON");
  if (!root.is_object() || !root.contains("approvals") || !root["approvals"].is_array()) {
    fail(name, "is not a file of approvals: it must be an object with an array 'approvals'");
  }
  if (!root.contains("version") || root["version"] != kApprovalsVersion) {
    fail(name, fmt::format("/version: must be {}", kApprovalsVersion));
  }
  Approvals approvals;
  for (std::size_t i = 0; i < root["approvals"].size(); ++i) {
    approvals.push_back(read_approval(name, i, root["approvals"][i]));
  }
  return approvals;
}

Approvals apply_approvals(const Approvals& approvals, Changes& changes) {
  Approvals unused;
  for (const Approval& approval : approvals) {
    bool is_used = false;
    for (Change& change : changes) {
      if (!matches(approval, change)) continue;
      is_used = true;
      change.approved = true;
      change.reason = approval.reason;
    }
    if (!is_used) unused.push_back(approval);
  }
  return unused;
}

std::string write_approvals(const Changes& changes) {
  Json list = Json::array();
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  for (const Change& change : changes) {
    if (change.level != Level::breaking) continue;
    if (!seen.emplace(change.id, change.operation(), change.location).second) continue;
    Json entry;
    entry["id"] = change.id;
    entry["operation"] = change.operation();
    entry["location"] = change.location;
    if (!change.reason.empty()) entry["reason"] = change.reason;
    list.push_back(std::move(entry));
  }
  Json root;
  root["version"] = kApprovalsVersion;
  root["approvals"] = std::move(list);
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace fairway::diff
