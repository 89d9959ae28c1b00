import type { Digest } from "./store/drops.ts"

/**
 * The digest of one day. It has as many bytes as on every other day, so that an observer learns
 * nothing.
 */
export interface DigestText {
  /** JSON, posted to the webhook. */
  readonly json: string
  /** A mail without addresses, given to the command. */
  readonly mail: string
}

const COUNT_DIGITS = 6
const COUNT_MAX = 10 ** COUNT_DIGITS - 1

/** `name`: what the drop calls itself; the same every day. */
export function digestText({ fresh, expiredUnread }: Digest, name: string): DigestText {
  const word = fresh ? "yes" : "no"
  // Spaces after it, which neither JSON nor a reader minds.
  const filling = " ".repeat("yes".length - word.length)
  const count = String(Math.min(expiredUnread, COUNT_MAX)).padStart(COUNT_DIGITS, "0")
  const title = "Daily digest of the drop"
  return {
    json: `{"digest":"drop/v1","name":${JSON.stringify(name)},"new":"${word}"${filling},"went_unread":"${count}"}\n`,
    mail: [
      `Subject: ${title}`,
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 8bit",
      "",
      `${title}${name === "" ? "" : ` ${name}`}, sent every day.`,
      "",
      `New messages that nobody has fetched: ${word}${filling}`,
      `Messages that went unread since the last digest: ${count}`,
      "",
    ].join("\n"),
  }
}
