import { type AuditEntry, AuditList, AuditListQuery } from "@assay/core/contract"
import type { AuditEntry as StoredEntry, AuditRecords } from "@assay/stores/records-audit"
import type { App } from "../http/app.ts"
import type { Feature } from "../http/feature.ts"
import { failures, FAILURES_OF_READING, named } from "../http/schemas.ts"

const PAGE = 20

const schema = {
  operationId: "listAudit",
  summary: "See who changed what",
  description:
    "With `audit:read`: what was done to the key's tenant, its keys and settings. With `audit:admin`: everything.",
  tags: ["Audit"],
  security: [{ apiKey: [] }],
  querystring: AuditListQuery,
  response: {
    200: named(AuditList, "Entries of the audit trail."),
    ...failures(...FAILURES_OF_READING),
  },
}

export interface AuditServices {
  readonly trail: Pick<AuditRecords, "audit">
}

export const audit: Feature<AuditServices> = { routes: auditRoutes }

function auditRoutes(app: App, { trail }: AuditServices): void {
  app.get("/api/v1/audit", { schema }, async ({ caller, query }) => {
    const { tenantId } = caller
    const found = await trail.audit({
      limit: Number(query.limit ?? PAGE),
      ...(query.before !== undefined && { before: Number(query.before) }),
      // Only a caller of no tenant sees everything, whatever scopes a tenant's key carries.
      ...(tenantId !== null && { tenantId }),
    })
    return { entries: found.map((entry) => shown(entry, tenantId !== null)) }
  })
}

/**
 * A tenant learns that the operator did something, and not which user of the operator's machine.
 */
function shown(entry: StoredEntry, toTenant: boolean): AuditEntry {
  const { id, at, actor, action, subject, detail, requestId } = entry
  return {
    id,
    at: new Date(at).toISOString(),
    actor: toTenant && actor.startsWith("shell:") ? "operator" : actor,
    action,
    subject,
    detail,
    request_id: requestId,
  }
}
