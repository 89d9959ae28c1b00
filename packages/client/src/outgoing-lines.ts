export type Identities = Iterable<string> | AsyncIterable<string>

/** Identities on their way to the service, as the lines of a request's body. */
export interface OutgoingLines {
  readonly body: ReadableStream<Uint8Array>
  /**
   * Takes the identity the next answer is about; undefined where none waits for one. Stops the
   * clock.
   */
  answered(): string | undefined
  /**
   * Starts the clock: from here on, an answer that is due, or the end after the last, counts as
   * late.
   */
  expect(): void
  /** Whether every identity was sent and answered. */
  isDone(): boolean
  /** What the source threw, if it did. */
  failure(): unknown
  close(): void
}

interface Waiting {
  readonly timeoutMs: number
  /** Called when an answer has been due for that long. */
  readonly late: () => void
}

/**
 * Takes identities from the source no faster than they are answered: at most `unansweredMax` wait
 * at a time.
 */
export function outgoingLines(
  identities: Identities,
  unansweredMax: number,
  { timeoutMs, late }: Waiting,
): OutgoingLines {
  const source =
    Symbol.asyncIterator in identities
      ? identities[Symbol.asyncIterator]()
      : identities[Symbol.iterator]()
  const encoder = new TextEncoder()
  const unanswered: string[] = []
  let room = Promise.withResolvers<null>()
  // Closed ends the sending early; only a source that has no more has been sent whole.
  let state: "open" | "closed" | "exhausted" = "open"
  const isOpen = (): boolean => state === "open"
  let failed: unknown = undefined
  // Off while the caller works on an item: answers that have come meanwhile are not late.
  let expecting = true
  let alarm: ReturnType<typeof setTimeout> | undefined

  const watch = (): void => {
    clearTimeout(alarm)
    // After the last identity the end of the response is due: a service that stalls there would be
    // waited for for ever.
    const due = unanswered.length > 0 || state === "exhausted"
    if (expecting && due) alarm = setTimeout(late, timeoutMs)
  }
  const close = (): void => {
    clearTimeout(alarm)
    if (!isOpen()) return
    state = "closed"
    room.resolve(null)
    // Its own end is the source's business: the caller has stopped listening.
    void Promise.resolve(source.return?.()).catch(() => undefined)
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      while (unanswered.length >= unansweredMax && isOpen()) await room.promise
      if (!isOpen()) return
      try {
        const next = await source.next()
        if (!isOpen()) return
        if (next.done === true) {
          state = "exhausted"
          if (unanswered.length === 0) watch()
          controller.close()
          return
        }
        unanswered.push(next.value)
        if (unanswered.length === 1) watch()
        controller.enqueue(encoder.encode(`${JSON.stringify(next.value)}\n`))
      } catch (error) {
        state = "closed"
        failed = error
        controller.error(error)
      }
    },
    cancel: close,
  })
  return {
    body,
    answered() {
      const identity = unanswered.shift()
      room.resolve(null)
      room = Promise.withResolvers()
      expecting = false
      watch()
      return identity
    },
    expect() {
      expecting = true
      watch()
    },
    isDone: () => state === "exhausted" && unanswered.length === 0,
    failure: () => failed,
    close,
  }
}
