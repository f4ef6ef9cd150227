#include "random_flow.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace fairway::fuzz {
namespace {

constexpr int kRuns = 20'000;
constexpr int kMaxDepth = 3;
constexpr std::size_t kMaxRounds = 3;

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  enum class Kind {
    status,
    send,  ///< with a status, unless it is 0
    leave,
    stop,  ///< `break`
    next,  ///< `continue`
    choice,
    cases,
    while_loop,
    for_loop,
    do_loop,
    attempt,
    call
  };

  Kind kind = Kind::status;
  int status = 0;
  bool is_data = true;
  std::size_t callee = 0;
  std::vector<Block> blocks = {};
  bool has_default = false;  ///< `cases`: the last block
};

/// A function or a lambda.
struct Function {
  enum class Kind { function, lambda, stored_lambda };
  Kind kind = Kind::lambda;
  std::string name = {};
  Block body = {};
};

/// Runs the statements, with other choices each time.
class Runs {
 public:
  Runs(const std::vector<Function>& functions, const std::string& data, const std::string& other,
       std::mt19937_64& random)
      : functions_(functions), data_(data), other_(other), random_(random) {}

  std::set<std::pair<int, std::string>> run(const Block& body) {
    for (int i = 0; i < kRuns; ++i) {
      status_ = 200;
      is_sent_ = false;
      run_block(body);
    }
    return std::move(sent_);
  }

 private:
  using Kind = Statement::Kind;
  /// How a statement ends.
  enum class End { reached, left, stopped, next, thrown };

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }
  bool throws() { return attempts_ > 0 && below(8) == 0; }

  End run_block(const Block& block) {
    for (const Statement& each : block) {
      if (is_sent_) return End::left;  // nothing else is sent
      if (throws()) return End::thrown;
      const End end = run_statement(each);
      if (end != End::reached) return end;
    }
    return End::reached;
  }

  End run_statement(const Statement& statement) {
    switch (statement.kind) {
      case Kind::status:
        status_ = statement.status;
        return End::reached;
      case Kind::send:
        if (statement.status != 0) status_ = statement.status;
        if (!std::exchange(is_sent_, true)) {
          sent_.emplace(status_, statement.is_data ? data_ : other_);
        }
        return End::reached;
      case Kind::leave:
        return End::left;
      case Kind::stop:
        return End::stopped;
      case Kind::next:
        return End::next;
      case Kind::choice: {
        const std::size_t chosen = below(2);
        return chosen < statement.blocks.size() ? run_block(statement.blocks[chosen])
                                                : End::reached;
      }
      case Kind::cases:
        return run_cases(statement);
      case Kind::while_loop:
      case Kind::for_loop:
      case Kind::do_loop:
        return run_loop(statement);
      case Kind::attempt: {
        ++attempts_;
        const End end = run_block(statement.blocks[0]);
        --attempts_;
        return end == End::thrown ? run_block(statement.blocks[1]) : end;
      }
      case Kind::call: {
        const End end = run_block(functions_[statement.callee].body);
        return end == End::thrown ? end : End::reached;
      }
    }
    return End::reached;
  }

  End run_cases(const Statement& statement) {
    const std::size_t count = statement.blocks.size();
    for (std::size_t i = below(count + (statement.has_default ? 0 : 1)); i < count; ++i) {
      const End end = run_block(statement.blocks[i]);
      if (end == End::stopped) break;
      if (end != End::reached) return end;
    }
    return End::reached;
  }

  End run_loop(const Statement& statement) {
    const std::size_t rounds = below(kMaxRounds + 1) + (statement.kind == Kind::do_loop ? 1 : 0);
    for (std::size_t i = 0; i < rounds; ++i) {
      const End end = run_block(statement.blocks[0]);
      if (end == End::stopped) return End::reached;
      if (end == End::left || end == End::thrown) return end;
      if (throws()) return End::thrown;  // in the condition
    }
    return End::reached;
  }

  const std::vector<Function>& functions_;
  const std::string& data_;
  const std::string& other_;
  std::mt19937_64& random_;
  int status_ = 200;
  bool is_sent_ = false;
  int attempts_ = 0;
  std::set<std::pair<int, std::string>> sent_;
};

class FlowWriter {
 public:
  FlowWriter(std::string name, std::string data, std::string other, std::mt19937_64& random)
      : name_(std::move(name)), data_(std::move(data)), other_(std::move(other)), random_(random) {}

  RandomFlow write() {
    RandomFlow flow;
    for (std::size_t i = 0, count = below(4); i < count; ++i) {
      Function function = random_function(i);
      const std::string body = text_of(function.body, "  ");
      if (function.kind == Function::Kind::function) {
        flow.functions += fmt::format("void {}(fw::Response& res) {{\n{}}}\n", function.name, body);
      } else {
        const bool is_stored = function.kind == Function::Kind::stored_lambda;
        flow.is_exact = flow.is_exact && !is_stored;
        flow.body += fmt::format("  {} {} = [&] {{\n{}  }};\n",
                                 is_stored ? "const std::function<void()>" : "const auto",
                                 function.name, body);
      }
      functions_.push_back(std::move(function));
    }
    has_lambdas_ = true;
    const Block body = random_block(kMaxDepth);
    flow.body += text_of(body, "  ");
    flow.sent = Runs(functions_, data_, other_, random_).run(body);
    return flow;
  }

