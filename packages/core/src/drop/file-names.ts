const KEPT_MAX = 120

/**
 * The name a file gets in an envelope, from its number and an extension such as `.jpg` that its own
 * bytes chose.
 */
export function attachmentName(number: number, extension: string): string {
  return `attachment-${number}${/^\.[a-z0-9]{1,8}$/.test(extension) ? extension : ""}`
}

/**
 * A sender's own name for a file, as a label that may be shown and is never a name on a disk: no
 * folders, nothing that moves a cursor or turns the direction of text, and short.
 */
export function keptName(name: string): string {
  const last = name.split(/[/\\]/).findLast((part) => part.trim() !== "") ?? ""
  const plain = last.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd")
  return Array.from(plain).slice(0, KEPT_MAX).join("")
}
