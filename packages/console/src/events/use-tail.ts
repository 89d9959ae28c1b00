import { AssayProblem, type AssayEvent, type EventKind } from "@assay/client"
import { useEffect, useRef, useState } from "react"
import { service } from "../ui/service.ts"

/** The newest events, the newest first, and those to come while it is followed. */
export interface Tail {
  /** null until they were read. */
  readonly events: readonly AssayEvent[] | null
  readonly error: unknown
  /** Goes on where it broke off. */
  readonly retry: () => void
}

const NEWEST = 100
/** Beyond as many the oldest are let go: a page that stays open for days must not grow. */
const HELD_MAX = 500

interface State {
  readonly kind: EventKind | null
  readonly events: readonly AssayEvent[] | null
  readonly error: unknown
}

const nothingOf = (kind: EventKind | null): State => ({ kind, events: null, error: null })

/** Follows the events of whoever is signed in. A pause misses nothing: it goes on where it was. */
export function useTail(kind: EventKind | null, isPaused: boolean): Tail {
  const [state, setState] = useState(() => nothingOf(kind))
  if (state.kind !== kind) setState(nothingOf(kind))
  /** Behind the last event that was read. */
  const cursor = useRef("latest")
  const { events, error } = state
  const isRead = events !== null
  const isSound = error === null

  useEffect(() => {
    if (!isSound || (isRead && isPaused)) return undefined
    const ending = new AbortController()
    const { signal } = ending
    const asked = { signal, ...(kind !== null && { types: [kind] }) }
    const follow = async (): Promise<void> => {
      if (!isRead) {
        const page = await service.listEvents({ ...asked, last: NEWEST })
        signal.throwIfAborted()
        cursor.current = page.next
        setState({ kind, events: page.events.toReversed(), error: null })
        return
      }
      const onCursor = (next: string): void => void (cursor.current = next)
      for await (const event of service.events({ ...asked, after: cursor.current, onCursor })) {
        signal.throwIfAborted()
        setState((now) => ({ ...now, events: withNew(now.events ?? [], event) }))
      }
    }
    follow().catch((failed: unknown) => {
      if (signal.aborted) return
      setState((now) => (isCursorOver(failed) ? nothingOf(kind) : { ...now, error: failed }))
    })
    return () => ending.abort()
  }, [kind, isRead, isPaused, isSound])

  return { events, error, retry: () => setState((now) => ({ ...now, error: null })) }
}

/** After a pause of weeks it begins anew. */
const isCursorOver = (failed: unknown): boolean =>
  failed instanceof AssayProblem && failed.code.startsWith("cursor-")

/** The same event may come again after a failure. */
function withNew(events: readonly AssayEvent[], event: AssayEvent): readonly AssayEvent[] {
  if (events.some(({ id }) => id === event.id)) return events
  return [event, ...events].slice(0, HELD_MAX)
}
