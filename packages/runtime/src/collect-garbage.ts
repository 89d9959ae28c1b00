import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

type Collect = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void

interface Moment {
  readonly afterMs: number
  readonly quietMs: number
}

/**
 * A service that is tried out for a moment is over by then, and was spared what this takes. Code
 * that a start compiled has been kept long before: what was not called since is collected too, and
 * every later start would compile it.
 */
const FIRST: Moment = { afterMs: 30_000, quietMs: 1000 }

/** The share of a quiet moment in which something may happen, as a look at the clock does. */
const QUIET = 0.02

/**
 * Collects garbage once, half a minute after a start, when the thread that calls this has had
 * nothing to do for a second. While it is busy no request waits for that.
 */
export function collectOnceQuiet({ afterMs, quietMs }: Moment = FIRST): void {
  setTimeout(() => {
    let last = performance.eventLoopUtilization()
    const looking = setInterval(() => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      if (utilization > QUIET) return
      clearInterval(looking)
      collectGarbage()
    }, quietMs).unref()
  }, afterMs).unref()
}

/**
 * Collects all that loading a program left, and gives the memory back, of which the room for new
 * objects is the most. V8 would do so once twice as much is in use, which a process that only waits
 * never comes to. It takes 50 ms of the processor, in which the thread answers nobody.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc")
  // Flags are the process's: another thread that collects may just have put this one back.
  const collect = runInNewContext("globalThis.gc") as Collect | undefined
  // Code that V8 keeps for the next start is taken only with the flags that it was made with.
  setFlagsFromString("--no-expose-gc")
  collect?.({ type: "major", flavor: "last-resort" })
}
