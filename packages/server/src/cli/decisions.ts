import type { IdentityType } from "@assay/core/identity"
import { readConfig } from "../base/config.ts"
import { openDataDirectory } from "@assay/runtime/data-directory"
import { isDecisionId } from "@assay/stores/decision-id"
import { unfoldedDecisions } from "../decisions/fold.ts"
import { replay } from "../score/replay.ts"
import { openModels } from "../score/models.ts"
import type { Decision, DecisionsReader } from "@assay/stores/decisions"
import { readDecisions } from "@assay/stores/open/open-database"
import { withRecords } from "./records-access.ts"
import { table } from "./table.ts"
import { CommandError, type Terminal } from "./terminal.ts"

const LIMIT_MAX = 1_000

/** Prints all that is kept of a decision. */
export async function showDecision(id: string, terminal: Terminal): Promise<void> {
  const decision = await foundDecision(id, terminal)
  const rows = [
    ["decided at", new Date(decision.at).toISOString()],
    ["tenant", await tenantName(decision.tenantId, terminal)],
    ["key", decision.keyId],
    ["subject", decision.identityType],
    ["model", decision.modelVersion],
    ["calibration", decision.calibration ?? "(none)"],
    ["answer", answerOf(decision)],
  ]
  table(["decision", decision.id], rows).forEach(terminal.print)
  terminal.print("input")
  terminal.print(JSON.stringify(JSON.parse(decision.input), null, 2))
}

async function tenantName(id: number | null, terminal: Terminal): Promise<string> {
  if (id === null) return "(service)"
  const tenants = await withRecords(readConfig(terminal.env), (records) => records.tenants())
  return tenants.find((tenant) => tenant.id === id)?.name ?? String(id)
}

/** Computes a decision again; fails where the answer is not the one that was given. */
export async function replayDecision(id: string, terminal: Terminal): Promise<void> {
  const decision = await foundDecision(id, terminal)
  const replayed = replay(
    decision,
    openModels(openDataDirectory(readConfig(terminal.env).dataDirectory).models),
  )
  if (replayed === null) {
    throw new CommandError(
      `The decision was made by model ${decision.modelVersion} for ${decision.identityType}, which is not loaded`,
    )
  }
  if (replayed.differences.length === 0) {
    terminal.print(`same: ${answerOf(decision)}`)
    return
  }
  const rows = replayed.differences.map(({ field, recorded, computed }) => [
    field,
    String(recorded),
    String(computed),
  ])
  table(["FIELD", "RECORDED", "COMPUTED"], rows).forEach(terminal.print)
  throw new CommandError("The decision computed again is not the one that was recorded")
}

/** Prints a tenant's decisions, the newest first. */
export async function listDecisions(
  options: { tenant: string; limit: string },
  terminal: Terminal,
): Promise<void> {
  const limit = limitOf(options.limit, LIMIT_MAX)
  const decisions = await decisionsOfTenant({ tenant: options.tenant, limit }, terminal)
  const rows = decisions.map((decision) => [
    decision.id,
    new Date(decision.at).toISOString(),
    decision.identityType,
    answerOf(decision),
    decision.modelVersion,
  ])
  table(["ID", "DECIDED AT", "SUBJECT", "ANSWER", "MODEL"], rows).forEach(terminal.print)
}

/** The number that `--limit` gives. */
export function limitOf(text: string, max: number): number {
  const limit = Number(text)
  if (!/^\d{1,9}$/.test(text) || limit < 1 || limit > max)
    throw new CommandError(`--limit takes an integer from 1 to ${max}`)
  return limit
}

interface TenantDecisions {
  readonly tenant: string
  readonly limit: number
  /** Only decisions about these. */
  readonly identityType?: IdentityType
}

const PAGE = 1_000

/** A tenant's decisions, the newest first. */
export async function decisionsOfTenant(
  { tenant: name, limit, identityType }: TenantDecisions,
  terminal: Terminal,
): Promise<Decision[]> {
  const tenant = await withRecords(readConfig(terminal.env), (records) =>
    records.tenantByName(name),
  )
  if (tenant === null) throw new CommandError(`There is no tenant ${name}`)
  const wanted = { tenantId: tenant.id, ...(identityType === undefined ? {} : { identityType }) }
  return await withDecisions(terminal, async ({ unfolded, store }) => {
    const byId = new Map<string, Decision>()
    let before: string | undefined
    let left = limit
    while (left > 0) {
      const query = { ...wanted, limit: Math.min(limit, PAGE) }
      const page = await store.list(before === undefined ? query : { ...query, before })
      for (const decision of page) byId.set(decision.id, decision)
      left -= page.length
      before = page.at(-1)?.id
      if (page.length < query.limit) break
    }
    for (const decision of unfolded) {
      if (decision.tenantId !== tenant.id) continue
      if (identityType !== undefined && decision.identityType !== identityType) continue
      byId.set(decision.id, decision)
    }
    return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
  })
}

async function foundDecision(id: string, terminal: Terminal): Promise<Decision> {
  const decision = await withDecisions(terminal, (decisions) => decisionIn(decisions, id))
  if (decision === null) throw new CommandError("There is no decision of this id")
  return decision
}

/** Decisions as a command reads them. */
export interface ReadDecisions {
  readonly unfolded: readonly Decision[]
  readonly store: DecisionsReader
}

/**
 * Reads beside a running service or without one. The journals come first: a decision that leaves
 * them meanwhile is in the store by then.
 */
export async function readAllDecisions({ env }: Terminal): Promise<ReadDecisions> {
  const config = readConfig(env)
  const unfolded = unfoldedDecisions(openDataDirectory(config.dataDirectory).journal)
  return { unfolded, store: await readDecisions(config) }
}

/** The decision of an id, or null where there is none. */
export async function decisionIn(
  { unfolded, store }: ReadDecisions,
  id: string,
): Promise<Decision | null> {
  if (!isDecisionId(id)) return null
  return unfolded.find((each) => each.id === id) ?? (await store.find(id))
}

async function withDecisions<T>(
  terminal: Terminal,
  work: (decisions: ReadDecisions) => Promise<T>,
): Promise<T> {
  const decisions = await readAllDecisions(terminal)
  return await work(decisions).finally(() => decisions.store.close())
}

function answerOf({ score, stage, confidence, action }: Decision): string {
  return [score, stage, confidence, action].filter((part) => part !== null).join(" ")
}
