import { parseTime } from "@assay/runtime/rfc3339"
import type { SavedView, ViewedList, ViewRecords } from "@assay/stores/records-views"
import { actorOf, type Caller, tenantOf } from "../accounts/callers.ts"
import { Problem } from "../base/problem.ts"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { refusal, refuseIdentity } from "../http/refusal.ts"
import { decisionViewSchemas, reviewViewSchemas, type ViewSchemas } from "./schemas.ts"
import { openViewWriter, type ViewChange, type Views, viewsPort } from "./views.ts"

export interface ViewServices {
  readonly viewRecords: Pick<ViewRecords, "views">
}

/** Filters of lists under names, somebody's own or shared by all of the tenant. */
export const views: Feature<ViewServices, Views> = {
  port: viewsPort,
  writer: async ({ records, now }) => openViewWriter({ records, now }),
  routes: viewRoutes,
}

type Filter = SavedView["filter"]

interface Viewed {
  readonly list: ViewedList
  readonly path: string
  readonly schemas: ViewSchemas
  /** Throws a Problem for a filter that the list itself would refuse and the schema does not. */
  readonly checkFilter: (filter: Filter) => void
}

const LISTS: readonly Viewed[] = [
  {
    list: "reviews",
    path: "/api/v1/review/views",
    schemas: reviewViewSchemas,
    checkFilter: () => undefined,
  },
  {
    list: "decisions",
    path: "/api/v1/decisions/views",
    schemas: decisionViewSchemas,
    checkFilter: checkTimes,
  },
]

/** To a schema a time is a text, and a text could name somebody. */
function checkTimes({ from, until }: Filter): void {
  for (const [name, text] of Object.entries({ from, until }))
    if (typeof text === "string" && parseTime(text) === null)
      throw refusal({ pointer: `#/filter/${name}`, detail: "must be a time as in RFC 3339" })
}

function viewRoutes(app: App, services: ViewServices, writer: Views): void {
  for (const each of LISTS) routesOf(app, services, writer, each)
}

function routesOf(
  app: App,
  { viewRecords: records }: ViewServices,
  writer: Views,
  { list, path, schemas, checkFilter }: Viewed,
): void {
  const by = ({ caller, id }: { readonly caller: Caller; readonly id: string }): ViewChange => {
    const { tenantId } = tenantOf(caller, "A view")
    return { tenantId, list, actor: actorOf(caller), requestId: id }
  }

  app.get(path, { schema: schemas.list }, async (request) => {
    const { tenantId, actor } = by(request)
    return { views: (await records.views({ tenantId, list, owner: actor })).map(viewBody) }
  })

  app.post(path, { schema: schemas.save }, async (request) => {
    const { name, shared = false, filter } = request.body
    refuseIdentity("name", name)
    checkFilter(filter)
    const saved = await writer.save({ ...by(request), name, shared, filter })
    if (saved === null) throw new Problem("too-many-views", "The view was not saved.")
    return viewBody(saved)
  })

  app.delete(`${path}/:id`, { schema: schemas.delete }, async (request, reply) => {
    if (!(await writer.remove(by(request), request.params.id)))
      throw new Problem("view-not-found", "You see no view of this id.")
    return reply.code(204).send(null)
  })
}

function viewBody({ id, owner, name, filter }: SavedView) {
  return { id, name, shared: owner === null, filter }
}
