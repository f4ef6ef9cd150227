#include "features/sockets/message_dispatcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/json_text.hpp"
#include "exchange/environment.hpp"
#include "exchange/json_body.hpp"
#include "exchange/valid_input.hpp"
#include "http/websocket/frames.hpp"

namespace fw::detail {

namespace websocket = http::websocket;

namespace {

constexpr std::string_view kType = "type";

/// Takes the usual beginning `{"type":"name"` off an object, so that the rest is an object with the
/// other members.
class TypeOff {
 public:
  explicit TypeOff(std::string& text) : text_(text) {
    if (!take('{') || !take_string(kTypeInQuotes) || !take(':') || !take('"')) return;
    const std::size_t begin = at_;
    while (at_ < text.size() && text[at_] != '"' && text[at_] != '\\') ++at_;
    const std::size_t end = at_;
    if (!take('"')) return;
    skip();
    if (at_ == text.size()) return;
    const char after = text[at_];
    begin_ = after == ',' ? at_ : at_ - 1;
    if (after == ',') {
      ++at_;
      skip();
      if (at_ == text.size() || text[at_] != '"') return;  // a comma needs another member
    } else if (after != '}') {
      return;
    }
    name_ = std::string_view(text).substr(begin, end - begin);
    replaced_ = std::exchange(text[begin_], '{');
    is_taken_ = true;
  }
  /// Restores the text.
  ~TypeOff() {
    if (is_taken_) text_[begin_] = replaced_;
  }
  TypeOff(const TypeOff&) = delete;
  TypeOff& operator=(const TypeOff&) = delete;

  explicit operator bool() const { return is_taken_; }
  std::string_view name() const { return name_; }
  /// An object, unless the text is no JSON.
  std::string_view members() const { return std::string_view(text_).substr(begin_); }

 private:
  static constexpr std::string_view kTypeInQuotes = R"("type")";

