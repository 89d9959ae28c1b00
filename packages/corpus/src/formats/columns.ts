import type { EntryKind } from "@assay/stores/entry"
import { InputError } from "../inputs/member.ts"

/** What columns or members can mean. */
export const FIELDS = [
  "email",
  "phone",
  "password",
  "hash",
  "salt",
  "url",
  "kind",
  "date",
  "item",
  "secret",
  "confidence",
  "classes",
  "value",
] as const
export type Field = (typeof FIELDS)[number]

/**
 * By field: the column that holds it, by its place (CSV) and name (CSV with a header, JSON,
 * Parquet).
 */
export type ColumnMap = { readonly [F in Field]?: { readonly at: number; readonly name: string } }

/**
 * The columns that the person at the terminal gave: by field a name, a number from 1, or nothing to
 * leave it out.
 */
export type ColumnHints = Readonly<Partial<Record<Field, string>>>

/**
 * Names that columns have in files people hold, without case and anything but letters and digits.
 */
const NAMES: Readonly<Partial<Record<Field, readonly string[]>>> = {
  email: [
    "email",
    "mail",
    "emailaddress",
    "mailaddress",
    "useremail",
    "usermail",
    "email1",
    "primaryemail",
    "loginemail",
    "customeremail",
    "contactemail",
    "accountemail",
    "memberemail",
    "identityemail",
  ],
  phone: [
    "phone",
    "phonenumber",
    "phoneno",
    "msisdn",
    "mobile",
    "mobilenumber",
    "mobilephone",
    "mobileno",
    "cell",
    "cellphone",
    "tel",
    "telephone",
    "telno",
    "userphone",
  ],
  password: [
    "password",
    "passwd",
    "passw",
    "pass",
    "pwd",
    "pw",
    "plaintext",
    "plainpassword",
    "passwordplain",
    "passwordplaintext",
    "plaintextpassword",
    "cleartext",
    "cleartextpassword",
    "userpassword",
    "userpass",
    "loginpassword",
  ],
  hash: [
    "hash",
    "passwordhash",
    "hashedpassword",
    "passhash",
    "passwdhash",
    "pwdhash",
    "pwhash",
    "hashed",
    "passworddigest",
    "encryptedpassword",
    "cryptedpassword",
    "passwordencrypted",
    "passwordmd5",
    "passwordsha1",
    "passwordbcrypt",
    "md5",
    "sha1",
    "sha256",
    "bcrypt",
  ],
  salt: ["salt", "passwordsalt", "passsalt", "pwdsalt", "hashsalt", "usersalt"],
  url: [
    "url",
    "website",
    "site",
    "host",
    "hostname",
    "origin",
    "originurl",
    "targeturl",
    "loginuri",
  ],
  kind: ["kind", "evidencekind"],
  // Not when an account was made or changed: that dates the account, and an old account is not an
  // old exposure.
  date: [
    "date",
    "observedat",
    "observed",
    "dateobserved",
    "seenat",
    "lastseen",
    "breachdate",
    "leakdate",
    "leakedat",
  ],
}

/** Names that mean "who" and may hold an address or not: the values under them decide. */
const LOGIN_NAMES: readonly string[] = [
  "login",
  "username",
  "user",
  "userlogin",
  "loginname",
  "account",
  "identity",
  "identifier",
  "userid",
]

/**
 * Meant only in files that name a kind: in any other, a column called "value" or "item" is
 * somebody's shopping.
 */
const FEED_NAMES: Readonly<Partial<Record<Field, readonly string[]>>> = {
  item: ["item", "itemid", "logid"],
  secret: ["secret", "secretclass"],
  confidence: ["confidence"],
  classes: ["classes", "dataclasses"],
  value: ["value"],
}

/**
 * The meaning of columns by their names, with `samples` of their values, row by row. Throws
 * InputError `unknown-column` for a `--map` that names no column; the words are the person's own.
 */
export function columnsByName(
  names: readonly string[],
  samples: readonly (readonly unknown[])[],
  hints: ColumnHints,
): ColumnMap {
  const plain = names.map(plainName)
  const columns: { [F in Field]?: { at: number; name: string } } = {}
  const find = (field: Field, known: readonly string[]): void => {
    for (const name of known) {
      const at = plain.indexOf(name)
      if (at !== -1 && hints[field] === undefined) {
        columns[field] = { at, name: names[at] as string }
        return
      }
    }
  }
  for (const [field, known] of Object.entries(NAMES)) find(field as Field, known)
  for (const [field, hint] of Object.entries(hints)) {
    if (hint !== "") columns[field as Field] = hintedColumn(names, plain, hint)
  }
  if (columns.email === undefined && hints.email === undefined) {
    const at = plain.findIndex(
      (name, column) =>
        LOGIN_NAMES.includes(name) && samples.some((row) => String(row[column]).includes("@")),
    )
    if (at !== -1) columns.email = { at, name: names[at] as string }
  }
  if (columns.kind !== undefined) {
    for (const [field, known] of Object.entries(FEED_NAMES)) find(field as Field, known)
  }
  return columns
}

function hintedColumn(
  names: readonly string[],
  plain: readonly string[],
  hint: string,
): { at: number; name: string } {
  const exact = names.indexOf(hint)
  const at =
    exact !== -1 ? exact : /^\d+$/.test(hint) ? Number(hint) - 1 : plain.indexOf(plainName(hint))
  const name = names[at]
  if (name === undefined) throw new InputError(`There is no column ${hint}`, {}, "unknown-column")
  return { at, name }
}

/** Whether rows with these columns can be about anyone. */
export function namesIdentity(columns: ColumnMap): boolean {
  return columns.email !== undefined || columns.phone !== undefined
}

/**
 * "E-Mail Address" and "user.email" as "emailaddress" and "email": of a dotted name the last part
 * speaks.
 */
function plainName(name: string): string {
  const last = name.slice(name.lastIndexOf(".") + 1)
  return last.toLowerCase().replace(/[^a-z0-9]/g, "")
}

/** Tables with a site beside a password come from stealers, others from a breach. */
export function kindOfColumns({ url, password, hash }: ColumnMap): EntryKind {
  return url !== undefined && password !== undefined && hash === undefined ? "stealer" : "breach"
}

const CONTROL_LEFT_BY_JSON = /[\u007f-\u009f]/g

/** Quoted as JSON, so that a column's name cannot send anything but text to a terminal. */
export function columnsText(columns: ColumnMap): string {
  return Object.entries(columns)
    .map(([field, { name }]) => `${field} from ${JSON.stringify(name)}`)
    .join(", ")
    .replace(CONTROL_LEFT_BY_JSON, "?")
}
