import type { ImportList, ImportQuery, ImportState } from "@assay/client"
import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { useSyncExternalStore } from "react"
import { queries, service } from "./service.ts"

/** A file on its way to the service. It is of this tab: other pages may be opened, not reloaded. */
export interface Upload {
  readonly name: string
  readonly error: unknown
}

let upload: Upload | null = null
let ending: AbortController | null = null
const listeners = new Set<() => void>()

function set(next: Upload | null): void {
  upload = next
  for (const listener of listeners) listener()
}

/** What a browser asks before the tab is closed or loaded anew. */
const warn = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Sends a file; what becomes of it is in the list of imports, here and in every other tab. */
export async function sendFile(file: File, said: ImportQuery): Promise<void> {
  ending = new AbortController()
  set({ name: file.name, error: null })
  addEventListener("beforeunload", warn)
  void queries.invalidateQueries({ queryKey: ["imports"] })
  try {
    await service.imports.upload(file, said, { signal: ending.signal })
    set(null)
  } catch (error) {
    // Whoever stopped it knows; the list says what became of the import.
    set(ending.signal.aborted ? null : { name: file.name, error })
  } finally {
    ending = null
    removeEventListener("beforeunload", warn)
    void queries.invalidateQueries({ queryKey: ["imports"] })
    void queries.invalidateQueries({ queryKey: ["sources"] })
  }
}

/** Ends the sending as well: the service alone would wait for the rest of the file. */
export async function stopImport(id: string): Promise<void> {
  try {
    await service.imports.cancel(id)
  } finally {
    ending?.abort()
    void queries.invalidateQueries({ queryKey: ["imports"] })
  }
}

export function useUpload(): { readonly upload: Upload | null; readonly isSending: boolean } {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => upload,
  )
  return { upload: current, isSending: current !== null && current.error === null }
}

const RUNNING_MS = 1_000
const IDLE_MS = 30_000
const COMPARED_MS = 120_000

const isRunning = ({ state }: ImportState): boolean => state === "running"

/** Whether watched identities are looked for in it: a matter of seconds after its end. */
const isCompared = ({ watched, ended_at }: ImportState): boolean =>
  watched?.complete === false &&
  ended_at !== null &&
  Date.now() - Date.parse(ended_at) < COMPARED_MS

/** What the service imports and imported; asked for often while it does. */
export function useImports(): UseQueryResult<ImportList> {
  const { isSending } = useUpload()
  return useQuery({
    queryKey: ["imports"],
    queryFn: ({ signal }) => service.imports.list({ signal }),
    refetchInterval: ({ state }) => {
      if (state.error !== null) return false
      const isBusy =
        state.data?.imports.some((each) => isRunning(each) || isCompared(each)) ?? false
      return isBusy || isSending ? RUNNING_MS : IDLE_MS
    },
  })
}
