/** What a line of a stealer's password file is. */
export type LineKind = "site" | "login" | "password" | "program" | "separator" | "blank" | "other"

export interface RecordLine {
  readonly kind: LineKind
  /** The text after the key. */
  readonly value: string
}

const OTHER: RecordLine = { kind: "other", value: "" }
const SEPARATOR: RecordLine = { kind: "separator", value: "" }
const BLANK: RecordLine = { kind: "blank", value: "" }

/** Keys as the families spell them, in lower case and without anything but letters. */
const KEYS: ReadonlyMap<string, LineKind> = new Map(
  Object.entries({
    site: ["url", "host", "hostname", "site", "website", "link", "origin"],
    login: ["login", "user", "username", "usr", "userlogin", "loginname", "email", "mail"],
    password: ["password", "pass", "passwd", "pwd", "psw", "userpassword"],
    program: ["soft", "software", "application", "app", "browser", "webbrowser", "storage"],
  } satisfies Partial<Record<LineKind, string[]>>).flatMap(([kind, keys]) =>
    keys.map((key) => [key, kind as LineKind] as const),
  ),
)
const KEY_LENGTH_MAX = 32
const NOT_LETTERS = /[^a-z]+/g
// Only characters used for drawing lines, with three of the same in a row.
const DRAWN = /^[\s=\-_*#~+.\u2500-\u257f]+$/
const THREE_ALIKE = /([=\-_*#~+\u2500-\u257f])\1\1/

/**
 * Reads one line. Only the values of the three fields of a login are ever looked at; a machine's
 * facts are not.
 */
export function readRecordLine(text: string): RecordLine {
  const keyEnd = keyEndIn(text)
  if (keyEnd > 0) {
    const kind = kindOfKey(text.slice(0, keyEnd))
    if (kind !== undefined) return { kind, value: valueAt(text, keyEnd + 1) }
  }
  return withoutKey(text)
}

function withoutKey(text: string): RecordLine {
  // Lines are not drawn with letters.
  if (isLetter(text.charCodeAt(0))) return OTHER
  if (text.trim() === "") return BLANK
  return DRAWN.test(text) && THREE_ALIKE.test(text) ? SEPARATOR : OTHER
}

/** What a line is, where its value is not wanted. */
export function kindOfLine(text: string): LineKind {
  const keyEnd = keyEndIn(text)
  const kind = keyEnd > 0 ? kindOfKey(text.slice(0, keyEnd)) : undefined
  return kind ?? withoutKey(text).kind
}

const [COLON, EQUALS, TAB] = [58, 61, 9] as const
const [LOWER_A, LOWER_Z, LOWER_CASE] = [97, 122, 32] as const
const LETTERS_MAX = Math.max(...Array.from(KEYS.keys(), ({ length }) => length))

/**
 * Where the key ends; -1 if there is none. What stands before a colon in lines of other files is
 * mostly an address, and has more letters than any key.
 */
function keyEndIn(text: string): number {
  const end = Math.min(text.length, KEY_LENGTH_MAX)
  let letters = 0
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === COLON || code === EQUALS || code === TAB) return at
    if (isLetter(code) && ++letters > LETTERS_MAX) return -1
  }
  return -1
}

function isLetter(code: number): boolean {
  const lower = code | LOWER_CASE
  return lower >= LOWER_A && lower <= LOWER_Z
}

/** What a key means, however it is spelled. */
export function kindOfKey(key: string): LineKind | undefined {
  const known = spelled.get(key)
  if (known !== undefined) return known
  const kind = KEYS.get(key.toLowerCase().replace(NOT_LETTERS, ""))
  if (kind === undefined || key.length > SPELLED_LENGTH_MAX) return kind
  if (spelled.size >= SPELLINGS_MAX) spelled.clear()
  spelled.set(key, kind)
  return kind
}

/** A file spells its keys alike in every record. Text that is no key is not kept. */
const spelled = new Map<string, LineKind>()
const SPELLINGS_MAX = 100
/** A longer part of a text keeps all of the text in memory: it is a view of it. */
const SPELLED_LENGTH_MAX = 12

/** A password keeps its spaces, except for those that every line of the file has after its key. */
function valueAt(text: string, from: number): string {
  if (text.charAt(from) === " ") return text.slice(from + 1)
  let at = from
  while (text.charAt(at) === "\t") at++
  return text.slice(at)
}

/**
 * Decides where one record ends and the next begins. The same lines always give the same records.
 */
export class RecordBounds {
  readonly #seen = new Set<LineKind>()

  /** No line of a record has come yet since the last one ended. */
  get between(): boolean {
    return this.#seen.size === 0
  }

  /**
   * Whether the record so far is over before this line. The line itself is then taken as the next
   * one's.
   */
  endsBefore(kind: LineKind): boolean {
    switch (kind) {
      case "other":
        return false
      case "separator":
        return this.#end()
      case "blank":
        // Some files have a blank line after every line, so it ends only a complete record.
        return this.#seen.has("login") && this.#seen.has("password") && this.#end()
      default: {
        // A program's name stands before or after the login it belongs to, so it begins a record
        // only if it repeats.
        const ends = this.#seen.has(kind) && this.#end()
        this.#seen.add(kind)
        return ends
      }
    }
  }

  #end(): boolean {
    const ended = this.#seen.size > 0
    this.#seen.clear()
    return ended
  }
}
