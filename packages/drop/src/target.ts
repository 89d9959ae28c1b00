import { LOCALES, type Locale } from "./pages/page-input.ts"

/** What a request is about, as the door and the routes both read it. */
export interface Target {
  readonly locale: Locale
  /**
   * The rest of the path after `/drop` and the locale, without slashes at its ends: "", "replies",
   * "files/style.0123.css".
   */
  readonly name: string
  readonly query: URLSearchParams
}

/** Reads the target of a request line; null for anything not below `/drop`. */
export function readTarget(target: string): Target | null {
  const [, path = "", query = ""] = /^(?:https?:\/\/[^/?]*)?([^?]*)(?:\?(.*))?$/i.exec(target) ?? []
  const [empty, drop, ...rest] = path.split("/")
  if (empty !== "" || drop !== "drop") return null
  const locale = LOCALES.find((known) => known !== "en" && known === rest[0])
  const name = (locale === undefined ? rest : rest.slice(1)).join("/")
  return { locale: locale ?? "en", name, query: new URLSearchParams(query) }
}

/** Posts to these carry plain text or a code. */
const PLAIN_NAMES: ReadonlySet<string> = new Set([
  "form",
  "confirm",
  "replies",
  "replies/delete",
  "withdraw",
  "presealed",
])

/** Whether a request carries what only a sealer may read. */
export function isPlain(method: string, target: Target | null): boolean {
  return method === "POST" && target !== null && PLAIN_NAMES.has(target.name)
}

/** Whether a plain request may bring a new message; the others only ask. */
export function sendsMessage(target: Target | null): boolean {
  return target?.name === "form" || target?.name === "presealed"
}
