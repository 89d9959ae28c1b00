import type { ErrorBudget, ServiceLevels, ServicePeriod } from "@assay/core/contract"
import type { WantedSegment } from "@assay/corpus/brought-segments"
import { type Port, portOf } from "@assay/runtime/rpc"
import type { Secrets } from "@assay/runtime/secrets"
import type { Counters } from "@assay/stores/counters"
import type { DatabasePlace } from "@assay/stores/database"
import type { Decisions } from "@assay/stores/decisions"
import type { Records } from "@assay/stores/records"
import type { SinkRecords } from "@assay/stores/records-sinks"
import type { Config, WebhookConfig } from "../base/config.ts"
import type { FoldReport } from "../decisions/fold.ts"
import type { RequestCounts } from "../health/request-counts.ts"
import type { Deliveries, Sinks } from "../http/feature.ts"
import type { SignalLookup } from "../score/providers/phone-signals.ts"
import type { Spending } from "../score/providers/spending.ts"
import type { SinkSettings } from "../sinks/kinds.ts"
import type { StreamOutbox } from "../shared-signals/sender.ts"
import type { Outbox } from "../webhooks/deliverer.ts"
import type { NotBrought, Peer } from "./fetch-segment.ts"
import type { ServerSighting } from "./keep-learnt.ts"
import type { SegmentsPlace } from "./serve-segments.ts"

// What is called between the processes and threads of the service. Ports are named and listed here,
// in whole: a method that is not listed cannot be reached.

/** The message by which the primary tells a worker that the stores are open. */
export const BEGIN = "begin"

/** Besides the ports below: what workers have the primary do. */
export interface PrimaryPort {
  readonly addUsage: Records["addUsage"]
  readonly addAudit: Records["addAudit"]
  readonly tellQuotaReached: Records["tellQuotaReached"]
  noticeServers(sighting: ServerSighting): Promise<void>
  /** The metrics of all workers, as text. */
  gatherMetrics(): Promise<string>
  /** Brings every decision written so far into the store. */
  foldDecisions(): Promise<void>
  /** What a worker counted since it last called; it calls about each second, with nothing too. */
  countRequests(counts: RequestCounts): Promise<void>
  serviceLevels(period: ServicePeriod): Promise<ServiceLevels>
  errorBudget(month?: string): Promise<ErrorBudget>
}

/** What the primary has its workers do. */
export interface WorkerPort {
  /** Its registry, as JSON. */
  metrics(): Promise<object>
  /** Returns what is wrong with the lists, in which case the old ones stay. */
  reloadLists(): Promise<string | null>
  reloadLearnt(): Promise<void>
  /** Events may have been added. */
  lookForEvents(): Promise<void>
}

export const primaryPort = portOf<PrimaryPort>("primary", {
  addUsage: true,
  addAudit: true,
  tellQuotaReached: true,
  noticeServers: true,
  gatherMetrics: true,
  foldDecisions: true,
  countRequests: true,
  serviceLevels: true,
  errorBudget: true,
})

export const workerPort = portOf<WorkerPort>("worker", {
  metrics: true,
  reloadLists: true,
  reloadLearnt: true,
  lookForEvents: true,
})

export const countersPort = portOf<Counters>("counters", {
  clock: true,
  lease: true,
  giveBack: true,
  admitIdentity: true,
  holdStreams: true,
  velocity: true,
})

export const signalsPort = portOf<SignalLookup>("signals", { look: true })

/** The thread that asks providers. */
export interface ProvidersPort extends SignalLookup {
  /** Drops what is remembered of an identity. */
  forget(key: string): Promise<void>
  /** Drops everything that is remembered. */
  forgetAll(): Promise<void>
  /** Its registry, as JSON. */
  metrics(): Promise<object>
}
export const providersPort = portOf<ProvidersPort>("providers", {
  look: true,
  forget: true,
  forgetAll: true,
  metrics: true,
})
/** What that thread pays by, in the primary. */
export const spendingPort = portOf<Spending>("spending", { spend: true })

/** The thread that calls webhooks. */
export interface DeliveriesPort extends Omit<Deliveries, "begin"> {
  /** Deliveries may have been added. */
  look(): Promise<void>
  /** Its registry, as JSON. */
  metrics(): Promise<object>
}
export const deliveriesPort = portOf<DeliveriesPort>("deliveries", {
  refusalOf: true,
  proofOf: true,
  shoot: true,
  look: true,
  metrics: true,
})
/** What that thread empties, in the primary. */
export const outboxPort = portOf<Outbox & StreamOutbox>("outbox", {
  dueWebhooks: true,
  claimDeliveries: true,
  releaseDeliveries: true,
  settleDelivery: true,
  liveSecrets: true,
  logShot: true,
  pendingDeliveries: true,
  dueStreams: true,
  claimStream: true,
  settleStream: true,
  streamNotes: true,
  streamAcks: true,
  eventsAfter: true,
  leftOut: true,
  sharedKeys: true,
  acknowledge: true,
})

