import { type FileToPack, shownText } from "@assay/core/drop"
import {
  foundIn,
  inspect,
  losesColours,
  type MetadataFinding,
  strip,
} from "@assay/core/drop/metadata"
import type { Locale } from "../pages/page-input.ts"
import type { FileNote } from "../pages/sent-page.ts"
import { sentencesOf } from "../pages/sentences.ts"
import type { FormFile } from "./form-body.ts"
import { fileFault, type StatusFault } from "./form-faults.ts"

export interface FileChoices {
  /** Numbers of the files to send unchanged. */
  readonly untouched: readonly number[]
  readonly keepNames: boolean
}

export interface PackedFiles {
  readonly packed: readonly FileToPack[]
  /** The notes that the sender sees about the files once they are sent. */
  readonly notes: readonly FileNote[]
}

/**
 * Files as they are packed: cleaned if their sender wants that and it is possible. If it is not
 * possible, the sender decides: the file comes back with its findings, and goes out only as
 * "untouched".
 */
export function filesToPack(
  files: readonly FormFile[],
  { untouched, keepNames }: FileChoices,
  locale: Locale,
): PackedFiles | { readonly faults: readonly StatusFault[] } {
  const packed: FileToPack[] = []
  const notes: FileNote[] = []
  const faults: StatusFault[] = []
  for (const { number, name, bytes } of files) {
    if (bytes.length === 0) {
      faults.push(fileFault("fault-file-empty", number))
      continue
    }
    const report = inspect(bytes)
    const { type, extension, treatment, findings } = report
    const named = keepNames && name !== "" ? { originalName: name } : {}
    const rest = { type, extension, ...foundIn(report), ...named }
    if (untouched.includes(number)) {
      packed.push({ ...rest, bytes, metadata: "kept" })
    } else if (treatment === "clean") {
      const cleaned = strip(bytes)
      if ("fault" in cleaned) faults.push(fileFault("fault-file-malformed", number))
      else {
        packed.push({ ...rest, bytes: cleaned.bytes, metadata: "stripped" })
        if (losesColours(findings)) notes.push({ text: "sent-file-colours", number })
      }
    } else if (treatment === "malformed") {
      faults.push(fileFault("fault-file-malformed", number))
    } else if (findings.length > 0) {
      const values = { number, found: written(findings, locale) }
      faults.push({ field: "files", text: "fault-file-carries", values, status: 422 })
    } else {
      packed.push({ ...rest, bytes, metadata: "unknown" })
      if (treatment === "unknown") notes.push({ text: "sent-file-unknown", number })
    }
  }
  return faults.length > 0 ? { faults } : { packed, notes }
}

/** The metadata of a file as a list: "Author: …; Date: …". */
function written(findings: readonly MetadataFinding[], locale: Locale): string {
  const say = sentencesOf(locale)
  return findings
    .map(({ label, value }) => {
      const name = say(`finding-${label}`)
      return value === null ? name : `${name}: ${shownText(value)}`
    })
    .join("; ")
}
