/** Something that waits to be sent. */
export interface Waiting {
  readonly id: string
}

export interface Outbox<T extends Waiting> {
  /** What waits, oldest first. */
  items(): readonly T[]
  /** When everything leaves, in milliseconds since 1970; null while nothing waits. */
  leavesAt(): number | null
  /** Puts items in; an item with the same id is replaced. */
  add(...items: readonly T[]): void
  /** Takes something back that has not left. */
  remove(id: string): void
  /** Sends all waiting items now. Items that could not be sent stay, and the failure is thrown. */
  flush(): Promise<void>
  /** Stops the clock and forgets everything. */
  close(): void
}

interface OutboxOptions<T> {
  readonly delayMs: number
  readonly now: () => number
  /** Sends all items in one request and returns the ids that are done. */
  readonly send: (items: readonly T[]) => Promise<ReadonlySet<string>>
  readonly onChange: () => void
}

/**
 * A recipient's actions leave together and late, so that their time joins no message to an answer:
 * a whole delay after the last one was put in, or when the recipient asks for it.
 */
export function createOutbox<T extends Waiting>({
  delayMs,
  now,
  send,
  onChange,
}: OutboxOptions<T>): Outbox<T> {
  let items: readonly T[] = []
  let leavesAt: number | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let sending: Promise<void> | null = null
  const arm = (): void => {
    clearTimeout(timer)
    leavesAt = items.length === 0 ? null : now() + delayMs
    // A failure shows in the tray, and what stayed leaves after another delay.
    if (leavesAt !== null) timer = setTimeout(() => void flush().catch(() => undefined), delayMs)
    onChange()
  }
  const sendAll = async (): Promise<void> => {
    const leaving = items
    try {
      const done = await send(leaving)
      // Something replaced meanwhile is new and stays.
      items = items.filter((item) => !(done.has(item.id) && leaving.includes(item)))
    } finally {
      sending = null
      arm()
    }
  }
  const flush = async (): Promise<void> => {
    if (items.length === 0) return
    await (sending ??= sendAll())
  }
  return {
    items: () => items,
    leavesAt: () => leavesAt,
    add(...added) {
      const ids = new Set(added.map(({ id }) => id))
      items = [...items.filter(({ id }) => !ids.has(id)), ...added]
      arm()
    },
    remove(id) {
      items = items.filter((item) => item.id !== id)
      if (items.length === 0) arm()
      else onChange()
    },
    flush,
    close() {
      clearTimeout(timer)
      items = []
      leavesAt = null
    },
  }
}
