import { isQuoted } from "./email-local-part.ts"

// Frozen with identity/v1. Adding, removing or correcting a line changes keys that are already
// stored and cannot be computed again, so a new rule means a new version of the identity forms.

/**
 * Second names of one provider's mailboxes: the same local part reaches the same person at both.
 */
const SAME_MAILBOXES: ReadonlyMap<string, string> = new Map([
  ["googlemail.com", "gmail.com"],
  ["protonmail.com", "proton.me"],
  ["protonmail.ch", "proton.me"],
  ["pm.me", "proton.me"],
  ["me.com", "icloud.com"],
  ["mac.com", "icloud.com"],
  ["ya.ru", "yandex.ru"],
  ["yandex.com", "yandex.ru"],
  ["yandex.by", "yandex.ru"],
  ["yandex.kz", "yandex.ru"],
])

/**
 * Consumer domains that Yahoo itself runs. A Yahoo name has letters, digits, "_" and "." only; a
 * hyphen appears in its disposable addresses alone, as `name-keyword`, so what stands before the
 * first one is the owner. Left out on purpose, because there a hyphen may be part of a person's
 * name and dropping the rest would merge strangers: yahoo.co.jp and its sisters (another company),
 * the domains of partners whose mail Yahoo hosts or hosted (AT&T, BT, Rogers, Spark), AOL, groups,
 * and services that have closed (yahoo.cn, yahoo.com.cn, yahoo.co.kr).
 */
const YAHOO_FAMILY: ReadonlySet<string> = new Set([
  "yahoo.com",
  "ymail.com",
  "rocketmail.com",
  "myyahoo.com",
  "y7mail.com",
  "yahoo.at",
  "yahoo.be",
  "yahoo.bg",
  "yahoo.ca",
  "yahoo.cl",
  "yahoo.co.id",
  "yahoo.co.il",
  "yahoo.co.in",
  "yahoo.co.nz",
  "yahoo.co.th",
  "yahoo.co.uk",
  "yahoo.co.za",
  "yahoo.com.ar",
  "yahoo.com.au",
  "yahoo.com.br",
  "yahoo.com.co",
  "yahoo.com.hk",
  "yahoo.com.hr",
  "yahoo.com.mx",
  "yahoo.com.my",
  "yahoo.com.pe",
  "yahoo.com.ph",
  "yahoo.com.sg",
  "yahoo.com.tr",
  "yahoo.com.tw",
  "yahoo.com.ua",
  "yahoo.com.ve",
  "yahoo.com.vn",
  "yahoo.cz",
  "yahoo.de",
  "yahoo.dk",
  "yahoo.ee",
  "yahoo.es",
  "yahoo.fi",
  "yahoo.fr",
  "yahoo.gr",
  "yahoo.hr",
  "yahoo.hu",
  "yahoo.ie",
  "yahoo.in",
  "yahoo.it",
  "yahoo.lt",
  "yahoo.lv",
  "yahoo.nl",
  "yahoo.no",
  "yahoo.pl",
  "yahoo.pt",
  "yahoo.ro",
  "yahoo.rs",
  "yahoo.se",
  "yahoo.si",
  "yahoo.sk",
])

/**
 * The mailbox an address delivers to, from local part and domain in exact form. No typo is ever
 * corrected: that would hand one person's record to another.
 */
export function canonicalForm(local: string, domain: string): string {
  // Inside quotes "+" and "." are only characters, and no provider below gives out such a name.
  if (isQuoted(local)) return `${local}@${domain}`
  const mailboxDomain = SAME_MAILBOXES.get(domain) ?? domain
  const owner = before(local, YAHOO_FAMILY.has(mailboxDomain) ? "-" : "+")
  return `${mailboxDomain === "gmail.com" ? owner.replaceAll(".", "") : owner}@${mailboxDomain}`
}

// A mark at the very start separates nothing: without a name before it there is no mailbox to name.
function before(local: string, mark: string): string {
  const at = local.indexOf(mark)
  return at > 0 ? local.slice(0, at) : local
}
