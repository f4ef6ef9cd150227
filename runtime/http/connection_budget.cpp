#include "http/connection_budget.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <span>
#include <utility>

namespace fw::http {
namespace {

/// Maximum number of connections above the limits that get an error response.
constexpr std::size_t kMaxRejected = 256;

}  // namespace

ConnectionBudget::Admission::Admission(Admission&& other) noexcept
    : budget_(std::exchange(other.budget_, nullptr)),
      outcome_(other.outcome_),
      group_(std::move(other.group_)) {}

ConnectionBudget::Admission::~Admission() {
  if (budget_ != nullptr) budget_->give_back(outcome_, group_);
}

ConnectionBudget::Admission ConnectionBudget::admit(std::string_view remote_address) {
  std::string group = per_address_ > 0 ? address_group(remote_address) : std::string();
  const std::lock_guard lock(mutex_);
  auto outcome = Outcome::admitted;
  if (admitted_ >= in_all_) {
    outcome = Outcome::full;
  } else if (!group.empty() && of_group_[group] >= per_address_) {
    outcome = Outcome::address_is_full;
  }
  if (outcome == Outcome::admitted) {
    ++admitted_;
    if (!group.empty()) ++of_group_[group];
  } else if (rejected_ >= kMaxRejected) {
    return {nullptr, Outcome::dropped, {}};
  } else {
    ++rejected_;
  }
  return {this, outcome, std::move(group)};
}

void ConnectionBudget::give_back(Outcome outcome, const std::string& group) {
  const std::lock_guard lock(mutex_);
  if (outcome != Outcome::admitted) {
    --rejected_;
    return;
  }
  --admitted_;
  if (group.empty()) return;
  const auto found = of_group_.find(group);
  if (--found->second == 0) of_group_.erase(found);
}

std::string address_group(std::string_view remote_address) {
  // Removes the zone of a link-local address.
  std::string text(remote_address.substr(0, remote_address.find('%')));
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) return text;
  in6_addr v6{};
  if (inet_pton(AF_INET6, text.c_str(), &v6) != 1) return {};
  const auto bytes = std::span(v6.s6_addr);
  if (IN6_IS_ADDR_V4MAPPED(&v6)) return fmt::format("{}", fmt::join(bytes.last(4), "."));
  return fmt::format("{:02x}/64", fmt::join(bytes.first(8), ""));
}

}  // namespace fw::http
