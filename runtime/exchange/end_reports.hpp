// What is to be done when a stream or a socket has ended: a line in the log, the end of a span, the
// application's callbacks.
#pragma once

#include <concepts>
#include <memory>
#include <utility>

namespace fw::detail {

/// Functions that are called once. In a list, because there are few or none, and thousands of
/// streams have them. Not thread-safe.
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

  void add(Report report) {
    std::unique_ptr<Node>* last = &first_;
    while (*last != nullptr) last = &(*last)->next;
    *last = std::move(report.node_);
  }
  void clear() { first_.reset(); }
  void swap(EndReports& other) noexcept { first_.swap(other.first_); }

  void operator()(const End& end) const noexcept {
    for (Node* each = first_.get(); each != nullptr; each = each->next.get()) {
      try {
        each->run(end);
      } catch (...) {
        // The others must run, too, and when the log has failed, nothing is left to report with.
      }
    }
  }

 private:
  std::unique_ptr<Node> first_;
};

}  // namespace fw::detail
