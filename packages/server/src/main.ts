import cluster from "node:cluster"
import { constants, userInfo } from "node:os"
import { Command, CommanderError, Option } from "commander"
import type { AuditFilter } from "./cli/audit.ts"
import type { CalibrateOptions } from "./cli/calibrate.ts"
import type { CorpusImportOptions } from "./cli/corpus-import.ts"
import type { RekeyOptions } from "./cli/corpus-rekey.ts"
import type { VerifyOptions } from "./cli/corpus-verify.ts"
import type { DevCarrierOptions } from "./cli/dev-carrier.ts"
import type { CreateOptions } from "./cli/keys.ts"
import type { NewIdentityOptions } from "./cli/drop-identity.ts"
import type { InboxOptions, OpenOptions, ReplyOptions } from "./cli/drop-inbox.ts"
import type { ResealOptions } from "./cli/drop-reseal.ts"
import type { SyncOptions } from "./cli/drop-sync.ts"
import type { ImportOptions } from "./cli/lists.ts"
import type { LearntOptions } from "./cli/lists-learnt.ts"
import type { ShowOptions } from "./cli/model.ts"
import type { CompareOptions } from "./cli/model-compare.ts"
import type { OperatorTokenOptions } from "./cli/operators.ts"
import type { ScoreFileOptions } from "./cli/score.ts"
import type { SubjectOptions } from "./cli/subjects.ts"
import type { CorrectionOptions } from "./cli/source-correction.ts"
import type { Terminal } from "./cli/print/terminal.ts"
import type { UsageOptions } from "./cli/usage.ts"
import { closeInheritedFiles } from "@assay/runtime/close-inherited"
import { keepCompiledCode } from "./base/compiled-code.ts"
import { VERSION } from "./base/version.ts"

// A command imports only what it runs, so that `assay keys list` does not load a web server.

const terminal: Terminal = {
  env: process.env,
  user: userName(),
  now: Date.now,
  print: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
}

