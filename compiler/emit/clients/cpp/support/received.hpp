namespace detail {

/// Parses the text as a tree. Copying and decoding a tree is recursive, so that more than 512
/// levels are rejected, as by JsonReader. The result is discarded if there are more, or if this is
/// no JSON.
inline Json parse_tree(std::string_view text, bool& is_too_deep) {
  constexpr int kMaxLevels = 512;
  const auto is_accepted = [&is_too_deep](int level, Json::parse_event_t event, const Json&) {
    const bool begins =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    is_too_deep = is_too_deep || (begins && level >= kMaxLevels);
    return !is_too_deep;
  };
  is_too_deep = false;
  Json tree = Json::parse(text.begin(), text.end(), is_accepted, false);
  return is_too_deep ? Json(Json::value_t::discarded) : tree;
}

/// A received response.
struct Received {
  const char* operation = "";
  ResponseInfo info = {};
  std::string body = {};

  bool has_status(int status) const { return info.status == status; }
  bool is_success() const { return info.status / 100 == 2; }

  [[noreturn]] void fail(const std::string& error) const {
    std::string text = std::string(operation) + ": the response " + error;
    if (!info.request_id.empty()) text += " (request " + info.request_id + ")";
    throw TransportError(TransportError::Kind::malformed, text);
  }

  Json json() const {
    bool is_too_deep = false;
    Json value = parse_tree(body, is_too_deep);
    if (is_too_deep) fail("is nested more than 512 levels deep");
    if (value.is_discarded()) fail("is not JSON");
    return value;
  }
};

template <class T>
T decode_response(const Received& received, const Json& json) {
  try {
    return decode<T>(json);
  } catch (const Mismatch& mismatch) {
    received.fail("does not match the document: " + mismatch.text());
  }
}

/// The data of a response without an envelope.
template <class T>
T read_body(const Received& received) {
  T value = {};
  if (read_text(received.body, value)) return value;
  return decode_response<T>(received, received.json());
}

/// The member `data` of the envelope of a response.
template <class T>
T read_data(const Received& received) {
  T value = {};
  if (read_data_of_text(received.body, value)) return value;
  const Json json = received.json();
  const auto data = json.find("data");
  if (data == json.end()) received.fail("has no member 'data'");
  return decode_response<T>(received, *data);
}

inline RawBody read_raw(Received received) {
  return {.content = std::move(received.body),
          .content_type = received.info.header("Content-Type")};
}

/// A code of errors that the document lists, and how its exception is thrown.
struct KnownError {
  ErrorCode code;
  void (*raise)(ApiError::Content& content);

  bool has(const ErrorCode& other) const {
    return code.text() == other.text() && code.number() == other.number();
  }
};

template <class Error>
[[noreturn]] void raise(ApiError::Content& content) {
  throw Error(std::move(content));
}

/// Reads a member if it is a string.
inline void read_string(const Json& json, const char* name, std::string& text) {
  const auto found = json.find(name);
  if (found != json.end() && found->is_string()) text = found->get<std::string>();
}

/// The errors of fields, from an array of them.
inline std::vector<FieldError> read_field_errors(const Json& errors) {
  std::vector<FieldError> fields;
  for (const Json& error : errors) {
    if (!error.is_object()) continue;
    FieldError field;
    read_string(error, "field", field.field);
    read_string(error, "message", field.message);
    fields.push_back(std::move(field));
  }
  return fields;
}

/// Throws the error of a response with an error status: `{code, message, details?, requestId}` or,
/// for fields, `{code, message, errors, requestId}`. Other bodies are kept as text.
[[noreturn]] inline void throw_api_error(Received received, const std::string& reason,
                                         const std::vector<KnownError>& known) {
  const int status = received.info.status;
  ApiError::Content content{.operation = received.operation,
                            .response = std::move(received.info),
                            .code = std::int64_t{status},
                            .message = reason,
                            .details = nullptr,
                            .body = std::move(received.body)};
  const std::string location = content.response.header("Location");
  if (status / 100 == 3 && !location.empty()) content.message = "redirected to " + location;
  bool is_too_deep = false;
  const Json body = parse_tree(content.body, is_too_deep);
  if (!body.is_object()) throw ApiError(std::move(content));

  read_string(body, "message", content.message);
  read_string(body, "requestId", content.response.request_id);
  const auto code = body.find("code");
  if (code != body.end() && code->is_string()) content.code = code->get<std::string>();
  if (code != body.end() && code->is_number_integer()) content.code = code->get<std::int64_t>();
  content.details = body.value("details", Json());

  const auto errors = body.find("errors");
  if (errors == body.end() || !errors->is_array()) {
    for (const KnownError& error : known) {
      if (error.has(content.code)) error.raise(content);
    }
    throw ApiError(std::move(content));
  }
  throw ValidationFailure(std::move(content), read_field_errors(*errors));
}

}  // namespace detail