/** What the thread that calls webhooks is started with. */
export interface DeliveriesThreadData extends WebhookConfig {
  /** Whom proofs of domains are asked of; null: nobody. */
  readonly dns: Config["dns"]
  readonly ssfOrigin: Config["ssfOrigin"]
  readonly subkeys: Secrets["subkeys"]
}

/** The thread that sends to sinks. */
export interface SinksPort extends Sinks {
  /** Events may have been added. */
  look(): Promise<void>
  /** Its registry, as JSON. */
  metrics(): Promise<object>
}
export const sinksPort = portOf<SinksPort>("sinks", {
  states: true,
  test: true,
  look: true,
  metrics: true,
})
/** What that thread reads, in the primary. */
export const sinkRecordsPort = portOf<SinkRecords>("sinkRecords", {
  eventsOfAll: true,
  countEventsOfAll: true,
  sinkPosition: true,
  holdSink: true,
  releaseSink: true,
  moveSink: true,
})

/** What the thread that sends to sinks is started with. */
export interface SinksThreadData {
  readonly settings: SinkSettings
  /** No other service uses the same records. */
  readonly alone: boolean
  readonly subkeys: Secrets["subkeys"]
}

export const recordsPort = portOf<Records>("records", {
  createTenant: true,
  tenants: true,
  tenantByName: true,
  setPlan: true,
  setTenantSettings: true,
  policies: true,
  policy: true,
  setShadow: true,
  shadow: true,
  createKey: true,
  keyByHash: true,
  keys: true,
  rotateKey: true,
  changeKey: true,
  revokeKey: true,
  accountsVersion: true,
  tellQuotaReached: true,
  people: true,
  hasPeople: true,
  personById: true,
  personByEmail: true,
  personByCredential: true,
  members: true,
  setMember: true,
  setServiceRoles: true,
  changeCredentials: true,
  peopleVersion: true,
  invitations: true,
  invitationByToken: true,
  invite: true,
  endInvitation: true,
  endInvitationsBy: true,
  join: true,
  forgetInvitations: true,
  addSignUp: true,
  waitingSignUps: true,
  waitingSignUp: true,
  signUpByToken: true,
  hasSignedUp: true,
  decideSignUp: true,
  dropSignUp: true,
  signUpAtOnce: true,
  completeSignUp: true,
  forgetSignUps: true,
  openSession: true,
  sessionByToken: true,
  sessionsOf: true,
  touchSessions: true,
  endSession: true,
  endSessions: true,
  forgetSessions: true,
  personByOutsideAccount: true,
  signInFromOutside: true,
  addUsage: true,
  usage: true,
  usageOfMonth: true,
  addDailyIdentities: true,
  dailyIdentities: true,
  forgetDailyIdentities: true,
  addFeedback: true,
  undoFeedback: true,
  feedbackOf: true,
  dueFeedback: true,
  settleFeedback: true,
  feedbackIdentities: true,
  newestFeedbackAt: true,
  forgetFeedback: true,
  forgetClaims: true,
  eraseSubject: true,
  eraseAgain: true,
  addReviews: true,
  reviews: true,
  review: true,
  reviewsOn: true,
  assignReviews: true,
  decideReviews: true,
  undoReviews: true,
  forgetReviews: true,
  eraseReviews: true,
  saveView: true,
  views: true,
  deleteView: true,
  addWatchItems: true,
  removeWatchItems: true,
  watchItems: true,
  countWatchItems: true,
  watchingTenants: true,
  dueWatchItems: true,
  settleWatchItems: true,
  watchedKeys: true,
  watchItemsOf: true,
  watchedBatches: true,
  watchedInBatches: true,
  followRemovedBatch: true,
  matchBatch: true,
  staleWatchDomains: true,
  setWatchDomains: true,
  setWatchPolicies: true,
  domainWatches: true,
  dueDomainWatches: true,
  settleDomainCheck: true,
  provedDomains: true,
  feedbackSince: true,
  addEvents: true,
  eventsAfter: true,
  newestEvents: true,
  event: true,
  newestEvent: true,
  forgetEvents: true,
  setDropDigest: true,
  eventsOfAll: true,
  countEventsOfAll: true,
  sinkPosition: true,
  holdSink: true,
  releaseSink: true,
  moveSink: true,
  createStream: true,
  streams: true,
  stream: true,
  changeStream: true,
  deleteStream: true,
  askVerification: true,
  streamNotes: true,
  waitingEvents: true,
  streamAcks: true,
  acknowledge: true,
  moveStream: true,
  leftOut: true,
  leaveOut: true,
  takeBackIn: true,
  hasPushStream: true,
  dueStreams: true,
  enabledStreams: true,
  claimStream: true,
  settleStream: true,
  forgetStreamNotes: true,
  sharedKeys: true,
  addSharedKey: true,
  deleteSharedKeys: true,
  createWebhook: true,
  webhooks: true,
  webhook: true,
  changeWebhook: true,
  deleteWebhook: true,
  rotateSecret: true,
  liveSecrets: true,
  webhookKeys: true,
  hasEnabledWebhook: true,
  dueWebhooks: true,
  claimDeliveries: true,
  releaseDeliveries: true,
  settleDelivery: true,
  addTest: true,
  deliveryToRepeat: true,
  logShot: true,
  deliveries: true,
  delivery: true,
  attempts: true,
  queueReplay: true,
  noteReplay: true,
  pendingDeliveries: true,
  admitExport: true,
  reportsOn: true,
  tombstone: true,
  tombstones: true,
  addEvidence: true,
  ownersWithDueEvidence: true,
  dueEvidence: true,
  settleEvidence: true,
  evidenceAfter: true,
  forgetSharedSource: true,
  spendProviderCost: true,
  providerCosts: true,
  forgetProviderCosts: true,
  takeLease: true,
  renewLease: true,
  releaseLease: true,
  leases: true,
  useOnce: true,
  wasUsed: true,
  takeAttempts: true,
  giveBackAttempts: true,
  forgetAttempts: true,
  underLease: true,
  databaseTime: true,
  beginNode: true,
  seeNode: true,
  leaveNode: true,
  forgetNode: true,
  nodes: true,
  sayImports: true,
  saidImports: true,
  sayRequests: true,
  saidRequests: true,
  migrate: true,
  checkKeyCheckValue: true,
  addAudit: true,
  audit: true,
  auditAfter: true,
  auditLinks: true,
  auditEnds: true,
  cutAudit: true,
  ping: true,
  close: true,
})

