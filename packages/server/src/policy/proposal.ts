import type { BackTestRequest } from "@assay/core/contract"
import type { Policy } from "@assay/stores/records"
import { readTenantSettings, type TenantSettings } from "../accounts/tenant-settings.ts"
import { Problem } from "../base/problem.ts"
import type { Models } from "../score/models.ts"
import {
  changedInputMembers,
  hasStaleCalibration,
  keepingOperators,
  type PolicyFault,
  policyFaults,
  readPolicy,
  shadowFaults,
} from "./read-policy.ts"

type Document = Readonly<Record<string, unknown>>

/** The policy that a tenant may put in place of the one that acts, or a 422 Problem. */
export function proposedPolicy(
  document: Document,
  current: Policy,
  models: Models,
): TenantSettings {
  const policy = tenantsPolicy(document, current, models)
  refuseStaleCalibration(current.settings, policy)
  return policy
}

/** An earlier version, with the operator's members as they are now. */
export function revertedPolicy(earlier: Policy, current: Policy, models: Models): TenantSettings {
  const { verified: _verified, provider_daily_cap: _cap, ...own } = earlier.settings
  return tenantsPolicy(own, current, models)
}

/** The policy that a tenant may have computed beside the one that acts, or a 422 Problem. */
export function proposedShadow(
  document: Document,
  current: Policy,
  models: Models,
): TenantSettings {
  const policy = proposedPolicy(document, current, models)
  refuse(shadowFaults(readTenantSettings(current.settings), policy))
  return policy
}

/** What is to be tried on past decisions; `earlier` is the version that the request names. */
export function backTestedPolicy(
  { policy: document, models: chosen }: BackTestRequest,
  earlier: Policy | null,
  current: Policy,
  models: Models,
): TenantSettings {
  const base =
    document ?? (earlier === null ? current.settings : revertedPolicy(earlier, current, models))
  const proposal = tenantsPolicy(withModels(base, chosen), current, models)
  // A version was accepted with its calibration; a proposal may carry one to another model.
  if (earlier === null || chosen?.email !== undefined)
    refuseStaleCalibration(earlier?.settings ?? current.settings, proposal)
  const unseen = changedInputMembers(current.settings, proposal)
  if (unseen.length > 0)
    throw new Problem("not-backtestable", "This can only be shadowed.", {
      errors: unseen.map((member) => ({
        pointer: `#/policy/${member}`,
        detail: "decides what is found out about an identity, and can only be shadowed",
      })),
    })
  return proposal
}

function withModels(document: Document, chosen: BackTestRequest["models"]): Document {
  if (chosen === undefined || Object.keys(chosen).length === 0) return document
  const own = document["models"]
  return { ...document, models: { ...(typeof own === "object" ? own : {}), ...chosen } }
}

function tenantsPolicy(document: Document, current: Policy, models: Models): TenantSettings {
  refuse(policyFaults(document, models))
  const before = readTenantSettings(current.settings)
  const { policy, faults } = keepingOperators(before, readPolicy(document, models))
  refuse(faults)
  return policy
}

function refuseStaleCalibration(before: Document, after: TenantSettings): void {
  if (!hasStaleCalibration(before, after)) return
  const detail =
    "was fitted to the scores of the present e-mail model; leave it out, and fit it again under the other one"
  refuse([{ path: "/calibration", detail }])
}

function refuse(faults: readonly PolicyFault[]): void {
  if (faults.length === 0) return
  throw new Problem("policy-refused", "Members of the policy do not fit.", {
    errors: faults.map(({ path, detail }) => ({ pointer: `#${path}`, detail })),
  })
}
