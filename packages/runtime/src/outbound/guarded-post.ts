import { lookup as systemLookup, type LookupAddress } from "node:dns"
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { type AddressRange, openAddressGuard } from "./address-guard.ts"

/** Why there was no answer. */
export type PostFault =
  | "url-refused"
  | "address-refused"
  | "name-not-found"
  | "not-reached"
  | "tls-failed"
  | "timed-out"
  | "cut-off"

export class PostFailed extends Error {
  override readonly name = "PostFailed"
  readonly code: PostFault
  constructor(code: PostFault, options?: ErrorOptions) {
    super(`No answer came: ${code}`, options)
    this.code = code
  }
}

export interface PostAnswer {
  readonly status: number
  readonly retryAfter: string | null
  /** The beginning of the body, as text. */
  readonly body: string
  /** Whether the address that answered is anybody's, and not one that only the operator allowed. */
  readonly isPublic: boolean
}

/** Finds the addresses of a name; `dns.lookup` unless a test has another. */
export type FindAddresses = (
  name: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void

export interface GuardedPosts {
  /**
   * null: the URL may be called, as far as can be told without calling it. A name that is not found
   * now may be found later.
   */
  refusalOf(url: string): Promise<"url-refused" | "address-refused" | null>
  /** Throws `PostFailed`. Redirects are answers like others, and nobody follows them. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<PostAnswer>
  /** The same for reading. */
  get(url: string, headers: Readonly<Record<string, string>>): Promise<PostAnswer>
  close(): void
}

export interface GuardedPostsOptions {
  /** Private addresses that may be called, also without TLS. */
  readonly allowed: readonly AddressRange[]
  /** From the first look-up to the last byte. */
  readonly timeoutMs: number
  readonly bodyBytesMax: number
  readonly findAddresses?: FindAddresses
  /** Whose certificates are trusted; those of the system unless a test has others. */
  readonly ca?: string
}

/** More of an answer than this is not waited for. */
const READ_BYTES_MAX = 64 * 1024

/**
 * Calls addresses that somebody else chose. Every address is judged where the connection is made,
 * on what the name resolved to for that connection: a name that changes its address between a check
 * and a call gains nothing.
 */
export function openGuardedPosts(options: GuardedPostsOptions): GuardedPosts {
  const { timeoutMs, bodyBytesMax, findAddresses = findBySystem } = options
  const guard = openAddressGuard(options.allowed)
  const agents = {
    "http:": new HttpAgent({ keepAlive: true, timeout: timeoutMs }),
    "https:": new HttpsAgent({
      keepAlive: true,
      timeout: timeoutMs,
      ...(options.ca !== undefined && { ca: options.ca }),
    }),
  }

  /** Why an address of a URL may not be called. */
  const refusalOf = (
    { protocol }: URL,
    addresses: readonly string[],
  ): "url-refused" | "address-refused" | null => {
    const judged = addresses.map((address) => guard.judge(address))
    // One private address among others is enough: which of them is called is not ours to choose.
    if (judged.includes("refused")) return "address-refused"
    // What is plain is read by whoever is on the way, so only the operator's networks may be.
    return protocol === "http:" && judged.includes("public") ? "url-refused" : null
  }
  const lookupFor =
    (url: URL): LookupFunction =>
    (name, { all }, done) => {
      findAddresses(name, (error, found) => {
        const [first] = found
        const refused = refusalOf(
          url,
          found.map(({ address }) => address),
        )
        if (error !== null || first === undefined)
          done(new PostFailed("name-not-found", { cause: error }), "")
        else if (refused !== null) done(new PostFailed(refused), "")
        else if (all === true) done(null, [...found])
        else done(null, first.address, first.family)
      })
    }

  async function call(
    method: "GET" | "POST",
    text: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<PostAnswer> {
    const url = readTarget(text)
    if (url === null) throw new PostFailed("url-refused")
    // Node does not look addresses up, so the guard of the look-up never sees them.
    const refused = refusalOf(url, literalOf(url))
    if (refused !== null) throw new PostFailed(refused)
    const isPlain = url.protocol === "http:"
    const send = isPlain ? httpRequest : httpsRequest
    const { promise, resolve, reject } = Promise.withResolvers<PostAnswer>()
    const signal = AbortSignal.timeout(timeoutMs)
    const request = send(url, {
      method,
      agent: agents[isPlain ? "http:" : "https:"],
      headers:
        method === "GET" ? headers : { ...headers, "content-length": Buffer.byteLength(body) },
      lookup: lookupFor(url),
      signal,
    })
    const failed = (error: unknown): void =>
      reject(signal.aborted ? new PostFailed("timed-out", { cause: error }) : failureOf(error))
    request.once("error", failed)
    request.once("socket", (socket) => {
      const admit = (): void => {
        const fault = refusalOf(url, [socket.remoteAddress ?? ""])
        if (fault === null) request.end(body)
        else request.destroy(new PostFailed(fault))
      }
      if (socket.connecting) socket.once("connect", admit)
      else admit()
    })
    request.once("response", (response) => {
      const isPublic = guard.judge(response.socket.remoteAddress ?? "") === "public"
      readBeginning(response, bodyBytesMax).then(
        (beginning) =>
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers["retry-after"] ?? null,
            body: beginning,
            isPublic,
          }),
        failed,
      )
    })
    return await promise
  }

  return {
    async refusalOf(text) {
      const url = readTarget(text)
      if (url === null) return "url-refused"
      const found = await addressesOf(url, findAddresses)
      return refusalOf(url, found)
    },
    post: (url, headers, body) => call("POST", url, headers, body),
    get: (url, headers) => call("GET", url, headers, ""),
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

const URL_CHARACTERS_MAX = 2_000
/** Whoever sets a URL does not wait longer for a resolver; every call is judged anyway. */
const CHECK_MS = 2_000

/** A URL that can be called at all; null: not. What it names is judged later. */
export function readTarget(text: string): URL | null {
  if (text.length > URL_CHARACTERS_MAX || !URL.canParse(text)) return null
  const url = new URL(text)
  const isWeb = url.protocol === "https:" || url.protocol === "http:"
  // A fragment is never sent; a name and password in a URL end up in logs of others.
  if (!isWeb || url.username !== "" || url.password !== "" || url.hash !== "") return null
  return hostOf(url) === "" ? null : url
}

function hostOf({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname
}

/** The address that a URL names without a look-up. None where it has a name. */
function literalOf(url: URL): string[] {
  const host = hostOf(url)
  if (isIP(host) !== 0) return [host]
  // Names of this machine, whatever a resolver makes of them (RFC 6761, section 6.3).
  return /(?:^|\.)localhost\.?$/.test(host) ? ["127.0.0.1"] : []
}

/** None where the name is not found, or not soon enough. */
async function addressesOf(url: URL, find: FindAddresses): Promise<string[]> {
  const literal = literalOf(url)
  if (literal.length > 0) return literal
  const host = hostOf(url)
  return await new Promise((resolve) => {
    const timer = setTimeout(resolve, CHECK_MS, [])
    find(host, (error, found) => {
      clearTimeout(timer)
      resolve(error ? [] : found.map(({ address }) => address))
    })
  })
}

const findBySystem: FindAddresses = (name, done) =>
  systemLookup(name, { all: true }, (error, found) => done(error, error ? [] : found))

/** Reads all of the answer, so that the connection can be used again, unless there is too much. */
async function readBeginning(response: IncomingMessage, bytesMax: number): Promise<string> {
  const kept: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (bytes < bytesMax) kept.push(chunk.subarray(0, bytesMax - bytes))
    bytes += chunk.length
    if (bytes > READ_BYTES_MAX) break
  }
  return new TextDecoder().decode(Buffer.concat(kept)).replaceAll("\0", "\u{FFFD}")
}

function failureOf(error: unknown): PostFailed {
  if (error instanceof PostFailed) return error
  const { code = "" } = error as { code?: string }
  return new PostFailed(faultOf(code), { cause: error })
}

const NOT_REACHED: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "EACCES",
  "EPERM",
])

function faultOf(code: string): PostFault {
  if (NOT_REACHED.has(code)) return "not-reached"
  if (code === "ETIMEDOUT") return "timed-out"
  const isTls = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/.test(code)
  return isTls ? "tls-failed" : "cut-off"
}
