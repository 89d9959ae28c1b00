import {
  DomainCheck,
  DomainCheckRequest,
  DomainOverride,
  DomainOverrideList,
  DomainOverrideListQuery,
  DomainOverrideParams,
  DomainOverrideRequest,
} from "@assay/core/contract"
import { parseDomain, type ParsedDomain } from "@assay/core/identity"
import { Explained } from "@assay/runtime/explained"
import { openTurns } from "@assay/runtime/turns"
import { actorOf } from "../accounts/callers.ts"
import { Problem } from "../base/problem.ts"
import { writerPort } from "../base/writer-port.ts"
import type { App } from "../http/app.ts"
import type { Feature, Primary } from "../http/feature.ts"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"
import type { Lists } from "../score/email/lists.ts"
import { judgeDomain, type Naming } from "../score/email/lists/judgement.ts"
import {
  applyEdit,
  type ListEdit,
  type Override,
  overrideId,
  withOverride,
  withoutOverride,
} from "../score/email/lists/overrides.ts"
import type { OwnLine } from "../score/email/lists/own-lists.ts"
import { verdictOf } from "../score/email/lists/verdict.ts"

const common = { tags: ["Lists"], security: [{ apiKey: [] }, { session: [] }] }
const PAGE = 100

const listSchema = {
  ...common,
  operationId: "listOverrides",
  summary: "List what you say of domains",
  description: "Every line of the operator's lists, with the list it stands in and its note.",
  querystring: DomainOverrideListQuery,
  response: {
    200: named(DomainOverrideList, "A page of overrides."),
    ...failures("lists-unusable", ...FAILURES_OF_READING),
  },
}

const addSchema = {
  ...common,
  operationId: "addOverride",
  summary: "Say what a domain is",
  description:
    "It is written to the list `console.csv`, and holds for every tenant from the next score on. The same domain and category again change the note.",
  body: named(DomainOverrideRequest),
  response: {
    201: named(DomainOverride, "The override."),
    ...failures("lists-unusable", ...FAILURES_WITHOUT_LOOKUP),
  },
}

const removeSchema = {
  ...common,
  operationId: "removeOverride",
  summary: "Remove an override",
  description:
    "Its line is taken out of its list, whichever that is. A list that is imported again brings it back.",
  params: DomainOverrideParams,
  response: {
    200: named(DomainOverride, "The override as it was."),
    ...failures("override-not-found", "lists-unusable", "not-found", ...FAILURES_OF_READING),
  },
}

const checkSchema = {
  ...common,
  operationId: "checkDomain",
  summary: "See what lists say of a domain",
  description: "And which of them. By the lists that scores rest on now; nobody else is asked.",
  body: named(DomainCheckRequest),
  response: {
    200: named(DomainCheck, "What is said of it."),
    ...failures(...FAILURES_WITHOUT_LOOKUP),
  },
}

/** Who changes something, for the audit trail. */
interface By {
  readonly actor: string
  readonly requestId: string
}

/** What changes the operator's lists, in the primary. */
interface OverrideKeeper {
  add(of: By & { line: OwnLine }): Promise<Override>
  /** null: no list has it. */
  remove(of: By & { override: Override }): Promise<Override | null>
}

const port = writerPort<OverrideKeeper>("lists", { add: true, remove: true })

export interface ListServices {
  readonly lists: Pick<Lists, "own" | "overrides">
}

/** The operator's lists of domains, for administrators. */
export const lists: Feature<ListServices, OverrideKeeper> = {
  routes: listRoutes,
  port: {
    ...port,
    problemOf: (error) =>
      error.code === "lists" ? unusable(error.message, error) : port.problemOf(error),
  },
  writer: async ({ records, lists: { directory, reload }, now }) =>
    openKeeper({ records, directory, reload, now }),
}

interface Kept extends Pick<Primary, "records" | "now"> {
  readonly directory: string
  readonly reload: () => Promise<unknown>
}

/** One change after the other: each is made of the file that the one before has left. */
function openKeeper({ records, directory, reload, now }: Kept): OverrideKeeper {
  const turns = openTurns()
  const carryOut = async (edit: ListEdit, action: string, by: By): Promise<Override> => {
    const { file, override, text } = edit
    if (text !== null) {
      const { domain, category } = override
      // What cannot be noted is not done.
      await records.addAudit({
        ...by,
        at: now(),
        action,
        subject: `list:${file.replace(/\.csv$/, "")}`,
        detail: { domain, category },
      })
      write(directory, edit)
    }
    // Also where nothing changed: an attempt before may have written and not been taken over.
    await reload()
    return override
  }
  return {
    add: ({ line, ...by }) =>
      turns.take(() => carryOut(withOverride(directory, line, now()), "lists.override", by)),
    remove: ({ override, ...by }) =>
      turns.take(async () => {
        const edit = withoutOverride(directory, override)
        return edit === null ? null : await carryOut(edit, "lists.remove-override", by)
      }),
  }
}

