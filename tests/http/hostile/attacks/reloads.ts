import { type Attack, count } from "../attack.ts"
import { pause } from "../raw-connection.ts"

const EVERY_MS = 30_000

/** An operator replaces the workers while all this goes on. */
export const reloads: Attack = {
  name: "reloads",
  async run({ servicePid }, tally, over) {
    for (;;) {
      await pause(EVERY_MS, over)
      if (over.aborted) return
      process.kill(servicePid, "SIGHUP")
      count(tally, "reloads")
    }
  },
}
