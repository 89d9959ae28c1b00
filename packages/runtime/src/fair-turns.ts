/**
 * Does the work of one owner one piece after the other, and that of a few owners at once. Owners
 * take turns, so that none waits behind all the work of another.
 */
export interface FairTurns<Owner> {
  /** Whether this much more work of the owner may wait; the caller measures its weight. */
  hasRoom(owner: Owner, weight: number): boolean
  /**
   * Does the work when it is its owner's turn; of one owner in the order it came. Work that calls
   * `answer` has its result from then on, and what fails afterwards is lost; its turn still ends
   * only when it ends.
   */
  take<T>(owner: Owner, weight: number, work: Work<T>): Promise<T>
  /** Resolves when nothing is under way any more. */
  idle(): Promise<void>
}

type Work<T> = (answer: (result: T) => void) => Promise<T>

interface Room {
  /** The most that may wait of one owner. */
  readonly eachMax: number
  /** Beyond this total, only owners without waiting work may add to it. */
  readonly allMax?: number
  /** How many owners' work is under way at a time. */
  readonly atOnce?: number
}

export function openFairTurns<Owner>({
  eachMax,
  allMax = Infinity,
  atOnce = 1,
}: Room): FairTurns<Owner> {
  // In the order of turns: an owner that had one goes to the end.
  const queues = new Map<Owner, (() => Promise<void>)[]>()
  const underWay = new Map<Owner, Promise<undefined>>()
  const waiting = new Map<Owner, number>()
  let all = 0

  const add = (owner: Owner, weight: number): void => {
    const now = (waiting.get(owner) ?? 0) + weight
    if (now === 0) waiting.delete(owner)
    else waiting.set(owner, now)
    all += weight
  }
  const begin = (): void => {
    for (const [owner, queue] of queues) {
      if (underWay.size >= atOnce) return
      if (underWay.has(owner)) continue
      const work = queue.shift()
      queues.delete(owner)
      if (queue.length > 0) queues.set(owner, queue)
      if (work !== undefined) start(owner, work)
    }
  }
  const start = (owner: Owner, work: () => Promise<void>): void => {
    // Noted first: the work may add more work before it waits for anything.
    const { promise, resolve } = Promise.withResolvers<undefined>()
    underWay.set(owner, promise)
    void work().then(() => {
      underWay.delete(owner)
      resolve(undefined)
      begin()
    })
  }

  return {
    hasRoom(owner, weight) {
      const own = waiting.get(owner) ?? 0
      return own + weight <= eachMax && (own === 0 || all + weight <= allMax)
    },
    take<T>(owner: Owner, weight: number, work: Work<T>) {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      add(owner, weight)
      const queue = queues.get(owner) ?? []
      queue.push(async () => {
        try {
          resolve(await work(resolve))
        } catch (error) {
          // The caller gets this error; the next piece of work starts clean.
          reject(error)
        } finally {
          add(owner, -weight)
        }
      })
      queues.set(owner, queue)
      begin()
      return promise
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay.values())
    },
  }
}
