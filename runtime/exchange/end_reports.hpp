// What is to be done when a stream or a socket has ended: a line in the log, the end of a span, the
// application's callbacks.
#pragma once

#include <concepts>
#include <memory>
#include <utility>

namespace fw::detail {

/// Functions that are called once, in the order in which they were added. In a list, because there
/// are few or none, and thousands of streams have them. Not thread-safe.
template <class End>
class EndReports {
  struct Node {
    virtual ~Node() = default;
    virtual void run(const End& end) = 0;
    std::unique_ptr<Node> next = nullptr;
  };

 public:
  /// A function that takes the end. It need not be copyable.
  class Report {
   public:
    template <std::invocable<const End&> F>
    Report(F function) : node_(std::make_unique<NodeOf<F>>(std::move(function))) {}

   private:
    friend class EndReports;

    template <class F>
    struct NodeOf final : Node {
      explicit NodeOf(F function) : call(std::move(function)) {}
      void run(const End& end) override { call(end); }
      F call;
    };

    std::unique_ptr<Node> node_;
  };

  EndReports() = default;
  ~EndReports() { clear(); }
  EndReports(EndReports&&) noexcept = default;
  EndReports& operator=(EndReports&& other) noexcept {
    swap(other);
    return *this;
  }

  void add(Report report) {
    report.node_->next = std::move(last_);
    last_ = std::move(report.node_);
  }
  /// One by one, because the destructors of a long list would be nested.
  void clear() {
    while (last_ != nullptr) last_ = std::move(last_->next);
  }
  void swap(EndReports& other) noexcept { last_.swap(other.last_); }

  /// Leaves none.
  void operator()(const End& end) noexcept {
    std::unique_ptr<Node> first;
    while (last_ != nullptr) {
      std::unique_ptr<Node> each = std::exchange(last_, std::move(last_->next));
      each->next = std::exchange(first, nullptr);
      first = std::move(each);
    }
    for (; first != nullptr; first = std::move(first->next)) {
      try {
        first->run(end);
      } catch (...) {
        // The others must run, too, and when the log has failed, nothing is left to report with.
      }
    }
  }

 private:
  std::unique_ptr<Node> last_;  ///< the others follow, the oldest at the end
};

}  // namespace fw::detail
