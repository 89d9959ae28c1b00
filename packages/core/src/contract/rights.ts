import type { Scope } from "./scopes.ts"

/** What a person can be in a tenant. */
export const TENANT_ROLES = ["owner", "analyst", "viewer"] as const
/** What a person can be for the whole service. */
export const SERVICE_ROLES = ["administrator", "drop-recipient"] as const

export type TenantRole = (typeof TENANT_ROLES)[number]
export type ServiceRole = (typeof SERVICE_ROLES)[number]
export type Role = TenantRole | ServiceRole

/**
 * Who may carry out an operation: keys with any one of the scopes, people with any of the roles.
 */
export interface Right {
  readonly scopes: readonly Scope[]
  /** `signed-in`: whatever they are. */
  readonly roles: readonly Role[] | "signed-in"
}

/** An operation that asks for no key: anyone may call it, or it knows its callers by itself. */
export type Open = "anyone" | "carriers" | "signing-in"

const owner = ["owner"] as const
const analysts = ["owner", "analyst"] as const
const members = ["owner", "analyst", "viewer"] as const
const managers = ["owner", "administrator"] as const
const administrators = ["administrator"] as const
const recipients = ["drop-recipient"] as const

/**
 * Every operation of the service and who may carry it out, by `operationId`. The routes check by
 * this table, the reference is printed from it, and a test walks it: an operation without a row
 * does not start.
 */
