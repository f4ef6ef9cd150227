using Json = nlohmann::json;

/// Name and value, in the order they are sent or came. Names have no case.
using Headers = std::vector<std::pair<std::string, std::string>>;

/// What came beside an answer's data.
struct AnswerInfo {
  int status = 0;
  Headers headers = {};
  std::string request_id = {};

  /// The value of the first header of that name, or "".
  std::string header(std::string_view name) const;
};

/// Base of all errors of calls. Wrong arguments are a std::invalid_argument instead.
class ClientError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The code of an error: the HTTP status, unless the service gives a number or a text of its own.
class ErrorCode {
 public:
  ErrorCode(std::int64_t number) : text_(std::to_string(number)), number_(number) {}
  ErrorCode(std::string text) : text_(std::move(text)) {}

  /// The number in decimal when the code is one.
  const std::string& text() const { return text_; }
  /// Empty when the code is a text.
  std::optional<std::int64_t> number() const { return number_; }

  friend bool operator==(const ErrorCode& code, std::string_view text) {
    return !code.number_ && code.text_ == text;
  }
  friend bool operator==(const ErrorCode& code, std::int64_t number) {
    return code.number_ == number;
  }

 private:
  std::string text_;
  std::optional<std::int64_t> number_;
};

/// The service answered with an error status, or with a redirection, which is not followed.
class ApiError : public ClientError {
 public:
  struct Content {
    std::string operation;  ///< the operationId
    AnswerInfo answer;
    ErrorCode code;
    std::string message;
    Json details;  ///< null when there are none
    std::string body;
  };
  explicit ApiError(Content content)
      : ClientError(describe(content)), content_(std::move(content)) {}

  int status() const { return content_.answer.status; }
  const ErrorCode& code() const { return content_.code; }
  const std::string& message() const { return content_.message; }
  const Json& details() const { return content_.details; }
  /// To be found again in the logs of the service; "" when it sent none.
  const std::string& request_id() const { return content_.answer.request_id; }
  const AnswerInfo& answer() const { return content_.answer; }
  /// As it came, also when it is not JSON.
  const std::string& body() const { return content_.body; }

 private:
  static std::string describe(const Content& content) {
    const std::string status = std::to_string(content.answer.status);
    std::string text = content.operation + ": " + status + " ";
    if (content.code.text() != status) text += content.code.text() + " ";
    text += content.message;
    if (!content.answer.request_id.empty()) text += " (request " + content.answer.request_id + ")";
    return text;
  }

  Content content_;
};

/// One field that does not fit: "items/0/quantity".
struct FieldError {
  std::string field = {};
  std::string message = {};
};

/// The service refused the input: status 400 for path parameters, 422 for everything else.
class ValidationFailure : public ApiError {
 public:
  ValidationFailure(Content content, std::vector<FieldError> fields)
      : ApiError(std::move(content)), fields_(std::move(fields)) {}

  const std::vector<FieldError>& fields() const { return fields_; }

 private:
  std::vector<FieldError> fields_;
};

/// There is no answer that could be used.
class TransportError : public ClientError {
 public:
  enum class Kind {
    connect,      ///< nothing listens, or the host is unknown
    interrupted,  ///< the connection ended before the answer did, or what came was not HTTP
    timeout,
    tls,        ///< no secure connection: the certificate, or the handshake
    cancelled,  ///< by the stop token
    malformed,  ///< an answer came, but not one that the document describes
  };
  TransportError(Kind kind, const std::string& message) : ClientError(message), kind_(kind) {}

  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};
