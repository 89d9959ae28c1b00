import type { ScriptText } from "./script-texts.ts"

/** What stopped, as a sentence of the page. It never contains anything the person wrote. */
export class Failure extends Error {
  override readonly name = "Failure"
  readonly text: ScriptText
  readonly values: Readonly<Record<string, string | number>>
  constructor(text: ScriptText, values: Readonly<Record<string, string | number>> = {}) {
    super(text)
    this.text = text
    this.values = values
  }
}
