import { delimitedLines, DELIMITERS } from "./delimited-lines.ts"
import { lineParser } from "./lines.ts"
import { addLogin, identityTypeOf } from "./login-row.ts"
import { kindOfKey, type LineKind } from "./stealer-record.ts"

/** The facts about one login in a line. */
interface LabelledLogin {
  readonly login: string | null
  readonly password: string | null
}

interface Label {
  readonly kind: LineKind
  /** Where its field begins, with the delimiter, and where its value does. */
  readonly at: number
  readonly valueAt: number
}

const NAME = "([A-Za-z][A-Za-z_ -]{0,19}?)[ \\t]*[:=][ \\t]?"
const AT_SPACE = new RegExp(`(?:^|[ \\t])${NAME}`, "g")

/**
 * Lines with a whole login each, every field with its label: `URL: … | USER: … | PASS: …`, in any
 * order. If a character separates the fields, any label ends the field before; if spaces do, only a
 * known label.
 */
export const labelledLines = delimitedLines({
  name: "labelled-lines",
  title: "lines of labelled URL, login and password",
  impliedKind: "stealer",
  usualDelimiter: "|",
  fits: isLabelledLogin,
  parser(delimiter) {
    const read = labelledReader(delimiter)
    return lineParser((line, text, sink) => {
      const said = read(text)
      if (said === null) sink.reject(line, "bad-row")
      else addLogin(line, said.login ?? "", said.password, sink)
    })
  },
})

/** Whether a line has a login and a password, each with its label. */
export function isLabelledLogin(text: string, delimiter: string): boolean {
  // Between two labels there is a delimiter, and most lines of a file have none of most delimiters.
  if (delimiter !== " " && !text.includes(delimiter)) return false
  if (!mayHaveTwoLabels(text)) return false
  const said = READERS.get(delimiter)?.(text)
  return said?.login != null && said.password !== null
}

/** Behind each label is a colon or an equals sign. */
function mayHaveTwoLabels(text: string): boolean {
  const colon = text.indexOf(":")
  if (colon !== -1 && text.includes(":", colon + 1)) return true
  const equals = text.indexOf("=")
  return equals !== -1 && (colon !== -1 || text.includes("=", equals + 1))
}

/** Takes lines apart; null for one without a label of a login or password. */
function labelledReader(delimiter: string): (text: string) => LabelledLogin | null {
  const bySpace = delimiter.trim() === "" && delimiter !== "\t"
  const labels = bySpace
    ? AT_SPACE
    : new RegExp(`(?:^|\\${delimiter.charAt(0)})[ \\t]*${NAME}`, "g")
  return (text) => {
    const found = labelsIn(text, labels).filter(({ kind }) => !bySpace || kind !== "other")
    const values = found.map(({ kind, valueAt }, n) => {
      const next = found[n + 1]
      const value = text.slice(valueAt, next?.at)
      // At the end of a line a password keeps its spaces. Before a delimiter they may belong to it.
      return { kind, value: next === undefined && kind === "password" ? value : value.trim() }
    })
    const logins = values.filter(({ kind }) => kind === "login").map(({ value }) => value)
    const login = logins.find((each) => identityTypeOf(each) !== null) ?? logins[0] ?? null
    const password = values.find(({ kind }) => kind === "password")?.value ?? null
    return login === null && password === null ? null : { login, password }
  }
}

function labelsIn(text: string, pattern: RegExp): Label[] {
  const labels: Label[] = []
  for (const match of text.matchAll(pattern)) {
    const [all, name = ""] = match
    labels.push({
      kind: kindOfKey(name) ?? "other",
      at: match.index,
      valueAt: match.index + all.length,
    })
  }
  return labels
}

/** Without the colon after the label. */
const READERS: ReadonlyMap<string, ReturnType<typeof labelledReader>> = new Map(
  DELIMITERS.filter((each) => each !== ":").map((each) => [each, labelledReader(each)]),
)
