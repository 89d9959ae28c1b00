/** Words for how long ago something was. */
export interface AgoTexts {
  readonly today: string
  readonly day: string
  readonly days: string
}

export type Values = Readonly<Record<string, string | number>>

/** Puts the values in place of their names in braces. A loaded model names no others. */
export function filled(template: string, values: Values): string {
  let text = ""
  let from = 0
  for (;;) {
    const open = template.indexOf("{", from)
    if (open < 0) return text + template.slice(from)
    const close = template.indexOf("}", open)
    text += template.slice(from, open) + String(values[template.slice(open + 1, close)])
    from = close + 1
  }
}

/** A form for exactly one, and a form for any other number. */
export interface Counted {
  readonly one: string
  readonly many: string
}

/** The sentence in the number that fits `n`. */
export function counted(texts: Counted, n: number, values: Values = {}): string {
  return filled(n === 1 ? texts.one : texts.many, { ...values, n })
}

/** "today", "1 day ago", "20 days ago": whole days, as evidence is dated by day. */
export function daysAgo(texts: AgoTexts, days: number): string {
  const whole = Math.floor(days)
  if (whole === 0) return texts.today
  return whole === 1 ? texts.day : filled(texts.days, { n: whole })
}
