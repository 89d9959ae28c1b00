import type { ScriptText } from "./script-texts.ts"

/**
 * What the page tells its script: nothing about the visitor, and nothing that decides who can read
 * a message.
 */
export interface PageData {
  readonly locale: string
  readonly page: "form" | "replies" | "withdraw"
  /** Where the recipients' keys are. */
  readonly keys: string
  /** Six English words over the keys the page was made for. */
  readonly fingerprint: readonly string[]
  /** The page's language has no word list, so it shows digits first. */
  readonly digitsFirst: boolean
  readonly limits: {
    /** Bytes of a message. */
    readonly message: number
    readonly files: number
    /** Bytes of one file. */
    readonly file: number
  }
  readonly texts: Readonly<Record<string, string>>
}

export function readPageData(): PageData {
  const data = document.getElementById("drop-data")?.textContent
  if (data === undefined) throw new Error("the page holds no data for its script")
  return JSON.parse(data) as PageData
}

/** Gives sentences of the page, with their values filled in. */
export type Say = (text: ScriptText, values?: Readonly<Record<string, string | number>>) => string

export function sayWith(texts: PageData["texts"]): Say {
  return (text, values = {}) => {
    const sentence = texts[text]
    if (sentence === undefined) throw new Error(`the page has no sentence ${text}`)
    return sentence.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
  }
}
