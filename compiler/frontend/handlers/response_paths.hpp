// The state of the response where the paths through a handler part and meet.
#pragma once

#include <llvm/ADT/STLExtras.h>

#include <cstddef>
#include <vector>

#include "frontend/handlers/response_state.hpp"
#include "frontend/handlers/response_use.hpp"

namespace fairway::frontend {

/// Branches, loops, jumps, exceptions and the ends of objects. What is on a path is visited by
/// functions of the caller, from the state at the beginning of the path:
///
///   paths.either([&] { visit(then); }, [&] { visit(otherwise); });
class ResponsePaths {
 public:
  using Visit = llvm::function_ref<void()>;

  explicit ResponsePaths(ResponseUse& use) : use_(use) {}

  void either(Visit one, Visit other);
  /// The body of a `switch`. `is_complete` is asked after it: whether a label has any value.
  void choose(Visit body, llvm::function_ref<bool()> is_complete);
  /// A label of that body.
  void enter_label();
  /// Visits rounds of a loop until another one changes nothing. `round` returns what follows the
  /// loop, and leaves the state before the next round.
  void repeat(llvm::function_ref<ResponseState()> round);
  /// The body of a loop. What follows the loop after `break` is added to `after`.
  void visit_round(Visit body, ResponseState& after);
  void visit_break() { jump(breaks_); }
  void visit_continue() { jump(continues_); }
  /// A `try` block and its handlers, each by its index.
  void attempt(Visit block, unsigned handlers, llvm::function_ref<void(unsigned)> visit_handler);
  void may_throw();

  /// A variable whose destructor runs code that is not visited.
  void declare_object(bool has_response) { objects_.push_back({.has_response = has_response}); }
  std::size_t objects() const { return objects_.size(); }
  /// The state after the destructors of objects that have been declared since there were `outer`.
  ResponseState left(std::size_t outer);
  void end_objects(std::size_t outer);

 private:
  /// A part of the handler that is reached by jumps, or by exceptions.
  struct Target {
    ResponseState* state;
    std::size_t outer_objects;  ///< the other objects end before
  };
  struct Object {
    bool has_response = false;
  };

  ResponseState& state() { return use_.state(); }
  void jump(const std::vector<Target>& targets);

  ResponseUse& use_;
  std::vector<Object> objects_;
  std::vector<Target> breaks_;           ///< after the statements that `break` ends
  std::vector<Target> continues_;        ///< before the next rounds of the loops
  std::vector<ResponseState> switches_;  ///< before the labels of a switch
  std::vector<Target> catches_;          ///< where exceptions are caught
};

}  // namespace fairway::frontend
