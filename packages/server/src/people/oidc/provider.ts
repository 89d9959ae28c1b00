import type { Log } from "@assay/runtime/log"
import { isPlainLoopback } from "@assay/runtime/outbound/base-url"
import { openLanes } from "@assay/runtime/outbound/lanes"
import type { ClientAuth, Configuration } from "openid-client"
import type { OidcConfig } from "../../base/oidc-config.ts"
import { Problem } from "../../base/problem.ts"
import { boundedFetch } from "./bounded-fetch.ts"
import { type Fault, faultOf } from "./faults.ts"
import { type Claims, claimOf } from "./roles.ts"
import type { Transaction } from "./transaction.ts"

/** Somebody as the provider knows them. */
export interface OutsideAccount {
  readonly issuer: string
  readonly subject: string
  readonly claims: Claims
}

/** The provider of single sign-on. */
export interface Provider {
  /** Where to send the browser, or a Problem where the provider cannot be asked. */
  authorizationUrl(transaction: Transaction): Promise<string>
  /** Whom the answer of the provider is about, or a Problem. */
  accountOf(transaction: Transaction, query: string): Promise<OutsideAccount>
}

/** For one request to the provider, of which a sign-in takes three at most. */
const ANSWER_SECONDS = 5
/** How long what the provider says of itself is taken as true. */
const KEPT_MS = 60 * 60_000
const CLOCKS_APART_SECONDS = 30
/** Anybody can make this service ask the provider about a code: so many at once, and no more. */
const TOGETHER_MAX = 8
const WAITING_MAX = 32

export const CALLBACK = "/console/sign-in/oidc/callback"

export function openProvider(config: OidcConfig, log: Log, elapsed: () => number): Provider {
  const lanes = openLanes(TOGETHER_MAX, WAITING_MAX)
  let known: { readonly found: Promise<Configuration>; readonly at: number } | null = null

  /** Found once and kept; a failure is not kept. */
  function discovered(): Promise<Configuration> {
    if (known !== null && elapsed() - known.at < KEPT_MS) return known.found
    const asked = { found: discover(config).catch(undiscovered), at: elapsed() }
    known = asked
    asked.found.catch(() => {
      if (known === asked) known = null
    })
    return asked.found
  }

  /** Nothing of what the provider answered is passed on or logged, but the names of faults. */
  async function asking<T>(work: () => Promise<T>): Promise<T> {
    const running = lanes.run(work)
    if (running === null)
      throw new Problem("overloaded", "Too many sign in at once.", {
        headers: { "retry-after": "5" },
      })
    try {
      return await running
    } catch (error) {
      const fault = faultOf(error)
      log.warn("a sign-in at the provider failed", { code: fault.name })
      throw problemOf(fault)
    }
  }

  return {
    authorizationUrl: ({ state, nonce, verifier, origin }) =>
      asking(async () => {
        const client = await import("openid-client")
        const url = client.buildAuthorizationUrl(await discovered(), {
          redirect_uri: origin + CALLBACK,
          response_type: "code",
          scope: config.scopes,
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        })
        return url.href
      }),

    accountOf: ({ state, nonce, verifier, origin }, query) =>
      asking(async () => {
        const client = await import("openid-client")
        const provider = await discovered()
        const tokens = await client.authorizationCodeGrant(
          provider,
          new URL(`${origin}${CALLBACK}?${query}`),
          { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
        )
        const said = tokens.claims()
        if (said === undefined) throw new Error("The library lets nobody pass without an ID token")
        const { iss: issuer, sub: subject } = said
        const isThere = claimOf(said, config.rolesClaim) !== undefined
        if (isThere || provider.serverMetadata().userinfo_endpoint === undefined)
          return { issuer, subject, claims: said }
        // Some providers keep the token small and tell of groups when asked.
        const told = await client.fetchUserInfo(provider, tokens.access_token, subject)
        return { issuer, subject, claims: { ...told, ...said } }
      }),
  }
}

async function discover(config: OidcConfig): Promise<Configuration> {
  const client = await import("openid-client")
  const issuer = new URL(config.issuer)
  const basic = client.ClientSecretBasic(config.clientSecret)
  const post = client.ClientSecretPost(config.clientSecret)
  // What every provider must take, unless it says that it takes only the other.
  const authentication: ClientAuth = (server, own, body, headers) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]
    const way = taken.includes("client_secret_basic") ? basic : post
    way(server, own, body, headers)
  }
  const found = await client.discovery(
    issuer,
    config.clientId,
    { [client.clockTolerance]: CLOCKS_APART_SECONDS },
    authentication,
    {
      timeout: ANSWER_SECONDS,
      [client.customFetch]: boundedFetch,
      execute: [
        // Signatures are checked though the token comes straight from the provider.
        client.enableNonRepudiationChecks,
        // Marked as deprecated to stand out: for a provider on this machine alone.
        // oxlint-disable-next-line typescript/no-deprecated
        ...(isPlainLoopback(issuer) ? [client.allowInsecureRequests] : []),
      ],
    },
  )
  // Of some providers one address speaks for all their customers, and anybody's people come by it.
  if (new URL(found.serverMetadata().issuer).href !== issuer.href)
    throw Object.assign(new Error("The provider has another name"), { code: "OTHER_ISSUER" })
  return found
}

/** Whatever is wrong before anybody has signed in is not about them. */
function undiscovered(error: unknown): never {
  const told = faultOf(error).name.replaceAll(" ", "_")
  throw Object.assign(new Error("The provider cannot be found out about"), {
    code: "DISCOVERY",
    error: told,
  })
}

function problemOf({ kind }: Fault): Problem {
  if (kind === "refused") return new Problem("sign-in-refused", "Nobody was signed in.")
  return new Problem(
    "sign-in-provider-unavailable",
    "Nobody was signed in. Sign in with a passkey or a password of your own, or try again later.",
    { headers: { "retry-after": "10" } },
  )
}
