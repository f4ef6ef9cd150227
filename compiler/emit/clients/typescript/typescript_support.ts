/** Settings of a client; the settings of one call take precedence. */
export interface ClientOptions {
  /**
   * Where the API is: "https://api.example.com/v1", with or without a path. In a browser it may be
   * relative to the page; the default is the page's own origin.
   */
  readonly baseUrl?: string | undefined;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Bearer token; a function is asked before each attempt, so that it can renew the token. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>) | undefined;
  /** Sent as X-Request-ID; a function is asked once for each call. */
  readonly requestId?: string | (() => string) | undefined;
  /** Milliseconds for a whole call, retries included; 0 for no limit. Default: 30,000. */
  readonly timeout?: number | undefined;
  /**
   * How often a GET, HEAD, OPTIONS, PUT or DELETE is tried again after a connection error or the
   * status 429, 502, 503 or 504. Default: 2.
   */
  readonly retries?: number | undefined;
  /** Milliseconds before the first retry; doubled for each further one, with jitter. Default: 200. */
  readonly retryDelay?: number | undefined;
  /** Milliseconds that a retry waits at most; a longer Retry-After ends the call. Default: 10,000. */
  readonly maxRetryDelay?: number | undefined;
  /** Whether a browser sends cookies. */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Sees each response before its body is read, for its headers. */
  readonly onResponse?: ((response: Response) => void) | undefined;
}

/** Settings of one call. */
export interface RequestOptions extends Pick<
  ClientOptions,
  "headers" | "requestId" | "timeout" | "retries" | "onResponse"
> {
  /** Ends the call with a TransportError whose reason is "aborted". */
  readonly signal?: AbortSignal | undefined;
}

/** A file of a form. A Blob that is no File is sent under the name "blob". */
export type FileInput = Blob | { readonly data: Blob; readonly filename: string };

/** The response has an error status. */
export class ApiError extends Error {
  override readonly name: string = "ApiError";
  /** HTTP status. */
  readonly status: number;
  /** Business code when there is one, else the HTTP status. */
  readonly code: number | string;
  readonly details: unknown;
  /** The id that the service logged the request under. */
  readonly requestId: string | undefined;
  /** Milliseconds that the service asks to wait before another request. */
  readonly retryAfter: number | undefined;

  constructor(response: Response, body: Readonly<Record<string, unknown>>) {
    const { code, message, requestId } = body;
    super(typeof message === "string" ? message : response.statusText || `HTTP ${response.status}`);
    this.status = response.status;
    this.code = typeof code === "number" || typeof code === "string" ? code : response.status;
    this.details = body["details"];
    this.requestId =
      typeof requestId === "string"
        ? requestId
        : (response.headers.get("x-request-id") ?? undefined);
    this.retryAfter = readRetryAfter(response.headers.get("retry-after"));
  }
}

/** What is wrong with one field: "items/0/quantity". */
export interface FieldFailure {
  readonly field: string;
  readonly message: string;
}

/** The service rejected the input; `fields` names each part that does not fit. */
export class ValidationFailure extends ApiError {
  override readonly name: string = "ValidationFailure";
  readonly fields: readonly FieldFailure[];

  constructor(
    response: Response,
    body: Readonly<Record<string, unknown>>,
    fields: readonly FieldFailure[],
  ) {
    super(response, body);
    this.fields = fields;
  }
}

/** There is no usable response. `cause` is the error of `fetch`, or the reason of the abort. */
export class TransportError extends Error {
  override readonly name: string = "TransportError";
  readonly reason: "network" | "timeout" | "aborted" | "malformed";

  constructor(reason: TransportError["reason"], message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** The result of a call as a value. */
export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: ApiError | TransportError };

/** Turns the errors of a call into a value; errors of the calling code are still thrown. */
export async function attempt<Value>(call: Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { ok: true, value: await call };
  } catch (error) {
    if (error instanceof ApiError || error instanceof TransportError) return { ok: false, error };
    throw error;
  }
}

/** How the body of a response is read; "data" is JSON in an envelope. */
type Reading = "data" | "json" | "text" | "blob" | "response" | "nothing";

