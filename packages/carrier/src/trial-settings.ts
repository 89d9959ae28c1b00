/** Where the carrier for trials is, and who its client is there. */
export interface TrialPlace {
  readonly url: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly keyId: string
  /** Below the carrier. */
  readonly twilioUrl: string
  readonly twilioUser: string
}

/** Names of the files that settings speak of, in the folder of the settings. */
export const TRIAL_FILES = {
  settings: "providers.json",
  privateKey: "client-key.pem",
  notificationToken: "notification-token",
  twilioPassword: "twilio-password",
} as const

/**
 * Numbers that the Swedish and Australian authorities set aside for fiction. Nobody can be reached
 * by one.
 */
const SWEDISH = "+467017406"
const AUSTRALIAN = "+61491570"

export type TrialSettings = ReturnType<typeof trialSettings>

/**
 * Settings by which a service asks the trial carrier as if it were several carriers, and Twilio. A
 * carrier that fails is left alone for a while, so numbers that show a failure have carriers of
 * their own.
 */
export function trialSettings(place: TrialPlace) {
  const reach = {
    base_url: place.url,
    token_url: place.tokenUrl,
    client_id: place.clientId,
    private_key_file: TRIAL_FILES.privateKey,
    key_id: place.keyId,
    algorithm: "ES256",
    purpose: "dpv:FraudPreventionAndDetection",
  } as const
  return {
    daily_cap: 100,
    tenant_daily_cap: 20,
    camara: [
      {
        ...reach,
        name: "trial",
        ranges: [SWEDISH],
        apis: APIS,
        notification_token_file: TRIAL_FILES.notificationToken,
      },
      {
        ...reach,
        name: "trial-yes-or-no",
        ranges: [`${SWEDISH}7`],
        apis: {
          ...APIS,
          sim_swap: { price: 0.01, answers: "check" as const, max_age_hours: 240 },
          device_swap: { price: 0.01, answers: "check" as const, max_age_hours: 240 },
        },
      },
      { ...reach, name: "trial-failing", ranges: [`${SWEDISH}8`, `${SWEDISH}9`], apis: APIS },
      { ...reach, name: "trial-busy", ranges: [`${SWEDISH}84`], apis: APIS },
    ],
    twilio: {
      base_url: place.twilioUrl,
      user: place.twilioUser,
      password_file: TRIAL_FILES.twilioPassword,
      ranges: [AUSTRALIAN],
      fields: {
        line_type_intelligence: 0.008,
        sim_swap: 0.01,
        call_forwarding: 0.01,
        reassigned_number: 0.02,
        line_status: 0.007,
      },
    },
  }
}

const APIS = {
  sim_swap: { price: 0.02, answers: "date" },
  device_swap: { price: 0.02, answers: "date" },
  number_recycling: { price: 0.01 },
  call_forwarding: { price: 0.01 },
  reachability: { price: 0.005 },
  roaming: { price: 0.005 },
  tenure: { price: 0.01 },
  subscription_status: { price: 0.005 },
} as const
