import type { MetadataFinding, MetadataLabel } from "./metadata-report.ts"

const VALUE_MAX = 120
const FINDINGS_MAX = 40
/** A file of nothing but tags has millions; they are all cut, and this many are looked at. */
const CALLS_MAX = 2000

/** Adds one finding; an empty value means only that there is one. */
export type AddFinding = (label: MetadataLabel, value?: string) => void

/** Collects findings, each once and few enough to be read by a person. */
export function collectFindings(): { add: AddFinding; list: () => MetadataFinding[] } {
  const found = new Map<string, MetadataFinding>()
  let calls = 0
  return {
    add(label, value = "") {
      if (found.size >= FINDINGS_MAX || ++calls > CALLS_MAX) return
      const shown = shortened(value)
      found.set(`${label} ${shown}`, { label, value: shown === "" ? null : shown })
    },
    // "There is a date" adds nothing beside the date itself.
    list: () =>
      [...found.values()].filter(
        ({ label, value }, _, all) =>
          value !== null || !all.some((other) => other.label === label && other.value !== null),
      ),
  }
}

/** One line without invisible characters, including those that turn the direction of text. */
function shortened(value: string): string {
  const line = value
    .slice(0, VALUE_MAX * 4)
    .replace(/[\p{C}\s]+/gu, " ")
    .trim()
  return Array.from(line).slice(0, VALUE_MAX).join("")
}
