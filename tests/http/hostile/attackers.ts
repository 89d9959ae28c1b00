// Runs every attack at once until its input closes. Prints a line once all have attacked, and one
// with what each of them did. A process of its own, so that the machine can put it behind the
// service, as attackers on other machines would be.
import { text } from "node:stream/consumers"
import { type Attack, count, type Tally, type Target } from "./attack.ts"
import {
  cancelledUploads,
  connections,
  deafReaders,
  hangUps,
  slowSenders,
} from "./attacks/connections.ts"
import * as floods from "./attacks/floods.ts"
import { oddRequests } from "./attacks/floods.ts"
import { reloads } from "./attacks/reloads.ts"
import { streams } from "./attacks/streams.ts"
import { tornImports } from "./attacks/torn-imports.ts"

/** Past this, what an attack waits for hangs, and the attack has found a fault. */
const ENDS_WITHIN_MS = 4 * 60_000

const attacks: readonly Attack[] = [
  hangUps,
  cancelledUploads,
  slowSenders,
  streams,
  ...Object.values(floods),
  connections,
  oddRequests,
  deafReaders,
  tornImports,
  reloads,
]

const target = JSON.parse(process.argv[2] ?? "{}") as Target
const only = process.argv[3]?.split(",")
const over = new AbortController()
void text(process.stdin).finally(() => over.abort())

const chosen = attacks
  .filter(({ name }) => only === undefined || only.includes(name))
  .map((attack): Attack & { readonly tally: Tally } => ({ ...attack, tally: {} }))
const watching = setInterval(() => {
  if (!chosen.every(hasAttacked)) return
  clearInterval(watching)
  process.stdout.write("all have attacked\n")
}, 500)
const tallies = await Promise.all(
  chosen.map(async ({ name, run, tally }): Promise<[string, Tally]> => {
    const late = Promise.withResolvers<"late">()
    over.signal.addEventListener("abort", () => setTimeout(late.resolve, ENDS_WITHIN_MS, "late"))
    const ended = await Promise.race([run(target, tally, over.signal), late.promise])
    if (ended === "late") count(tally, "did not end")
    return [name, tally]
  }),
)
process.stdout.write(`${JSON.stringify(Object.fromEntries(tallies))}\n`, () => process.exit(0))

function hasAttacked({ sign, tally }: Attack & { readonly tally: Tally }): boolean {
  if (sign !== undefined) return sign in tally
  return Object.keys(tally).some((counted) => counted !== "status 0")
}
