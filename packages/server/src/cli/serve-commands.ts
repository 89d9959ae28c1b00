import type { Command } from "commander"
import { keepCompiledCode } from "../base/compiled-code.ts"
import type { Shell } from "./terminal.ts"

/** Starting the service. */
export function serveCommands(assay: Command, { terminal, process, cluster }: Shell): void {
  assay
    .command("serve")
    .description("start the service")
    .option("--workers <count>", "processes that answer requests (default: ASSAY_WORKERS, or 1)")
    .action(async (options: { workers?: string }) => {
      keepCompiledCode(process.env)
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
