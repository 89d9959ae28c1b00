import { isPlainLoopback } from "@assay/runtime/outbound/base-url"
import { boundedJson } from "@assay/runtime/outbound/bounded-json"
import { LookupFailure } from "./lookup-failure.ts"
import type { Answer } from "./probe.ts"

/** When a domain was registered. */
export interface Registration extends Answer {
  /** YYYY-MM-DD in UTC; null where the registry does not say, or does not know the domain. */
  readonly date: string | null
}

export interface Registry {
  /** Asks for one registrable domain by RDAP (RFC 9082 and 9083). */
  registration(domain: string): Promise<Registration>
  /** Whether anything answers there. Names no domain. */
  ping(): Promise<void>
  /** Ends requests under way as failures. */
  close(): void
}

export interface RegistryOptions {
  /** Ends in a slash. */
  readonly url: string
  /** Whether a redirect may lead to another host than the configured one. */
  readonly redirectsAbroad: boolean
  /** Time for one question, from the connection to the last byte, redirects included. */
  readonly requestMs?: number
}

const REQUEST_MS = 5000
const BODY_BYTES_MAX = 256 * 1024
const REDIRECTS_MAX = 3

const UNKNOWN: Registration = { status: "answered", date: null }

export function openRegistry({
  url,
  redirectsAbroad,
  requestMs = REQUEST_MS,
}: RegistryOptions): Registry {
  const base = new URL(url)
  const open = new Set<AbortController>()
  let closed = false

  /** One question, in the time there is. */
  async function within<T>(path: string, read: (response: Response) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), requestMs)
    open.add(controller)
    try {
      if (closed) throw new LookupFailure("provider")
      return await read(await get(new URL(path, base), controller.signal))
    } catch (error) {
      // Whatever `fetch` and its streams throw names the URL, and that names the domain.
      throw error instanceof LookupFailure ? error : new LookupFailure("provider")
    } finally {
      clearTimeout(timer)
      open.delete(controller)
      // Ends the connection where the body was not read to its end.
      controller.abort()
    }
  }

  async function get(from: URL, signal: AbortSignal): Promise<Response> {
    let target = from
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      const response = await fetch(target, {
        signal,
        redirect: "manual",
        headers: { accept: "application/rdap+json", "user-agent": "assay" },
      })
      if (response.status < 300 || response.status > 399) return response
      target = new URL(response.headers.get("location") ?? "", target)
      if (!mayFollow(target)) break
    }
    throw new LookupFailure("provider")
  }

  /**
   * To another host only if allowed, and then never from outside to a plain port of this machine.
   */
  function mayFollow(target: URL): boolean {
    if (target.origin === base.origin) return true
    if (!redirectsAbroad) return false
    return target.protocol === "https:" || (base.protocol === "http:" && isPlainLoopback(target))
  }

  return {
    registration: (domain) =>
      within(`domain/${domain}`, async (response) => {
        if (response.status === 404) return UNKNOWN
        // The only refusal about the name and not about us: the registry has no such names.
        if (response.status === 400) throw new LookupFailure("name")
        if (response.status !== 200) throw new LookupFailure("provider")
        return registrationOf(await boundedJson(response, BODY_BYTES_MAX))
      }),
    ping: () =>
      within("help", async (response) => {
        if (response.status >= 500) throw new LookupFailure("provider")
      }),
    close() {
      closed = true
      for (const controller of open) controller.abort()
    },
  }
}

/** The date of a domain's first registration. Throws for a document that is not about a domain. */
export function registrationOf(document: unknown): Registration {
  const { objectClassName, events } = asObject(document)
  if (objectClassName !== "domain") throw new LookupFailure("provider")
  if (events === undefined) return UNKNOWN
  if (!Array.isArray(events)) throw new LookupFailure("provider")
  const registered = events.map(asObject).find(({ eventAction }) => eventAction === "registration")
  if (registered === undefined) return UNKNOWN
  return { status: "answered", date: utcDate(registered["eventDate"]) }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) throw new LookupFailure("provider")
  return value as Record<string, unknown>
}

// RFC 3339. Some registries leave the zone out and mean UTC, as the RFC would have them write it.
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}:\d{2})(?:\.\d+)?([Zz]|[-+]\d{2}:\d{2})?)?$/

function utcDate(value: unknown): string {
  const [, day, time = "00:00:00", zone = "Z"] = INSTANT.exec(String(value)) ?? []
  const at = Date.parse(`${day}T${time}${zone.toUpperCase()}`)
  if (Number.isNaN(at)) throw new LookupFailure("provider")
  return new Date(at).toISOString().slice(0, 10)
}
