#include <fairway/fairway.hpp>

#include "customers.routes.hpp"
#include "services/customer_store.hpp"
#include "shared/limits.hpp"
#include "shared/roles.hpp"

namespace {

const fw::SchemaMap kAddress = {
    {"street", "string:1-120"}, {"city", "string:1-80"}, {"zip", "string:3-10?"}};

const auto kEmail =
    fw::schema_adapter::compile_field("email").description("Unique among customers");

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {
              .validate = {.query = {{"limit", limits::kPageSize}}},
              .auth = roles::kStaff,
              .responses = {{"200", fw::array_of({{"id", "integer"},
                                                  {"name", "string"},
                                                  {"email", "string"},
                                                  {"address", kAddress}})}},
              .docs = {.summary = "List customers", .operation_id = "listCustomers"},
          },
          [&app](fw::Request& req, fw::Response& res) {
            const auto& query = req.valid<routes::customers::ListCustomers::Query>();
            res.json(app.services().get<CustomerStore>().list(query.limit.value_or(20)));
          });

  app.post(
      "/",
      {
          .validate = {.body = {{"name", limits::kName}, {"email", kEmail}, {"address", kAddress}}},
          .middlewares = {"audit-log"},
          .responses = {{"201",
                         {{"id", "integer"},
                          {"name", "string"},
                          {"email", "string"},
                          {"address", kAddress}}}},
          .docs = {.summary = "Register a customer", .operation_id = "createCustomer"},
      },
      [&app](fw::Request& req, fw::Response& res) {
        const auto& body = req.valid<routes::customers::CreateCustomer::Body>();
        const auto customer =
            app.services().get<CustomerStore>().create({.id = 0,
                                                        .name = body.name,
                                                        .email = body.email,
                                                        .street = body.address.street,
                                                        .city = body.address.city,
                                                        .zip = body.address.zip});
        if (!customer) {
          app.raise({.status = 409,
                     .message = "customer.emailTaken",
                     .details = {{"email", body.email}}});
        }
        res.json(*customer, 201);
      });

  // An e-mail address in the path arrives percent-decoded: /customers/by-email/ada%40example.com
  app.get(
      "/by-email/:email",
      {
          .validate = {.param = {{"email", "email"}}},
          .auth = roles::kStaff,
          .responses = {{"200",
                         {{"id", "integer"},
                          {"name", "string"},
                          {"email", "string"},
                          {"address", kAddress}}}},
          .docs = {.summary = "Find a customer by e-mail address", .operation_id = "findCustomer"},
      },
      [&app](fw::Request& req, fw::Response& res) {
        const auto& param = req.valid<routes::customers::FindCustomer::Param>();
        const auto customer = app.services().get<CustomerStore>().find_by_email(param.email);
        if (!customer) app.raise(404, "customer.unknownEmail");
        res.json(*customer);
      });
});
