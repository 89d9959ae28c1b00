// Numbers that regulators keep for film and print. Nobody owns one: whoever gives it as their own
// made it up, and examples in manuals use them.
const FICTIONAL: readonly RegExp[] = [
  // ACMA, numbers for use in creative works: 0491 570 006, 110, 156 to 159 and others of the block.
  /^\+61491570\d{3}$/,
  // Ofcom, telephone numbers for drama use: mobile 07700 900000 to 900999.
  /^\+447700900\d{3}$/,
  // PTS, numbers for books and films: 070-1740605 to 070-1740699.
  /^\+46701740(?:60[5-9]|6[1-9]\d)$/,
  // ATIS-0300115: 555-0100 to 555-0199 of every geographic area code. Freephone and premium codes
  // do not keep that block free.
  /^\+1(?!8(?:00|22|33|44|55|66|77|88)|900)[2-9]\d\d55501\d\d$/,
]

/** Whether a number in E.164 form is one that its regulator promises never to give to anybody. */
export function isFictional(e164: string): boolean {
  return FICTIONAL.some((block) => block.test(e164))
}
