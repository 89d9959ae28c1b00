import type { EmailFaultWord } from "./email-fault.ts"

// Explicit code points rather than Unicode properties: a property may grow with the engine's
// Unicode version, and the same text must be refused everywhere.

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/
// Marks, embeddings, overrides and isolates: they make a reader see another address than the one
// keyed.
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
// White space and characters without a glyph. Mail servers take them for different mailboxes and
// people cannot tell them apart, so a pasted one would make a known address look unknown. Joiners
// (U+200C, U+200D) and variation selectors change what is seen and are ordinary text.
const INVISIBLE =
  /[\u00a0\u00ad\u034f\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200b\u2028\u2029\u202f\u205f-\u2064\u206a-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e00ff}]/u
// The exception to the rule above, because it protects the key: a character that is unassigned
// today may get a lower case or a composition tomorrow, and then the same address would get another
// key.
const UNASSIGNED = /\p{Cn}/u

/** Takes the five ASCII white space characters off both ends; any other white space stays. */
export function trimAsciiSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isAsciiSpace(text.charCodeAt(start))) start++
  while (end > start && isAsciiSpace(text.charCodeAt(end - 1))) end--
  return start === 0 && end === text.length ? text : text.slice(start, end)
}

/** The fault of a character that no part of an address may contain, or null. */
export function forbiddenCharacter(text: string): EmailFaultWord | null {
  if (!text.isWellFormed()) return "lone-surrogate"
  if (CONTROL.test(text)) return "control-character"
  if (BIDI.test(text)) return "bidi-control"
  if (text.includes("\ufffd")) return "replacement-character"
  return null
}

/**
 * What a local part may not contain beyond that, or null. Domains have the stricter rules of UTS
 * #46.
 */
export function forbiddenInLocalPart(local: string): EmailFaultWord | null {
  if (INVISIBLE.test(local)) return "invisible-character"
  if (UNASSIGNED.test(local)) return "unassigned-character"
  return null
}

function isAsciiSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b)
}
