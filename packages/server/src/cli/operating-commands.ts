import type { Command } from "commander"
import { keepCompiledCode } from "../base/compiled-code.ts"
import type { DevCarrierOptions } from "./dev-carrier.ts"
import type { DevReceiverOptions } from "./dev-receiver.ts"
import type { SloOptions } from "./slo.ts"
import type { Shell } from "./terminal.ts"

/** Starting the service. */
export function serveCommands(assay: Command, { terminal, process, cluster }: Shell): void {
  assay
    .command("serve")
    .description("start the service")
    .option("--workers <count>", "processes that answer requests (default: ASSAY_WORKERS, or 1)")
    .action(async (options: { workers?: string }) => {
      await keepCompiledCode(process.env)
      const { serve } = await import("./serve.ts")
      await serve(
        options,
        terminal,
        cluster,
        (signal, listener) => void process.on(signal, listener),
        process,
      )
    })
}

/** Copying a data directory and putting it back. */
export function backupCommands(assay: Command, { terminal, process }: Shell): void {
  assay
    .command("backup <folder>")
    .description(
      "copy segments, index, records, lists and models into a new folder, also while serving",
    )
    .action(async (folder: string) =>
      (await import("./backup.ts")).backUp(folder, terminal, process),
    )
  assay
    .command("restore <folder>")
    .description("put a backup into an empty data directory, with the same master secret")
    .option(
      "--without-tombstones",
      "restore also without the file that says who was erased since: they are back until you erase them again",
    )
    .action(async (folder: string, options: { withoutTombstones?: boolean }) =>
      (await import("./backup.ts")).restore(folder, options, terminal),
    )
}

/** Settings and health. */
export function settingsCommands(assay: Command, { terminal }: Shell): void {
  assay
    .command("config")
    .description("print every setting, its value, where that comes from and what it means")
    .action(async () => (await import("./config.ts")).printConfig(terminal))
  assay
    .command("doctor")
    .description(
      "check the master secret, disk, clock, lists, index, network look-ups and providers",
    )
    .action(async () => (await import("./doctor.ts")).runDoctor(terminal))
  assay
    .command("slo")
    .description(
      "print how many requests of a month failed and how many may, by day, and when the service did not run",
    )
    .option("--month <month>", "a month of UTC such as 2026-03 (default: the present one)")
    .option("--json", "print JSON")
    .action(async (options: SloOptions) => (await import("./slo.ts")).printSlo(options, terminal))
}

/** Several nodes that share a database. */
export function clusterCommands(assay: Command, { terminal }: Shell): void {
  const cluster = assay.command("cluster").description("several nodes that share one database")
  cluster
    .command("status")
    .description(
      "print the nodes, what each does that one does at a time, how far their decisions are behind, and how the stores are",
    )
    .option("--json", "print JSON")
    .action(async (options: { json?: boolean }) =>
      (await import("./cluster.ts")).printClusterStatus(options, terminal),
    )
  cluster
    .command("forget <node>")
    .description(
      "forget a node that will not come back; what it decided last and nobody else has is lost",
    )
    .action(async (node: string) => (await import("./cluster.ts")).forgetNode(node, terminal))
}

/** Trying things out. */
export function devCommands(assay: Command, { terminal, process }: Shell): void {
  const dev = assay.command("dev").description("tools for trying things out; never in production")
  dev
    .command("carrier")
    .description(
      "run a carrier and a Twilio that make up their answers, with a number for each kind of answer and failure",
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
      (await import("./dev-carrier.ts")).runDevCarrier(
        options,
        terminal,
        (signal, listener) => void process.on(signal, listener),
      ),
    )
  dev
    .command("receiver")
    .description(
      "have the events of a tenant sent here, check their signatures and print them; the key is read from ASSAY_API_KEY",
    )
    .option("--port <port>", "port on this machine; 0: any that is free", "9092")
    .option("--url <url>", "where the service is", "http://127.0.0.1:8080")
    .action(async (options: DevReceiverOptions) =>
      (await import("./dev-receiver.ts")).runDevReceiver(
        options,
        terminal,
        (signal, listener) => void process.on(signal, listener),
      ),
    )
}
