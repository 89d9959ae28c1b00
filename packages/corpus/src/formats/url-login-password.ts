import { delimitedLines } from "./delimited-lines.ts"
import { Delimiter } from "./delimiter.ts"
import { lineParser } from "./lines.ts"
import { addLogin, identityTypeOf } from "./login-row.ts"

/** The facts about one login in a line. `site` is null if the line names none. */
interface UrlLogin {
  readonly site: string | null
  readonly login: string
  readonly password: string | null
}

const URL = /^[a-z][a-z0-9+.-]{0,30}:\/\/./i
const SCHEME = /^[a-z][a-z0-9+.-]{0,30}:\/\//i
const SCHEME_AT_END = /[a-z][a-z0-9+.-]{0,30}$/i
const HOST = /^(?:[\w-]{1,63}\.){1,20}[\w-]{2,63}(?=[/:?#;|\s]|$)|^localhost\b/i
/** No URL begins so; most lines of a list of addresses do. */
const ADDRESS_FIRST = /^(?!localhost\b)[\w.+-]*@/i
const IP6_HOST = /\[[0-9a-f:.]{2,45}\]/iy
const AUTHORITY_END = /[/?#:]/g
const PORT = /:[0-9]{1,5}(?=[/?#:])/y

/**
 * Lines of a URL, a login and a password, or with the URL last; the password may contain the
 * delimiter. Only a login that is an address or a phone number makes a row.
 */
export const urlLoginPassword = delimitedLines({
  name: "url-login-password",
  title: "lines of URL, login and password",
  impliedKind: "stealer",
  usualDelimiter: ":",
  fits(text, delimiter) {
    // All white space separates alike; the kind that is there is the one to name.
    if (!text.includes(delimiter)) return false
    if (ADDRESS_FIRST.test(text) && !text.includes("://")) return false
    const said = readUrlLogin(text, new Delimiter(delimiter))
    if (said?.site == null || said.login === "") return false
    return URL.test(text) || identityTypeOf(said.login) !== null
  },
  parser(delimiter) {
    const split = new Delimiter(delimiter)
    return lineParser((line, text, sink) => {
      const said = readUrlLogin(text.trimStart(), split)
      if (said === null) sink.reject(line, "no-delimiter")
      else addLogin(line, said.login, said.password, sink)
    })
  },
})

/** Splits a line; null if it has too few delimiters. */
function readUrlLogin(text: string, split: Delimiter): UrlLogin | null {
  const scheme = SCHEME.exec(text)?.[0].length ?? 0
  const urlFirst = scheme > 0 || HOST.test(text)
  return urlFirst ? readUrlFirst(text, scheme, split) : readUrlLast(text, split)
}

function readUrlFirst(text: string, scheme: number, split: Delimiter): UrlLogin | null {
  const urlEnd = split.isColon ? endBeforeColon(text, scheme, split) : split.find(text, scheme)
  if (urlEnd === -1) return null
  const loginAt = split.after(text, urlEnd)
  const loginEnd = split.find(text, loginAt)
  const site = text.slice(0, urlEnd)
  if (loginEnd === -1) return { site, login: text.slice(loginAt), password: null }
  const password = text.slice(split.after(text, loginEnd))
  return { site, login: text.slice(loginAt, loginEnd), password }
}

/**
 * Where a URL ends that a colon separates from a login, given that ports and paths have colons too.
 */
function endBeforeColon(text: string, scheme: number, split: Delimiter): number {
  const host = matchAt(IP6_HOST, text, scheme)?.length ?? 0
  let at = indexAt(AUTHORITY_END, text, scheme + host)
  if (at === -1) return -1
  const port = matchAt(PORT, text, at)
  if (port !== null) {
    const behind = at + port.length
    // Digits with a colon on both sides are a port where an identity follows. Where none does they
    // may be a user name, and the line makes no row either way.
    if (text.charAt(behind) !== ":") at = behind
    else if (identityTypeOf(fieldAt(text, behind, split)) !== null) return behind
  }
  if (text.charAt(at) !== ":") at = text.indexOf(":", at)
  // A path may have colons; a login has no slash.
  while (at !== -1 && fieldAt(text, at, split).includes("/")) at = text.indexOf(":", at + 1)
  return at
}

function readUrlLast(text: string, split: Delimiter): UrlLogin | null {
  const loginEnd = split.find(text, 0)
  if (loginEnd === -1) return null
  const login = text.slice(0, loginEnd)
  const passwordAt = split.after(text, loginEnd)
  const urlAt = schemeBehind(text, passwordAt, split)
  if (urlAt === -1) return { site: null, login, password: text.slice(passwordAt) }
  const passwordEnd = split.before(text, split.findLast(text.slice(0, urlAt)))
  return { site: text.slice(urlAt), login, password: text.slice(passwordAt, passwordEnd) }
}

/** Where a URL after a delimiter begins, from `from` on; -1 if there is none. */
function schemeBehind(text: string, from: number, split: Delimiter): number {
  const slashes = text.indexOf("://", from)
  if (slashes === -1) return -1
  const before = text.slice(Math.max(from, slashes - 31), slashes)
  const scheme = SCHEME_AT_END.exec(before)
  if (scheme === null) return -1
  const at = slashes - scheme[0].length
  const cut = split.findLast(text.slice(0, at))
  return cut >= from && split.after(text, cut) === at ? at : -1
}

/** The field after the delimiter at `at`. */
function fieldAt(text: string, at: number, split: Delimiter): string {
  const from = split.after(text, at)
  const end = split.find(text, from)
  return end === -1 ? text.slice(from) : text.slice(from, end)
}

function matchAt(sticky: RegExp, text: string, at: number): string | null {
  sticky.lastIndex = at
  return sticky.exec(text)?.[0] ?? null
}

function indexAt(global: RegExp, text: string, from: number): number {
  global.lastIndex = from
  return global.exec(text)?.index ?? -1
}
