/** The span that a call belongs to, in the form of W3C Trace Context. */
export interface TraceContext {
  /** "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" */
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

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
  /** The span of the caller, which the service continues; a function is asked once for each call. */
  readonly trace?: TraceContext | (() => TraceContext | undefined) | undefined;
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
  /** Keeps the cookies of the service, for example of a session; browsers do so by themselves. */
  readonly cookies?: CookieJar | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Sees each response before its body is read, for its headers. */
  readonly onResponse?: ((response: Response) => void) | undefined;
}

/** Settings of one call. */
export interface RequestOptions extends Pick<
  ClientOptions,
  "headers" | "requestId" | "trace" | "timeout" | "retries" | "onResponse"
> {
  /** Ends the call with a TransportError whose reason is "aborted". */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Settings of a call whose response is a stream. `timeout` ends with the head of a response.
 * `retries` says how often in a row the client connects again without receiving an item. Default:
 * as often as for other calls until the stream has been open, and then without limit. With 0, the
 * stream ends with its first connection.
 */
export interface StreamOptions extends RequestOptions {
  /** The `id` of the last event that was received: the service sends what came after it. */
  readonly lastEventId?: string | undefined;
  /**
   * Milliseconds without any data after which the connection counts as broken; 0 for no limit. The
   * service sends a comment when there is no event, every 15 seconds by default. Default: 30,000.
   */
  readonly readTimeout?: number | undefined;
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

declare const failures: unique symbol;

/** A call of an operation whose errors the document lists. Other errors are possible. */
export interface ApiCall<Value, Failure extends ApiError> extends Promise<Value> {
  /** A type for `attempt`; has no value. */
  readonly [failures]?: Failure;
}

/** The result of a call as a value. An error that the document lists has a `code` of its own. */
export type Outcome<Value, Failure extends ApiError = never> =
  | { readonly ok: true; readonly value: Value; readonly code?: undefined }
  | Failed<Failure>
  | {
      readonly ok: false;
      readonly code?: undefined;
      readonly error: ApiError | TransportError;
    };

type Failed<Failure> = Failure extends ApiError
  ? { readonly ok: false; readonly code: Failure["code"]; readonly error: Failure }
  : never;

/** The errors with a code that the document lists for their operation. */
const listedErrors = new WeakSet<ApiError>();

/** Turns the errors of a call into a value; errors of the calling code are still thrown. */
export async function attempt<Value, Failure extends ApiError = never>(
  call: Promise<Value> & { readonly [failures]?: Failure },
): Promise<Outcome<Value, Failure>> {
  try {
    return { ok: true, value: await call };
  } catch (error) {
    if (error instanceof ApiError && listedErrors.has(error)) {
      return { ok: false, code: error.code, error } as Failed<Failure>;
    }
    if (error instanceof ApiError || error instanceof TransportError) return { ok: false, error };
    throw error;
  }
}
