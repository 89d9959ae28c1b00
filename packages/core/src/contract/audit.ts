import { Type, type Static } from "typebox"

/** Something that was done, and by whom. */
export const AuditEntry = Type.Object(
  {
    id: Type.Integer({ minimum: 1, description: "Its number; later entries have greater ones." }),
    at: Type.String({ format: "date-time" }),
    actor: Type.String({
      description:
        "Who did it: `key:ID`, `person:ID`, `operator` for a command of whoever runs the service, or a word for the service itself. Service keys see the user of a command, as `shell:USER`.",
    }),
    action: Type.String({ description: "What was done, such as `key.revoke`." }),
    subject: Type.String({ description: "What it was done to, such as `key:ID`." }),
    detail: Type.Record(Type.String(), Type.Unknown(), {
      description: "What more there is to say, by action. Never an identity.",
    }),
    request_id: Type.Union([Type.String(), Type.Null()], {
      description: "The X-Request-Id of the request it came with; null for a command.",
    }),
  },
  { additionalProperties: false },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditList = Type.Object(
  { entries: Type.Array(AuditEntry, { description: "The newest first." }) },
  { $id: "AuditList", additionalProperties: false },
)
export type AuditList = Static<typeof AuditList>

export const AuditListQuery = Type.Object({
  before: Type.Optional(
    Type.String({
      pattern: "^[1-9][0-9]{0,14}$",
      description: "Only entries before this one: the last id of a page asks for the next page.",
    }),
  ),
  limit: Type.Optional(
    Type.String({ pattern: "^([1-9][0-9]?|100)$", description: "1 to 100; 20 unless given." }),
  ),
})
