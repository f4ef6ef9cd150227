#include "http/connection_budget.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <utility>

namespace fw::http {
namespace {

/// Connections above the limits that may be open only to be told so.
constexpr std::size_t kMaxRefused = 256;

}  // namespace

ConnectionBudget::Place::Place(Place&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      verdict_(other.verdict_),
      group_(std::move(other.group_)) {}

ConnectionBudget::Place::~Place() {
  if (budget_ != nullptr) budget_->give_back(verdict_, group_);
}

ConnectionBudget::Place ConnectionBudget::admit(std::string_view remote_address) {
  std::string group = per_address_ > 0 ? address_group(remote_address) : std::string();
  const std::lock_guard lock(mutex_);
  auto verdict = Verdict::welcome;
  if (admitted_ >= in_all_) {
    verdict = Verdict::full;
  } else if (!group.empty() && of_group_[group] >= per_address_) {
    verdict = Verdict::address_is_full;
  }
  if (verdict == Verdict::welcome) {
    ++admitted_;
    if (!group.empty()) ++of_group_[group];
  } else if (refused_ >= kMaxRefused) {
    return {nullptr, Verdict::dropped, {}};
  } else {
    ++refused_;
  }
  return {this, verdict, std::move(group)};
}

void ConnectionBudget::give_back(Verdict verdict, const std::string& group) {
  const std::lock_guard lock(mutex_);
  if (verdict != Verdict::welcome) {
    --refused_;
    return;
  }
  --admitted_;
  if (group.empty()) return;
  const auto found = of_group_.find(group);
  if (--found->second == 0) of_group_.erase(found);
}

std::string address_group(std::string_view remote_address) {
  std::string text(remote_address);
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) == 1) {
    return {reinterpret_cast<const char*>(v6.s6_addr), sizeof v6.s6_addr / 2};
  }
  in_addr v4{};
  return inet_pton(AF_INET, text.c_str(), &v4) == 1 ? text : std::string();
}

}  // namespace fw::http
