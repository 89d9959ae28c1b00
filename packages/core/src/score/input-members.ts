import type { EmailInput } from "./email-input.ts"
import type { EmailModel } from "./model-email.ts"
import type { PhoneInput } from "./phone-input.ts"
import type { PhoneModel } from "./model-phone.ts"

/**
 * The value of `writtenFor` in an input that is written now. A false flag is left out, so an input
 * alone does not show whether a member was looked for or did not exist yet when it was written.
 */
export const INPUT_VERSION = "1.1"

/** Members that came with a version, each with the question whether a model reads it. */
interface Added<M> {
  readonly version: string
  readonly members: Readonly<Record<string, (model: M) => boolean>>
}

// One entry for each version that added members, oldest first; inputs without `writtenFor` are of
// 1.0.
const emailMembers: readonly Added<EmailModel>[] = [
  {
    version: "1.1",
    members: {
      "trust.disposableLikely": ({ abuse }) => abuse.disposableLikely !== undefined,
      "trust.homograph": ({ abuse }) => abuse.homograph !== undefined,
      "trust.imitates": ({ texts }) => texts.imitation !== undefined,
      "trust.localLength": ({ abuse }) => abuse.handle.lengthMin !== undefined,
      "trust.blocklist.likelyDisposable": ({ abuse }) => abuse.disposableLikely !== undefined,
      "trust.blocklist.listedAge": ({ texts }) => texts.trust.BOT_BLOCKLIST.named !== undefined,
      "trust.blocklist.name": ({ texts }) => texts.trust.BOT_BLOCKLIST.named !== undefined,
    },
  },
]
const phoneMembers: readonly Added<PhoneModel>[] = [
  {
    version: "1.1",
    members: {
      reserved: ({ quality }) => quality.reserved !== undefined,
      simChangeAgeMin: ({ fields }) => fields.boundedChange === "near_end",
      simChangeAgeMax: ({ fields }) => fields.boundedChange === "near_end",
      blocklistedForFraud: ({ quality }) => quality.confirmedFraud !== undefined,
      confirmedFraudAge: ({ quality }) => quality.confirmedFraud !== undefined,
      verifiedIndependently: ({ fields }) => fields.verificationCountsAfterDays !== undefined,
    },
  },
]

/**
 * Members that a model reads but nobody looked for when the input was written: to the model they
 * are unknown.
 */
export function lackingEmailMembers(input: EmailInput, model: EmailModel): string[] {
  const rows = model.factors?.map(({ member }) => `trust.${member}`)
  return lackingOf(emailMembers, input.writtenFor, model, rows)
}

export function lackingPhoneMembers(input: PhoneInput, model: PhoneModel): string[] {
  const rows = model.factors?.map(({ member }) => member)
  return lackingOf(phoneMembers, input.writtenFor, model, rows)
}

function lackingOf<M>(
  added: readonly Added<M>[],
  writtenFor: string | null | undefined,
  model: M,
  rows: readonly string[] = [],
): string[] {
  if (writtenFor == null) return read(added, model, rows)
  const at = added.findIndex(({ version }) => version === writtenFor)
  // A version that is not named here is newer than all that are.
  return at < 0 ? [] : read(added.slice(at + 1), model, rows)
}

function read<M>(added: readonly Added<M>[], model: M, rows: readonly string[]): string[] {
  return added.flatMap(({ members }) =>
    Object.entries(members)
      .filter(([member, isRead]) => isRead(model) || rows.includes(member))
      .map(([member]) => member),
  )
}
