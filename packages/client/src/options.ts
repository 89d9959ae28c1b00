import { type Failover, FAILOVERS } from "./failover.ts"

export interface ClientOptions<F extends Failover = "throw"> {
  /** Where the service is, such as `https://assay.example.com`; a path before `/api` is kept. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Time for a whole call, its retries included. */
  readonly timeoutMs?: number
  /** How often a call may be sent again after a failure that may pass. */
  readonly retries?: number
  /** What calls resolve to when the service could not answer. */
  readonly failover?: F
  /** Used instead of the global one. */
  readonly fetch?: typeof globalThis.fetch
  /** Anybody who opens the page can read the key out of it. */
  readonly dangerouslyAllowBrowser?: boolean
}

/** The options of a client, checked and complete. */
export interface Settings<F extends Failover> {
  /** Without a slash at the end. */
  readonly baseUrl: string
  /** null: the browser sends the cookie of a session. */
  readonly apiKey: string | null
  /** What requests of a session carry besides its cookie, once it is known. */
  readonly csrf?: { token: string | null }
  readonly timeoutMs: number
  readonly retries: number
  readonly failover: F | "throw"
  readonly fetch: typeof globalThis.fetch
}

const RETRIES_MAX = 10
/** The longest a timer can run; past it, it would fire at once. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1

/**
 * Checks and completes options; throws a TypeError that names the wrong one and never its value.
 */
export function settingsOf<F extends Failover>(options: ClientOptions<F>): Settings<F> {
  const { apiKey, retries = 1, failover = "throw", dangerouslyAllowBrowser = false } = options
  // Also what a header can carry: `fetch` would repeat a key it cannot send in its error.
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError("apiKey takes an API key: printable ASCII without spaces")
  if (isBrowser() && !dangerouslyAllowBrowser) {
    throw new TypeError(
      "An API key in a browser can be read by anyone who opens the page. Call the service from your own server, or set dangerouslyAllowBrowser",
    )
  }
  if (!Number.isInteger(retries) || retries < 0 || retries > RETRIES_MAX)
    throw new TypeError(`retries takes an integer from 0 to ${RETRIES_MAX}`)
  if (!FAILOVERS.includes(failover))
    throw new TypeError(`failover takes one of ${FAILOVERS.join(", ")}`)
  return {
    baseUrl: checkedBaseUrl(options.baseUrl),
    apiKey,
    timeoutMs: checkedTimeout(options.timeoutMs ?? 500),
    retries,
    failover,
    fetch: checkedFetch(options.fetch ?? globalThis.fetch),
  }
}

/** The settings of a page whose visitor has signed in. */
export interface SessionSettings extends Settings<"throw"> {
  readonly csrf: { token: string | null }
}

export function sessionSettingsOf(
  options: Pick<ClientOptions, "baseUrl" | "timeoutMs" | "retries" | "fetch">,
): SessionSettings {
  // A key that is never sent.
  const checked = settingsOf<"throw">({
    ...options,
    apiKey: "none",
    dangerouslyAllowBrowser: true,
  })
  return { ...checked, apiKey: null, csrf: { token: null } }
}

/** The time-out itself, or a TypeError. */
export function checkedTimeout(timeoutMs: number): number {
  if (!(Number.isFinite(timeoutMs) && timeoutMs > 0 && timeoutMs <= TIMEOUT_MS_MAX))
    throw new TypeError(`timeoutMs takes milliseconds, more than 0 and at most ${TIMEOUT_MS_MAX}`)
  return timeoutMs
}

function checkedBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new TypeError("baseUrl takes an absolute http or https URL")
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new TypeError("baseUrl takes no user name, password, query or fragment")
  return url.origin + url.pathname.replace(/\/+$/, "")
}

function checkedFetch(fetch: unknown): typeof globalThis.fetch {
  if (typeof fetch !== "function") throw new TypeError("fetch takes a function like the global one")
  return fetch as typeof globalThis.fetch
}

export function isBrowser(): boolean {
  return "window" in globalThis && "document" in globalThis
}
