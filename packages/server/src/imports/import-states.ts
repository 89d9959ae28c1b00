import { ImportState } from "@assay/core/contract"
import { writeDurably } from "@assay/runtime/durable-files"
import { readIfPresent } from "@assay/runtime/if-present"
import { Type } from "typebox"
import { Value } from "typebox/value"

/** Grows with each change of what is written. */
const FORMAT = 1

/** Whom of it tenants watch is found out later, and not kept with it. */
export type KeptState = Omit<ImportState, "watched">

/** What outlives the service of an import: its state, and whose it is, by which its batch is found. */
export interface KeptImport {
  readonly state: KeptState
  readonly importedBy: string
}

const Kept = Type.Object({ state: Type.Omit(ImportState, ["watched"]), importedBy: Type.String() })

/** What was kept, the newest first. A file that cannot be understood says nothing of any import. */
export function readImportStates(file: string): KeptImport[] {
  const text = readIfPresent(file)
  if (text === null) return []
  const { format, imports } = parsed(text)
  if (format !== FORMAT || !Array.isArray(imports)) return []
  return imports.filter((each): each is KeptImport => Value.Check(Kept, each))
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
  await writeDurably(file, `${JSON.stringify({ format: FORMAT, imports })}\n`)
}
