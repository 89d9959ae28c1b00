import { PHONE_REASON_CODES, type PhoneModel } from "@assay/core/score"
import {
  fieldRows,
  lineRows,
  qualityRows,
  takeoverRows,
  type WeightRow,
} from "../../packages/server/src/model-tools/phone-model-tables.ts"
import { code, lines, percent, table } from "./page.ts"
import { scaleSection, sentencesOf } from "./model-shared.ts"

/** The data of the phone model, as the document the scorer loads holds it. */
export function phoneModelPage(model: PhoneModel): string {
  const { takeover, quality, coverage, reasons, floors, fields } = model
  return lines(
    `# Phone model ${model.version}`,
    "Two risks are scored apart and joined. *Takeover*: control of the number is lost. *Quality*: the number is of the kind that abuse uses. With probabilities p_T and p_Q the total is p = 1 − (1 − p_T)(1 − p_Q). Ages are in days, from the hour.",
    "**Not validated end to end.** Probabilities are nominal; most weights are judgement. A SIM change is weak evidence by itself and strong at the moment of a sensitive action, which is why it has a floor that is policy and no probability.",
    scaleSection(model),
    quality.reserved === undefined
      ? "A number of which nothing but its shape is known is reviewed rather than blocked, unless no numbering plan allows it: then it belongs to nobody."
      : "A number of which nothing but its shape is known is reviewed rather than blocked, unless no numbering plan allows it or one keeps it for fiction and tests: then it belongs to nobody.",
    "## Takeover",
    `Prior ${percent(takeover.prior)}. Terms in nats: those for and those against are summed apart, the largest in full, each further one with ${percent(takeover.discount)} of the weight before it.`,
    table(["Term", "Nats"], takeoverRows(model).map(weightCells)),
    "Policy floor under the takeover points, by days since the SIM changed or the number was ported (flat up to the first, interpolated, none after the last):",
    table(["Days", "Points"], takeover.simChange.floor),
    `A number given to another subscriber since it was verified has a floor of ${takeover.recycled.floor}.`,
    ...(floors === undefined
      ? []
      : [
          `All calls forwarded: a floor of ${floors.callForwarding} under the takeover points. Not active on its network: ${floors.inactive} under the quality points. A number nobody can own: ${floors.withoutOwner} under the score. Every floor holds after a calibration too, and a number that must not get codes is never let through, whatever the costs of a tenant.`,
        ]),
    "## Quality",
    `Prior ${percent(quality.prior)}; terms are summed the same way, each further one with ${percent(quality.discount)} of the weight before it.`,
    table(["Term", "Nats"], qualityRows(model).map(weightCells)),
    table(["Line", "Nats", "Number types it stands for"], lineRows(model)),
    "## Fields",
    table(["Field", "Value"], fieldRows(model)),
    "## Coverage",
    table(["Family", "Share"], Object.entries(coverage)),
    "Which families are covered depends on what was imported, which carriers and vendors are connected, and what the caller tells of the use; the explanation says which were.",
    "## Reasons",
    `At most ${reasons.countMax}, each of at least ${reasons.pointsMin} point, and one more sentence when SIM history was not available${fields.simTypes === undefined ? "" : ` for a type that has a SIM (${fields.simTypes.map(code).join(", ")})`}: “${model.texts.simHistoryUnavailable}”. The line type is a reason from ${quality.lineReasonFrom} nats on. The order breaks ties.`,
    table(
      ["Code", "Sentence"],
      PHONE_REASON_CODES.filter((name) => model.texts.reasons[name] !== undefined).map((name) => [
        code(name),
        sentencesOf(model.texts.reasons[name]),
      ]),
    ),
  )
}

function weightCells({ term, nats }: WeightRow): string[] {
  return [term, nats]
}
