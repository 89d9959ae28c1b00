import type { PasskeyJson } from "@assay/client"

/** Whether this browser can make and use passkeys. */
export function hasPasskeys(): boolean {
  return "PublicKeyCredential" in window
}

/** Asks the browser for a passkey it has. */
export async function askPasskey(options: object): Promise<PasskeyJson> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as never)
  return jsonOf(await navigator.credentials.get({ publicKey }))
}

/** Has the browser make a passkey. */
export async function makePasskey(options: object): Promise<PasskeyJson> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as never)
  return jsonOf(await navigator.credentials.create({ publicKey }))
}

function jsonOf(credential: Credential | null): PasskeyJson {
  if (!(credential instanceof PublicKeyCredential)) throw new Error("No passkey was given")
  return { ...credential.toJSON() }
}
