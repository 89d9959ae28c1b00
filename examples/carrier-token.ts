// Prints an access token of a carrier, for calls that the service does not make itself, such as
// subscribing to SIM changes. It takes the file that ASSAY_PROVIDERS names, the carrier's name in
// it, and scopes:
//
//   npx node examples/carrier-token.ts providers.json example sim-swap-subscriptions:read
import { createPrivateKey, type KeyObject, randomUUID, sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"

interface Carrier {
  readonly name: string
  readonly token_url: string
  readonly audience?: string
  readonly client_id: string
  readonly private_key_file: string
  readonly key_id?: string
}

const [file = "", name = "", ...scopes] = process.argv.slice(2)
const { camara = [] } = JSON.parse(readFileSync(file, "utf8")) as { camara?: Carrier[] }
const carrier = camara.find((each) => each.name === name)
if (carrier === undefined) throw new Error("The file names no carrier of this name")

const key = createPrivateKey(
  readFileSync(resolve(dirname(resolve(file)), carrier.private_key_file), "utf8"),
)
const response = await fetch(carrier.token_url, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "client_credentials",
    scope: scopes.join(" "),
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: assertion(carrier, key),
  }),
})
const answer = (await response.json()) as { access_token?: string; error?: string }
if (answer.access_token === undefined)
  throw new Error(`The carrier gave no token: ${answer.error ?? response.status}`)
console.log(answer.access_token)

/** A client assertion of RFC 7523, good for one minute. */
function assertion({ token_url, audience, client_id, key_id }: Carrier, key: KeyObject): string {
  const elliptic = key.asymmetricKeyType === "ec"
  const issuedAt = Math.floor(Date.now() / 1000)
  const header = { alg: elliptic ? "ES256" : "RS256", typ: "JWT", kid: key_id }
  const claims = {
    iss: client_id,
    sub: client_id,
    aud: audience ?? token_url,
    jti: randomUUID(),
    iat: issuedAt,
    exp: issuedAt + 60,
  }
  const signed = [header, claims].map((part) => base64url(JSON.stringify(part))).join(".")
  const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" })
  return `${signed}.${base64url(signature)}`
}

function base64url(data: string | Buffer): string {
  return Buffer.from(data).toString("base64url")
}
