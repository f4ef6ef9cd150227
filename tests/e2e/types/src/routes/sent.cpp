// Types that are sent outside of the handlers, and a type that has the name of one in wrapped.cpp.
#include <fairway/fairway.hpp>

#include <functional>
#include <memory>
#include <optional>

#include "sent.routes.hpp"

namespace {

struct ById {
  fw::Field<"integer:1-"> id;
};
struct InTemplate {
  std::int64_t a;
};
struct InFunction {
  std::int64_t a;
};
struct InOptional {
  std::int64_t a;
};
struct ByPointer {
  std::int64_t a;
};
struct BySender {
  std::int64_t a;
};

template <class T>
void reply(fw::Response& res, const T& value) {
  res.json(value, 201);
}

struct Sender {
  virtual ~Sender() = default;
  virtual void send(fw::Response& res) const { res.json(BySender{5}); }
};

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/template", [](fw::Request&, fw::Response& res) { reply(res, InTemplate{1}); });
  app.get("/function", [](fw::Request&, fw::Response& res) {
    const std::function<void(fw::Response&)> send = [](fw::Response& to) {
      to.json(InFunction{2});
    };
    send(res);
  });
  app.get("/optional/:id", [](fw::Param<ById> param, fw::Response& res) {
    std::optional<InOptional> value;
    if (param->id == 3) value = InOptional{3};
    res.json(value);
  });
  app.get("/pointer", [](fw::Request&, fw::Response& res) {
    fw::Response* const sender = &res;
    sender->json(ByPointer{4});
  });
  app.get("/sender", [](fw::Request&, fw::Response& res) {
    const std::unique_ptr<Sender> sender = std::make_unique<Sender>();
    sender->send(res);
  });
});
