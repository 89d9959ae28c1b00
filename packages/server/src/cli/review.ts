import {
  ASSIGNEE_PATTERN,
  REVIEW_NOTE_MAX,
  REVIEW_OUTCOMES,
  ReviewFilter,
  type ReviewOutcome,
} from "@assay/core/contract"
import { callRunningServer } from "@assay/runtime/control-socket"
import { lockDataDirectory, openDataDirectory } from "@assay/runtime/data-directory"
import { remote } from "@assay/runtime/rpc"
import { openSecrets } from "@assay/runtime/secrets"
import { isDecisionId } from "@assay/stores/decision-id"
import { openRecords } from "@assay/stores/open/open-database"
import { openIndexForCommand } from "../upkeep/open-index.ts"
import type { Review } from "@assay/stores/records-reviews"
import { Value } from "typebox/value"
import { type Config, readConfig } from "../base/config.ts"
import { holdsIdentity } from "../base/holds-identity.ts"
import { openFeedbackWriter } from "../intake/feedback-writer.ts"
import { readAssignee, readFilter, reviewBody } from "../review/read-filter.ts"
import { openReviewWriter } from "../review/review-writer.ts"
import { type ReviewAct, type Reviews, reviewsPort } from "../review/reviews.ts"
import { limitOf } from "./decisions.ts"
import { knownTenant } from "./keys.ts"
import { withRecords } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

export interface OfTenant {
  readonly tenant: string
}

export interface ListOptions extends OfTenant, Record<string, string | undefined> {
  readonly tenant: string
  readonly limit: string
}

export interface DecideOptions extends OfTenant {
  readonly outcome: string
  readonly note?: string
}

export interface OutcomeOptions extends OfTenant {
  readonly days: string
  readonly json?: boolean
  readonly policy?: boolean
}

const LIST_MAX = 1_000

/** Prints reviews, the newest first. */
export async function listReviews(options: ListOptions, terminal: Terminal): Promise<void> {
  const { tenant: name, limit: limitText, ...given } = options
  const limit = limitOf(limitText, LIST_MAX)
  const filter = readFilter(filterOf(given), self(terminal), terminal.now())
  const found = await withRecords(readConfig(terminal.env), async (records) => {
    const { id: tenantId } = await knownTenant(name, records)
    return await records.reviews({ tenantId, filter, limit })
  })
  const rows = found.map((review) => {
    const { id, risk_score, band, threat_stage = "", recommended_action, ref } = reviewBody(review)
    const { subject, decided_at, assignee, outcome } = reviewBody(review)
    return [
      ...[id, decided_at, subject, `${risk_score} ${band}`, threat_stage, recommended_action],
      ...[ref ?? "", assignee ?? "", outcome ?? "waiting"],
    ]
  })
  const columns = ["ID", "DECIDED AT", "SUBJECT", "SCORE", "STAGE", "ACTION", "REF", "ASSIGNEE"]
  table([...columns, "OUTCOME"], rows).forEach(terminal.print)
}

/** The options as the API's filter has them; what does not fit is refused by its option. */
function filterOf(given: Readonly<Record<string, string | undefined>>): ReviewFilter {
  const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (it) => `_${it.toLowerCase()}`)
  const filter = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [snake(name), value]),
  )
  if (Value.Check(ReviewFilter, filter)) return filter
  const [fault] = Value.Errors(ReviewFilter, filter)
  const option = fault?.instancePath.slice(1).replaceAll("_", "-") ?? ""
  throw new CommandError(`--${option} does not take this; --help names what it takes`)
}

/** Prints all that is kept of a review, as the API shows it. */
export async function showReview(id: string, of: OfTenant, terminal: Terminal): Promise<void> {
  const review = await withRecords(readConfig(terminal.env), async (records) => {
    const { id: tenantId } = await knownTenant(of.tenant, records)
    return isDecisionId(id) ? await records.review({ id, tenantId }) : null
  })
  if (review === null) throw unknown()
  terminal.print(JSON.stringify(reviewBody(review), null, 2))
}

