import { randomBytes } from "node:crypto"
import { RecordsError } from "@assay/stores/records-error"
import type { SavedView, ViewedList, ViewRecords } from "@assay/stores/records-views"
import { writerPort } from "../base/writer-port.ts"

/** Whose views, of what, and who changes them. */
export interface ViewChange {
  readonly tenantId: number
  readonly list: ViewedList
  /** For the audit trail, and whose a view is that is not shared. */
  readonly actor: string
  readonly requestId: string
}

export interface ViewToSave extends ViewChange {
  readonly name: string
  readonly shared: boolean
  readonly filter: Readonly<Record<string, unknown>>
}

/** Keeps filters under names. */
export interface Views {
  /** null where the tenant has as many as there may be. */
  save(view: ViewToSave): Promise<SavedView | null>
  /** False where the actor sees no such view. */
  remove(by: ViewChange, id: string): Promise<boolean>
}

export const viewsPort = writerPort<Views>("views", { save: true, remove: true })

interface WriterOptions {
  readonly records: Pick<ViewRecords, "saveView" | "deleteView">
  readonly now: () => number
}

/** The one writer of views, in the primary. */
export function openViewWriter({ records, now }: WriterOptions): Views {
  return {
    async save(view) {
      const id = `view_${randomBytes(8).toString("hex")}`
      try {
        return await records.saveView({ ...view, id, at: now() })
      } catch (error) {
        if (error instanceof RecordsError && error.code === "name-taken") return null
        throw error
      }
    },
    remove: (by, id) => records.deleteView({ ...by, at: now(), id }),
  }
}
