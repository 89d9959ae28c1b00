import { Delimiter } from "./delimiter.ts"
import type { Format } from "./format.ts"
import { labelledReader } from "./labelled-lines.ts"
import { isBlank } from "./lines.ts"
import { identityTypeOf } from "./login-row.ts"
import { readRecordLine } from "./stealer-record.ts"
import { readUrlLogin } from "./url-login-password.ts"

export type LineFormatName = LineFormat["name"]
type LineFormat = Extract<
  Format,
  {
    name:
      "combolist" | "password-first" | "url-login-password" | "labelled-lines" | "stealer-blocks"
  }
>
type DelimitedName = Exclude<LineFormatName, "stealer-blocks">

/**
 * Where two fit the same lines the first is meant: `login:password:url` also reads as an address
 * and a password.
 */
const DELIMITED: readonly DelimitedName[] = [
  "labelled-lines",
  "url-login-password",
  "combolist",
  "password-first",
]
const DELIMITERS = [":", ";", "|", "\t", ",", " "]
// A colon stands behind the label.
const LABELLED = new Map(
  DELIMITERS.filter((each) => each !== ":").map((each) => [each, labelledReader(each)]),
)
/** What is looked at of a line. */
const LINE_LENGTH_MAX = 1000
/**
 * A file that fits so few of its first lines is something else, unless the person who brings it
 * says what it is.
 */
const FITTING_SHARE_MIN = 0.25
/** From this share on, a space behind the delimiter is part of it. */
const SPACE_SHARE_MIN = 0.9

const ADDRESS = '[^\\s:;|,"<>@]{1,64}@(?:[^\\s:;|,"\'<>@.]{1,63}\\.)+[^\\s:;|,"\'<>@.]{2,63}'
const ADDRESS_FIRST = new RegExp(`^["'<]?${ADDRESS}["'>]?(?:\\s*$|\\s*([:;|,])|([\\t ]))`)
const ADDRESS_LAST = new RegExp(`([:;|\\t ])[\\t ]*["'<]?${ADDRESS}["'>]?$`)
const URL = /^[a-z][a-z0-9+.-]{0,30}:\/\/./i

export function isLineFormat(name: Format["name"]): name is LineFormatName {
  return name === "stealer-blocks" || (DELIMITED as readonly string[]).includes(name)
}

/**
 * The format that fits most of the lines; null where too few fit any. One that is named needs to
 * fit none.
 */
export function detectLineFormat(
  lines: readonly string[],
  named: LineFormatName | undefined,
): LineFormat | null {
  if (named === "stealer-blocks" || (named === undefined && areRecords(lines))) {
    return { name: "stealer-blocks" }
  }
  const texts = lines.filter((text) => !isBlank(text)).map((text) => text.trim())
  const usual = named === "labelled-lines" ? "|" : ":"
  let best: LineFormat | null = named === undefined ? null : { name: named, delimiter: usual }
  const fewest = named === undefined ? Math.ceil(texts.length * FITTING_SHARE_MIN) : 1
  let bestCount = Math.max(fewest, 1) - 1
  for (const name of named === undefined ? DELIMITED : [named]) {
    for (const delimiter of DELIMITERS) {
      const fitting = texts.filter((text) => fits(text.slice(0, LINE_LENGTH_MAX), name, delimiter))
      if (fitting.length <= bestCount) continue
      bestCount = fitting.length
      best = { name, delimiter: withSpace(delimiter, fitting) }
    }
  }
  return best
}

function fits(text: string, name: DelimitedName, delimiter: string): boolean {
  switch (name) {
    case "combolist": {
      const match = ADDRESS_FIRST.exec(text)
      // An address alone fits whatever the others are separated by.
      if (match === null || (match[1] ?? match[2] ?? delimiter) !== delimiter) return false
      return delimiter !== "," || !text.includes(",") || isCommaPair(text)
    }
    case "labelled-lines":
      return hasLabels(text, delimiter)
    case "password-first":
      return ADDRESS_LAST.exec(text)?.[1] === delimiter && !ADDRESS_FIRST.test(text)
    case "url-login-password": {
      // All white space separates alike; the kind that is there is the one to name.
      if (!text.includes(delimiter)) return false
      const said = readUrlLogin(text, new Delimiter(delimiter))
      if (said?.site == null || said.login === "") return false
      return URL.test(text) || identityTypeOf(said.login) !== null
    }
  }
}

/**
 * An address, a comma and one word. More commas make a table, whose columns nobody has named, and
 * what has spaces in it is rather somebody's name than a password.
 */
function isCommaPair(text: string): boolean {
  const comma = text.indexOf(",")
  return text.lastIndexOf(",") === comma && !/\s/.test(text.slice(comma + 1).trim())
}

function withSpace(delimiter: string, fitting: readonly string[]): string {
  if (delimiter.trim() === "") return delimiter
  const having = fitting.filter((text) => text.includes(delimiter))
  const spaced = having.filter((text) => text.includes(`${delimiter} `))
  return spaced.length > having.length * SPACE_SHARE_MIN ? `${delimiter} ` : delimiter
}

function hasLabels(text: string, delimiter: string): boolean {
  const said = LABELLED.get(delimiter)?.(text)
  return said?.login != null && said.password !== null
}

function isWholeLogin(text: string): boolean {
  return DELIMITERS.some((delimiter) => delimiter !== " " && hasLabels(text, delimiter))
}

/** Whether most lines have a key of a login, and there are logins and passwords among them. */
function areRecords(lines: readonly string[]): boolean {
  const kinds = lines.map((line) => {
    const text = line.slice(0, LINE_LENGTH_MAX)
    // A line with all of a login is no part of a record.
    return isWholeLogin(text) ? "other" : readRecordLine(text).kind
  })
  const count = (...wanted: typeof kinds): number =>
    kinds.filter((kind) => wanted.includes(kind)).length
  const keyed = count("site", "login", "password", "program")
  return count("login") > 0 && count("password") > 0 && keyed > count("other")
}
