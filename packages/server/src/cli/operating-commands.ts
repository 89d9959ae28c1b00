import type { Command } from "commander"
import type { Shell } from "./terminal.ts"

/** Settings and health. */
export function operatingCommands(assay: Command, { terminal }: Shell): void {
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
}