/** A container may run under a number that has no name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}

function program(): Command {
  const assay = new Command("assay")
    .description(
      "Self-hosted identity risk: one explainable score for an e-mail address or a phone number.",
    )
    .version(VERSION)
    .exitOverride()
    .showHelpAfterError("(--help shows what there is)")
  assay
    .command("serve")
    .description("start the service")
    .option("--workers <count>", "processes that answer requests (default: ASSAY_WORKERS, or 1)")
    .action(async (options: { workers?: string }) => {
      keepCompiledCode(process.env)
      const { serve } = await import("./cli/serve.ts")
      await serve(
        options,
        terminal,
        cluster,
        (signal, listener) => void process.on(signal, listener),
        process,
      )
    })

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
      (await import("./cli/keys.ts")).createKey(options, terminal),
    )
  keys
    .command("list")
    .description("list keys, without what would let anyone use them")
    .option("--tenant <name>", "only those of this tenant")
    .action(async (options: { tenant?: string }) =>
      (await import("./cli/keys.ts")).listKeys(options, terminal),
    )
  keys
    .command("rotate <id>")
    .description("replace a key by a new one and print that, once")
    .option("--overlap <time>", "how long the old one goes on working", "24h")
    .option("--expires <time>", "when the new one ends (default: never)")
    .action(async (id: string, options: { overlap: string; expires?: string }) =>
      (await import("./cli/keys.ts")).rotateKey(id, options, terminal),
    )
  keys
    .command("revoke <id>")
    .description("end a key")
    .action(async (id: string) => (await import("./cli/keys.ts")).revokeKey(id, terminal))
  keys
    .command("mint")
    .description(
      "print a key for ASSAY_BOOTSTRAP_KEY; it opens nothing until a service starts with it",
    )
    .action(async () => (await import("./cli/keys.ts")).mintKey(terminal))

  const lists = assay.command("lists").description("show and change what is known of mail domains")
  lists
    .command("stats")
    .description("print every list with its entries, version, category and age")
    .action(async () => (await import("./cli/lists.ts")).printListStats(terminal))
  lists
    .command("check <domain>")
    .description("print what the lists say of a domain, and which of them")
    .action(async (domain: string) =>
      (await import("./cli/lists.ts")).checkDomain(domain, terminal),
    )
  lists
    .command("import <file>")
    .description(
      "make a list of a file: a domain a line, a hosts file, or CSV; all of it or nothing",
    )
    .requiredOption(
      "--category <word>",
      "what its domains are: toxic, disposable, free, masked, allow or deny",
    )
    .option("--name <name>", "name of the list; one of this name is replaced (default: the file's)")
    .option("--note <text>", "a note kept beside every domain")
    .action(async (file: string, options: ImportOptions) =>
      (await import("./cli/lists.ts")).importList(file, options, terminal),
    )
  lists
    .command("remove <name>")
    .description("remove a list that was imported or written by hand")
    .action(async (name: string) => (await import("./cli/lists.ts")).removeList(name, terminal))
  lists
    .command("learnt")
    .description("print the mail servers that serve disposable hosts, learnt with ASSAY_DNS on")
    .option("--all", "also servers that say nothing yet")
    .option("--overrule <server>", "let a server, by name or address, mark no host any more")
    .option("--reinstate <server>", "let a server that was overruled count again")
    .action(async (options: LearntOptions) =>
      (await import("./cli/lists-learnt.ts")).listsLearnt(options, terminal),
    )

  const corpus = assay.command("corpus").description("import, list and care for evidence")
  corpus
    .command("import <file...>")
    .description(
      "import evidence from files, folders and archives of a source; all of it or nothing",
    )
    .requiredOption("--source <name>", "name of the source: a-z, 0-9, hyphen, dot, underscore")
    .option(
      "--kind <kind>",
      "kind of evidence (default: what the source was said to be, or each file by its format)",
    )
    .option(
      "--date <day>",
      "day of the event, YYYY-MM-DD (default: as rows, stealer logs and files say)",
    )
    .option("--map <pairs>", "what columns mean: email=Mail,password=3")
    .option("--format <format>", "how the files are written (default: found by looking at them)")
    .option("--title <text>", "title of the source (default: its name)")
    .option("--confidence <share>", "how far the source is believed, up to 1 (default: 0.8)")
    .option("--classes <list>", "what else of a person it holds, separated by commas")
    .option(
      "--source-file <file>",
      "entry of a breach catalogue in JSON, or a list with one of that name, title or domain",
    )
    .option("--rejects <file>", "where rejected rows are listed (default: in the data directory)")
    .option("--memory <megabytes>", "memory of the sorter; the rest goes to the disk", "512")
    .option("--dry-run", "show what the files are and their first rows; write nothing")
    .option("--wait", "queue behind an import that runs, instead of refusing")
    .action(async (files: string[], options: CorpusImportOptions) =>
      (await import("./cli/corpus-import.ts")).importFiles(files, options, terminal, process),
    )
  corpus
    .command("sources")
    .description("list the sources that scores rest on")
    .action(async () => (await import("./cli/corpus-sources.ts")).listSources(terminal))
  corpus
    .command("show <name>")
    .description("print all that is known of a source, and its batches")
    .action(async (name: string) =>
      (await import("./cli/corpus-sources.ts")).showSource(name, terminal),
    )
  corpus
    .command("retitle <name> <title>")
    .description("change the title of a source; its name stays")
    .action(async (name: string, title: string) =>
      (await import("./cli/corpus-sources.ts")).retitleSource(name, title, terminal),
    )
  corpus
    .command("set <name>")
    .description("correct what is said of a source, from the next score on")
    .option("--confidence <number>", "how far it is believed, above 0, at most 1")
    .option("--event-date <day>", "when it happened: 2024-03-01, or none")
    .option("--published-date <day>", "when it became public")
    .option("--acquired-date <day>", "when you came to hold it")
    .option("--classes <list>", "what its rows hold beside a secret, such as phone,dob, or none")
    .option("--flags <list>", "spam-list, fabricated, sensitive, verified, stealer-log, or none")
    .option("--as <word>", "origin or circulation, whatever is measured; measured undoes it")
    .action(async (name: string, options: CorrectionOptions) =>
      (await import("./cli/corpus-sources.ts")).setSource(name, options, terminal),
    )
  corpus
    .command("remove <name>")
    .description("take a source out of all later scores and delete what was imported from it")
    .option("--yes", "do it; without this nothing is removed")
    .action(async (name: string, options: { yes?: boolean }) =>
      (await import("./cli/corpus-sources.ts")).removeSource(name, options, terminal),
    )
  corpus
    .command("stats")
    .description("print what the index holds and the room it takes")
    .action(async () => (await import("./cli/corpus-index.ts")).printCorpusStats(terminal))
  corpus
    .command("verify")
    .description("read all of the index and the segments and name every fault; mends nothing")
    .option("--index", "only the index")
    .option("--slowly", "rest between reads, to disturb nothing beside it")
    .addOption(new Option("--here", "in this process, which a damaged page may end").hideHelp())
    .action(async (options: VerifyOptions) =>
      (await import("./cli/corpus-verify.ts")).verifyIndex(options, terminal, {
        exec: process.argv[1],
        execArgv: process.execArgv,
      }),
    )
  corpus
    .command("compact")
    .description("write the index anew without what was removed or erased, while it is served")
    .option("--if-needed", "only if it has grown, or much was removed, or an erasure is a week old")
    .action(async (options: { ifNeeded?: boolean }) =>
      (await import("./cli/corpus-index.ts")).compactIndex(options, terminal),
    )
  corpus
    .command("rebuild")
    .description("make the index again from segments and records, while it is served")
    .option("--lost-index", "make one anew that is gone or unreadable; the service must be stopped")
    .action(async (options: { lostIndex?: boolean }) =>
      (await import("./cli/corpus-index.ts")).rebuildIndex(options, terminal),
    )
  corpus
    .command("rekey <file...>")
    .description(
      "make a second data directory under another master secret, from the files that were imported; without them it cannot be done",
    )
    .requiredOption("--into <directory>", "the new data directory; the one in use stays as it is")
    .requiredOption("--secret <file>", "file with the new master secret; made where there is none")
    .option("--memory <megabytes>", "memory of the sorter; the rest goes to the disk", "512")
    .option("--without-missing", "leave out batches whose files are not given")
    .option("--forget-erasures", "do it although erased identities would come back")
    .option("--yes", "do it; without this it only says what is left behind")
    .action(async (files: string[], options: RekeyOptions) =>
      (await import("./cli/corpus-rekey.ts")).rekey(files, options, terminal, process),
    )

  assay
    .command("calibrate")
    .description("fit probabilities to your own outcomes and print the calibration")
    .requiredOption("--labels <file>", "what became of scored identities: .csv, .ndjson or .jsonl")
    .option("--tenant <name>", "the tenant the calibration is for")
    .option("--apply", "make it the calibration of the tenant")
    .action(async (options: CalibrateOptions) => {
      const { calibrate } = await import("./cli/calibrate.ts")
      const { withCalibrationReach } = await import("./cli/calibration-reach.ts")
      await withCalibrationReach(options.tenant, terminal, (reach) =>
        calibrate(options, terminal, reach),
      )
    })

  const tenants = assay.command("tenants").description("tenants, their plans and settings")
  tenants
    .command("list")
    .description("list tenants, the models they use and what is set for them")
    .action(async () => (await import("./cli/tenants.ts")).listTenants(terminal))
  tenants
    .command("show <name>")
    .description("print every setting of a tenant and what it takes")
    .action(async (name: string) => (await import("./cli/tenants.ts")).showTenant(name, terminal))
  tenants
    .command("create <name>")
    .description("make a tenant, without a key")
    .option("--plan <plan>", "free or enterprise (default: free)")
    .action(async (name: string, options: { plan?: string }) =>
      (await import("./cli/tenants.ts")).createTenant(name, options, terminal),
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
      (await import("./cli/tenants.ts")).setTenant(name, settings, options, terminal),
    )

  const providers = assay
    .command("providers")
    .description("operators and vendors that are asked about phone numbers")
  providers
    .command("list")
    .description("print who is asked, about which numbers, for what and at what cost; asks nobody")
    .option("--json", "as a document")
    .action(async (options: { json?: boolean }) =>
      (await import("./cli/providers.ts")).listProviders(options, terminal),
    )
  providers
    .command("check")
    .description(
      "say of each whether it takes our credentials; names no number, fails if one does not",
    )
    .action(async () => (await import("./cli/providers.ts")).checkConfigured(terminal))
  providers
    .command("costs")
    .description("print calls and costs of a month, by tenant and provider")
    .option("--month <month>", "YYYY-MM, in UTC (default: this one)")
    .option("--json", "as a document")
    .action(async (options: { month?: string; json?: boolean }) =>
      (await import("./cli/providers.ts")).printCosts(options, terminal),
    )

  const model = assay.command("model").description("the models that make scores")
  model
    .command("list")
    .description("list the models that are loaded and how many tenants use each")
    .action(async () => (await import("./cli/model.ts")).listModels(terminal))
  model
    .command("show <name> [version]")
    .description("print a model, email or phone")
    .option("--path <member>", "only this member: abuse.emailAge")
    .option("--json", "as its document")
    .option("--schema", "the JSON Schema of its documents instead")
    .action(async (name: string, version: string | undefined, options: ShowOptions) =>
      (await import("./cli/model.ts")).showModel(name, version, options, terminal),
    )
  model
    .command("diff <name> <from> <to>")
    .description("print what differs between two versions or files")
    .action(async (name: string, from: string, to: string) =>
      (await import("./cli/model.ts")).diffModels(name, from, to, terminal),
    )
  model
    .command("compare <name> <from> <to>")
    .description(
      "score the recorded inputs of a tenant's decisions by two versions or files, and print whose answer differs",
    )
    .requiredOption("--tenant <name>", "the tenant")
    .option("--limit <count>", "at most this many decisions, the newest", "1000")
    .action(async (name: string, from: string, to: string, options: CompareOptions) =>
      (await import("./cli/model-compare.ts")).compareModels(name, from, to, options, terminal),
    )
  model
    .command("card [name] [version]")
    .description("print the model card, in Markdown")
    .action(async (name: string | undefined, version: string | undefined) =>
      (await import("./cli/model.ts")).printCard(name, version, terminal),
    )
  model
    .command("check <file>")
    .description("say whether a document could be used as a model")
    .action(async (file: string) => (await import("./cli/model.ts")).checkModel(file, terminal))

  assay
    .command("score")
    .description("score every row of a file through a running service")
    .requiredOption("--in <file>", "CSV or lines of JSON; - for standard input")
    .requiredOption("--out <file>", "the same rows with their results; - for standard output")
    .option("--format <format>", "csv or ndjson (default: by the name of the input)")
    .option("--column <name>", "column or member with the identity, by name or number")
    .option("--phone", "the rows hold phone numbers, not e-mail addresses")
    .option("--url <url>", "where the service is", "http://127.0.0.1:8080")
    .option("--key-file <file>", "file with the API key (default: the variable ASSAY_API_KEY)")
    .option("--force", "replace an output that exists")
    .action(async (options: ScoreFileOptions) =>
      (await import("./cli/score.ts")).scoreFile(options, terminal, process),
    )

  const decisions = assay.command("decisions").description("look at past answers and repeat them")
  decisions
    .command("show <id>")
    .description("print all that is kept of a decision")
    .action(async (id: string) => (await import("./cli/decisions.ts")).showDecision(id, terminal))
  decisions
    .command("replay <id>")
    .description("compute a decision again; fails if the answer is not the one that was given")
    .action(async (id: string) => (await import("./cli/decisions.ts")).replayDecision(id, terminal))
  decisions
    .command("list")
    .description("list a tenant's decisions, the newest first")
    .requiredOption("--tenant <name>", "the tenant")
    .option("--limit <count>", "at most this many", "20")
    .action(async (options: { tenant: string; limit: string }) =>
      (await import("./cli/decisions.ts")).listDecisions(options, terminal),
    )

  const audit = assay.command("audit").description("who changed or fetched what, and when")
  const auditFilters = (command: Command): Command =>
    command
      .option("--action <word>", "only this action, or all that begin with it: key, key.revoke")
      .option("--subject <word>", "only what it was done to: key:ID, tenant:ID")
      .option("--since <day>", "only from this UTC day on, YYYY-MM-DD")
  auditFilters(audit.command("list"))
    .description("list the audit trail, the newest entry first")
    .option("--limit <count>", "at most this many", "50")
    .action(async (options: AuditFilter & { limit: string }) =>
      (await import("./cli/audit.ts")).listAudit(options, terminal),
    )
  auditFilters(audit.command("export"))
    .description("print the audit trail as lines of JSON, the oldest entry first")
    .option("--after <id>", "only entries after this one, to go on from the last export")
    .action(async (options: AuditFilter & { after?: string }) =>
      (await import("./cli/audit.ts")).exportAudit(options, terminal),
    )
  assay
    .command("usage")
    .description("print the lookups of a month, by tenant, key and operation")
    .option("--tenant <name>", "only those of this tenant")
    .option("--month <month>", "YYYY-MM, in UTC (default: this one)")
    .option("--by-day", "each day by itself")
    .option("--json", "as a document")
    .action(async (options: UsageOptions) =>
      (await import("./cli/usage.ts")).printUsage(options, terminal),
    )

  assay
    .command("backup <folder>")
    .description(
      "copy segments, index, records, lists and models into a new folder, also while serving",
    )
    .action(async (folder: string) =>
      (await import("./cli/backup.ts")).backUp(folder, terminal, process),
    )
  assay
    .command("restore <folder>")
    .description("put a backup into an empty data directory, with the same master secret")
    .option(
      "--without-tombstones",
      "restore also without the file that says who was erased since: they are back until you erase them again",
    )
    .action(async (folder: string, options: { withoutTombstones?: boolean }) =>
      (await import("./cli/backup.ts")).restore(folder, options, terminal),
    )

  const subjects = assay
    .command("subjects")
    .description("erase or export what is held about a person, named on the standard input")
  const aboutSubject = (command: Command): Command =>
    command
      .requiredOption(
        "--reason <word>",
        "why, for the audit trail: subject_request, legal_request, consent_withdrawn, incident or correction",
      )
      .option("--reference <text>", "your own name for the case; must not name the person")
      .option("--tenant <name>", "only what this tenant holds (default: what anybody does)")
  aboutSubject(
    subjects
      .command("erase")
      .description("erase the person's evidence and decisions, now and from later imports"),
  ).action(async (options: SubjectOptions) =>
    (await import("./cli/subjects.ts")).eraseSubject(options, terminal, process.stdin),
  )
  aboutSubject(
    subjects.command("export").description("print all that is held about the person, as JSON"),
  ).action(async (options: SubjectOptions) =>
    (await import("./cli/subjects.ts")).exportSubject(options, terminal, process.stdin),
  )

  const operators = assay.command("operators").description("people who run the service")
  operators
    .command("token")
    .description("make a token for a recipient of the drop and print it, once; keys list shows it")
    .option("--name <name>", "whose it is")
    .option("--reseal", "it may also seal messages to changed keys; ends within a day")
    .option("--expires <time>", "when it ends: 12h, 90d (default: 30d; 2h with --reseal)")
    .action(async (options: OperatorTokenOptions) =>
      (await import("./cli/operators.ts")).createOperatorToken(options, terminal),
    )

  const drop = assay
    .command("drop")
    .description("the anonymous drop: its keys, and what its recipients do on their own machines")
  const dropKeys = drop.command("keys").description("the public keys that messages are sealed to")
  dropKeys
    .command("add <key...>")
    .description("seal to these keys too: age1…, or files of public keys")
    .action(async (keys: string[]) =>
      (await import("./cli/drop-keys.ts")).addDropKeys(keys, terminal),
    )
  dropKeys
    .command("list")
    .description("print the keys and the words that stand for them")
    .action(async () => (await import("./cli/drop-keys.ts")).listDropKeys(terminal))
  dropKeys
    .command("rotate <old> <new>")
    .description("add the new key; with --remove, after resealing, take the old one away")
    .option("--remove", "the messages are sealed anew: remove the old key")
    .action(async (old: string, successor: string, options: { remove?: boolean }) =>
      (await import("./cli/drop-keys.ts")).rotateDropKey(old, successor, options, terminal),
    )
  dropKeys
    .command("remove <key>")
    .description("seal to a key no more")
    .option("--yes", "also where it is the last one")
    .action(async (key: string, options: { yes?: boolean }) =>
      (await import("./cli/drop-keys.ts")).removeDropKey(key, options, terminal),
    )
  drop
    .command("new-identity <file>")
    .description("make a secret key in a new file and print the public one; for recipients")
    .option("--passphrase-file <file>", "file with the passphrase (default: it is asked for)")
    .option("--unlocked", "no passphrase: whoever copies the file can open messages")
    .option("--pq", "a post-quantum key; every recipient needs age 1.3 or later")
    .action(async (file: string, options: NewIdentityOptions) =>
      (await import("./cli/drop-identity.ts")).makeIdentity(file, options, terminal, process),
    )
  const inFolder = (command: Command): Command =>
    command.option("--into <folder>", "folder with the sealed messages", "assay-drop")
  const withService = (command: Command): Command =>
    inFolder(command)
      .requiredOption("--token-file <file>", "file with the operator's token")
      .option("--url <url>", "where the service is", "http://127.0.0.1:8080")
  const withIdentity = (command: Command): Command =>
    command
      .requiredOption("--identity <file>", "identity file; it stays on this machine")
      .option("--passphrase-file <file>", "file with its passphrase (default: it is asked for)")
  withService(drop.command("sync"))
    .description("send what waits and fetch what is new, all at once, sealed")
    .option("--now", "send what waits at once, instead of 30 minutes after the last of it")
    .action(async (options: SyncOptions) =>
      (await import("./cli/drop-sync.ts")).syncDrop(options, terminal),
    )
  withIdentity(withService(drop.command("reseal")))
    .description(
      "seal all messages to the keys in use now, after keys were added or before one goes",
    )
    .action(async (options: ResealOptions) =>
      (await import("./cli/drop-reseal.ts")).resealMessages(options, terminal, process),
    )
  withIdentity(inFolder(drop.command("list")))
    .description("open all messages and print them by thread")
    .action(async (options: InboxOptions) =>
      (await import("./cli/drop-inbox.ts")).listMessages(options, terminal, process),
    )
  withIdentity(inFolder(drop.command("open <id>")))
    .description("print a message; its files are written only with --to")
    .option("--to <folder>", "new or empty folder for the message and its files")
    .action(async (id: string, options: OpenOptions) =>
      (await import("./cli/drop-inbox.ts")).openMessageOf(id, options, terminal, process),
    )
  withIdentity(inFolder(drop.command("reply <id>")))
    .description("seal a reply from a file or the standard input; npx assay drop sync sends it")
    .option("--message-file <file>", "file with the text (default: the standard input)")
    .option("--attach <file>", "a small file to send with it")
    .option("--keep-metadata", "leave the file as it is")
    .action(async (id: string, options: ReplyOptions) =>
      (await import("./cli/drop-inbox.ts")).replyTo(id, options, terminal, process),
    )
  inFolder(drop.command("delete <id>"))
    .description("delete a message here and on the server; npx assay drop sync does it")
    .action(async (id: string, options: { into: string }) =>
      (await import("./cli/drop-inbox.ts")).deleteMessage(id, options, terminal),
    )

  assay
    .command("config")
    .description("print every setting, its value, where that comes from and what it means")
    .action(async () => (await import("./cli/config.ts")).printConfig(terminal))
  assay
    .command("doctor")
    .description(
      "check the master secret, disk, clock, lists, index, network look-ups and providers",
    )
    .action(async () => (await import("./cli/doctor.ts")).runDoctor(terminal))

  const dev = assay.command("dev").description("tools for trying things out; never in production")
  dev
    .command("carrier")
    .description(
      "run a mobile operator and a Twilio that make up their answers, with a number for each kind of answer and failure",
    )
    .option("--port <port>", "port on this machine; 0: any that is free", "9091")
    .option(
      "--dir <folder>",
      "where keys and settings for a service are written (default: a new one, until it stops)",
    )
    .option(
      "--notify <url>",
      "where SIM changes are told",
      "http://127.0.0.1:8080/api/v1/carrier/notifications",
    )
    .action(async (options: DevCarrierOptions) =>
      (await import("./cli/dev-carrier.ts")).runDevCarrier(
        options,
        terminal,
        (signal, listener) => void process.on(signal, listener),
      ),
    )
  return assay
}

/** Failures whose message was written for the person at the terminal; of any other they get the stack. */
const EXPLAINED: ReadonlySet<string> = new Set([
  "CommandError",
  "BackupError",
  "InputError",
  "ConfigError",
  "DataDirectoryError",
  "TombstonesError",
  "SecretError",
  "StartError",
  "ListsError",
  "LabelFileError",
  "ModelsError",
  "ModelNotLoaded",
  "TenantSettingsError",
  "IndexUnavailable",
  "IndexDamaged",
  "NewerIndexFormat",
  "OldIndexKeys",
  "WrongSecret",
  "RecordsError",
  "WrongSecretError",
  "CirculationUnknown",
  "TrialDirectoryError",
])

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const { name, message, stack, exitCode = 1 } = error as Error & { readonly exitCode?: number }
  if (name !== "ToldAlready")
    process.stderr.write(`assay: ${EXPLAINED.has(name) ? message : (stack ?? message)}\n`)
  return exitCode
}

async function run(): Promise<void> {
  // Whatever this program makes, a forgotten file included, is its owner's alone.
  process.umask(0o077)
  if (process.connected) closeInheritedFiles()
  if (cluster.isWorker) {
    // A terminal sends its signals to every process; a worker stops when its primary says so.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined)
    keepCompiledCode(process.env)
    const { runWorker } = await import("./run/worker.ts")
    await runWorker(process.env, process, () => process.exit(0))
    return
  }
  cluster.setupPrimary({ serialization: "advanced" })
  // `assay audit export | head`: nobody reads the rest.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit(128 + constants.signals.SIGPIPE)
  })
  await program().parseAsync(process.argv)
  // Where the output is a socket, as for programs that start us, an exit would cut off what is not written yet.
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()))
  process.exit(0)
}

run().catch((error: unknown) => process.exit(exitCodeOf(error)))