  void skip() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  bool take(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_string(std::string_view string) {
    skip();
    if (std::string_view(text_).substr(at_, string.size()) != string) return false;
    at_ += string.size();
    return true;
  }

  std::string& text_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  ///< of the members
  char replaced_ = 0;      ///< the character that was there
  bool is_taken_ = false;
  std::string_view name_;
};

MessageDispatcher::Rejection invalid(std::string_view problem) {
  return {websocket::kInvalidData, problem};
}

}  // namespace

void MessageDispatcher::store(std::size_t index, MessageHandler handler) {
  auto shared = std::make_shared<const MessageHandler>(std::move(handler));
  const std::lock_guard lock(mutex_);
  if (is_cleared_) return;
  handlers_.resize(std::max(handlers_.size(), index + 1));
  handlers_[index].swap(shared);
}

void MessageDispatcher::set(std::string_view message, MessageHandler handler) {
  const DeclaredMessages& declared = policy_.declared;
  const Received* const found = declared.find_received(message);
  if (found == nullptr) {
    throw std::invalid_argument(
        fmt::format("{} does not declare the message '{}' in 'receive'", policy_.route, message));
  }
  if (handler.type != nullptr && handler.from_tree == nullptr &&
      (found->row == nullptr || *found->type != *handler.type)) {
    throw std::invalid_argument(
        fmt::format("the message '{}' of {} is declared with another type than the one that its "
                    "handler takes",
                    message, policy_.route));
  }
  store(static_cast<std::size_t>(found - declared.received.data()), std::move(handler));
}

void MessageDispatcher::set_raw(bool is_text, MessageHandler handler) {
  if (!policy_.declared.receives_raw) {
    throw std::logic_error(fmt::format(
        "{} receives declared messages only: write .receive = fw::raw for others", policy_.route));
  }
  store(is_text ? 0 : 1, std::move(handler));
}

void MessageDispatcher::clear() noexcept {
  std::vector<std::shared_ptr<const MessageHandler>> handlers;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  is_cleared_ = true;
  handlers.swap(handlers_);
}

std::shared_ptr<const MessageHandler> MessageDispatcher::find(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  return index < handlers_.size() ? handlers_[index] : nullptr;
}

std::shared_ptr<const MessageHandler> MessageDispatcher::find(const Received& declared) const {
  auto handler = find(static_cast<std::size_t>(&declared - policy_.declared.received.data()));
  if (!handler && policy_.unhandled.pass()) {
    policy_.env.logger.warn(fmt::format("{} has no handler for the message '{}': set one with on",
                                        policy_.route, declared.name));
  }
  return handler;
}

std::optional<MessageDispatcher::Rejection> MessageDispatcher::dispatch(std::string& content,
                                                                        bool is_text,
                                                                        Socket& socket) const {
  if (policy_.declared.receives_raw) return dispatch_raw(content, is_text, socket);
  if (!is_text) return Rejection{websocket::kUnsupportedData, "messages are JSON texts"};
  std::unique_ptr<TypedValue> value;
  std::shared_ptr<const MessageHandler> handler;
  if (policy_.env.config.typed_path) {
    const TypeOff type_off(content);
    const Received* const declared =
        type_off ? policy_.declared.find_received(type_off.name()) : nullptr;
    const bool has_reader = declared != nullptr && declared->type != nullptr;
    if (has_reader) {
      handler = find(*declared);
      if (!handler) return std::nullopt;
      if (handler->type != nullptr && *handler->type == *declared->type) {
        JsonReader reader(type_off.members());
        value = declared->row != nullptr ? declared->row->read_json(reader, Location::body)
                                         : declared->decode(reader);
      }
    }
  }
  if (!value) return dispatch_tree(content, socket);
  handler->typed(*value, socket);
  return std::nullopt;
}

std::optional<MessageDispatcher::Rejection> MessageDispatcher::dispatch_raw(
    std::string_view content, bool is_text, Socket& socket) const {
  const auto handler = find(is_text ? std::size_t{0} : std::size_t{1});
  if (!handler) {
    return Rejection{websocket::kUnsupportedData,
                     is_text ? "texts are not expected" : "bytes are not expected"};
  }
  handler->raw(content, socket);
  return std::nullopt;
}

std::optional<MessageDispatcher::Rejection> MessageDispatcher::dispatch_tree(std::string& text,
                                                                             Socket& socket) const {
  const auto most_values = static_cast<std::size_t>(policy_.env.config.body_parser.max_values);
  if (has_more_values_than(most_values, text)) {
    return invalid("The message has too many values");
  }
  std::optional<Json> tree = parse_json_body(text);
  const auto type = tree && tree->is_object() ? tree->find(kType) : Json::iterator();
  if (!tree || !tree->is_object() || type == tree->end() || !type->is_string()) {
    if (tree) base::destroy_iteratively(*tree);
    return invalid("The message is not a JSON object with a \"type\"");
  }
  const std::string name = type->get<std::string>();
  const Received* const declared = policy_.declared.find_received(name);
  if (declared == nullptr) {
    base::destroy_iteratively(*tree);
    return invalid("The type of the message is unknown");
  }
  tree->erase(type);
  if (const auto handler = find(*declared)) {
    return dispatch_tree(*declared, *handler, std::move(*tree), socket);
  }
  base::destroy_iteratively(*tree);
  return std::nullopt;
}

std::optional<MessageDispatcher::Rejection> MessageDispatcher::dispatch_tree(
    const Received& declared, const MessageHandler& handler, Json members, Socket& socket) const {
  ValidationResult result =
      schema::validate(declared.node, std::move(members), schema::Source::json);
  std::unique_ptr<TypedValue> value;
  const bool has_row =
      handler.type != nullptr && declared.row != nullptr && *declared.type == *handler.type;
  if (result.errors.empty() && has_row) {
    value = read_tree(*declared.row, Location::body, result);
  }
  if (!result.errors.empty()) {
    base::destroy_iteratively(result.value);
    return Rejection{websocket::kInvalidData, "Validation failed", declared.name,
                     std::move(result.errors)};
  }
  if (handler.tree) {
    handler.tree(result.value, socket);
  } else {
    if (!value) value = handler.from_tree(result.value);
    handler.typed(*value, socket);
  }
  base::destroy_iteratively(result.value);
  return std::nullopt;
}

}  // namespace fw::detail
