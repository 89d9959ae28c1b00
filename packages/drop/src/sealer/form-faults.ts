import type { CodeFault } from "@assay/core/drop"
import type { Refusal } from "../budgets.ts"
import type { FormTokenOutcome } from "../form-tokens.ts"
import type { FormFault } from "../pages/page-input.ts"
import type { FormBody } from "./form-body.ts"

/** A fault of a form: its sentence, its field, and the status that goes with it. */
export interface StatusFault extends FormFault {
  readonly status: number
}

export function bodyFault({ fault, faultyFile }: FormBody): StatusFault | null {
  switch (fault) {
    case null:
      return null
    case "not-a-form":
      return { field: "form", text: "fault-unreadable", status: 415 }
    case "broken":
      return { field: "form", text: "fault-unreadable", status: 400 }
    case "too-slow":
    case "gave-way":
      return { field: "form", text: "fault-slow", status: 408 }
    case "too-many-files":
      return { field: "files", text: "fault-files-many", status: 413 }
    case "file-too-large":
    case "too-large":
      return faultyFile === null
        ? { field: "form", text: "fault-unreadable", status: 413 }
        : { ...fileFault("fault-file-large", faultyFile), status: 413 }
  }
}

export function fileFault(
  text: "fault-file-large" | "fault-file-empty" | "fault-file-malformed",
  number: number,
): StatusFault {
  return { field: "files", text, values: { number }, status: 422 }
}

export function tokenFault(outcome: Exclude<FormTokenOutcome, "ok">): StatusFault {
  return { field: "form", text: `fault-token-${outcome}`, status: outcome === "spent" ? 409 : 422 }
}

export function refusalFault(refusal: Refusal, withFiles: boolean): StatusFault {
  if (refusal === "busy") return { field: "form", text: "fault-busy", status: 503 }
  return withFiles
    ? { field: "files", text: "fault-files-not-taken", status: 503 }
    : { field: "form", text: "fault-full", status: 503 }
}

/** Nothing of the typed code is repeated, not even the wrong word. */
export function codeFault(fault: CodeFault): Omit<StatusFault, "field"> {
  const values = "at" in fault ? { values: { at: fault.at } } : {}
  return { text: `fault-code-${fault.fault}`, ...values, status: 422 }
}

/** The store refused the message; the sender learns nothing more than that. */
export function storeFault(error: unknown): StatusFault {
  const full = error instanceof Error && "code" in error && error.code === "full"
  return { field: "form", text: full ? "fault-full" : "fault-failed", status: 503 }
}
