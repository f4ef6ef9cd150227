#include "exchange/current.hpp"

namespace fw::detail {
namespace {

thread_local const RequestContext* t_context = nullptr;

}  // namespace

const RequestContext* current_context() { return t_context; }

CurrentContextScope::CurrentContextScope(const RequestContext* context) : previous_(t_context) {
  t_context = context;
}

CurrentContextScope::~CurrentContextScope() { t_context = previous_; }

}  // namespace fw::detail
