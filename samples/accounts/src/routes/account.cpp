// Signing up, in and out, and the profile of who is signed in.
#include <fairway/fairway.hpp>

#include <cstdint>
#include <string>

#include "account.routes.hpp"
#include "services/account_store.hpp"
#include "services/avatars.hpp"
#include "services/passwords.hpp"
#include "services/upload_folder.hpp"

namespace {

const fw::SchemaMap kProfile = {
    {"id", "integer"}, {"name", "string"}, {"email", "string"}, {"hasAvatar", "boolean"}};

fw::Json profile(const Account& account) {
  return {{"id", account.id},
          {"name", account.name},
          {"email", account.email},
          {"hasAvatar", account.avatar_type.has_value()}};
}

/// A new session id, so that one that was planted before is worth nothing.
void sign_in(fw::Request& req, const Account& account) {
  req.session().regenerate();
  req.session().set("userId", std::to_string(account.id));
}

/// The account of who is signed in; 401 if it has been deleted since.
Account current(const fw::Router& app, fw::Request& req) {
  const auto account = app.services().get<AccountStore>().find(std::stoll(req.auth().user_id));
  if (!account) app.raise(401, "Sign in again", "ACCOUNT_GONE");
  return *account;
}

}  // namespace

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/sign-up",
           {
               .validate = {.body = {{"name", "string:1-80"},
                                     {"email", "email"},
                                     {"password", "string:10-200"}}},
               .auth = false,
               .responses = {{"201", kProfile}},
               .docs = {.summary = "Create an account and sign in", .operation_id = "signUp"},
               .override_ = {.rate_limit = fw::RateLimitOptions{.max = 10, .window = 3600}},
           },
           [&app](fw::Request& req, fw::Response& res) {
             const auto& body = req.valid<routes::account::SignUp::Body>();
             const auto account = app.services().get<AccountStore>().create(
                 {.name = body.name,
                  .email = body.email,
                  .password_hash = app.services().get<Passwords>().hash(body.password),
                  .avatar_type = {}});
             if (!account) app.raise(409, "There is an account with this address", "EMAIL_TAKEN");
             sign_in(req, *account);
             res.json(profile(*account), 201);
           });

  app.post("/sign-in",
           {
               .validate = {.body = {{"email", "email"}, {"password", "string:1-200"}}},
               .auth = false,
               .responses = {{"200", kProfile}},
               .docs = {.summary = "Sign in", .operation_id = "signIn"},
               .override_ = {.rate_limit = fw::RateLimitOptions{.max = 5, .window = 60}},
           },
           [&app](fw::Request& req, fw::Response& res) {
             const auto& body = req.valid<routes::account::SignIn::Body>();
             const auto account = app.services().get<AccountStore>().find_by_email(body.email);
             const auto hash = account ? std::optional(account->password_hash) : std::nullopt;
             if (!app.services().get<Passwords>().verify(hash, body.password)) {
               app.raise(401, "The address or the password is wrong", "WRONG_CREDENTIALS");
             }
             sign_in(req, *account);
             res.json(profile(*account));
           });

  app.post("/sign-out",
           {.auth = false,
            .docs = {.summary = "Sign out",
                     .operation_id = "signOut",
                     .responses = {{"204", {.description = "Signed out"}}}}},
           [](fw::Request& req, fw::Response& res) {
             req.session().destroy();
             res.status(204).end();
           });

  app.get("/profile",
          {
              .auth = true,
              .responses = {{"200", kProfile}},
              .docs = {.summary = "Who is signed in", .operation_id = "getProfile"},
          },
          [&app](fw::Request& req, fw::Response& res) { res.json(profile(current(app, req))); });

  app.put(
      "/avatar",
      {
          .auth = true,
          .docs = {.summary = "Replace the avatar",
                   .operation_id = "setAvatar",
                   .responses = {{"204", {.description = "Replaced"}}}},
          .multipart = {.enabled = true,
                        .files = {{"avatar", {.description = "A PNG or JPEG", .required = true}}},
                        .max_files = 1,
                        .max_file_size = "1mb",
                        .allowed_mime_types = {"image/png", "image/jpeg"}},
          .override_ = {.max_body_size = "1100kb"},
      },
      [&app](fw::Request& req, fw::Response& res) {
        const Account account = current(app, req);
        const fw::ParsedFile& avatar = req.files().front();  // required, and the only one
        // The client's word for the type counts for nothing.
        const auto type = Avatars::type_of(avatar.buffer);
        if (!type) app.raise(415, "The avatar is not a PNG or JPEG");
        app.services().get<Avatars>().write(account.id, avatar.buffer);
        app.services().get<AccountStore>().set_avatar_type(account.id, *type);
        res.status(204).end();
      });

  app.get("/avatar",
          {.auth = true,
           .docs = {.summary = "The avatar of who is signed in", .operation_id = "getAvatar"}},
          [&app](fw::Request& req, fw::Response& res) {
            const Account account = current(app, req);
            auto picture = app.services().get<Avatars>().open(account.id);
            if (!account.avatar_type || !picture) app.raise(404, "There is no avatar");
            res.set_header("cache-control", "private, no-cache");
            res.stream(std::move(*picture), *account.avatar_type);
          });

  // Stored on the disk while it arrives: the plugin upload-to-disk.
  app.post(
      "/documents",
      {
          .auth = true,
          .responses = {{"201",
                         {{"title", "string"},
                          {"files", fw::array_of({{"name", "string"}, {"size", "integer"}})}}}},
          .docs = {.summary = "Store documents", .operation_id = "storeDocuments"},
          .multipart = {.enabled = false, .files = {{"document", "A document of any type"}}},
          .body_parser = {.max_body_size = "1gb", .stream = true},
      },
      [&app](fw::Request& req, fw::Response& res) {
        const Account account = current(app, req);
        app.services().get<UploadFolder>().receive(req, account.id);
        fw::Json files = fw::Json::array();
        for (const fw::ParsedFile& file : req.files()) {
          files.push_back({{"name", file.filename}, {"size", file.size}});
        }
        res.json({{"title", req.body().value("title", "")}, {"files", files}}, 201);
      });
});
