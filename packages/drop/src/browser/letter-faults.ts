import type { ChosenFile } from "./files-report.ts"
import type { PageData, Say } from "./page-data.ts"

/** The faults of a letter, by field; empty if there are none. */
export interface LetterFaults {
  readonly message: string
  readonly files: string
}

export function letterFaults(
  say: Say,
  limits: PageData["limits"],
  message: string,
  chosen: readonly ChosenFile[],
): LetterFaults {
  return {
    message: messageFault(say, limits, message, chosen.length),
    files: filesFault(say, limits, chosen),
  }
}

function messageFault(
  say: Say,
  limits: PageData["limits"],
  message: string,
  files: number,
): string {
  if (message.trim() === "" && files === 0) return say("fault-empty")
  const bytes = new TextEncoder().encode(message).length
  return bytes > limits.message ? say("fault-message-long") : ""
}

function filesFault(say: Say, limits: PageData["limits"], chosen: readonly ChosenFile[]): string {
  if (chosen.length > limits.files) return say("fault-files-many")
  for (const [index, { file, report, untouched }] of chosen.entries()) {
    const number = index + 1
    if (file.size > limits.file) return say("fault-file-large", { number })
    if (file.size === 0) return say("fault-file-empty", { number })
    // People must see what a file reveals before it leaves.
    if (report === null) return say("script-file-reading")
    if (report.treatment === "malformed" && !untouched)
      return say("fault-file-malformed", { number })
  }
  return ""
}
