namespace detail {

/// The parts of a multipart form.
class FormWriter {
 public:
  explicit FormWriter(std::string boundary) : boundary_(std::move(boundary)) {}

  void required(const char* name, const FilePart& file) {
    require_header("Content-Type", file.content_type);
    begin(name);
    body_ += "; filename=\"" + quoted(file.filename) + "\"\r\nContent-Type: " + file.content_type;
    end(file.content);
  }
  void required(const char* name, const std::vector<FilePart>& files) {
    for (const FilePart& file : files) required(name, file);
  }
  template <class T>
  void required(const char* name, const T& value) {
    begin(name);
    end(parameter_text(value));
  }
  template <class T>
  void optional(const char* name, const std::optional<T>& value) {
    if (value) required(name, *value);
  }
  template <class T>
  void rest(const std::map<std::string, T>& values) {
    for (const auto& [name, value] : values) required(name.c_str(), value);
  }

  std::string take() { return std::move(body_) + "--" + boundary_ + "--\r\n"; }

 private:
  void begin(std::string_view name) {
    body_ += "--" + boundary_ + "\r\nContent-Disposition: form-data; name=\"" + quoted(name) + "\"";
  }
  void end(std::string_view content) {
    body_ += "\r\n\r\n";
    body_ += content;
    body_ += "\r\n";
  }
  // Quotes like browsers do.
  static std::string quoted(std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == '"' || is_control(c)) {
        result += percent_encode(std::string_view(&c, 1), "");
      } else {
        result += c;
      }
    }
    return result;
  }

  std::string boundary_;
  std::string body_;
};

inline std::string random_boundary() {
  std::random_device random;
  std::string boundary = "form-";
  for (int i = 0; i < 4; ++i) boundary += std::to_string(random());
  return boundary;
}

/// Builds one request.
class Call {
 public:
  Call(const char* operation, const char* method) : operation_(operation), method_(method) {}

  /// A fixed part of the path.
  void path(std::string_view text) { path_ += text; }
  template <class T>
  void segment(const char* name, const T& value) {
    const std::string text = parameter_text(value);
    if (text.empty()) {
      throw std::invalid_argument(std::string(operation_) + ": the path parameter '" + name +
                                  "' cannot be empty");
    }
    path_ += encode_segment(text);
  }
  /// The rest of the path; its slashes are not encoded.
  template <class T>
  void segments(const T& value) {
    std::string rest = parameter_text(value);
    for (std::size_t begin = 0; begin <= rest.size();) {
      const std::size_t end = std::min(rest.find('/', begin), rest.size());
      if (begin > 0) path_ += '/';
      path_ += encode_segment(std::string_view(rest).substr(begin, end - begin));
      begin = end + 1;
    }
  }

  template <class T>
  void query(const char* name, const T& value) {
    query_ += query_.empty() ? '?' : '&';
    query_ += percent_encode(name) + '=' + percent_encode(parameter_text(value));
  }
  /// Repeats the name for each value.
  template <class T>
  void query(const char* name, const std::vector<T>& values) {
    for (const T& value : values) query(name, value);
  }
  template <class T>
  void query(const char* name, const std::optional<T>& value) {
    if (value) query(name, *value);
  }

  template <class T>
  void header(const char* name, const T& value) {
    set_header(headers_, name, parameter_text(value));
  }
  /// A list, whose values are separated by commas.
  template <class T>
  void header(const char* name, const std::vector<T>& values) {
    std::string list;
    for (const T& value : values) {
      const std::string text = parameter_text(value);
      if (text.empty() || text.find(',') != std::string::npos || text.front() == ' ' ||
          text.back() == ' ') {
        throw std::invalid_argument(std::string(operation_) + ": the list of the header '" + name +
                                    "' cannot have the value '" + text + "'");
      }
      list += (list.empty() ? "" : ", ") + text;
    }
    set_header(headers_, name, std::move(list));
  }
  template <class T>
  void header(const char* name, const std::optional<T>& value) {
    if (value) header(name, *value);
  }

  template <class T>
  void cookie(const char* name, const T& value) {
    constexpr std::string_view kSafe = "!#$&'()*+-./:<=>?@[]^_`{|}~";
    if (!cookies_.empty()) cookies_ += "; ";
    cookies_ +=
        percent_encode(name, "!#$&'*+-.^_`|~") + '=' + percent_encode(parameter_text(value), kSafe);
  }
  template <class T>
  void cookie(const char* name, const std::optional<T>& value) {
    if (value) cookie(name, *value);
  }

  template <class T>
  void json(const T& value) {
    try {
      raw({.content = encode(value).dump(), .content_type = "application/json"});
    } catch (const Json::type_error&) {
      throw std::invalid_argument(std::string(operation_) + ": a string of the body is not UTF-8");
    }
  }
  template <class T>
  void form(const T& value) {
    const std::string boundary = random_boundary();
    FormWriter writer(boundary);
    T::visit_fields(value, writer);
    raw({.content = writer.take(), .content_type = "multipart/form-data; boundary=" + boundary});
  }
  void raw(RawBody body) {
    require_header("Content-Type", body.content_type);
    body_ = std::move(body);
  }
  /// Throws std::invalid_argument if there is no body.
  void require_body() const {
    if (!body_) throw std::invalid_argument(std::string(operation_) + ": the body is missing");
  }

  const char* operation() const { return operation_; }
  const char* method() const { return method_; }
  std::string target() const { return path_ + query_; }
  const Headers& headers() const { return headers_; }
  const std::string& cookies() const { return cookies_; }
  const std::optional<RawBody>& body() const { return body_; }
  bool may_be_repeated() const {
    const std::string_view method = method_;
    return method != "POST" && method != "PATCH";
  }

 private:
  const char* operation_;
  const char* method_;
  std::string path_;
  std::string query_;
  Headers headers_;
  std::string cookies_;
  std::optional<RawBody> body_;
};

}  // namespace detail
