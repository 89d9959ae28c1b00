const details = {
  empty: "The number is empty.",
  "no-plus": "The number does not start with a plus sign and a country code.",
  "not-digits": "The number has something other than the digits 0 to 9 after its plus sign.",
  "leading-zero": "The country code starts with 0, which none does.",
  "too-short": "The number has fewer than 7 digits.",
  "too-long": "The number has more than 15 digits.",
} as const

/** Why a text is no E.164 number. The words are stable; new ones may be added. */
export type PhoneFaultWord = keyof typeof details

/** A refusal. `detail` may be shown to anybody: it never quotes what was refused. */
export interface PhoneFault {
  readonly fault: PhoneFaultWord
  readonly detail: string
}

export function phoneFault(fault: PhoneFaultWord): PhoneFault {
  return { fault, detail: details[fault] }
}
