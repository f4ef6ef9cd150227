const element = (id) => document.getElementById(id);

/** Sends a request. Resolves to the data of the response; rejects with the message of an error. */
async function call(method, path, body) {
  const headers = {};
  if (method !== "GET") {
    // Signing in and out changes the session, and with it the token.
    headers["x-csrf-token"] = (await call("GET", "/csrf-token")).token;
  }
  if (body && !(body instanceof FormData)) {
    headers["content-type"] = "application/json";
    body = JSON.stringify(body);
  }
  const response = await fetch(path, { method, headers, body });
  const result = response.status === 204 ? { data: null } : await response.json();
  if (!response.ok) {
    const fields = (result.errors ?? []).map((error) => error.message).join(", ");
    throw Object.assign(new Error(fields || result.message), { status: response.status });
  }
  return result.data;
}

function say(text, isError = false) {
  element("message").textContent = text;
  element("message").classList.toggle("error", isError);
}

function show(profile) {
  element("visitor").hidden = profile !== null;
  element("member").hidden = profile === null;
  if (!profile) return;
  element("name").textContent = profile.name;
  element("email").textContent = profile.email;
  element("avatar").hidden = !profile.hasAvatar;
  if (profile.hasAvatar) element("avatar").src = `/account/avatar?${Date.now()}`;
}

/** Runs `action` with the form's fields when it is submitted, and reports what goes wrong. */
function onSubmit(id, action) {
  element(id).addEventListener("submit", async (event) => {
    event.preventDefault();
    const form = event.target;
    const button = form.querySelector("button");
    button.disabled = true;
    say("");
    try {
      await action(new FormData(form));
      form.reset();
    } catch (error) {
      say(error.message, true);
    } finally {
      button.disabled = false;
    }
  });
}

onSubmit("sign-in", async (form) => {
  show(await call("POST", "/account/sign-in", Object.fromEntries(form)));
});
onSubmit("sign-up", async (form) => {
  show(await call("POST", "/account/sign-up", Object.fromEntries(form)));
  say("Your account has been created.");
});
onSubmit("upload", async (form) => {
  await call("PUT", "/account/avatar", form);
  show(await call("GET", "/account/profile"));
  say("Your avatar has been replaced.");
});
onSubmit("sign-out", async () => {
  await call("POST", "/account/sign-out");
  show(null);
  say("You have signed out.");
});

try {
  show(await call("GET", "/account/profile"));
} catch (error) {
  show(null);
  if (error.status !== 401) say(error.message, true);
}
