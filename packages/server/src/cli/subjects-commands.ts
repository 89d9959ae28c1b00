import type { Command } from "commander"
import type { SubjectOptions } from "./subjects.ts"
import type { Shell } from "./terminal.ts"

/** A person's data. */
export function subjectsCommands(assay: Command, { terminal, process }: Shell): void {
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
    (await import("./subjects.ts")).eraseSubject(options, terminal, process.stdin),
  )
  aboutSubject(
    subjects.command("export").description("print all that is held about the person, as JSON"),
  ).action(async (options: SubjectOptions) =>
    (await import("./subjects.ts")).exportSubject(options, terminal, process.stdin),
  )
}
