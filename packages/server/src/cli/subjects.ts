import { SUBJECT_REASONS, type SubjectReason } from "@assay/core/contract"
import { readConfig, type Config } from "../base/config.ts"
import {
  lockDataDirectory,
  openDataDirectory,
  type DataDirectory,
} from "@assay/runtime/data-directory"
import { journalFolder } from "../decisions/fold.ts"
import { deleteSetAside } from "../decisions/journal-files.ts"
import { knownIdentities } from "../decisions/known-identities.ts"
import { Problem } from "../base/problem.ts"
import { callRunningServer } from "@assay/runtime/control-socket"
import { openSecrets, type Secrets } from "@assay/runtime/secrets"
import { openDecisions, openRecords } from "@assay/stores/open/open-database"
import { openIndexForCommand } from "../upkeep/open-index.ts"
import { reviewQueue } from "../review/review-queue.ts"
import { rowsAbout } from "../review/queued-decisions.ts"
import { openModels } from "../score/models.ts"
import { identifySubject } from "../http/identify-subject.ts"
import { remote } from "@assay/runtime/rpc"
import { subjectsPort } from "../subjects/subjects.ts"
import type { Subjects, SubjectInquiry } from "../subjects/subjects.ts"
import { syncTombstones } from "../subjects/sync-tombstones.ts"
import { openTombstones } from "../subjects/tombstone-file.ts"
import { openSubjectWriter } from "../subjects/subject-writer.ts"
import { withRecords } from "./records-access.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface SubjectOptions {
  readonly reason: string
  readonly reference?: string
  readonly tenant?: string
}

/** Erases what is held about the person whose address or number stands in the standard input. */
export async function eraseSubject(
  options: SubjectOptions,
  terminal: Terminal,
  input: AsyncIterable<Buffer | string>,
): Promise<void> {
  const done = await withSubjects(options, terminal, input, (writer, inquiry) =>
    writer.erase(inquiry),
  )
  terminal.print(
    `Erased (${done.scope}): ${done.reports} reports and ${done.decisions} decisions; evidence is gone from the next answer on`,
  )
  if (done.scope === "everything")
    terminal.note(
      "Backups made before still hold the identity; restoring one erases it again, by the tombstones that are kept outside of it (ASSAY_TOMBSTONES).",
    )
}

/**
 * Prints all that is held about the person whose address or number stands in the standard input, as
 * JSON.
 */
export async function exportSubject(
  options: SubjectOptions,
  terminal: Terminal,
  input: AsyncIterable<Buffer | string>,
): Promise<void> {
  const answer = await withSubjects(options, terminal, input, (writer, inquiry) =>
    writer.export(inquiry),
  )
  if (answer.state === "too-many") {
    throw new CommandError(
      `Too many exports in the last hour; the next one is possible in ${answer.retryAfterSeconds} s`,
    )
  }
  terminal.print(JSON.stringify(answer.export, null, 2))
}

async function withSubjects<T>(
  options: SubjectOptions,
  terminal: Terminal,
  input: AsyncIterable<Buffer | string>,
  work: (writer: Subjects, inquiry: SubjectInquiry) => Promise<T>,
): Promise<T> {
  const config = readConfig(terminal.env)
  const { reason, reference = null } = options
  if (!isReason(reason))
    throw new CommandError(`--reason takes one of ${SUBJECT_REASONS.join(", ")}`)
  if (reference !== null && !/^[A-Za-z0-9._-]{1,64}$/.test(reference))
    throw new CommandError("--reference takes 1 to 64 letters, digits, dots, _ and -")
  const directory = openDataDirectory(config.dataDirectory)
  const secrets = openSecrets(config.secretFile, false)
  const tenantId = options.tenant === undefined ? null : await tenantOf(config, options.tenant)
  const inquiry: SubjectInquiry = {
    ...identified(await firstLine(input), secrets),
    tenantId,
    actor: terminal.user,
    requestId: null,
    reason,
    reference,
  }
  const server = await callRunningServer(directory.controlSocket)
  if (server !== null) {
    const subjects = remote(subjectsPort, server.call, subjectsPort.problemOf)
    return await work(subjects, inquiry).finally(server.close)
  }
  return await withOwnSubjects(config, directory, secrets, terminal, (writer) =>
    work(writer, inquiry),
  )
}

function isReason(text: string): text is SubjectReason {
  return (SUBJECT_REASONS as readonly string[]).includes(text)
}

async function tenantOf(config: Config, name: string): Promise<number> {
  const tenant = await withRecords(config, (records) => records.tenantByName(name))
  if (tenant === null) throw new CommandError(`There is no tenant ${name}`)
  return tenant.id
}

/** Not an argument: those stand in the shell's history and in the list of processes. */
async function firstLine(input: AsyncIterable<Buffer | string>): Promise<string> {
  let text = ""
  for await (const piece of input) {
    text += String(piece)
    if (text.includes("\n")) break
  }
  const [line = ""] = text.split("\n")
  if (line.trim() === "")
    throw new CommandError("Write the e-mail address or phone number to the standard input")
  return line.trim()
}

function identified(
  text: string,
  secrets: Secrets,
): Pick<SubjectInquiry, "identityType" | "identityKey" | "aliasTag"> {
  try {
    return identifySubject(
      text.startsWith("+") && !text.includes("@") ? { phone_number: text } : { email: text },
      secrets,
    )
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    throw new CommandError("The standard input holds no e-mail address and no phone number")
  }
}

/** With no server running, the command is the one writer, under the same lock. */
async function withOwnSubjects<T>(
  config: Config,
  directory: DataDirectory,
  secrets: Secrets,
  terminal: Terminal,
  work: (writer: Subjects) => Promise<T>,
): Promise<T> {
  const lock = lockDataDirectory(directory.path)
  if (lock === null)
    throw new CommandError(
      `The server on ${directory.path} is starting or stopping; try again in a moment`,
    )
  const open: { close(): Promise<void> }[] = []
  const opened = <S extends { close(): Promise<void> }>(store: S): S => {
    open.push(store)
    return store
  }
  try {
    const index = opened(await openIndexForCommand(config, { readOnly: false }))
    await index.checkKeyCheckValue(secrets.checkValue)
    const records = opened(await openRecords(config, { auditKey: secrets.subkeys.audit }))
    await records.migrate()
    await records.checkKeyCheckValue(secrets.checkValue)
    const decisions = opened(await openDecisions(config))
    const fold = journalFolder({
      journal: directory.journal,
      decisions,
      onFolded: knownIdentities(index),
      toReview: reviewQueue({
        loadModels: () => openModels(directory.models),
        days: config.reviewDays,
        now: terminal.now,
        async add(queued) {
          const { reviews, events } = rowsAbout(queued)
          await records.addReviews(reviews, events)
        },
      }),
    })
    const tombstones = await openTombstones(config.tombstonesFile, secrets.checkValue)
    await syncTombstones(records, tombstones)
    const writer = openSubjectWriter({
      records,
      tombstones,
      index,
      decisions,
      fold: async () => {
        await fold()
      },
      deleteSetAside: () => void deleteSetAside(directory.journal),
      // Only a running service remembers what providers said.
      forgetSignals: async () => undefined,
      now: terminal.now,
    })
    return await work(writer)
  } finally {
    for (const store of open.reverse()) await store.close()
    lock.release()
  }
}