/** The one writer of the records. */
export interface RecordsWriter extends Records {
  /** `addReviews` of decisions in the text of `queuedText`. */
  addQueued(text: string): Promise<void>
}

export const recordsWriterPort: Port<RecordsWriter> = {
  name: recordsPort.name,
  methods: [...recordsPort.methods, "addQueued" satisfies keyof RecordsWriter],
}

/** The one writer of the decisions. */
export interface DecisionsWriter extends Pick<
  Decisions,
  "forgetBefore" | "ofIdentity" | "eraseIdentity"
> {
  /** Brings everything the workers have appended so far into the store. */
  fold(): Promise<FoldReport>
  close(): Promise<void>
}

export const decisionsPort = portOf<DecisionsWriter>("decisions", {
  fold: true,
  forgetBefore: true,
  ofIdentity: true,
  eraseIdentity: true,
  close: true,
})

/** What the thread of the decisions is started with. */
export interface DecisionsThreadData {
  readonly place: DatabasePlace
  /** The directory of the workers' journals. */
  readonly journal: string
  /** The directory of models besides the shipped ones. */
  readonly models: string
  readonly reviewDays: number
  /** Whether a worker may be making its journal already. */
  readonly workersRun: boolean
}

/** What commands may not do through the running service. */
const OWN: ReadonlySet<string> = new Set<keyof Records>([
  "close",
  "migrate",
  "cutAudit",
  "underLease",
])

/** What commands may do through it: all but closing the records under it. */
export const openRecordsPort: Port<Records> = {
  ...recordsPort,
  methods: recordsPort.methods.filter((method) => !OWN.has(method)),
}

/** What the thread of the records is started with. */
export interface RecordsThreadData extends DatabasePlace {
  readonly auditKey: Uint8Array
}

/** What the thread of the segments does. */
export interface SegmentsPort {
  /** Gives other nodes what they ask for from now on. Returns why it cannot, or null. */
  listen(): Promise<string | null>
  /** Returns why it did not come from those that were asked; null where it is here. */
  bring(wanted: WantedSegment, peers: readonly Peer[]): Promise<readonly NotBrought[] | null>
  close(): Promise<void>
}

export const segmentsPort = portOf<SegmentsPort>("segments", {
  listen: true,
  bring: true,
  close: true,
})

/** What the thread of the segments is started with. */
export type SegmentsThreadData = SegmentsPlace
