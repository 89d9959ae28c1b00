/** How many buckets are requested at the same time: enough that no node waits for us. */
export const IN_FLIGHT = 256

/**
 * Does `work` for each item, at most `limit` at a time. After the first failure it starts no more,
 * and ends when all work under way has ended.
 */
export async function inFlight<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]()
  let failed = false
  const lane = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true && !failed; next = waiting.next()) {
      try {
        await work(next.value)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: limit }, lane))
  for (const ended of lanes) if (ended.status === "rejected") throw ended.reason
}

/** 0 to `count` - 1. */
export function* numbers(count: number): Generator<number> {
  for (let i = 0; i < count; i++) yield i
}
