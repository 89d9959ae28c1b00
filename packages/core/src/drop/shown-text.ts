/** Letters and pictures that are written with joiners between them. */
const JOINED = String.raw`[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]`
const NEEDED_JOINER = String.raw`(?<=${JOINED})[\u200c\u200d](?=${JOINED})`
/**
 * Controls, formats, surrogates without a partner, separators of lines, and letters without a
 * shape.
 */
const UNSEEN = String.raw`[^\P{C}\n\t]|[\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]`
const SPECIAL = new RegExp(`${NEEDED_JOINER}|(${UNSEEN})`, "gu")

/**
 * Text of a stranger, as it may be put on a screen or a terminal: every character that shows
 * nothing, moves the cursor or turns the direction of what follows is written out. Line feeds and
 * tabs stay. So do joiners, where the script or the picture around them needs them.
 */
export function shownText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(SPECIAL, (joiner, unseen: string | undefined) =>
      unseen === undefined ? joiner : written(unseen),
    )
}

/** C0 controls have pictures of their own; all else is named by its number. */
function written(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return "\u2421"
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`
}
