import { newFiller } from "../filler.ts"
import type { FormState } from "../pages/page-input.ts"
import type { Visit } from "./visit.ts"

/** A form with nothing in it. A token that can still be used is kept: a new one would have to wait before it counts. */
export async function freshForm({ desk }: Pick<Visit, "desk">, oldToken = ""): Promise<FormState> {
  const state = oldToken === "" ? "wrong" : await desk.formTokenState(oldToken)
  return {
    token: state === "ok" || state === "early" ? oldToken : await desk.newFormToken(),
    filler: newFiller(),
    message: "",
    mode: "two-way",
    keepMetadata: false,
    keepNames: false,
    code: "",
    faults: [],
  }
}