/** Gives a review to somebody. */
export async function assignReview(
  id: string,
  options: OfTenant & { readonly to: string },
  terminal: Terminal,
): Promise<void> {
  const assignee = readAssignee(options.to, self(terminal))
  if (assignee !== null && !new RegExp(ASSIGNEE_PATTERN).test(assignee))
    throw new CommandError("--to takes me, nobody, key:ID or person:ID")
  const review = await changed(id, options, { do: "assign", assignee }, terminal)
  terminal.print(`${review.id} is ${review.assignee ?? "nobody"}'s`)
}

/** Whom `me` means. */
function self({ user }: Terminal): string {
  return `cli:${user}`
}

/** Decides a review. */
export async function decideReview(
  id: string,
  options: DecideOptions,
  terminal: Terminal,
): Promise<void> {
  const { outcome, note = null } = options
  if (!isOutcome(outcome))
    throw new CommandError(`--outcome takes one of ${REVIEW_OUTCOMES.join(", ")}`)
  if (note !== null && (note === "" || note.length > REVIEW_NOTE_MAX))
    throw new CommandError(`--note takes 1 to ${REVIEW_NOTE_MAX} characters`)
  if (note !== null && holdsIdentity(note))
    throw new CommandError("--note must not hold an e-mail address or a phone number")
  const review = await changed(id, options, { do: "decide", outcome, note }, terminal)
  terminal.print(`${review.id}: ${outcome}`)
  if (review.feedbackId !== null)
    terminal.note(`It is feedback ${review.feedbackId} and acts on the next score.`)
}

function isOutcome(text: string): text is ReviewOutcome {
  return (REVIEW_OUTCOMES as readonly string[]).includes(text)
}

/** Lets a decided review wait again. */
export async function undoReview(id: string, of: OfTenant, terminal: Terminal): Promise<void> {
  const review = await changed(id, of, { do: "undo" }, terminal)
  terminal.print(`${review.id} waits again`)
}

async function changed(
  id: string,
  { tenant: name }: OfTenant,
  act: ReviewAct,
  terminal: Terminal,
): Promise<Review> {
  const config = readConfig(terminal.env)
  const { id: tenantId } = await withRecords(config, (records) => knownTenant(name, records))
  if (!isDecisionId(id)) throw unknown()
  const answer = await withReviews(config, terminal, (reviews) =>
    reviews.change({ tenantId, actor: terminal.user, requestId: null }, id, act),
  )
  if (answer.state === "done") return answer.review
  if (answer.state === "unknown") throw unknown()
  throw new CommandError("It is decided already; undo it before deciding it anew")
}

function unknown(): CommandError {
  return new CommandError("No review of this tenant has this id")
}

/** Through the running service, or, where none runs, as the one writer under the same lock. */
async function withReviews<T>(
  config: Config,
  { now }: Terminal,
  work: (reviews: Reviews) => Promise<T>,
): Promise<T> {
  const directory = openDataDirectory(config.dataDirectory)
  const server = await callRunningServer(directory.controlSocket)
  if (server !== null) {
    const reviews = remote(reviewsPort, server.call, reviewsPort.problemOf)
    return await work(reviews).finally(server.close)
  }
  const lock = lockDataDirectory(directory.path)
  if (lock === null)
    throw new CommandError(
      `The server on ${directory.path} is starting or stopping; try again in a moment`,
    )
  const open: { close(): Promise<void> }[] = []
  try {
    const secrets = openSecrets(config.secretFile, false)
    const index = await openIndexForCommand(config, { readOnly: false })
    open.push(index)
    await index.checkKeyCheckValue(secrets.checkValue)
    const records = await openRecords(config, { auditKey: secrets.subkeys.audit })
    open.push(records)
    await records.migrate()
    await records.checkKeyCheckValue(secrets.checkValue)
    const feedback = await openFeedbackWriter({ records, index, now })
    // What is in the journals reaches the queue with the next start of the service.
    const fold = async (): Promise<void> => undefined
    const writer = openReviewWriter({ records, feedback, fold, now, days: config.reviewDays })
    return await work(writer).finally(feedback.idle)
  } finally {
    for (const store of open.reverse()) await store.close()
    lock.release()
  }
}
