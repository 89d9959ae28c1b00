import type { Command } from "commander"
import type { DecideOptions, ListOptions, OfTenant, OutcomeOptions } from "./review.ts"
import type { Shell } from "./terminal.ts"

/** What waits for an analyst, and what became of decisions. */
export function reviewCommands(assay: Command, { terminal }: Shell): void {
  const review = assay
    .command("review")
    .description("decisions that wait for an analyst, and what became of decisions")
  const ofTenant = (name: string, description: string): Command =>
    review.command(name).description(description).requiredOption("--tenant <name>", "the tenant")
  ofTenant("list", "list them, the newest first")
    .option("--state <state>", "waiting, decided or all (default: waiting)")
    .option("--action <action>", "review or block")
    .option("--subject <kind>", "email or phone")
    .option("--stage <stage>", "such as ATTACKED")
    .option("--band <band>", "low, elevated, high or critical")
    .option("--reason <code>", "one of the codes of its reasons")
    .option("--assignee <who>", "me, nobody, or as the list names them")
    .option("--outcome <outcome>", "confirmed_fraud, genuine or cannot_tell")
    .option("--older-than-hours <hours>", "decided at least this long ago")
    .option("--newer-than-hours <hours>", "decided at most this long ago")
    .option("--limit <count>", "at most this many", "50")
    .action(async (options: ListOptions) =>
      (await import("./review.ts")).listReviews(options, terminal),
    )
  ofTenant("show <id>", "print all that is kept of one").action(
    async (id: string, options: OfTenant) =>
      (await import("./review.ts")).showReview(id, options, terminal),
  )
  ofTenant("assign <id>", "give one to somebody")
    .requiredOption("--to <who>", "me, nobody, key:ID or person:ID")
    .action(async (id: string, options: OfTenant & { to: string }) =>
      (await import("./review.ts")).assignReview(id, options, terminal),
    )
  ofTenant("decide <id>", "decide one: the outcome is feedback and acts on the next score")
    .requiredOption("--outcome <outcome>", "confirmed_fraud, genuine or cannot_tell")
    .option("--note <text>", "why; without e-mail addresses and phone numbers")
    .action(async (id: string, options: DecideOptions) =>
      (await import("./review.ts")).decideReview(id, options, terminal),
    )
  ofTenant("undo <id>", "let a decided one wait again, and take its feedback back").action(
    async (id: string, options: OfTenant) =>
      (await import("./review.ts")).undoReview(id, options, terminal),
  )
  ofTenant("outcomes", "print what analysts and feedback confirmed of past decisions")
    .option("--days <days>", "decisions of the last days, up to 400", "90")
    .option("--json", "as a document")
    .option("--policy", "print the policy with the proposed calibration, for policy backtest")
    .action(async (options: OutcomeOptions) =>
      (await import("./review-outcomes.ts")).printOutcomes(options, terminal),
    )
}