export const RIGHTS = {
  live: "anyone",
  ready: "anyone",
  scoreEmail: { scopes: ["score"], roles: analysts },
  scorePhone: { scopes: ["score"], roles: analysts },
  scoreEmails: { scopes: ["score"], roles: analysts },
  scorePhones: { scopes: ["score"], roles: analysts },
  sendFeedback: { scopes: ["feedback:write"], roles: analysts },
  undoFeedback: { scopes: ["feedback:write"], roles: analysts },
  eraseSubject: { scopes: ["subjects:admin", "subjects:own"], roles: ["owner", "administrator"] },
  exportSubject: { scopes: ["subjects:admin", "subjects:own"], roles: ["owner", "administrator"] },
  sendEvidence: { scopes: ["evidence:write"], roles: owner },
  notifySimChange: "carriers",
  getDecision: { scopes: ["decisions:read"], roles: members },
  listDecisions: { scopes: ["decisions:read"], roles: members },
  countDecisions: { scopes: ["decisions:read"], roles: members },
  compareDecision: { scopes: ["decisions:read"], roles: members },
  searchDecisions: { scopes: ["decisions:read"], roles: members },
  listDecisionViews: { scopes: ["decisions:read"], roles: members },
  // Of people alone: no scope lets a key write about decisions.
  saveDecisionView: { scopes: [], roles: analysts },
  deleteDecisionView: { scopes: [], roles: analysts },
  listReviews: { scopes: ["review:read"], roles: members },
  getReview: { scopes: ["review:read"], roles: members },
  getOutcomes: { scopes: ["review:read"], roles: members },
  listReviewViews: { scopes: ["review:read"], roles: members },
  assignReview: { scopes: ["review:write"], roles: analysts },
  decideReview: { scopes: ["review:write"], roles: analysts },
  undoReview: { scopes: ["review:write"], roles: analysts },
  changeReviews: { scopes: ["review:write"], roles: analysts },
  saveReviewView: { scopes: ["review:write"], roles: analysts },
  deleteReviewView: { scopes: ["review:write"], roles: analysts },
  listWatchList: { scopes: ["watchlist:write"], roles: members },
  addToWatchList: { scopes: ["watchlist:write"], roles: owner },
  removeFromWatchList: { scopes: ["watchlist:write"], roles: owner },
  // Of the tenant a person acts in; administrators who act in none see to the service's own.
  listWebhooks: { scopes: ["webhooks:manage"], roles: managers },
  createWebhook: { scopes: ["webhooks:manage"], roles: managers },
  getWebhook: { scopes: ["webhooks:manage"], roles: managers },
  changeWebhook: { scopes: ["webhooks:manage"], roles: managers },
  deleteWebhook: { scopes: ["webhooks:manage"], roles: managers },
  rotateWebhookSecret: { scopes: ["webhooks:manage"], roles: managers },
  testWebhook: { scopes: ["webhooks:manage"], roles: managers },
  replayWebhook: { scopes: ["webhooks:manage"], roles: managers },
  listDeliveries: { scopes: ["webhooks:manage"], roles: managers },
  getDelivery: { scopes: ["webhooks:manage"], roles: managers },
  replayDelivery: { scopes: ["webhooks:manage"], roles: managers },
  getWebhookKeys: "anyone",
  listSharedSignals: { scopes: ["webhooks:manage"], roles: owner },
  createSharedSignalsStream: { scopes: ["webhooks:manage"], roles: owner },
  getSharedSignalsStream: { scopes: ["webhooks:manage"], roles: owner },
  changeSharedSignalsStream: { scopes: ["webhooks:manage"], roles: owner },
  deleteSharedSignalsStream: { scopes: ["webhooks:manage"], roles: owner },
  verifySharedSignalsStream: { scopes: ["webhooks:manage"], roles: owner },
  // They sign for all tenants.
  listSharedSignalsKeys: { scopes: [], roles: administrators },
  rotateSharedSignalsKey: { scopes: [], roles: administrators },
  listSources: { scopes: ["score"], roles: [...members, "administrator"] },
  listImports: { scopes: ["corpus:admin"], roles: administrators },
  previewImport: { scopes: ["corpus:admin"], roles: administrators },
  importUpload: { scopes: ["corpus:admin"], roles: administrators },
  importFile: { scopes: ["corpus:admin"], roles: administrators },
  cancelImport: { scopes: ["corpus:admin"], roles: administrators },
  listOverrides: { scopes: ["corpus:admin"], roles: administrators },
  addOverride: { scopes: ["corpus:admin"], roles: administrators },
  removeOverride: { scopes: ["corpus:admin"], roles: administrators },
  checkDomain: { scopes: ["corpus:admin"], roles: administrators },
  listAudit: { scopes: ["audit:read", "audit:admin"], roles: ["owner", "administrator"] },
  listEvents: { scopes: ["events:read", "events:admin"], roles: ["owner", "administrator"] },
  getEvent: { scopes: ["events:read", "events:admin"], roles: ["owner", "administrator"] },
  // Of people alone: a key that leaks must not make others, or change what is decided.
  getPolicy: { scopes: [], roles: members },
  listPolicies: { scopes: [], roles: members },
  getPolicyVersion: { scopes: [], roles: members },
  setPolicy: { scopes: [], roles: owner },
  revertPolicy: { scopes: [], roles: owner },
  previewPolicy: { scopes: [], roles: members },
  backTestPolicy: { scopes: [], roles: analysts },
  getShadow: { scopes: [], roles: members },
  setShadow: { scopes: [], roles: owner },
  endShadow: { scopes: [], roles: owner },
  reportShadow: { scopes: [], roles: members },
  listKeys: { scopes: [], roles: owner },
  createKey: { scopes: [], roles: owner },
  changeKey: { scopes: [], roles: owner },
  rotateKey: { scopes: [], roles: owner },
  revokeKey: { scopes: [], roles: owner },
  getOwnTenant: { scopes: [], roles: members },
  // Of the service as a whole: counts of all tenants are for administrators.
  getServiceLevels: { scopes: [], roles: [...members, "administrator"] },
  listSinks: { scopes: [], roles: administrators },
  testSink: { scopes: [], roles: administrators },
  getErrorBudget: { scopes: [], roles: administrators },
  getServiceHealth: { scopes: [], roles: administrators },
  listTenants: { scopes: ["tenants:admin"], roles: administrators },
  createTenant: { scopes: ["tenants:admin"], roles: administrators },
  changeTenant: { scopes: ["tenants:admin"], roles: administrators },
  getUsage: { scopes: ["usage:read"], roles: members },
  offerSignUp: "anyone",
  signUp: "anyone",
  confirmSignUp: "anyone",
  listSignUps: { scopes: [], roles: ["administrator"] },
  approveSignUp: { scopes: [], roles: ["administrator"] },
  refuseSignUp: { scopes: [], roles: ["administrator"] },
  syncDrop: { scopes: ["drop:read"], roles: recipients },
  postDropBatch: { scopes: ["drop:read"], roles: recipients },
  listDropKeys: { scopes: ["drop:read"], roles: recipients },
  setFirstDropKeys: { scopes: ["drop:read"], roles: recipients },
  // Only by a key that was made for a piece of work and ends within a day.
  resealDropMessage: { scopes: ["drop:reseal"], roles: [] },
  signIn: "signing-in",
  sendSecondStep: "signing-in",
  startPasskeySignIn: "signing-in",
  signInByPasskey: "signing-in",
  lookAtInvitation: "signing-in",
  startJoinByPasskey: "signing-in",
  join: "signing-in",
  acceptInvitation: { scopes: [], roles: "signed-in" },
  getSession: { scopes: [], roles: "signed-in" },
  actInTenant: { scopes: [], roles: "signed-in" },
  signOut: { scopes: [], roles: "signed-in" },
  getOwnAccount: { scopes: [], roles: "signed-in" },
  listOwnSessions: { scopes: [], roles: "signed-in" },
  endOwnSession: { scopes: [], roles: "signed-in" },
  endOtherSessions: { scopes: [], roles: "signed-in" },
  setPassword: { scopes: [], roles: "signed-in" },
  startPasskey: { scopes: [], roles: "signed-in" },
  addPasskey: { scopes: [], roles: "signed-in" },
  removePasskey: { scopes: [], roles: "signed-in" },
  startTotp: { scopes: [], roles: "signed-in" },
  confirmTotp: { scopes: [], roles: "signed-in" },
  removeTotp: { scopes: [], roles: "signed-in" },
  makeRecoveryCodes: { scopes: [], roles: "signed-in" },
  // Of the tenant a person acts in; administrators who act in none see to the service's own.
  listMembers: { scopes: [], roles: [...members, "administrator"] },
  inviteMember: { scopes: [], roles: managers },
  endInvitation: { scopes: [], roles: managers },
  setMemberRole: { scopes: [], roles: managers },
  removeMember: { scopes: [], roles: managers },
} as const satisfies Record<string, Right | Open>

export type Operation = keyof typeof RIGHTS

/**
 * Paths that OpenID Shared Signals and OAuth prescribe. Receivers of any maker call them, with
 * tokens that they get there; those standards describe them, and the description of this API does
 * not. A name that ends in `/` is a folder.
 */
export const STANDARD_PATHS = [
  "/.well-known/ssf-configuration/ssf/",
  "/.well-known/oauth-authorization-server",
  "/oauth/token",
  "/ssf/",
] as const

/** Pages and files that are no operations, open to anyone. A name that ends in `/` is a folder. */
export const PAGES = [
  "/",
  "/openapi.json",
  "/docs",
  "/docs/",
  "/problems",
  "/problems/",
  "/event-types",
  "/event-types/",
  // Shows numbers of the service alone, and asks for its own token where one is set.
  "/metrics",
  // One page at whatever address: all that it shows, it asks for by the operations above.
  "/console",
  "/console/*",
  "/console/icon.svg",
  "/console/files/",
  "/console/drop",
  "/console/drop/files/",
  "/console/sign-in/oidc",
  "/console/sign-in/oidc/",
] as const