 private:
  using Kind = Statement::Kind;

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }
  int random_status() {
    constexpr int kStatuses[] = {200, 201, 202, 404, 409, 422};
    return kStatuses[below(std::size(kStatuses))];
  }

  Function random_function(std::size_t index) {
    Function function{.name = fmt::format("{}_{}", name_, index)};
    const std::size_t kind = below(8);
    if (kind < 3) function.kind = Function::Kind::function;
    if (kind == 3) function.kind = Function::Kind::stored_lambda;
    has_lambdas_ = function.kind != Function::Kind::function;
    function.body = random_block(kMaxDepth - 1);
    return function;
  }

  Block random_block(int depth) {
    Block block;
    for (std::size_t i = 0, count = 1 + below(3); i < count; ++i) {
      block.push_back(random_statement(depth));
    }
    return block;
  }

  Statement random_statement(int depth) {
    const std::size_t kind = below(depth > 0 ? 18 : 8);
    if (kind < 3) return {.kind = Kind::status, .status = random_status()};
    if (kind < 6) {
      return {.kind = Kind::send,
              .status = below(3) == 0 ? random_status() : 0,
              .is_data = below(2) == 0};
    }
    if (kind == 6) return jump();
    if (kind == 7) return call();
    if (kind < 12) {
      Statement choice{.kind = Kind::choice, .blocks = {random_block(depth - 1)}};
      if (below(2) == 0) choice.blocks.push_back(random_block(depth - 1));
      return choice;
    }
    if (kind == 12) {
      return {.kind = Kind::attempt, .blocks = {random_block(depth - 1), random_block(depth - 1)}};
    }
    if (kind < 15) {
      ++breakable_;
      Statement cases{.kind = Kind::cases, .has_default = below(2) == 0};
      for (std::size_t i = 0, count = 1 + below(3); i < count; ++i) {
        cases.blocks.push_back(random_block(depth - 1));
        if (below(3) != 0) cases.blocks.back().push_back({.kind = Kind::stop});
      }
      --breakable_;
      return cases;
    }
    ++breakable_;
    ++loops_;
    constexpr Kind kLoops[] = {Kind::while_loop, Kind::for_loop, Kind::do_loop};
    Statement loop{.kind = kLoops[below(std::size(kLoops))], .blocks = {random_block(depth - 1)}};
    --breakable_;
    --loops_;
    return loop;
  }

  Statement jump() {
    const std::size_t kind = below(3);
    if (kind == 0 && breakable_ > 0) return {.kind = Kind::stop};
    if (kind == 1 && loops_ > 0) return {.kind = Kind::next};
    return {.kind = Kind::leave};
  }

  /// A function cannot call the lambdas of a handler.
  Statement call() {
    std::vector<std::size_t> callees;
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      if (has_lambdas_ || functions_[i].kind == Function::Kind::function) callees.push_back(i);
    }
    if (callees.empty()) return {.kind = Kind::status, .status = random_status()};
    return {.kind = Kind::call, .callee = callees[below(callees.size())]};
  }

  std::string text_of(const Block& block, const std::string& indent) const {
    std::string text;
    for (const Statement& each : block) text += indent + text_of_statement(each, indent) + '\n';
    return text;
  }

  std::string braced(const Block& block, const std::string& indent) const {
    return "{\n" + text_of(block, indent + "  ") + indent + "}";
  }

  std::string text_of_statement(const Statement& statement, const std::string& indent) const {
    const std::string first = statement.blocks.empty() ? "" : braced(statement.blocks[0], indent);
    switch (statement.kind) {
      case Kind::status:
        return fmt::format("res.status({});", statement.status);
      case Kind::send: {
        const std::string& type = statement.is_data ? data_ : other_;
        if (statement.status == 0) return fmt::format("res.json({}());", type);
        return statement.status % 2 == 0
                   ? fmt::format("res.status({}).json({}());", statement.status, type)
                   : fmt::format("res.json({}(), {});", type, statement.status);
      }
      case Kind::leave:
        return "return;";
      case Kind::stop:
        return "break;";
      case Kind::next:
        return "continue;";
      case Kind::choice:
        return statement.blocks.size() == 1
                   ? "if (flag()) " + first
                   : "if (flag()) " + first + " else " + braced(statement.blocks[1], indent);
      case Kind::cases: {
        std::string text = "switch (count()) {\n";
        for (std::size_t i = 0; i < statement.blocks.size(); ++i) {
          const bool is_default = statement.has_default && i + 1 == statement.blocks.size();
          text += indent + (is_default ? "  default:\n" : fmt::format("  case {}:\n", i)) +
                  text_of(statement.blocks[i], indent + "    ");
        }
        return text + indent + "}";
      }
      case Kind::while_loop:
        return "while (flag()) " + first;
      case Kind::for_loop:
        return "for (int i = 0; i < count(); ++i) " + first;
      case Kind::do_loop:
        return "do " + first + " while (flag());";
      case Kind::attempt:
        return "try " + first + " catch (...) " + braced(statement.blocks[1], indent);
      case Kind::call: {
        const Function& callee = functions_[statement.callee];
        return callee.name + (callee.kind == Function::Kind::function ? "(res);" : "();");
      }
    }
    return {};
  }

  std::string name_;
  std::string data_;
  std::string other_;
  std::mt19937_64& random_;
  std::vector<Function> functions_;
  bool has_lambdas_ = false;  ///< whether lambdas can be called
  int breakable_ = 0;         ///< loops and `switch` around a statement
  int loops_ = 0;
};

}  // namespace

RandomFlow random_flow(const std::string& name, const std::string& data, const std::string& other,
                       std::mt19937_64& random) {
  return FlowWriter(name, data, other, random).write();
}

}  // namespace fairway::fuzz
