// A real provider of OpenID Connect for tests, in this process: everybody it is told to sign in is
// signed in at once, without a page of its own.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { exportJWK, generateKeyPair } from "jose"
import { Provider } from "oidc-provider"

export const CLIENT_ID = "assay"
export const CLIENT_SECRET = "canary-client-secret-4471"
export const CALLBACK = "/console/sign-in/oidc/callback"

export type Account = Readonly<Record<string, unknown>>
export type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** An address whose handler can be put in place later: it takes no connection without one. */
export interface Place {
  readonly issuer: string
  handler: Handler
  close(): Promise<void>
}

export async function openPlace(): Promise<Place> {
  const place = { handler: ((_, response) => response.destroy()) as Handler }
  const server: Server = createServer((request, response) => place.handler(request, response))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return Object.assign(place, {
    issuer: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

/** The settings of a service whose people sign in there; roles are its own. */
export function settingsOf({ issuer }: Place): Record<string, string> {
  return {
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT_ID,
    OIDC_CLIENT_SECRET: CLIENT_SECRET,
    OIDC_SCOPES: "openid profile email groups",
    OIDC_ROLES_CLAIM: "groups",
  }
}

/** Who is signed in at the provider by the next visit; null: whoever comes is turned away. */
export interface Desk {
  account: string | null
  readonly accounts: Map<string, Account>
  /** Tokens and codes that the provider gave out. */
  readonly secrets: string[]
}

/** Puts a provider at a place, for a service at `origin`. */
export async function putProvider(
  place: Place,
  origin: string,
  { claimsInToken = true } = {},
): Promise<Desk> {
  const desk: Desk = { account: null, accounts: new Map(), secrets: [] }
  const { privateKey } = await generateKeyPair("RS256", { extractable: true })
  const key = { ...(await exportJWK(privateKey)), use: "sig", alg: "RS256", kid: "k1" }
  const provider = new Provider(place.issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [origin + CALLBACK],
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ["one key of the tests"] },
    scopes: ["openid", "profile", "email", "groups"],
    claims: { openid: ["sub"], profile: ["name"], email: ["email"], groups: ["groups"] },
    conformIdTokenClaims: !claimsInToken,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({
      accountId: id,
      claims: async () => ({ ...desk.accounts.get(id), sub: id }),
    }),
    // Whoever is signed in has agreed to everything.
    loadExistingGrant: async (ctx) => {
      const { client, session, params } = ctx.oidc
      if (client === undefined || session?.accountId === undefined) return undefined
      const grant = new ctx.oidc.provider.Grant({
        clientId: client.clientId,
        accountId: session.accountId,
      })
      grant.addOIDCScope(String(params?.["scope"]))
      await grant.save()
      return grant
    },
    renderError: (ctx, out) => {
      ctx.body = out.error
    },
  })
  for (const kind of ["authorization_code", "access_token"] as const)
    provider.on(`${kind}.saved` as "access_token.saved", ({ jti }) => void desk.secrets.push(jti))
  const callback = provider.callback()
  const interact = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const result =
      desk.account === null
        ? { error: "access_denied", error_description: "canary-description-9920" }
        : { login: { accountId: desk.account } }
    await provider.interactionFinished(request, response, result, {
      mergeWithLastSubmission: false,
    })
  }
  place.handler = (request, response) => {
    if (request.url?.startsWith("/interaction/") === true) void interact(request, response)
    else void callback(request, response)
  }
  return desk
}
