import confusables from "./confusables.json" with { type: "json" }

// What a name looks like, after UTS #39: names with the same skeleton are hard to tell apart by
// eye.

/**
 * Letters that confusables.txt leaves apart because their capitals or small capitals are the twins,
 * and that are nevertheless read as Latin in a domain name: "gмail.com", "outlooк.com".
 */
const READ_AS_LATIN: Readonly<Record<string, string>> = {
  в: "b",
  к: "k",
  м: "m",
  н: "h",
  п: "n",
  т: "t",
  κ: "k",
  τ: "t",
  χ: "x",
  ω: "w",
  ς: "c",
}

const letters: ReadonlyMap<string, string> = new Map([
  ...Object.entries(confusables.letters),
  ...Object.entries(READ_AS_LATIN),
])

/**
 * The skeleton of a domain in Unicode form. Marks are dropped: "gmáil.com" is read as "gmail.com".
 */
export function skeletonOf(unicodeDomain: string): string {
  const latin = isAscii(unicodeDomain) ? unicodeDomain : latinised(unicodeDomain)
  return latin.replaceAll("0", "o").replaceAll("1", "l").replaceAll("rn", "m").replaceAll("vv", "w")
}

export function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

function latinised(text: string): string {
  let latin = ""
  for (const character of text) {
    // Some letters of the table are composed of letter and mark, so they are looked up before they
    // are taken apart.
    const whole = letters.get(character)
    if (whole !== undefined) latin += whole
    else
      for (const part of character.normalize("NFD").replace(/\p{M}/gu, ""))
        latin += letters.get(part) ?? part
  }
  return latin
}
