import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

type Collect = (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void

/**
 * Collects all that loading a program left, and gives the memory back, of which the room for new
 * objects is the most. V8 would do so once twice as much is in use, which a process that only waits
 * never comes to. It takes 50 ms of the processor, so it is for the end of a start.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc")
  // Flags are the process's: another thread that ends its start may just have put this one back.
  const collect = runInNewContext("globalThis.gc") as Collect | undefined
  // Code that V8 keeps for the next start is taken only with the flags that it was made with.
  setFlagsFromString("--no-expose-gc")
  collect?.({ type: "major", flavor: "last-resort" })
}