interface Operation {
  readonly method: string;
  /** "/files/{id}/{+rest}": the slashes of `rest` stay. */
  readonly path: string;
  /** For each status when several succeed; the result then includes the status. */
  readonly reads: Reading | Readonly<Record<string, Reading>>;
  /** Media type of a body that is neither JSON nor a form. */
  readonly sends?: string;
}

interface Input {
  readonly path?: object;
  readonly query?: object;
  readonly headers?: object;
  readonly cookies?: object;
  readonly body?: unknown;
  readonly form?: object;
}

/** What timers can wait at most, in milliseconds. */
const longestTimer = 2 ** 31 - 1;
const repeatableMethods = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
const passingStatuses = new Set([429, 502, 503, 504]);

/** Sends requests and reads responses. */
class Transport {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>;

  constructor(options: ClientOptions) {
    const baseUrl = options.baseUrl ?? "";
    if (/[?#]/.test(baseUrl)) throw new TypeError(`baseUrl has a query or a fragment: ${baseUrl}`);
    const isAbsolute = /^https?:\/\//i.test(baseUrl);
    if (!isAbsolute && !options.fetch && !("location" in globalThis)) {
      throw new TypeError("baseUrl must be absolute outside a browser: https://api.example.com");
    }
    this.#options = options;
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  }

  async send<Result>(
    operation: Operation,
    input: Input,
    options: RequestOptions = {},
  ): Promise<Result> {
    const path = fillPath(operation.path, input.path);
    const url = this.#baseUrl + path + queryText(input.query);
    const headers = this.#headers(operation, input, options);
    const body = bodyOf(operation, input);
    const isRepeatable = repeatableMethods.has(operation.method);
    const retries = isRepeatable ? (options.retries ?? this.#options.retries ?? 2) : 0;
    const title = `${operation.method} ${path}`;
    const limit = new TimeLimit(
      title,
      options.timeout ?? this.#options.timeout ?? 30_000,
      options.signal,
    );
    let isBodyLeft = false;
    // The caller's signal still ends a body that is left to the caller.
    const leave = (response: Response): Response => {
      isBodyLeft = true;
      return tracked(response, () => limit.release());
    };
    try {
      for (let attempts = 0; ; attempts += 1) {
        try {
          const init = await limit.race(this.#init(operation, headers, body, limit.signal));
          const response = await limit.race(this.#request(title, url, init));
          (options.onResponse ?? this.#options.onResponse)?.(response);
          return (await limit.race(readResponse(title, operation, response, leave))) as Result;
        } catch (error) {
          const wait = attempts < retries ? this.#retryDelay(error, attempts) : undefined;
          if (wait === undefined) throw error;
          await limit.race(new Promise((resolve) => limit.later(resolve, wait)));
        }
      }
    } finally {
      limit.end();
      if (!isBodyLeft) limit.release();
    }
  }

  /** Later ones win: defaults, credentials and ids, headers of the call, declared headers. */
  #headers(operation: Operation, input: Input, options: RequestOptions): Headers {
    const headers = new Headers(this.#options.headers);
    const requestId = options.requestId ?? this.#options.requestId;
    if (requestId !== undefined) {
      headers.set("x-request-id", typeof requestId === "function" ? requestId() : requestId);
    }
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    for (const [name, value] of present(input.headers)) headers.set(name, headerText(name, value));
    const cookies = present(input.cookies).map(
      ([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`,
    );
    if (cookies.length > 0) {
      headers.set("cookie", cookies.join("; "));
      if (!this.#options.fetch && !sendsCookies(this.#baseUrl, headers)) {
        throw new TypeError(
          `${operation.method} ${operation.path}: a browser does not send 'cookies' of a script; ` +
            "set them with document.cookie, and 'credentials' in the client's options",
        );
      }
    }
    const mediaType =
      operation.sends ?? (input.form === undefined ? "application/json" : undefined);
    if (input.body !== undefined && mediaType) headers.set("content-type", mediaType);
    return headers;
  }

  async #init(
    operation: Operation,
    headers: Headers,
    body: string | FormData | Blob | ArrayBuffer | undefined,
    signal: AbortSignal,
  ): Promise<RequestInit> {
    const init: RequestInit = { method: operation.method, headers: new Headers(headers), signal };
    const { token, credentials } = this.#options;
    const value = typeof token === "function" ? await token() : token;
    if (value !== undefined && !headers.has("authorization")) {
      (init.headers as Headers).set("authorization", `Bearer ${value}`);
    }
    if (credentials !== undefined) init.credentials = credentials;
    if (body !== undefined) init.body = body;
    return init;
  }

  async #request(title: string, url: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(url, init);
    } catch (error) {
      throw new TransportError("network", `${title}: no connection`, error);
    }
  }

  /** Undefined when the call is not to be tried again. */
  #retryDelay(error: unknown, attempts: number): number | undefined {
    const { retryDelay = 200, maxRetryDelay = 10_000 } = this.#options;
    const isFault = error instanceof TransportError && error.reason === "network";
    const isPassing = error instanceof ApiError && passingStatuses.has(error.status);
    if (!isFault && !isPassing) return undefined;
    if (isPassing && error.retryAfter !== undefined) {
      return error.retryAfter <= maxRetryDelay ? error.retryAfter : undefined;
    }
    const longest = Math.min(retryDelay * 2 ** attempts, maxRetryDelay);
    return longest * (0.5 + Math.random() / 2);
  }
}

/** Ends what is under way when the time is over or the caller aborts. */
class TimeLimit {
  readonly #controller = new AbortController();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  readonly #callerSignal: AbortSignal | undefined;
  readonly #abort: () => void;

  constructor(title: string, timeout: number, callerSignal: AbortSignal | undefined) {
    this.#callerSignal = callerSignal;
    this.#abort = () => {
      const cause: unknown = callerSignal?.reason;
      this.#controller.abort(new TransportError("aborted", `${title}: aborted`, cause));
    };
    if (callerSignal?.aborted) this.#abort();
    callerSignal?.addEventListener("abort", this.#abort, { once: true });
    if (timeout > 0 && timeout !== Infinity) {
      const error = new TransportError("timeout", `${title}: no response within ${timeout} ms`);
      this.later(() => this.#controller.abort(error), timeout);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  later(action: (value?: unknown) => void, milliseconds: number): void {
    const wait = Math.min(milliseconds, longestTimer);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (milliseconds > wait) this.later(action, milliseconds - wait);
      else action();
    }, wait);
    this.#timers.add(timer);
  }

  /** Also ends the wait for something that knows no signal. */
  async race<Value>(work: Promise<Value>): Promise<Value> {
    const { signal } = this;
    let stop = (): void => {};
    const end = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop);
    });
    try {
      return await Promise.race([work, end]);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Ends the limit of time. */
  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** Ends the tie to the caller's signal, which may live longer than the call. */
  release(): void {
    this.#callerSignal?.removeEventListener("abort", this.#abort);
  }
}

/** Browsers remove the header `Cookie` from requests without a word. */
function sendsCookies(url: string, headers: Headers): boolean {
  return new Request(url, { headers }).headers.has("cookie");
}

/** The same response; `end` is called when its body has been read or cancelled, or has failed. */
function tracked(response: Response, end: () => void): Response {
  if (!response.body) {
    end();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        end();
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers, url, redirected, type } = response;
  const copy = new Response(body, { status, statusText, headers });
  return Object.defineProperties(copy, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: type },
  });
}

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
  response: Response,
  leave: (response: Response) => Response,
): Promise<unknown> {
  if (!response.ok) throw await readError(title, response);
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

async function readError(title: string, response: Response): Promise<ApiError> {
  const body = parseJson(await received(title, response.text()));
  if (!isRecord(body)) return new ApiError(response, {});
  const fields = body["errors"];
  const isFailure = (item: unknown): item is FieldFailure =>
    isRecord(item) && typeof item["field"] === "string" && typeof item["message"] === "string";
  return Array.isArray(fields) && fields.every(isFailure)
    ? new ValidationFailure(response, body, fields)
    : new ApiError(response, body);
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
