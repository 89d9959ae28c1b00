/** Words for how long ago something was. */
export interface AgoTexts {
  readonly today: string
  readonly day: string
  readonly days: string
  readonly months?: string
  readonly years?: string
}

/** Words for how long something has lasted. */
export interface SpanTexts {
  readonly day: string
  readonly days: string
  readonly months: string
  readonly years: string
}

export type Values = Readonly<Record<string, string | number>>

/** A sentence cut at its names: text, name, text, name, … and the text behind the last name. */
type Cut = readonly string[]

// Each sentence of a document is cut once. A program that loads documents without end starts again.
const cuts = new Map<string, Cut>()
const CUTS_MAX = 10_000

function cutOf(template: string): Cut {
  const known = cuts.get(template)
  if (known !== undefined) return known
  // V8 finds a member much faster by a text that it has as a name, as the keys of objects are.
  const cut = template.split(/[{}]/).map((part, at) => (at % 2 === 1 ? nameOf(part) : part))
  if (cuts.size >= CUTS_MAX) cuts.clear()
  cuts.set(template, cut)
  return cut
}

function nameOf(text: string): string {
  return Object.keys({ [text]: 0 })[0] ?? ""
}

/** Puts the values in place of their names in braces. A loaded model names no others. */
export function filled(template: string, values: Values): string {
  const cut = cutOf(template)
  let text = cut[0] ?? ""
  for (let at = 1; at + 1 < cut.length; at += 2) {
    text += `${values[cut[at] ?? ""]}${cut[at + 1]}`
  }
  return text
}

/** A form for exactly one, and a form for any other number. */
export interface Counted {
  readonly one: string
  readonly many: string
}

/** The sentence in the number that fits `n`. */
export function counted(texts: Counted, values: Values & { readonly n: number }): string {
  return filled(values.n === 1 ? texts.one : texts.many, values)
}

/** "today", "yesterday", "20 days ago", "5 months ago": whole days, as evidence is dated by day. */
export function daysAgo(texts: AgoTexts, days: number): string {
  const whole = Math.floor(days)
  if (whole === 0) return texts.today
  return whole === 1 ? texts.day : inLargestUnit(texts, whole)
}

/** Eleven years; older evidence is rare. */
const DAYS_KEPT = 4_096

/** The same texts, each made once: evidence is dated by day. */
export class DaysAgo {
  readonly #texts: AgoTexts
  /** By day; empty for one that nobody asked for yet. */
  readonly #kept = Array.from({ length: DAYS_KEPT }, () => "")

  constructor(texts: AgoTexts) {
    this.#texts = texts
  }

  at(days: number): string {
    const day = days | 0
    if (day !== days || day < 0 || day >= DAYS_KEPT) return daysAgo(this.#texts, days)
    return (this.#kept[day] ||= daysAgo(this.#texts, day))
  }
}

/** "1 day", "20 days", "5 months", "3 years". */
export function spanOf(texts: SpanTexts, days: number): string {
  const whole = Math.floor(days)
  return whole === 1 ? texts.day : inLargestUnit(texts, whole)
}

// As people speak: nobody counts beyond sixty days or two years in the smaller unit. A model
// without a word for the larger units counts days.
const DAYS_TOLD_MAX = 60
const MONTHS_TOLD_MAX = 24
const DAYS_A_MONTH = 365.25 / 12
const DAYS_A_YEAR = 365.25

export function inLargestUnit(
  { days, months, years }: Pick<AgoTexts, "days" | "months" | "years">,
  whole: number,
): string {
  if (whole <= DAYS_TOLD_MAX || months === undefined || years === undefined) {
    return filled(days, { n: whole })
  }
  // To the nearest: ninety days are three months to anybody.
  const nearest = Math.round(whole / DAYS_A_MONTH)
  if (nearest <= MONTHS_TOLD_MAX) return filled(months, { n: nearest })
  return filled(years, { n: Math.round(whole / DAYS_A_YEAR) })
}
