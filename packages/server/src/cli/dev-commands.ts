import type { Command } from "commander"
import type { DevCarrierOptions } from "./dev-carrier.ts"
import type { Shell } from "./terminal.ts"

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
}
