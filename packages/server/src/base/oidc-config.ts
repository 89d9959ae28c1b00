import { type Role, SERVICE_ROLES, TENANT_ROLES } from "@assay/core/contract"
import { readBaseUrl } from "@assay/runtime/outbound/base-url"

/** Single sign-on at one provider. */
export interface OidcConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scopes: string
  /** The claim whose values give roles. */
  readonly rolesClaim: string
  readonly roles: readonly RoleRule[]
}

/** What a value of the claim gives. */
export interface RoleRule {
  readonly value: string
  readonly role: Role
  /** The name of a tenant; null: for the service. */
  readonly tenant: string | null
}

/** The settings of single sign-on, for the table of all settings. */
export const oidcSettings = [
  {
    name: "OIDC_ISSUER",
    takes: "an https:// URL, or an http:// URL of this machine",
    fallback: "",
    meaning:
      "Provider of single sign-on by OpenID Connect, exactly as it names itself. Single sign-on is on with this setting, the client's id and secret, the claim and the roles, and off without all of them.",
  },
  {
    name: "OIDC_CLIENT_ID",
    takes: "a text",
    fallback: "",
    meaning: "What the provider calls this service.",
  },
  {
    name: "OIDC_CLIENT_SECRET",
    takes: "a text",
    fallback: "",
    secret: true,
    meaning: "By which the provider knows this service.",
  },
  {
    name: "OIDC_SCOPES",
    takes: "names, separated by spaces, `openid` among them",
    fallback: "openid profile email",
    meaning: "What the provider is asked for; some give groups only for a scope of their own.",
  },
  {
    name: "OIDC_ROLES_CLAIM",
    takes: "the name of a claim, or a path with dots",
    fallback: "",
    meaning: "The claim whose values give roles, such as `groups`: a text or a list of texts.",
  },
  {
    name: "OIDC_ROLES",
    takes: "`value=role` or `value=role@tenant`, separated by commas",
    fallback: "",
    meaning:
      "The roles that values of the claim give: owner, analyst or viewer in a tenant by its name, administrator or drop-recipient for the service. At every sign-in these replace all roles of the person.",
  },
] as const

type OidcSetting = (typeof oidcSettings)[number]["name"]

interface Given {
  readonly production: boolean
  readonly consoleOrigin: string | null
  readonly optional: (name: OidcSetting) => string | null
  readonly faults: string[]
}

const NEEDED = [
  "OIDC_ISSUER",
  "OIDC_CLIENT_ID",
  "OIDC_CLIENT_SECRET",
  "OIDC_ROLES_CLAIM",
  "OIDC_ROLES",
] as const

/** null: nobody signs in elsewhere. */
export function readOidcConfig({
  production,
  consoleOrigin,
  optional,
  faults,
}: Given): OidcConfig | null {
  const missing = NEEDED.filter((name) => optional(name) === null)
  if (missing.length === NEEDED.length) return null
  if (missing.length > 0) faults.push(`Single sign-on also takes ${missing.join(", ")}`)
  if (production && consoleOrigin === null)
    faults.push("Single sign-on takes CONSOLE_ORIGIN, where the provider sends people back to")

  const issuer = optional("OIDC_ISSUER") ?? ""
  if (issuer !== "" && readBaseUrl(issuer) === null)
    faults.push(
      "OIDC_ISSUER takes an https:// URL without user, query or fragment (http:// only on this machine)",
    )
  const scopes = optional("OIDC_SCOPES") ?? ""
  if (!/^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(scopes) || !scopes.split(" ").includes("openid"))
    faults.push("OIDC_SCOPES takes names separated by single spaces, openid among them")
  const roles = (optional("OIDC_ROLES") ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")
    .map(ruleOf)
  if (roles.includes(null))
    faults.push(
      `OIDC_ROLES takes value=role@tenant with ${TENANT_ROLES.join(", ")}, or value=role with ${SERVICE_ROLES.join(", ")}, separated by commas`,
    )
  return {
    issuer,
    clientId: optional("OIDC_CLIENT_ID") ?? "",
    clientSecret: optional("OIDC_CLIENT_SECRET") ?? "",
    scopes,
    rolesClaim: optional("OIDC_ROLES_CLAIM") ?? "",
    roles: roles.filter((rule) => rule !== null),
  }
}

const IN_TENANT = new RegExp(`^(.+)=(${TENANT_ROLES.join("|")})@(.+)$`)
const OF_SERVICE = new RegExp(`^(.+)=(${SERVICE_ROLES.join("|")})$`)

function ruleOf(text: string): RoleRule | null {
  const [, value = "", role = "", tenant = null] =
    IN_TENANT.exec(text) ?? OF_SERVICE.exec(text) ?? []
  return value === "" ? null : { value: value.trim(), role: role as Role, tenant }
}
