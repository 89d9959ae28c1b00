import { Explained } from "@assay/runtime/explained"
import type { EmailSettings, PhoneSettings } from "@assay/core/score"
import { type Static, Type } from "typebox"
import { Value } from "typebox/value"
import { MICROS } from "@assay/stores/micros"

// A misspelt member must not pass for the default it hides.
const exactly = { additionalProperties: false }
const Prior = Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 })
const Cost = Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 })
const Version = Type.String({ pattern: "^[0-9]+\\.[0-9]+$" })

/** What an administrator sets for a tenant. A member left out leaves the matter to the model. */
export const TenantSettings = Type.Object(
  {
    /** The tenant may see sources flagged as sensitive. */
    verified: Type.Optional(Type.Boolean()),
    models: Type.Optional(
      Type.Object({ email: Type.Optional(Version), phone: Type.Optional(Version) }, exactly),
    ),
    prior_cred: Type.Optional(Prior),
    prior_abuse: Type.Optional(Prior),
    /** In units of one unnecessary challenge. */
    costs: Type.Optional(
      Type.Object(
        {
          loss: Type.Optional(Cost),
          challenge: Type.Optional(Cost),
          wrong_block: Type.Optional(Cost),
        },
        exactly,
      ),
    ),
    /** Fitted to this tenant's outcomes of e-mail scores; it says nothing about phone numbers. */
    calibration: Type.Optional(
      Type.Object(
        {
          A: Type.Number({ minimum: 0.3, maximum: 3 }),
          B: Type.Number({ minimum: -30, maximum: 30 }),
          hash: Type.String({ pattern: "^[0-9a-f]{8,64}$" }),
        },
        exactly,
      ),
    ),
    confirmed_before_block: Type.Optional(Type.Boolean()),
    sms_only_step_up: Type.Optional(Type.Boolean()),
    /** Phone numbers may be sent to the carriers and vendors that are configured. */
    providers: Type.Optional(Type.Boolean()),
    /** The most that may be spent on them in a day, in the unit of the prices. */
    provider_daily_cap: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000_000 })),
    /** The tenant's own mail domains in ASCII: what imitates one of them is after this tenant. */
    domains: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 253 }), { minItems: 1, maxItems: 100 }),
    ),
  },
  exactly,
)
export type TenantSettings = Static<typeof TenantSettings>

/**
 * The settings as they are stored. Throws Explained `tenant-settings`, which names the member and
 * never its value: a setting that cannot be read is never ignored.
 */
export function readTenantSettings(stored: Readonly<Record<string, unknown>>): TenantSettings {
  if (Value.Check(TenantSettings, stored)) return stored
  const [fault] = Value.Errors(TenantSettings, stored)
  const path = fault === undefined || fault.instancePath === "" ? "the top" : fault.instancePath
  throw new Explained(
    "tenant-settings",
    `The settings of a tenant cannot be read by this program, at ${path}: ${fault?.message ?? ""}`,
  )
}

/** How scores are made for a caller, ready for the scorers. */
export interface ScoringSettings {
  readonly verified: boolean
  /** null: the model that answers for those who chose none. */
  readonly emailModel: string | null
  readonly phoneModel: string | null
  /** undefined where all is as the model has it, so that most inputs carry none. */
  readonly emailSettings: EmailSettings | undefined
  readonly phoneSettings: PhoneSettings | undefined
  /** The tenant has no challenge but a code by SMS. */
  readonly smsOnlyStepUp: boolean
  /** The tenant's own switch; its plan must allow it too. */
  readonly providers: boolean
  /** In millionths; null: the cap that holds for every tenant. */
  readonly providerCapMicros: number | null
  /** Ready to be compared with; null where the tenant named none. */
  readonly domains: readonly string[] | null
}

/** Frozen, because one object serves every request of a caller and goes into stored inputs. */
export function scoringSettings(settings: TenantSettings): ScoringSettings {
  const { models, prior_cred, prior_abuse, calibration, confirmed_before_block } = settings
  const costs = ifAny({
    loss: settings.costs?.loss,
    challenge: settings.costs?.challenge,
    wrongBlock: settings.costs?.wrong_block,
  })
  const confirmedBeforeBlock = confirmed_before_block === true ? true : undefined
  return Object.freeze({
    verified: settings.verified === true,
    emailModel: models?.email ?? null,
    phoneModel: models?.phone ?? null,
    emailSettings: ifAny({ prior_cred, prior_abuse, costs, calibration, confirmedBeforeBlock }),
    phoneSettings: ifAny({ costs, confirmedBeforeBlock }),
    smsOnlyStepUp: settings.sms_only_step_up === true,
    providers: settings.providers === true,
    providerCapMicros:
      settings.provider_daily_cap === undefined
        ? null
        : Math.round(settings.provider_daily_cap * MICROS),
    domains: settings.domains ?? null,
  })
}

/** For a tenant without settings, and for a key without a tenant. */
export const DEFAULT_SCORING = scoringSettings({})

/** The members that are set, or undefined where none is. */
function ifAny<T extends object>(members: T): { [K in keyof T]?: NonNullable<T[K]> } | undefined {
  const set = Object.entries(members).filter(([, value]) => value !== undefined)
  if (set.length === 0) return undefined
  return Object.freeze(Object.fromEntries(set))
}
