#include "exchange/body_turns.hpp"

#include <exception>
#include <iterator>
#include <utility>

namespace fw::detail {

BodyTurn::~BodyTurn() {
  if (owner_->end(*this)) owner_->resume_later();
}

void BodyTurn::end() {
  if (owner_->end(*this)) owner_->resume_next();
}

bool BodyTurn::is_late() const {
  const std::lock_guard lock(owner_->mutex_);
  return state_ == State::late;
}

std::shared_ptr<BodyTurn> BodyTurns::begin(const std::shared_ptr<http::WaitingRequest>& request) {
  std::list<BodyTurn*> place(1);
  // The lock is released first, because the destructor of a turn takes it.
  auto turn = std::make_shared<BodyTurn>(shared_from_this());
  const std::lock_guard lock(mutex_);
  if (begun_ < max_) {
    ++begun_;
    turn->state_ = BodyTurn::State::begun;
    return turn;
  }
  if (max_wait_.count() > 0) {
    turn->ticket_ = timer_->set(base::DeadlineTimer::Clock::now() + max_wait_,
                                [owner = weak_from_this(), waiting = std::weak_ptr(turn)] {
                                  const auto turns = owner.lock();
                                  const auto late = waiting.lock();
                                  if (turns && late) turns->expire(late);
                                });
  }
  place.front() = turn.get();
  waiting_.splice(waiting_.end(), place);
  turn->place_ = std::prev(waiting_.end());
  turn->request_ = request;
  turn->state_ = BodyTurn::State::waiting;
  turn->must_wait_ = true;
  return turn;
}

void BodyTurns::expire(const std::shared_ptr<BodyTurn>& turn) {
  {
    const std::lock_guard lock(mutex_);
    if (turn->state_ != BodyTurn::State::waiting) return;
    waiting_.erase(turn->place_);
    turn->state_ = BodyTurn::State::late;
  }
  if (const auto request = turn->request_.lock()) request->resume();
}

bool BodyTurns::end(BodyTurn& turn) {
  const std::lock_guard lock(mutex_);
  if (turn.ticket_) timer_->cancel(*turn.ticket_);
  if (turn.state_ == BodyTurn::State::waiting) waiting_.erase(turn.place_);
  if (std::exchange(turn.state_, BodyTurn::State::none) != BodyTurn::State::begun) return false;
  --begun_;
  return !waiting_.empty();
}

void BodyTurns::resume_next() {
  while (true) {
    std::shared_ptr<http::WaitingRequest> request;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty() || begun_ == max_) return;
      BodyTurn& next = *waiting_.front();
      waiting_.pop_front();
      request = next.request_.lock();
      // Without its request, the turn is about to be destroyed.
      next.state_ = request ? BodyTurn::State::begun : BodyTurn::State::none;
      if (request) ++begun_;
    }
    if (request) request->resume();
  }
}

void BodyTurns::resume_later() noexcept {
  try {
    timer_->set(base::DeadlineTimer::Clock::now(), [owner = weak_from_this()] {
      if (const auto turns = owner.lock()) turns->resume_next();
    });
  } catch (const std::exception&) {
    // There is no memory. The end of another turn resumes those that wait.
  }
}

}  // namespace fw::detail
