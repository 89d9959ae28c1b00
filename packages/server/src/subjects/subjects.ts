import type { IdentityType } from "@assay/core/identity"
import type { SubjectErasure, SubjectExport, SubjectReason } from "@assay/core/contract"
import { writerPort } from "../base/writer-port.ts"

/**
 * Whom a request about a subject names, and who makes it. The identity is a keyed hash from here
 * on.
 */
export interface SubjectInquiry {
  readonly identityKey: Uint8Array
  readonly identityType: IdentityType
  /** 0 where the address is the mailbox's own form. */
  readonly aliasTag: number
  /** Only what this tenant holds; null: what all tenants hold. */
  readonly tenantId: number | null
  /** Who asks, for the audit trail. */
  readonly actor: string
  /** null for a command. */
  readonly requestId: string | null
  readonly reason: SubjectReason
  readonly reference: string | null
}

export type SubjectAnswer =
  | { readonly state: "exported"; readonly export: SubjectExport }
  | { readonly state: "too-many"; readonly retryAfterSeconds: number }

/** Does for the person behind an identity what they may ask for. */
export interface Subjects {
  /** When it resolves nothing is left that a lookup, an export or a past decision could show. */
  erase(inquiry: SubjectInquiry): Promise<SubjectErasure>
  export(inquiry: SubjectInquiry): Promise<SubjectAnswer>
}

export const subjectsPort = writerPort<Subjects>(
  "subjects",
  { erase: true, export: true },
  // An erasure walks through every store.
  { answerMs: 60_000, failed: "The subject's data cannot be reached" },
)
