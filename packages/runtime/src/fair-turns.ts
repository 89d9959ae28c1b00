/**
 * Does pieces of work one after the other. Owners take turns, so that no owner waits behind all the
 * work of another.
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
}

export function openFairTurns<Owner>({ eachMax, allMax = Infinity }: Room): FairTurns<Owner> {
  // In the order of turns: an owner that had one goes to the end.
  const queues = new Map<Owner, (() => Promise<void>)[]>()
  const waiting = new Map<Owner, number>()
  let all = 0
  let running: Promise<void> | null = null

  const add = (owner: Owner, weight: number): void => {
    const now = (waiting.get(owner) ?? 0) + weight
    if (now === 0) waiting.delete(owner)
    else waiting.set(owner, now)
    all += weight
  }
  async function run(): Promise<void> {
    for (let turn = queues.entries().next(); turn.done !== true; turn = queues.entries().next()) {
      const [owner, queue] = turn.value
      const work = queue.shift()
      queues.delete(owner)
      if (queue.length > 0) queues.set(owner, queue)
      await work?.()
    }
    running = null
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
      running ??= run()
      return promise
    },
    async idle() {
      while (running !== null) await running
    },
  }
}
