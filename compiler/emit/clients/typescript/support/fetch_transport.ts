/**
 * How the body of a response is read; "data" is JSON in an envelope. Items of a stream are read
 * while they arrive.
 */
type Reading = "data" | "json" | "text" | "blob" | "response" | "nothing" | "events" | "lines";

interface Operation {
  readonly method: string;
  /** "/files/{id}/{+rest}": the slashes of `rest` stay. */
  readonly path: string;
  /** For each status when several succeed; the result then includes the status. */
  readonly reads: Reading | Readonly<Record<string, Reading>>;
  /** Media type of a body that is neither JSON nor a form. */
  readonly sends?: string;
  /** The errors with a code that the document lists. */
  readonly errors?: readonly ErrorClass[];
  /** The names of the events; others are ignored. */
  readonly events?: readonly string[];
}

/** The class of the errors with one code. */
interface ErrorClass {
  readonly code: number | string;
  new (response: Response, body: Readonly<Record<string, unknown>>): ApiError;
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
  readonly #errors: readonly ErrorClass[];

  constructor(options: ClientOptions, errors: readonly ErrorClass[] = []) {
    const baseUrl = options.baseUrl ?? "";
    if (/[?#]/.test(baseUrl)) throw new TypeError(`baseUrl has a query or a fragment: ${baseUrl}`);
    const isAbsolute = /^https?:\/\//i.test(baseUrl);
    if (!isAbsolute && !options.fetch && !("location" in globalThis)) {
      throw new TypeError("baseUrl must be absolute outside a browser: https://api.example.com");
    }
    this.#options = options;
    this.#errors = errors;
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
          const init = await limit.race(this.#init(operation, url, headers, body, limit.signal));
          const response = await limit.race(this.#request(title, url, init));
          (options.onResponse ?? this.#options.onResponse)?.(response);
          const reading = readResponse(title, operation, this.#errors, response, leave);
          return (await limit.race(reading)) as Result;
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

  /** The items of a stream while they arrive. Events continue over several connections. */
  stream<Item>(
    operation: Operation,
    input: Input,
    options: StreamOptions = {},
  ): AsyncGenerator<Item, void, undefined> {
    const left = new AbortController();
    const items = this.#items<Item>(operation, input, options, left.signal);
    // A generator that waits for an item would not leave before the item.
    const leave = items.return.bind(items);
    items.return = (value) => {
      left.abort();
      return leave(value);
    };
    return items;
  }

  async *#items<Item>(
    operation: Operation,
    input: Input,
    options: StreamOptions,
    left: AbortSignal,
  ): AsyncGenerator<Item, void, undefined> {
    const path = fillPath(operation.path, input.path);
    const url = this.#baseUrl + path + queryText(input.query);
    const headers = this.#headers(operation, input, options);
    const body = bodyOf(operation, input);
    const title = `${operation.method} ${path}`;
    const reader = streamReader(title, operation, options);
    if (!headers.has("accept")) headers.set("accept", reader.mediaType);
    const isRepeatable = repeatableMethods.has(operation.method);
    const reconnection = new Reconnection(this.#options, options.retries);
    const readTimeout = options.readTimeout ?? 30_000;
    for (;;) {
      reconnection.begin();
      let failure: unknown;
      const limit = new TimeLimit(
        title,
        options.timeout ?? this.#options.timeout ?? 30_000,
        options.signal,
        left,
      );
      try {
        reader.begin(headers);
        const init = await limit.race(this.#init(operation, url, headers, body, limit.signal));
        const response = await limit.race(
          this.#request(title, url, Object.assign(init, { cache: "no-store" })),
        );
        (options.onResponse ?? this.#options.onResponse)?.(response);
        const bytes = await limit.race(openStream(title, operation, this.#errors, response, reader));
        limit.end();
        if (bytes === undefined) return;
        reconnection.opened();
        // Removes a byte order mark.
        const decoder = new TextDecoder();
        try {
          for (;;) {
            limit.restart(readTimeout, "network", `${title}: no data within ${readTimeout} ms`);
            const { done, value } = await limit.race(received(title, bytes.read()));
            limit.end(); // the caller may take its time with an item
            const text = done ? "" : decoder.decode(value, { stream: true });
            for (const item of done ? reader.end() : reader.push(text)) {
              reconnection.received();
              yield item as Item;
            }
            if (done) break;
          }
        } finally {
          bytes.cancel().catch(() => undefined);
        }
      } catch (error) {
        if (left.aborted) return;
        failure = error;
      } finally {
        limit.end();
        limit.release();
      }
      const isOver = failure === undefined && !(isRepeatable && reader.resumes);
      if (isOver) return;
      const mayContinue =
        isRepeatable &&
        (reader.resumes || !reconnection.wasOpen) &&
        (failure === undefined || this.#mayPass(failure));
      const asked = failure instanceof ApiError ? failure.retryAfter : undefined;
      const wait = mayContinue ? reconnection.next(asked, reader.retry) : undefined;
      if (wait === undefined) {
        if (failure === undefined) return;
        throw failure;
      }
      const pause = new TimeLimit(title, 0, options.signal, left);
      try {
        await pause.race(new Promise((resolve) => pause.later(resolve, wait)));
      } catch (error) {
        if (left.aborted) return;
        throw error;
      } finally {
        pause.end();
        pause.release();
      }
    }
  }

  /** Later ones win: defaults, credentials and ids, headers of the call, declared headers. */
  #headers(operation: Operation, input: Input, options: RequestOptions): Headers {
    const headers = new Headers(this.#options.headers);
    for (const [name, value] of callHeaders(this.#options, options)) headers.set(name, value);
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
    url: string,
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
    const cookies = this.#options.cookies?.header(absolute(url), headers.get("cookie") ?? "");
    if (cookies) (init.headers as Headers).set("cookie", cookies);
    if (credentials !== undefined) init.credentials = credentials;
    if (body !== undefined) init.body = body;
    return init;
  }

  async #request(title: string, url: string, init: RequestInit): Promise<Response> {
    try {
      const response = await this.#fetch(url, init);
      this.#options.cookies?.keep(absolute(response.url || url), setCookies(response));
      return response;
    } catch (error) {
      throw new TransportError("network", `${title}: no connection`, error);
    }
  }

  /** Whether another attempt may succeed. */
  #mayPass(error: unknown): boolean {
    if (error instanceof TransportError) return error.reason === "network";
    const { maxRetryDelay = 10_000 } = this.#options;
    return (
      error instanceof ApiError &&
      passingStatuses.has(error.status) &&
      (error.retryAfter ?? 0) <= maxRetryDelay
    );
  }

  /** Undefined when the call is not to be tried again. */
  #retryDelay(error: unknown, attempts: number): number | undefined {
    if (!this.#mayPass(error)) return undefined;
    if (error instanceof ApiError && error.retryAfter !== undefined) return error.retryAfter;
    return backOff(this.#options, attempts);
  }
}

/** The URL of a request; a relative one is relative to the page. */
function absolute(url: string): URL {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  return new URL(url, location?.href);
}

/** The headers Set-Cookie, which browsers hide from scripts. */
function setCookies(response: Response): readonly string[] {
  const headers = response.headers as Headers & { getSetCookie?: () => string[] };
  return headers.getSetCookie?.() ?? [];
}

/** The delay before another attempt: doubles up to the longest, minus at most a half at random. */
function backOff(options: ClientOptions, attempts: number, asked = 0): number {
  const { retryDelay = 200, maxRetryDelay = 10_000 } = options;
  const first = Math.max(2 * asked, retryDelay);
  const longest = Math.min(first * 2 ** Math.min(attempts, 50), Math.max(2 * asked, maxRetryDelay));
  return longest * (0.5 + Math.random() / 2);
}

/** When a stream or a socket connects again. */
class Reconnection {
  readonly #options: ClientOptions;
  readonly #most: number | undefined;
  #wasOpen = false;
  /** Connections in a row that were not open, or soon ended without an item. */
  #failures = 0;
  /** Connections in a row that were not open, or soon ended. */
  #attempts = 0;
  // Of the current connection.
  #since: number | undefined;
  #hasReceived = false;

  /** `most`: how often in a row. By default without a limit once it has been open. */
  constructor(options: ClientOptions, most: number | undefined) {
    this.#options = options;
    this.#most = most;
  }

  /** Before each connection. */
  begin(): void {
    this.#since = undefined;
    this.#hasReceived = false;
  }

  opened(): void {
    this.#since = Date.now();
    this.#wasOpen = true;
  }

  received(): void {
    this.#hasReceived = true;
  }

  /** Whether any connection was open. */
  get wasOpen(): boolean {
    return this.#wasOpen;
  }

  /**
   * The delay after a connection, undefined if there is to be no other. `asked` is what the service
   * asks for by Retry-After, `askedOfStream` by the stream.
   */
  next(asked = 0, askedOfStream = 0): number | undefined {
    const { retries = 2, maxRetryDelay = 10_000 } = this.#options;
    // A service that accepts each connection and ends it soon must not be asked again at once.
    const hasLasted = this.#since !== undefined && Date.now() - this.#since > maxRetryDelay;
    if (hasLasted) this.#attempts = 0;
    if (hasLasted || this.#hasReceived) this.#failures = 0;
    const most = this.#most ?? (this.#wasOpen ? Infinity : retries);
    if (this.#failures >= most) return undefined;
    this.#failures += 1;
    return Math.max(asked, backOff(this.#options, this.#attempts++, askedOfStream));
  }
}

/** Calls it later, also after more time than a timer can wait. The result prevents the call. */
function afterTime(milliseconds: number, action: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (remaining: number): void => {
    const part = Math.min(remaining, longestTimer);
    timer = setTimeout(() => (remaining > part ? wait(remaining - part) : action()), part);
  };
  wait(milliseconds);
  return () => clearTimeout(timer);
}

/** Ends what is under way when the time is over or a signal of the caller aborts. */
class TimeLimit {
  readonly #controller = new AbortController();
  readonly #timers = new Set<() => void>();
  readonly #callerSignals: readonly AbortSignal[];
  readonly #abort: () => void;

  constructor(title: string, timeout: number, ...callerSignals: (AbortSignal | undefined)[]) {
    this.#callerSignals = callerSignals.filter(
      (signal): signal is AbortSignal => signal !== undefined,
    );
    this.#abort = () => {
      const cause: unknown = this.#callerSignals.find(({ aborted }) => aborted)?.reason;
      this.#controller.abort(new TransportError("aborted", `${title}: aborted`, cause));
    };
    if (this.#callerSignals.some(({ aborted }) => aborted)) this.#abort();
    for (const signal of this.#callerSignals) {
      signal.addEventListener("abort", this.#abort, { once: true });
    }
    this.restart(timeout, "timeout", `${title}: no response within ${timeout} ms`);
  }

  /** From now on, ends what is under way after that time; 0: never. */
  restart(timeout: number, reason: "timeout" | "network", message: string): void {
    this.end();
    if (!(timeout > 0 && timeout < Infinity)) return;
    const error = new TransportError(reason, message);
    this.later(() => this.#controller.abort(error), timeout);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  later(action: (value?: unknown) => void, milliseconds: number): void {
    const stop = afterTime(milliseconds, () => {
      this.#timers.delete(stop);
      action();
    });
    this.#timers.add(stop);
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
    for (const stop of this.#timers) stop();
    this.#timers.clear();
  }

  /** Ends the tie to the caller's signals, which may live longer than the call. */
  release(): void {
    for (const signal of this.#callerSignals) signal.removeEventListener("abort", this.#abort);
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
