import type { Command } from "commander"
import type { AuditFilter } from "./audit.ts"
import type { BackTestOptions } from "./policy-backtest.ts"
import type { InviteOptions, SetPersonOptions } from "./people.ts"
import type { ShadowReportOptions } from "./policy-shadow.ts"
import type { CreateOptions, OperatorTokenOptions } from "./keys.ts"
import type { Shell } from "./terminal.ts"
import type { UsageOptions } from "./usage.ts"

/** Making and ending API keys. */
export function keysCommands(assay: Command, { terminal }: Shell): void {
  const keys = assay.command("keys").description("make and end API keys")
  keys
    .command("create")
    .description("make a key and print it, once")
    .option("--tenant <name>", "the tenant it belongs to; made if there is none of this name")
    .option("--plan <plan>", "plan of a new tenant: free or enterprise (default: free)")
    .option("--service", "a key of the service itself, for administration, of no tenant")
    .option("--scopes <list>", "what it may do, separated by commas, or all (default: score)")
    .option("--expires <time>", "when it ends: 12h, 90d (default: never)")
    .option("--label <text>", "a note to recognise it by")
    .action(async (options: CreateOptions) =>
      (await import("./keys.ts")).createKey(options, terminal),
    )
  keys
    .command("list")
    .description("list keys, without what would let anyone use them")
    .option("--tenant <name>", "only those of this tenant")
    .action(async (options: { tenant?: string }) =>
      (await import("./keys.ts")).listKeys(options, terminal),
    )
  keys
    .command("rotate <id>")
    .description("replace a key by a new one and print that, once")
    .option("--overlap <time>", "how long the old one goes on working", "24h")
    .option("--expires <time>", "when the new one ends (default: never)")
    .action(async (id: string, options: { overlap: string; expires?: string }) =>
      (await import("./keys.ts")).rotateKey(id, options, terminal),
    )
  keys
    .command("revoke <id>")
    .description("end a key")
    .action(async (id: string) => (await import("./keys.ts")).revokeKey(id, terminal))
  keys
    .command("mint")
    .description(
      "print a key for ASSAY_BOOTSTRAP_KEY; it opens nothing until a service starts with it",
    )
    .action(async () => (await import("./keys.ts")).mintKey(terminal))
}

/** Tenants, their plans and settings. */
export function tenantsCommands(assay: Command, { terminal }: Shell): void {
  const tenants = assay.command("tenants").description("tenants, their plans and settings")
  tenants
    .command("list")
    .description("list tenants, the models they use and what is set for them")
    .action(async () => (await import("./tenants.ts")).listTenants(terminal))
  tenants
    .command("show <name>")
    .description("print every setting of a tenant and what it takes")
    .action(async (name: string) => (await import("./tenants.ts")).showTenant(name, terminal))
  tenants
    .command("create <name>")
    .description("make a tenant, without a key")
    .option("--plan <plan>", "free or enterprise (default: free)")
    .action(async (name: string, options: { plan?: string }) =>
      (await import("./tenants.ts")).createTenant(name, options, terminal),
    )
  tenants
    .command("set <name> [setting...]")
    .description(
      "change settings by KEY=VALUE, such as providers=true; KEY= goes back to the default",
    )
    .option(
      "--domains <domains>",
      "the tenant's own mail domains, with commas between: what looks like one of them is told as an imitation",
    )
    .action(async (name: string, settings: string[], options: { domains?: string }) =>
      (await import("./tenants.ts")).setTenant(name, settings, options, terminal),
    )
}

/** People who want to become tenants. */
export function signUpsCommands(assay: Command, { terminal }: Shell): void {
  const signUps = assay.command("signups").description("sign-ups that wait for a decision")
  signUps
    .command("list")
    .description("list them, the oldest first")
    .action(async () => (await import("./signups.ts")).listSignUps(terminal))
  signUps
    .command("approve <id>")
    .description(
      "approve one; prints the token that completes it, or mails it where mail is set up",
    )
    .action(async (id: string) => (await import("./signups.ts")).approveSignUp(id, terminal))
  signUps
    .command("refuse <id>")
    .description("refuse one")
    .action(async (id: string) => (await import("./signups.ts")).refuseSignUp(id, terminal))
}

