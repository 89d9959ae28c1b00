import { type Attack, count } from "../attack.ts"
import { pause } from "../raw-connection.ts"

const FIRST_MS = 5_000
const EVERY_MS = 3 * 60_000

/** An operator replaces the workers while all this goes on. */
export const reloads: Attack = {
  name: "reloads",
  async run({ servicePid }, tally, over) {
    for (let n = 0; ; n++) {
      await pause(n === 0 ? FIRST_MS : EVERY_MS, over)
      if (over.aborted) return
      process.kill(servicePid, "SIGHUP")
      count(tally, "reloads")
    }
  },
}
