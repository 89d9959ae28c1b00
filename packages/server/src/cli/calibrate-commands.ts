import type { Command } from "commander"
import type { CalibrateOptions } from "./calibrate.ts"
import type { Shell } from "./terminal.ts"

/** Fitting probabilities to outcomes. */
export function calibrateCommands(assay: Command, { terminal }: Shell): void {
  assay
    .command("calibrate")
    .description("fit probabilities to your own outcomes and print the calibration")
    .requiredOption("--labels <file>", "what became of scored identities: .csv, .ndjson or .jsonl")
    .option("--tenant <name>", "the tenant the calibration is for")
    .option("--apply", "make it the calibration of the tenant")
    .action(async (options: CalibrateOptions) => {
      const { calibrate } = await import("./calibrate.ts")
      const { withCalibrationReach } = await import("./calibration-reach.ts")
      await withCalibrationReach(options.tenant, terminal, (reach) =>
        calibrate(options, terminal, reach),
      )
    })
}