/** Versions of what is set for a tenant, and what others would have changed. */
export function policyCommands(assay: Command, shell: Shell): void {
  const { terminal, process } = shell
  const policy = assay
    .command("policy")
    .description("versions of a tenant's settings, and what others would have changed")
  const ofTenant = (name: string, description: string): Command =>
    policy.command(name).description(description).requiredOption("--tenant <name>", "the tenant")
  ofTenant("history", "list what was changed when, and by whom, the newest version first")
    .option("--limit <count>", "at most this many", "50")
    .action(async (options: { tenant: string; limit: string }) =>
      (await import("./policy.ts")).printHistory(options, terminal),
    )
  ofTenant("show", "print a version as the document that set takes")
    .option("--version <number>", "the version (default: the one that acts)")
    .action(async (options: { tenant: string; version?: string }) =>
      (await import("./policy.ts")).showPolicy(options, terminal),
    )
  ofTenant("set", "replace all settings by those of a document, as a new version")
    .requiredOption("--file <file>", "the document, in JSON")
    .action(async (options: { tenant: string; file: string }) =>
      (await import("./policy.ts")).setPolicy(options, terminal),
    )
  ofTenant("revert", "make an earlier version act again, as a new version")
    .requiredOption("--version <number>", "the version")
    .action(async (options: { tenant: string; version: string }) =>
      (await import("./policy.ts")).revertPolicy(options, terminal),
    )
  ofTenant(
    "backtest",
    "compute past decisions again under another policy or model, and print which actions would have been others; changes nothing",
  )
    .option("--file <file>", "the proposed policy, in JSON (default: the one that acts)")
    .option("--version <number>", "an earlier version as the proposed policy")
    .option("--model-email <version>", "with this e-mail model")
    .option("--model-phone <version>", "with this phone model")
    .option("--days <days>", "decisions of the last days, up to 90", "90")
    .option("--json", "as lines of JSON: one for each changed decision, then the counts")
    .action(async (options: BackTestOptions) =>
      (await import("./policy-backtest.ts")).backTestPolicy(options, terminal, process.stderr),
    )
  shadowCommands(policy, shell)
}

/** A policy that is computed beside the one that acts. */
function shadowCommands(policy: Command, { terminal, process }: Shell): void {
  const shadow = policy
    .command("shadow")
    .description("a second policy, computed beside the one that acts and recorded")
  const ofTenant = (name: string, description: string): Command =>
    shadow.command(name).description(description).requiredOption("--tenant <name>", "the tenant")
  ofTenant("set", "compute the policy of a document beside the one that acts")
    .requiredOption("--file <file>", "the document, in JSON")
    .action(async (options: { tenant: string; file: string }) =>
      (await import("./policy-shadow.ts")).setShadow(options, terminal),
    )
  ofTenant("show", "print it as the document that set takes").action(
    async (options: { tenant: string }) =>
      (await import("./policy-shadow.ts")).showShadow(options, terminal),
  )
  ofTenant("off", "compute none any more; what was recorded stays").action(
    async (options: { tenant: string }) =>
      (await import("./policy-shadow.ts")).endShadow(options, terminal),
  )
  ofTenant("report", "print which actions would have been others under it")
    .option("--version <number>", "the version of the shadow (default: the last one)")
    .option("--days <days>", "decisions of the last days, up to 90", "90")
    .option("--json", "as lines of JSON: one for each changed decision, then the counts")
    .action(async (options: ShadowReportOptions) =>
      (await import("./policy-shadow.ts")).reportShadow(options, terminal, process.stderr),
    )
}

