import { createPublicKey, randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makePrivateKey } from "./trial-client.ts"
import { TRIAL_FILES, type TrialSettings } from "./trial-settings.ts"
import { Explained } from "@assay/runtime/explained"

/** A folder with what a service needs to ask the carrier for trials, for its owner's eyes alone. */
export interface TrialDirectory {
  readonly settingsFile: string
  readonly privateKeyPem: string
  readonly notificationToken: string
  readonly twilioPassword: string
  /** Throws where there are other settings: they may be of a real carrier. */
  writeSettings(settings: TrialSettings): void
}

/** Secrets are made once and kept, so that a service goes on when the carrier is started again. */
export function openTrialDirectory(folder: string): TrialDirectory {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const settingsFile = join(folder, TRIAL_FILES.settings)
  const secret = (): string => randomBytes(24).toString("base64url")
  return {
    settingsFile,
    privateKeyPem: clientKey(join(folder, TRIAL_FILES.privateKey)),
    notificationToken: keptOrMade(join(folder, TRIAL_FILES.notificationToken), secret),
    twilioPassword: keptOrMade(join(folder, TRIAL_FILES.twilioPassword), secret),
    writeSettings(settings) {
      const text = `${JSON.stringify(settings, null, 2)}\n`
      if (keptOrMade(settingsFile, () => text) !== text.trim())
        throw new Explained(
          "trial-directory",
          `${settingsFile} is there already and says something else; name another folder with --dir`,
        )
    },
  }
}

function clientKey(file: string): string {
  const pem = keptOrMade(file, makePrivateKey)
  try {
    if (createPublicKey(pem).asymmetricKeyDetails?.namedCurve === "prime256v1") return pem
  } catch {
    // Not a key at all: the same as one of another kind.
  }
  throw new Explained("trial-directory", `${file} is there already and is no key for ES256`)
}

function keptOrMade(file: string, make: () => string): string {
  try {
    writeFileSync(file, make(), { flag: "wx", mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
  return readFileSync(file, "utf8").trim()
}
