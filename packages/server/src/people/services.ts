import type { Log } from "@assay/runtime/log"
import type { Records } from "@assay/stores/records"
import type { Secrets } from "@assay/runtime/secrets"
import type { ConsoleOrigin } from "../accounts/caller-of.ts"
import type { VisitorNetwork } from "../http/visitor-network.ts"
import type { Config } from "../base/config.ts"
import type { Provider } from "./oidc/provider.ts"

export interface PeopleServices {
  readonly people: Pick<
    Records,
    "personById" | "sessionsOf" | "members" | "people" | "invitations" | "invitationByToken"
  >
  readonly secrets: Secrets
  readonly consoleOrigin: ConsoleOrigin
  readonly visitorNetwork: VisitorNetwork
  readonly config: Pick<Config, "oidc">
  /** Of single sign-on; null: there is none. */
  readonly signInProvider: Provider | null
  /** Whether recipients of the drop have an inbox here. */
  readonly askDrop: object | null
  readonly log: Log
  readonly now: () => number
}
