import { ImportState } from "@assay/core/contract"
import { writeDurably } from "@assay/runtime/durable-files"
import { readIfPresent } from "@assay/runtime/if-present"
import { Type } from "typebox"
import { Value } from "typebox/value"

/** Grows with each change of what is written. */
const FORMAT = 2

/** Whom of it tenants watch is found out later, and not kept with it. */
export type KeptState = Omit<ImportState, "watched">

/**
 * What outlives the service of an import: its state, and whose it is, by which its batch is found.
 */
export interface KeptImport {
  readonly state: KeptState
  readonly importedBy: string
}

const Kept = Type.Object({ state: Type.Omit(ImportState, ["watched"]), importedBy: Type.String() })
/** Without what format 1 did not have. */
const KeptBefore = Type.Object({
  state: Type.Omit(ImportState, ["watched", "rejected", "phases"]),
  importedBy: Type.String(),
})

/** What was kept, the newest first. A file that cannot be understood says nothing of any import. */
export function readImportStates(file: string): KeptImport[] {
  const text = readIfPresent(file)
  return text === null ? [] : keptImports(text)
}

/** The same of what another node said of its own. */
export function keptImports(text: string): KeptImport[] {
  const { format, imports } = parsed(text)
  if (!Array.isArray(imports)) return []
  if (format === FORMAT)
    return imports.filter((each): each is KeptImport => Value.Check(Kept, each))
  return format === 1 ? imports.flatMap(fromBefore) : []
}

function fromBefore(each: unknown): KeptImport[] {
  if (!Value.Check(KeptBefore, each)) return []
  const { state, importedBy } = each
  return [{ state: { ...state, rejected: state.report?.rejected ?? 0, phases: [] }, importedBy }]
}

function parsed(text: string): { format?: unknown; imports?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as { format?: unknown; imports?: unknown }
  } catch {
    return {}
  }
}

export async function writeImportStates(
  file: string,
  imports: readonly KeptImport[],
): Promise<void> {
  await writeDurably(file, `${importStatesText(imports)}\n`)
}

export function importStatesText(imports: readonly KeptImport[]): string {
  return JSON.stringify({ format: FORMAT, imports })
}
