import { timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { Problem } from "../base/problem.ts"
import type { Caller, Callers } from "./callers.ts"
import { csrfTokenOf, type Sessions } from "./sessions.ts"

export const SESSION_COOKIE = "__Host-assay-session"
export const DEVICE_COOKIE = "__Host-assay-device"
export const CSRF_HEADER = "x-csrf-token"

/** Whom a request is from: an API key, or a person who signed in. */
export type CallerOf = (request: IncomingMessage) => Caller | Promise<Caller>

/** Where people come by; null: nobody can sign in. */
export type ConsoleOrigin = (request: IncomingMessage) => string | null

interface CallerOfOptions {
  readonly callers: Pick<Callers, "authenticate">
  readonly sessions: Pick<Sessions, "authenticate">
  readonly consoleOrigin: ConsoleOrigin
}

/** A request with an `Authorization` header is a key's, whatever cookies come with it. */
export function openCallerOf({ callers, sessions, consoleOrigin }: CallerOfOptions): CallerOf {
  return (request) => {
    const { authorization } = request.headers
    const token = authorization === undefined ? cookieOf(request, SESSION_COOKIE) : null
    if (token === null) return callers.authenticate(authorization)
    const origin = consoleOrigin(request)
    if (origin === null) return callers.authenticate(undefined)
    refuseCrossSite(request, origin)
    if (!READING.has(request.method ?? "")) refuseWithoutToken(request, token)
    return sessions.authenticate(token)
  }
}

const READING: ReadonlySet<string> = new Set(["GET", "HEAD"])

/**
 * In production the origin that is set. A demo is on the port where the request arrived, by the
 * name that it prints.
 */
export function openConsoleOrigin(config: {
  readonly production: boolean
  readonly consoleOrigin: string | null
}): ConsoleOrigin {
  const { production, consoleOrigin } = config
  return ({ socket }) =>
    consoleOrigin ?? (production ? null : `http://localhost:${socket.localPort ?? 0}`)
}

/**
 * Throws where a browser says that another site is behind a request. Whoever sends neither header
 * is no browser of today, and no page of another site can leave them out.
 */
export function refuseCrossSite({ headers, method }: IncomingMessage, ownOrigin: string): void {
  const { origin } = headers
  const site = headers["sec-fetch-site"]
  const isRead = READING.has(method ?? "")
  // A reader may come by a link or a bookmark, of which the browser says "none".
  const fits = site === undefined || site === "same-origin" || (isRead && site === "none")
  if (fits && (origin === undefined || origin === ownOrigin)) return
  throw new Problem("cross-site", "Nothing was done.")
}

function refuseWithoutToken({ headers }: IncomingMessage, token: string): void {
  const given = Buffer.from(String(headers[CSRF_HEADER] ?? ""))
  const due = Buffer.from(csrfTokenOf(token))
  if (given.length === due.length && timingSafeEqual(given, due)) return
  throw new Problem("cross-site", "The request lacks the X-CSRF-Token of its session.")
}

/** A cookie by its name; null where there is none, or more than one. */
export function cookieOf({ headers }: IncomingMessage, name: string): string | null {
  const values = (headers.cookie ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  return values.length === 1 ? (values[0] ?? null) : null
}

/** `__Host-` takes Secure, Path=/ and no domain: no other host can set or get it. */
export function setCookie(
  name: string,
  value: string,
  seconds: number,
  sameSite: "Strict" | "Lax" = "Strict",
): string {
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}`
}
