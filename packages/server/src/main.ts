import cluster from "node:cluster"
import { userInfo } from "node:os"
import { Command, CommanderError } from "commander"
import { printConfig } from "./cli/config.ts"
import { runDoctor } from "./cli/doctor.ts"
import {
  createKey,
  type CreateOptions,
  listKeys,
  mintKey,
  revokeKey,
  rotateKey,
} from "./cli/keys.ts"
import { serve } from "./cli/serve.ts"
import { CommandError, type Terminal } from "./cli/terminal.ts"
import { ConfigError, readConfig } from "./config.ts"
import { DataDirectoryError } from "./data-directory.ts"
import { openLog } from "./log.ts"
import { runWorker } from "./process/worker.ts"
import { ListsError } from "./score/lists.ts"
import { SecretError } from "./secrets.ts"
import { IndexUnavailable } from "./stores/exposure-index.ts"
import { RecordsError } from "./stores/records-error.ts"
import { VERSION } from "./version.ts"

const terminal: Terminal = {
  env: process.env,
  user: userInfo().username,
  now: Date.now,
  print: (line) => void process.stdout.write(`${line}\n`),
  note: (line) => void process.stderr.write(`${line}\n`),
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
    .option("--workers <count>", "processes that answer requests")
    .action((options: { workers?: string }) =>
      serve(options, terminal, cluster, (signal, listener) => void process.on(signal, listener)),
    )

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
    .action((options: CreateOptions) => createKey(options, terminal))
  keys
    .command("list")
    .description("list keys, without what would let anyone use them")
    .option("--tenant <name>", "only those of this tenant")
    .action((options: { tenant?: string }) => listKeys(options, terminal))
  keys
    .command("rotate <id>")
    .description("replace a key by a new one and print that, once")
    .option("--overlap <time>", "how long the old one goes on working", "24h")
    .option("--expires <time>", "when the new one ends (default: never)")
    .action((id: string, options: { overlap: string; expires?: string }) =>
      rotateKey(id, options, terminal),
    )
  keys
    .command("revoke <id>")
    .description("end a key")
    .action((id: string) => revokeKey(id, terminal))
  keys
    .command("mint")
    .description(
      "print a key for ASSAY_BOOTSTRAP_KEY; it opens nothing until a service starts with it",
    )
    .action(() => mintKey(terminal))

  assay
    .command("config")
    .description("print every setting, its value, where that comes from and what it means")
    .action(() => printConfig(terminal))
  assay
    .command("doctor")
    .description("check the master secret, disk, clock, lists and index")
    .action(() => runDoctor(terminal))
  return assay
}

/** Failures whose message was written for the person at the terminal. */
const explained = [
  CommandError,
  ConfigError,
  DataDirectoryError,
  SecretError,
  ListsError,
  IndexUnavailable,
  RecordsError,
]

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const message = explained.some((kind) => error instanceof kind)
    ? (error as Error).message
    : String((error as Error).stack)
  process.stderr.write(`assay: ${message}\n`)
  return 1
}

async function run(): Promise<void> {
  if (cluster.isWorker) {
    // A terminal sends its signals to every process; a worker stops when its primary says so.
    process.on("SIGINT", () => undefined)
    process.on("SIGTERM", () => undefined)
    process.on("SIGHUP", () => undefined)
    const config = readConfig(process.env, workersFlag(process.argv))
    await runWorker(config, openLog(config.logLevel), process as never, () => process.exit(0))
    return
  }
  cluster.setupPrimary({ serialization: "advanced" })
  await program().parseAsync(process.argv)
  process.exit(0)
}

function workersFlag(argv: readonly string[]): string | undefined {
  const at = argv.indexOf("--workers")
  return at === -1 ? undefined : argv[at + 1]
}

run().catch((error: unknown) => process.exit(exitCodeOf(error)))
