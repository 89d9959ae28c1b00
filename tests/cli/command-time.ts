/**
 * The longest a command of a test may run. One that hangs is killed then, and does not outlive the
 * run that it failed.
 */
export const COMMAND_MS = Number(process.env["ASSAY_COMMAND_MINUTES"] ?? 5) * 60_000
