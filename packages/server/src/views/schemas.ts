import {
  DecisionView,
  DecisionViewList,
  DecisionViewRequest,
  ReviewView,
  ReviewViewList,
  ReviewViewRequest,
  ViewParams,
} from "@assay/core/contract"
import { type TSchema, Type } from "typebox"
import { failures, FAILURES_OF_READING, FAILURES_WITHOUT_LOOKUP, named } from "../http/schemas.ts"

/** What the views of every list have in common; which filters there are, their schemas say. */
interface View {
  readonly id: string
  readonly name: string
  readonly shared: boolean
  readonly filter: Readonly<Record<string, unknown>>
}

interface Of {
  readonly tag: string
  /** As the ids of the operations have it. */
  readonly name: string
  readonly plural: string
  readonly view: TSchema
  readonly list: TSchema
  readonly request: TSchema
  /** Whether keys may write too. */
  readonly byKeys: boolean
}

function schemasOf({ tag, name, plural, view, list, request, byKeys }: Of) {
  const reading = { tags: [tag], security: [{ apiKey: [] }] }
  const writing = { tags: [tag], security: [byKeys ? { apiKey: [] } : { session: [] }] }
  return {
    list: {
      ...reading,
      operationId: `list${name}Views`,
      summary: `List saved views of ${plural}`,
      response: {
        200: Type.Unsafe<{ views: View[] }>(named(list, "Shared ones and your own.")),
        ...failures(...FAILURES_OF_READING),
      },
    },
    save: {
      ...writing,
      operationId: `save${name}View`,
      summary: `Save a filter of ${plural} under a name`,
      description: "One of the same name is replaced and keeps its id.",
      body: Type.Unsafe<Omit<View, "id" | "shared"> & { readonly shared?: boolean }>(
        named(request),
      ),
      response: {
        200: Type.Unsafe<View>(named(view, "Saved.")),
        ...failures("too-many-views", ...FAILURES_WITHOUT_LOOKUP),
      },
    },
    delete: {
      ...writing,
      operationId: `delete${name}View`,
      summary: `Delete a saved view of ${plural}`,
      params: ViewParams,
      response: {
        204: { type: "null", description: "Deleted." },
        ...failures("not-found", "view-not-found", ...FAILURES_OF_READING),
      },
    },
  }
}

export type ViewSchemas = ReturnType<typeof schemasOf>

export const reviewViewSchemas = schemasOf({
  tag: "Review",
  name: "Review",
  plural: "reviews",
  view: ReviewView,
  list: ReviewViewList,
  request: ReviewViewRequest,
  byKeys: true,
})

export const decisionViewSchemas = schemasOf({
  tag: "Decisions",
  name: "Decision",
  plural: "decisions",
  view: DecisionView,
  list: DecisionViewList,
  request: DecisionViewRequest,
  byKeys: false,
})
