import { element, shown } from "./dom.ts"
import type { Say } from "./page-data.ts"
import type { ScriptText } from "./script-texts.ts"

export interface Progress {
  /** Shows a step, and its share that is done, 0 to 1; null: the share is unknown. */
  at(text: ScriptText, share: number | null): void
  end(): void
}

/**
 * The progress of the page. Its sentence changes by tens, because screen readers read it out at
 * every change.
 */
export function progressOf(say: Say): Progress {
  const bar = element("progress-bar", HTMLProgressElement)
  const line = element("progress-text", HTMLElement)
  return {
    at(text, share) {
      shown("progress", true)
      if (share === null) bar.removeAttribute("value")
      else bar.value = share * bar.max
      const sentence = say(text, { percent: Math.floor((share ?? 0) * 10) * 10 })
      if (line.textContent !== sentence) line.textContent = sentence
    },
    end: () => shown("progress", false),
  }
}
