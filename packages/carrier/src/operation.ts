import { type Static, type TSchema, Type } from "typebox"
import { Value } from "typebox/value"
import { CarrierError, invalidArgument } from "./carrier-error.ts"
import type { Line } from "./line.ts"
import type { TrialApi } from "./script.ts"

/** A question about one line. */
export interface Question {
  readonly number: string
  answer(line: Line, nowMs: number): unknown
}

/** An operation of an API that asks about one line: a POST with a body of JSON. */
export interface LineOperation {
  readonly api: TrialApi
  readonly path: string
  /** Any one of these is enough. */
  readonly scopes: readonly string[]
  /** Throws a CarrierError where the request is not in order. */
  read(body: unknown): Question
}

/** The pattern of every definition. */
export const PhoneNumber = Type.String({ pattern: "^\\+[1-9][0-9]{4,14}$" })

/** Newer guidelines refuse unknown members, so a client that is to work everywhere sends none. */
export const exactly = { additionalProperties: false }

export function readRequest<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  if (Value.Check(schema, body)) return body
  const [fault] = Value.Errors(schema, body)
  const place = fault === undefined || fault.instancePath === "" ? "the top" : fault.instancePath
  throw invalidArgument(`The request does not fit the definition at ${place}`)
}

/**
 * Tokens belong to a client here and never to a subscriber, so a request has to name the number.
 */
export function subject(number: string | undefined): string {
  if (number === undefined)
    throw new CarrierError(422, "MISSING_IDENTIFIER", "The request names no subscriber")
  return number
}
