interface KeptCookie {
  readonly name: string;
  readonly value: string;
  /** In lower case. */
  readonly domain: string;
  readonly path: string;
  readonly hostOnly: boolean;
  readonly secure: boolean;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** 400 days, in seconds. */
const longestAge = 400 * 24 * 3600;
const mostOfDomain = 50;
const mostCookies = 3000;

/**
 * The cookies of services (RFC 6265), in memory, for `cookies` in the settings of a client outside
 * of browsers, which keep cookies by themselves. Several clients may share one, also clients of
 * services that trust each other with their cookies.
 */
export class CookieJar {
  /** In the order in which they came. */
  #cookies: KeptCookie[] = [];

  /** Forgets all cookies. */
  clear(): void {
    this.#cookies = [];
  }

  /** The header Cookie of a request; `declared` is another such header, which takes precedence. */
  header(url: URL, declared = ""): string {
    this.#removeExpired();
    const isSent = (cookie: KeptCookie): boolean =>
      (cookie.hostOnly ? url.hostname === cookie.domain : isWithin(url.hostname, cookie.domain)) &&
      isWithinPath(url.pathname, cookie.path) &&
      (isSecure(url) || !cookie.secure) &&
      !`; ${declared}`.includes(`; ${cookie.name}=`);
    const sent = this.#cookies
      .filter(isSent)
      .sort((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`);
    return [...sent, ...(declared === "" ? [] : [declared])].join("; ");
  }

  /** Keeps the cookies of a response, and removes those that it lets expire. */
  keep(url: URL, lines: readonly string[]): void {
    for (const line of lines) {
      const cookie = readCookie(url, line);
      if (cookie === undefined) continue;
      const known = this.#cookies.findIndex(
        (each) =>
          each.name === cookie.name &&
          each.domain === cookie.domain &&
          each.hostOnly === cookie.hostOnly &&
          each.path === cookie.path,
      );
      if (known < 0) this.#cookies.push(cookie);
      else this.#cookies[known] = cookie;
      this.#removeExpired();
      this.#limit(cookie.domain);
    }
  }

  #removeExpired(): void {
    const now = Date.now();
    this.#cookies = this.#cookies.filter((cookie) => cookie.expires > now);
  }

  /** Removes the oldest cookies of the domain and of all domains. */
  #limit(domain: string): void {
    const isOfDomain = (cookie: KeptCookie): boolean => cookie.domain === domain;
    if (this.#cookies.filter(isOfDomain).length > mostOfDomain) {
      this.#cookies.splice(this.#cookies.findIndex(isOfDomain), 1);
    }
    if (this.#cookies.length > mostCookies) this.#cookies.shift();
  }
}

function isSecure(url: URL): boolean {
  return url.protocol === "https:" || url.protocol === "wss:";
}

function isAddress(host: string): boolean {
  return host.startsWith("[") || /^[0-9.]+$/.test(host);
}

function isWithin(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && !isAddress(host));
}

function isWithinPath(path: string, prefix: string): boolean {
  return (
    path.startsWith(prefix) &&
    (path.length === prefix.length || prefix.endsWith("/") || path[prefix.length] === "/")
  );
}

/** Undefined for a header Set-Cookie that is to be ignored. */
function readCookie(url: URL, line: string): KeptCookie | undefined {
  // eslint-disable-next-line no-control-regex
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(line)) return undefined;
  const [pair = "", ...attributes] = line.split(";");
  const equals = pair.indexOf("=");
  const name = pair.slice(0, Math.max(equals, 0)).trim();
  const value = pair.slice(equals + 1).trim();
  if (name === "" || name.length + value.length > 4096) return undefined;
  const directory = url.pathname.slice(0, url.pathname.lastIndexOf("/")) || "/";
  let path = directory;
  let domain = "";
  let secure = false;
  let expires = Infinity;
  let hasAge = false;
  for (const attribute of attributes) {
    const [key = "", ...rest] = attribute.split("=");
    const text = rest.join("=").trim();
    switch (key.trim().toLowerCase()) {
      case "secure":
        secure = true;
        break;
      case "path":
        path = text.startsWith("/") ? text : directory;
        break;
      case "domain":
        domain = text.replace(/^\./, "").toLowerCase();
        break;
      case "expires":
        if (!hasAge && !Number.isNaN(Date.parse(text))) expires = Date.parse(text);
        break;
      case "max-age":
        if (!/^-?[0-9]+$/.test(text)) break;
        hasAge = true;
        expires = Number(text) <= 0 ? 0 : Date.now() + Math.min(Number(text), longestAge) * 1000;
    }
  }
  if (secure && !isSecure(url)) return undefined;
  // Without a list of public suffixes, domains of one label count as such.
  const isSuffix = !domain.includes(".");
  if (domain !== "" && !isWithin(url.hostname, domain)) return undefined;
  if (domain !== "" && isSuffix && domain !== url.hostname) return undefined;
  if (name.startsWith("__Secure-") && !secure) return undefined;
  if (name.startsWith("__Host-") && !(secure && domain === "" && path === "/")) return undefined;
  const hostOnly = isSuffix || isAddress(domain);
  return { name, value, domain: domain || url.hostname, path, hostOnly, secure, expires };
}
