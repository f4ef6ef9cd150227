function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members that have a value. */
function present(members: object | undefined): [string, unknown][] {
  return Object.entries(members ?? {}).filter(([, value]) => value !== undefined && value !== null);
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function fillPath(template: string, parameters: object = {}): string {
  const values = new Map<string, unknown>(present(parameters));
  const path = template.replace(/\{(\+?)([^{}]+)\}/g, (_, plus: string, name: string) => {
    const text = values.has(name) ? textOf(values.get(name)) : "";
    if (text === "" && !plus) throw new TypeError(`path parameter '${name}' is empty`);
    return plus ? text.split("/").map(encodeURIComponent).join("/") : encodeURIComponent(text);
  });
  // Addresses lose such segments, encoded or not: the request would reach another operation.
  const lost = path.split("/").find((segment) => segment === "." || segment === "..");
  if (lost !== undefined) throw new TypeError(`a path parameter cannot be '${lost}': ${template}`);
  return path;
}

/** The fields that tell the service which call it is: its id, and the span of the caller. */
function callHeaders(
  client: ClientOptions,
  call: Pick<ClientOptions, "requestId" | "trace">,
): [string, string][] {
  const headers: [string, string][] = [];
  const id = call.requestId ?? client.requestId;
  if (id !== undefined) headers.push(["x-request-id", typeof id === "function" ? id() : id]);
  const trace = call.trace ?? client.trace;
  const context = typeof trace === "function" ? trace() : trace;
  if (context) {
    headers.push(["traceparent", context.traceparent]);
    if (context.tracestate) headers.push(["tracestate", context.tracestate]);
  }
  return headers;
}

/** A list has commas between its values. */
function headerText(name: string, value: unknown): string {
  if (!Array.isArray(value)) return textOf(value);
  const items = value.map(textOf);
  const lost = items.find((item) => item === "" || item !== item.trim() || item.includes(","));
  if (lost !== undefined) {
    throw new TypeError(`the list of the header '${name}' cannot have the value '${lost}'`);
  }
  return items.join(", ");
}

/** Lists repeat their name, structures are JSON. */
function queryText(parameters: object | undefined): string {
  const pairs = present(parameters).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(
      (item) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(item))}`,
    ),
  );
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}

function bodyOf(
  operation: Operation,
  input: Input,
): string | FormData | Blob | ArrayBuffer | undefined {
  if (input.form !== undefined) return formOf(input.form);
  if (input.body === undefined) return undefined;
  if (operation.sends !== undefined) return input.body as string | Blob | ArrayBuffer;
  return JSON.stringify(input.body);
}

function formOf(members: object): FormData {
  const form = new FormData();
  for (const [name, value] of present(members)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item instanceof Blob) form.append(name, item);
      else if (isRecord(item) && item["data"] instanceof Blob) {
        form.append(name, item["data"], String(item["filename"]));
      } else form.append(name, textOf(item));
    }
  }
  return form;
}

/** The result of a success; throws the error of any other response. */
async function readResponse(
  title: string,
  operation: Operation,
  errors: readonly ErrorClass[],
  response: Response,
  leave: (response: Response) => Response,
): Promise<unknown> {
  if (!response.ok) throw await readError(title, operation, errors, response);
  const { reads } = operation;
  if (typeof reads === "string") return await readBody(title, reads, response, leave);
  const reading = reads[String(response.status)] ?? reads["2XX"];
  if (reading === undefined) {
    throw new TransportError(
      "malformed",
      `${title}: the status ${response.status} is not declared`,
    );
  }
  return { status: response.status, data: await readBody(title, reading, response, leave) };
}

async function readBody(
  title: string,
  reading: Reading,
  response: Response,
  leave: (response: Response) => Response,
): Promise<unknown> {
  if (reading === "response") return leave(response);
  if (reading === "blob") return await received(title, response.blob());
  const text = await received(title, response.text());
  if (reading === "nothing") return undefined;
  if (reading === "text") return text;
  const body = parseJson(text);
  if (body === undefined) {
    throw new TransportError("malformed", `${title}: the response is not JSON`, text.slice(0, 500));
  }
  if (reading === "json") return body;
  if (!isRecord(body) || !Object.hasOwn(body, "data")) {
    throw new TransportError("malformed", `${title}: the response has no 'data'`, text.slice(0, 500));
  }
  return body["data"];
}

/** The class of an error follows from its code, whether the operation lists it or not. */
async function readError(
  title: string,
  operation: Operation,
  errors: readonly ErrorClass[],
  response: Response,
): Promise<ApiError> {
  const body = parseJson(await received(title, response.text()));
  if (!isRecord(body)) return new ApiError(response, {});
  const fields = body["errors"];
  const isFailure = (item: unknown): item is FieldFailure =>
    isRecord(item) && typeof item["field"] === "string" && typeof item["message"] === "string";
  if (Array.isArray(fields) && fields.every(isFailure)) {
    return new ValidationFailure(response, body, fields);
  }
  const known = errors.find(({ code }) => code === body["code"]);
  if (known === undefined) return new ApiError(response, body);
  const error = new known(response, body);
  if (operation.errors?.includes(known)) listedErrors.add(error);
  return error;
}

async function received<Value>(title: string, body: Promise<Value>): Promise<Value> {
  try {
    return await body;
  } catch (error) {
    throw new TransportError("network", `${title}: the connection broke`, error);
  }
}

/** Undefined when the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Milliseconds of a Retry-After field: seconds, or a date. */
function readRetryAfter(field: string | null): number | undefined {
  if (field === null) return undefined;
  const wait = /^\d+$/.test(field) ? Number(field) * 1000 : Date.parse(field) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}
