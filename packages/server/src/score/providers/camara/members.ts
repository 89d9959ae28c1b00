import { malformed } from "../signal-failure.ts"

/** The members of a JSON object, before anything is known of them. */
export type Members = Readonly<Record<string, unknown>>

export function membersOf(body: unknown): Members {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw malformed()
  return body as Members
}

/**
 * A member that has to be there and to be true or false. Anything near it, such as "false" or 0, is
 * no answer.
 */
export function flagOf(members: Members, name: string): boolean {
  const value = members[name]
  if (typeof value !== "boolean") throw malformed()
  return value
}
