#include "frontend/handlers/response_paths.hpp"

#include <utility>

namespace fairway::frontend {

void ResponsePaths::either(Visit one, Visit other) {
  const ResponseState before = state();
  one();
  const ResponseState after = std::exchange(state(), before);
  other();
  state().join(after);
}

void ResponsePaths::choose(Visit body, llvm::function_ref<bool()> is_complete) {
  ResponseState after;
  switches_.push_back(state());
  breaks_.push_back({&after, objects_.size()});
  state() = {};
  body();
  breaks_.pop_back();
  state().join(after);
  if (!is_complete()) state().join(switches_.back());
  switches_.pop_back();
}

void ResponsePaths::enter_label() {
  if (!switches_.empty()) state().join(switches_.back());
}

void ResponsePaths::repeat(llvm::function_ref<ResponseState()> round) {
  const bool keeps = use_.keeps();
  ResponseState entry = state();
  for (bool is_last = !keeps, is_stable = false; !is_stable;) {
    use_.keep(keeps && is_last);
    state() = entry;
    const ResponseState after = round();
    ResponseState next = entry;
    next.join(state());
    state() = after;
    const bool has_changed = !(next == entry);
    is_stable = is_last && !has_changed;
    is_last = !keeps || !has_changed;
    entry = std::move(next);
  }
  use_.keep(keeps);
}

void ResponsePaths::visit_round(Visit body, ResponseState& after) {
  ResponseState next;
  breaks_.push_back({&after, objects_.size()});
  continues_.push_back({&next, objects_.size()});
  body();
  breaks_.pop_back();
  continues_.pop_back();
  state().join(next);
}

void ResponsePaths::jump(const std::vector<Target>& targets) {
  if (!targets.empty()) targets.back().state->join(left(targets.back().outer_objects));
  state() = {};
}

void ResponsePaths::attempt(Visit block, unsigned handlers,
                            llvm::function_ref<void(unsigned)> visit_handler) {
  ResponseState caught = state();
  catches_.push_back({&caught, objects_.size()});
  block();
  catches_.pop_back();
  ResponseState after = state();
  for (unsigned i = 0; i < handlers; ++i) {
    state() = caught;
    visit_handler(i);
    after.join(state());
  }
  state() = after;
}

/// Any expression may throw, before it has changed the response.
void ResponsePaths::may_throw() {
  for (const Target& each : catches_) each.state->join(left(each.outer_objects));
}

ResponseState ResponsePaths::left(std::size_t outer) {
  if (objects_.size() == outer || !state().is_open) return state();
  const ResponseState before = state();
  for (std::size_t i = objects_.size(); i-- > outer;) {
    use_.call_elsewhere();
    if (objects_[i].has_response) use_.change_elsewhere();
  }
  return std::exchange(state(), before);
}

void ResponsePaths::end_objects(std::size_t outer) {
  state() = left(outer);
  objects_.resize(outer);
}

}  // namespace fairway::frontend