function write(directory: string, edit: ListEdit): void {
  try {
    applyEdit(directory, edit)
  } catch (error) {
    throw new Explained("lists", `${edit.file} cannot be written`, { cause: error })
  }
}

function listRoutes(app: App, { lists: known }: ListServices, keeper: OverrideKeeper): void {
  app.get("/api/v1/lists/overrides", { schema: listSchema }, async ({ query }) => {
    const limit = Number(query.limit ?? PAGE)
    const after = query.after === undefined ? "" : Buffer.from(query.after, "base64url").toString()
    const files = orUnusable(() => known.overrides())
    const found = files
      .filter(({ file }) => query.list === undefined || file === query.list)
      .flatMap(({ overrides }) => overrides)
      .filter(({ category }) => query.category === undefined || category === query.category)
      .map((override) => ({ override, place: placeOf(override) }))
      .filter(({ place }) => place > after)
      .sort((a, b) => (a.place < b.place ? -1 : 1))
    const page = found.slice(0, limit)
    const last = page.at(-1)
    const next = found.length > limit && last !== undefined ? last.place : null
    return {
      overrides: page.map(({ override }) => answerOf(override)),
      next: next === null ? null : Buffer.from(next).toString("base64url"),
      lists: files.map(({ file, overrides, changedAtMs }) => ({
        list: file,
        overrides: overrides.length,
        changed_at: new Date(changedAtMs).toISOString(),
      })),
    }
  })

  app.post("/api/v1/lists/overrides", { schema: addSchema }, async (request, reply) => {
    const { body, caller, id: requestId } = request
    const { domain } = domainIn(body.domain)
    const line = { domain, category: body.category, note: (body.note ?? "").trim() }
    // A list that is broken already is named before anything changes.
    orUnusable(() => known.overrides())
    const override = await keeper.add({ line, actor: actorOf(caller), requestId })
    return reply.code(201).send(answerOf(override))
  })

  app.delete("/api/v1/lists/overrides/:id", { schema: removeSchema }, async (request) => {
    const { params, caller, id: requestId } = request
    const override = orUnusable(() => known.overrides())
      .flatMap(({ overrides }) => overrides)
      .find((each) => overrideId(each) === params.id)
    const by = { actor: actorOf(caller), requestId }
    const removed = override === undefined ? null : await keeper.remove({ override, ...by })
    if (removed === null) throw new Problem("override-not-found", "Nothing was changed.")
    return answerOf(removed)
  })

  app.post("/api/v1/lists/check", { schema: checkSchema }, async ({ body }) => {
    const parsed = domainIn(body.domain)
    const judgement = judgeDomain(parsed, known.own())
    return {
      domain: parsed.domain,
      verdict: verdictOf(judgement),
      named_by: [
        ...judgement.own.map((naming) => namedBy("own", naming)),
        ...judgement.shipped.map((naming) => namedBy("shipped", naming)),
      ],
    }
  })
}

function namedBy(
  whose: "own" | "shipped",
  { origin, says, domain }: Naming,
): DomainCheck["named_by"][number] {
  const id =
    whose === "own"
      ? overrideId({ file: origin, domain, category: says as OwnLine["category"] })
      : null
  return { lists: whose, list: origin, says, domain, override_id: id }
}

function domainIn(text: string): ParsedDomain {
  const parsed = parseDomain(text.trim())
  if ("fault" in parsed)
    throw new Problem("invalid-request", "Nothing was changed.", {
      errors: [{ pointer: "#/domain", detail: "must be a domain" }],
    })
  return parsed
}

function orUnusable<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Explained && error.code === "lists") throw unusable(error.message, error)
    throw error
  }
}

function unusable(message: string, cause: Error): Problem {
  return new Problem("lists-unusable", `${message}.`, { cause })
}

/** By domain, and within one by list: a page goes on behind the last one, whatever came or went. */
function placeOf({ domain, file, category }: Override): string {
  return `${domain}\n${file}\n${category}`
}

function answerOf(override: Override): DomainOverride {
  const { domain, category, note, file, changedAtMs } = override
  const changed_at = new Date(changedAtMs).toISOString()
  return { id: overrideId(override), domain, category, note, list: file, changed_at }
}
