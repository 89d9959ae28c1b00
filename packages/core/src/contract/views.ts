import { type Static, type TSchema, Type } from "typebox"
import { DecisionViewFilter } from "./decisions.ts"
import { referred } from "./referred.ts"
import { ReviewFilter } from "./review.ts"

const id = Type.String({ pattern: "^view_[0-9a-f]{16}$" })
const name = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: "^[^\\p{C}]+$",
  description: "What the view is called. Must not hold an e-mail address or a phone number.",
})
const shared = Type.Boolean({
  description: "Whether all of the tenant see it, or only who saved it.",
})
const exactly = { additionalProperties: false }

function requestOf<F extends TSchema>(filter: F, $id: string, example: object) {
  const members = { name, shared: Type.Optional(shared), filter: referred(filter) }
  return Type.Object(members, { $id, ...exactly, examples: [example] })
}

function viewOf<F extends TSchema>(filter: F, $id: string) {
  return Type.Object({ id, name, shared, filter: referred(filter) }, { $id, ...exactly })
}

function listOf<V extends TSchema>(view: V, $id: string) {
  const views = Type.Array(referred(view), { description: "By name." })
  return Type.Object({ views }, { $id, ...exactly })
}

export const ReviewViewRequest = requestOf(ReviewFilter, "ReviewViewRequest", {
  name: "Blocked today",
  filter: { action: "block", newer_than_hours: "24" },
})
export type ReviewViewRequest = Static<typeof ReviewViewRequest>
export const ReviewView = viewOf(ReviewFilter, "ReviewView")
export type ReviewView = Static<typeof ReviewView>
export const ReviewViewList = listOf(ReviewView, "ReviewViewList")
export type ReviewViewList = Static<typeof ReviewViewList>

export const DecisionViewRequest = requestOf(DecisionViewFilter, "DecisionViewRequest", {
  name: "Blocked addresses",
  shared: true,
  filter: { subject: "email", action: "block" },
})
export type DecisionViewRequest = Static<typeof DecisionViewRequest>
export const DecisionView = viewOf(DecisionViewFilter, "DecisionView")
export type DecisionView = Static<typeof DecisionView>
export const DecisionViewList = listOf(DecisionView, "DecisionViewList")
export type DecisionViewList = Static<typeof DecisionViewList>

export const ViewParams = Type.Object({
  id: Type.String({ description: "The id of the view." }),
})
