/**
 * The longest a command of a test may run. One that hangs is killed then, and does not outlive the
 * run that it failed.
 */
export const COMMAND_MS = (process.env["ASSAY_SOAK"] === undefined ? 5 : 6 * 60) * 60_000
