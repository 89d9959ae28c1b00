/**
 * What was typed, as the service takes it: numbers without the signs people write between digits.
 */
export function asTyped(text: string): string {
  return text.trim().replace(/^\+[\d ().-]+$/, (number) => number.replace(/[ ().-]/g, ""))
}

/** A number begins with a plus sign; everything else is taken for an address. */
export function isNumber(identity: string): boolean {
  return identity.startsWith("+")
}
