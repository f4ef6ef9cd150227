// Tools with the names that the conformance suite of the protocol calls.
#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/text", {.docs = {.operation_id = "test_simple_text"}, .mcp = true},
          [](fw::Request&, fw::Response& res) {
            res.text("This is a simple text response for testing.");
          });
  app.get("/image", {.docs = {.operation_id = "test_image_content"}, .mcp = true},
          [](fw::Request&, fw::Response& res) {
            res.set_header("content-type", "image/png").text(std::string("\x89PNG\r\n\x1A\n", 8));
          });
  app.get("/audio", {.docs = {.operation_id = "test_audio_content"}, .mcp = true},
          [](fw::Request&, fw::Response& res) {
            res.set_header("content-type", "audio/wav").text("RIFF$\1\1\1WAVE");
          });
  app.get("/error", {.docs = {.operation_id = "test_error_handling"}, .mcp = true},
          [](fw::Request&, fw::Response&) {
            fw::raise(409, "This tool intentionally returns an error for testing");
          });
});
