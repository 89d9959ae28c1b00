import { openDataDirectory } from "@assay/runtime/data-directory"
import { openSecrets } from "@assay/runtime/secrets"
import { dayOf } from "@assay/runtime/time"
import { problems } from "@assay/core/contract"
import { recordsAreShared } from "@assay/stores/open/open-database"
import { readConfig } from "../base/config.ts"
import { openMail } from "../base/mail.ts"
import { openSignUpWriter, type Refused, type SignUps } from "../signup/sign-up-writer.ts"
import { withRecords } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

/** Prints the sign-ups that wait for a decision, the oldest first. */
export async function listSignUps(terminal: Terminal): Promise<void> {
  await withSignUps(terminal, async (signUps) => {
    const waiting = await signUps.waiting()
    if (waiting.length === 0) terminal.note("No sign-up waits for a decision.")
    const rows = waiting.map(({ id, at, organisation, email, purposes }) => [
      id,
      dayOf(at),
      organisation,
      email,
      purposes.join(" "),
    ])
    if (rows.length > 0)
      table(["SIGN-UP", "ASKED", "ORGANISATION", "OWNER", "PURPOSES"], rows).forEach(terminal.print)
  })
}

export async function approveSignUp(id: string, terminal: Terminal): Promise<void> {
  await withSignUps(terminal, async (signUps) => {
    const outcome = await signUps.approve(id, { actor: terminal.user, requestId: null })
    if ("refused" in outcome) throw refusal(outcome)
    if (outcome.token === null) {
      terminal.print(`Sign-up ${id} is approved; its token was mailed.`)
      return
    }
    terminal.note("Give this token to whoever signed up; it is good once, within seven days:")
    terminal.print(outcome.token)
  })
}

export async function refuseSignUp(id: string, terminal: Terminal): Promise<void> {
  await withSignUps(terminal, async (signUps) => {
    const refused = await signUps.refuse(id, { actor: terminal.user, requestId: null })
    if (refused !== null) throw refusal(refused)
    terminal.print(`Sign-up ${id} is refused.`)
  })
}

function refusal({ refused }: Refused): CommandError {
  return new CommandError(problems[refused].title)
}

async function withSignUps(
  terminal: Terminal,
  work: (signUps: SignUps) => Promise<void>,
): Promise<void> {
  const config = readConfig(terminal.env)
  openDataDirectory(config.dataDirectory)
  await withRecords(config, async (records) => {
    const secrets = openSecrets(config.secretFile, false)
    const log = { warn: (text: string) => terminal.note(text) }
    const sendMail = config.mail === null ? null : openMail(config.mail, log)
    const { signUp: mode } = config
    const alone = !recordsAreShared(config)
    await work(openSignUpWriter({ mode, records, alone, secrets, sendMail, now: terminal.now }))
  })
}
