import { constants, setPriority } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { beginVerification } from "@assay/stores/lmdb/verification"
import { verifyCorpus } from "../upkeep/verify.ts"
import { walkEnded } from "@assay/runtime/walk-ended"
import { startVerify } from "../run/keep-verified.ts"
import type { CommandProgram } from "@assay/runtime/children"
import { openSecrets } from "@assay/runtime/secrets"
import { number, opened, phases } from "./index-terminal.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface VerifyOptions {
  /** Only the index. */
  readonly index?: boolean
  readonly slowly?: boolean
  /** Run in this process, which a damaged page may end; by default in a process of its own. */
  readonly here?: boolean
}

/** A reading that rests takes a quarter of the time. */
const REST_SHARE = 3
const REST_MAX_MS = 1_000

/** Reads all of the index and the segments; fails with a list of everything that is wrong. */
export async function verifyIndex(
  options: VerifyOptions,
  terminal: Terminal,
  program: CommandProgram,
): Promise<void> {
  if (options.here === true) await verifyHere(options, terminal)
  else await verifyInChild(options, terminal, program)
}

/** The child prints the findings. If a signal ends the child, this function reports it. */
async function verifyInChild(
  { index = false, slowly = false }: VerifyOptions,
  terminal: Terminal,
  program: CommandProgram,
): Promise<void> {
  const { directory } = opened(terminal)
  const keep = beginVerification(directory.index)
  const options = [...(index ? ["--index"] : []), ...(slowly ? ["--slowly"] : [])]
  const { exitCode, signal } = await startVerify(program, options, "inherit").ended
  if (exitCode === 0) return
  // The reading has said why.
  if (signal === null) throw new CommandError("", { exitCode: exitCode ?? 1 })
  const fault = walkEnded(signal)
  if (fault === null)
    throw new CommandError(`The reading was ended (${signal}) and says nothing of the index`)
  keep({ at: terminal.now(), faults: [fault] })
  terminal.print(`fault  ${fault}`)
  throw new CommandError("1 fault found")
}

async function verifyHere(options: VerifyOptions, terminal: Terminal): Promise<void> {
  const { config, directory } = opened(terminal)
  const { checkValue } = openSecrets(config.secretFile, false)
  if (options.slowly === true) setPriority(constants.priority.PRIORITY_LOW)
  const keep = beginVerification(directory.index)
  const { faults, indexFaults, notes, identities, segments } = await verifyCorpus({
    index: directory.index,
    segments: options.index === true ? null : directory.segments,
    keyCheckValue: checkValue,
    ...(options.slowly === true && { pause: resting() }),
    ...phases(terminal, "checking"),
  })
  keep({ at: terminal.now(), faults: indexFaults })
  for (const note of notes) terminal.print(`note   ${note}`)
  for (const fault of faults) terminal.print(`fault  ${fault}`)
  if (faults.length > 0) {
    throw new CommandError(`${faults.length} ${faults.length === 1 ? "fault" : "faults"} found`)
  }
  const read = options.index === true ? "" : `, segments of ${number(segments)} batches`
  terminal.print(`ok     ${number(identities)} identities${read}, nothing wrong`)
}

/** Waits three times as long as the work since the last wait took. */
function resting(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    await sleep(Math.min(REST_MAX_MS, REST_SHARE * (performance.now() - since)))
    since = performance.now()
  }
}