/** People who sign in. */
export function peopleCommands(assay: Command, { terminal }: Shell): void {
  const people = assay.command("people").description("people who sign in, and their roles")
  people
    .command("list")
    .description("list people, their roles and how often they are signed in")
    .action(async () => (await import("./people.ts")).listPeople(terminal))
  people
    .command("invite")
    .description("print a link by which one person joins")
    .option("--tenant <name>", "into this tenant (default: for the service itself)")
    .option(
      "--role <role>",
      "owner, analyst or viewer in a tenant; administrator or drop-recipient for the service",
    )
    .action(async (options: InviteOptions) =>
      (await import("./people.ts")).invitePerson(options, terminal),
    )
  people
    .command("link <person>")
    .description("print a link by which somebody who cannot sign in any more gets back in")
    .action(async (person: string) => (await import("./people.ts")).linkPerson(person, terminal))
  people
    .command("set <person>")
    .description("change the roles of somebody, named by id or address")
    .option("--tenant <name>", "in this tenant, which the person is a member of")
    .option("--role <role>", "owner, analyst, viewer, or none to remove the person")
    .option("--service-roles <list>", "for the service: administrator, drop-recipient, or none")
    .action(async (person: string, options: SetPersonOptions) =>
      (await import("./people.ts")).setPerson(person, options, terminal),
    )
  people
    .command("end-sessions <person>")
    .description("sign somebody out everywhere")
    .action(async (person: string) => (await import("./people.ts")).endSessions(person, terminal))
}

/** People who run the service. */
export function operatorsCommands(assay: Command, { terminal }: Shell): void {
  const operators = assay.command("operators").description("people who run the service")
  operators
    .command("token")
    .description("make a token for a recipient of the drop and print it, once; keys list shows it")
    .option("--name <name>", "whose it is")
    .option("--reseal", "it may also seal messages to changed keys; ends within a day")
    .option("--expires <time>", "when it ends: 12h, 90d (default: 30d; 2h with --reseal)")
    .action(async (options: OperatorTokenOptions) =>
      (await import("./keys.ts")).createOperatorToken(options, terminal),
    )
}

/** Who did what, and who used how much. */
export function auditCommands(assay: Command, { terminal }: Shell): void {
  const audit = assay.command("audit").description("who changed or fetched what, and when")
  const auditFilters = (command: Command): Command =>
    command
      .option("--action <word>", "only this action, or all that begin with it: key, key.revoke")
      .option("--subject <word>", "only what it was done to: key:ID, tenant:ID")
      .option("--since <day>", "only from this UTC day on, YYYY-MM-DD")
      .option("--until <day>", "only up to the end of this UTC day, YYYY-MM-DD")
  auditFilters(audit.command("list"))
    .description("list the audit trail, the newest entry first")
    .option("--limit <count>", "at most this many", "50")
    .action(async (options: AuditFilter & { limit: string }) =>
      (await import("./audit.ts")).listAudit(options, terminal),
    )
  auditFilters(audit.command("export"))
    .description("print the audit trail as lines of JSON, the oldest entry first")
    .option("--after <id>", "only entries after this one, to go on from the last export")
    .action(async (options: AuditFilter & { after?: string }) =>
      (await import("./audit.ts")).exportAudit(options, terminal),
    )
  audit
    .command("verify")
    .description(
      "read the whole audit trail and name what was changed, removed, moved or cut off; exit code 1 if anything was",
    )
    .action(async () => (await import("./audit-verify.ts")).verifyTrail(terminal))
  assay
    .command("usage")
    .description("print the lookups of a month, by tenant, key and operation")
    .option("--tenant <name>", "only those of this tenant")
    .option("--month <month>", "YYYY-MM, in UTC (default: this one)")
    .option("--by-day", "each day by itself")
    .option("--json", "as a document")
    .action(async (options: UsageOptions) =>
      (await import("./usage.ts")).printUsage(options, terminal),
    )
}
