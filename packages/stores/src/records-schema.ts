import type { Generated } from "kysely"

/** The tables as both engines hold them: JSON as text, times in epoch milliseconds. */
export interface Schema {
  meta: { name: string; value: string }
  tenants: {
    id: Generated<number>
    name: string
    plan: string
    created_at: number
    settings: string
  }
  policies: {
    tenant_id: number
    version: number
    at: number
    actor: string
    settings: string
    reverted_to: number | null
  }
  shadows: {
    tenant_id: number
    version: number
    at: number
    actor: string
    settings: string | null
  }
  keys: {
    id: string
    tenant_id: number | null
    hash: Uint8Array
    hint: string
    label: string
    scopes: string
    created_at: number
    expires_at: number | null
    revoked_at: number | null
    replaced_by: string | null
  }
  usage: { key_id: string; day: string; operation: string; count: number }
  daily_identities: { day: string; tenant_id: number; tag: Uint8Array }
  audit: {
    id: number
    at: number
    actor: string
    action: string
    subject: string
    /** JSON. */
    detail: string
    tenant_id: number | null
    request_id: string | null
    /** Proves the row and all before it; null only in a row that was put there by other means. */
    mac: Uint8Array | null
  }
  feedback: {
    id: string
    tenant_id: number
    key_id: string
    identity_key: Uint8Array
    identity_type: string
    alias_tag: number
    outcome: string
    occurred_at: number
    received_at: number
    loss: string | null
    reference: string | null
    expires_at: number | null
    undone_at: number | null
    due_at: number | null
    claim: Uint8Array | null
  }
  reviews: {
    id: string
    tenant_id: number
    key_id: string
    identity_key: Uint8Array
    identity_type: string
    action: string
    stage: string | null
    score: number
    model_version: string
    reasons: string
    ref: string | null
    assignee: string | null
    outcome: string | null
    note: string | null
    decided_at: number | null
    decided_by: string | null
    feedback_id: string | null
  }
  saved_views: {
    id: string
    tenant_id: number
    list: string
    /** Empty where the tenant shares it. */
    owner: string
    name: string
    filter: string
    saved_at: number
  }
  watch_items: {
    id: string
    tenant_id: number
    identity_key: Uint8Array
    identity_type: string
    ref: string
    sealed: Uint8Array | null
    alias_tag: number
    kept: string
    domain_key: Uint8Array | null
    added_at: number
    told: string | null
    rose_at: number | null
    due_at: number
    cause: string
    revision: number
  }
  watch_domains: {
    tenant_id: number
    domain_key: Uint8Array
    kept: string
    taken: string
    version: string
  }
  watch_batches: {
    batch_id: number
    through: Uint8Array | null
    done_at: number | null
    matched: number | null
    removed_at: number | null
  }
  domain_watches: {
    id: string
    tenant_id: number
    domain: string
    domain_key: Uint8Array
    ref: string
    added_at: number
    proved_at: number | null
    proof: string | null
    check_at: number
  }
  sinks: {
    name: string
    seq: number
    moved_at: number
    holder: string | null
    held_until: number
  }
  nodes: {
    id: string
    host: string
    version: string
    index_format: number
    serves: string
    started_at: number
    seen_at: number
    clock_off: number
    folded_at: number
    left_at: number | null
  }
  leases: {
    name: string
    holder: string | null
    fence: number
    taken_at: number
    held_until: number
  }
  ssf_streams: {
    id: string
    tenant_id: number
    audience: string
    method: string
    url: string | null
    authorization_sealed: Uint8Array | null
    description: string
    dialect: string
    subject_format: string
    subject_issuer: string | null
    events: string
    status: string
    reason: string | null
    status_at: number
    created_at: number
    changed_at: number
    seq: number
    verify_asked_at: number | null
    verify_taken_at: number | null
    taken_at: number | null
    fault_at: number | null
    fault: string | null
    failures: number
    next_at: number | null
    locked_until: number | null
    claim: string | null
  }
  ssf_notes: { id: string; stream_id: string; kind: string; at: number; data: string }
  ssf_acks: { stream_id: string; jti: string; seq: number }
  ssf_left_out: { stream_id: string; ref_hash: Uint8Array }
  ssf_keys: {
    id: string
    sealed: Uint8Array
    public_key: string
    created_at: number
    signs_from: number
  }
  watch_tenants: { tenant_id: number; policy: string }
  tombstones: { identity_key: Uint8Array; erased_at: number }
  evidence: {
    identity_key: Uint8Array
    /** The tenant's id; 0 for what all tenants share. */
    owner: number
    source: string
    entry: Uint8Array
    event: Uint8Array | null
    key_id: string | null
    received_at: number
    due_at: number | null
  }
  idempotency: {
    key_id: string
    route: string
    key_hash: Uint8Array
    fingerprint: Uint8Array
    status: string
    response: string
    created_at: number
  }
  provider_costs: {
    day: string
    tenant_id: number
    provider: string
    calls: number
    micros: number
  }
  people: {
    id: string
    name: string
    email_hash: Uint8Array
    email_sealed: Uint8Array
    roles: string
    created_at: number
  }
  memberships: { person_id: string; tenant_id: number; role: string; created_at: number }
  credentials: {
    id: string
    person_id: string
    kind: string
    secret: Uint8Array
    counter: number
    label: string
    transports: string
    created_at: number
    used_at: number | null
  }
  signups: {
    id: string
    at: number
    organisation: string
    email_hash: Uint8Array
    email_sealed: Uint8Array
    purposes: string
    terms: string
    state: "waiting" | "allowed" | "done" | "refused"
    token_hash: Uint8Array | null
    expires_at: number | null
    done_at: Generated<number | null>
    tenant_id: Generated<number | null>
  }
  invitations: {
    id: string
    token_hash: Uint8Array
    tenant_id: number | null
    role: string | null
    person_id: string | null
    actor: string
    created_at: number
    expires_at: number
    used_at: number | null
  }
  sessions: {
    id: string
    token_hash: Uint8Array
    person_id: string
    tenant_id: number | null
    method: string
    signed_in_at: number
    seen_at: number
    expires_at: number
  }
  outside_accounts: { account_hash: Uint8Array; person_id: string; created_at: number }
  events: {
    seq: Generated<number>
    id: string
    tenant_id: number | null
    kind: string
    at: number
    ref: string | null
    identity_key: Uint8Array | null
    data: string
    sealed: Uint8Array | null
  }
  webhooks: {
    id: string
    tenant_id: number | null
    url: string
    description: string
    kinds: string
    created_at: number
    changed_at: number
    disabled_at: number | null
    disabled: string | null
    failing_since: number | null
  }
  webhook_secrets: {
    id: string
    webhook_id: string
    scheme: string
    sealed: Uint8Array
    public_key: Uint8Array | null
    created_at: number
    expires_at: number | null
  }
  deliveries: {
    id: string
    webhook_id: string
    event_seq: number
    kind: string
    order_key: Uint8Array | null
    status: string
    attempt: number
    first_at: number | null
    next_at: number | null
    locked_until: number | null
    claim: string | null
    last_at: number | null
    last_status: number | null
    last_error: string | null
  }
  attempts: {
    id: Generated<number>
    delivery_id: string
    at: number
    cause: string
    status: number | null
    error: string | null
    duration_ms: number
    response: string | null
  }
}
