using Json = nlohmann::json;

/// Names and values of headers in order. Names are case-insensitive.
using Headers = std::vector<std::pair<std::string, std::string>>;

/// Status and headers of a response.
struct ResponseInfo {
  int status = 0;
  Headers headers = {};
  std::string request_id = {};

  /// The value of the first header with that name, or "".
  std::string header(std::string_view name) const;
};

/// Base class of all errors of calls. Invalid arguments throw std::invalid_argument instead.
class ClientError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The code of an error: the HTTP status, unless the service sends its own number or string.
class ErrorCode {
 public:
  ErrorCode(std::int64_t number) : text_(std::to_string(number)), number_(number) {}
  ErrorCode(std::string text) : text_(std::move(text)) {}

  /// The code as a string; a number in decimal.
  const std::string& text() const { return text_; }
  /// Empty if the code is a string.
  std::optional<std::int64_t> number() const { return number_; }

  friend std::string to_string(const ErrorCode& code) { return code.text_; }
  friend std::ostream& operator<<(std::ostream& stream, const ErrorCode& code) {
    return stream << code.text_;
  }

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

/// The response has an error status, or is a redirection, which is not followed.
class ApiError : public ClientError {
 public:
  struct Content {
    std::string operation;  ///< the operationId
    ResponseInfo response;
    ErrorCode code;
    std::string message;
    Json details;  ///< null if there are none
    std::string body;
  };
  explicit ApiError(Content content)
      : ClientError(describe(content)), content_(std::move(content)) {}

  int status() const { return content_.response.status; }
  const ErrorCode& code() const { return content_.code; }
  const std::string& message() const { return content_.message; }
  const Json& details() const { return content_.details; }
  /// Identifies the request in the logs of the service; "" if the response has none.
  const std::string& request_id() const { return content_.response.request_id; }
  const ResponseInfo& response() const { return content_.response; }
  /// The body as received, even if it is not JSON.
  const std::string& body() const { return content_.body; }

 private:
  static std::string describe(const Content& content) {
    const std::string status = std::to_string(content.response.status);
    std::string text = content.operation + ": " + status + " ";
    if (content.code.text() != status) text += content.code.text() + " ";
    text += content.message;
    if (!content.response.request_id.empty())
      text += " (request " + content.response.request_id + ")";
    return text;
  }

  Content content_;
};

/// One invalid field: "items/0/quantity".
struct FieldError {
  std::string field = {};
  std::string message = {};
};

/// The service rejected the input: status 400 for path parameters, 422 for everything else.
class ValidationFailure : public ApiError {
 public:
  ValidationFailure(Content content, std::vector<FieldError> fields)
      : ApiError(std::move(content)), fields_(std::move(fields)) {}

  const std::vector<FieldError>& fields() const { return fields_; }

 private:
  std::vector<FieldError> fields_;
};

/// There is no usable response.
class TransportError : public ClientError {
 public:
  enum class Kind {
    connect,      ///< no connection, or the host is unknown
    interrupted,  ///< the connection ended before the response was complete, or the response was
                  ///< not HTTP
    timeout,
    tls,        ///< the certificate is not valid, or the handshake failed
    cancelled,  ///< by the stop token
    malformed,  ///< the response does not match the document
  };
  TransportError(Kind kind, const std::string& message) : ClientError(message), kind_(kind) {}

  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};
