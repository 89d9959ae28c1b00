import { DAY_MS } from "@assay/runtime/time"
import { INVITATION_KEPT_DAYS } from "../base/retention.ts"
import type { App } from "../http/app.ts"
import type { Feature, Primary, Settling } from "../http/feature.ts"
import { accountRoutes } from "./account-routes.ts"
import { openGuesses } from "./guesses.ts"
import { joinRoutes } from "./join-routes.ts"
import { openJoining } from "./joining.ts"
import { memberRoutes } from "./member-routes.ts"
import { openMembers } from "./members.ts"
import { openMakeSession } from "./new-session.ts"
import { outsideRoutes } from "./outside-routes.ts"
import { openOutsideSignIn } from "./outside-sign-in.ts"
import { openOwnAccount } from "./own-account.ts"
import { openPasswords } from "./passwords.ts"
import { type People, peoplePort } from "./people.ts"
import { openSealedPeople } from "./sealed-people.ts"
import type { PeopleServices } from "./services.ts"
import { sessionRoutes } from "./session-routes.ts"
import { openSignIn } from "./sign-in.ts"
import { openSteps } from "./steps.ts"

/** People who sign in, and what they do with their accounts and with those of their tenant. */
export const people: Feature<PeopleServices, People> = {
  port: peoplePort,
  writer: openPeopleWriter,
  routes: peopleRoutes,
}

function peopleRoutes(app: App, services: PeopleServices, writer: People): void {
  sessionRoutes(app, services, writer)
  outsideRoutes(app, services, writer)
  joinRoutes(app, services, writer)
  accountRoutes(app, services, writer)
  memberRoutes(app, services, writer)
}

async function openPeopleWriter(primary: Primary): Promise<People & Settling> {
  const { records, secrets, turns, now } = primary
  const subkey = secrets.subkeys["sealed-identity"]
  const { idleMs, lifeMs } = primary.sessions
  const sealed = openSealedPeople(secrets)
  const tools = {
    records,
    sealed,
    passwords: openPasswords(),
    guesses: openGuesses(now, turns.alone ? null : { records, subkey }),
    steps: openSteps({ subkey, records, now }),
    makeSession: openMakeSession(sealed, lifeMs, now),
    now,
  }
  return {
    ...openSignIn(tools),
    ...openOutsideSignIn(tools),
    ...openJoining(tools),
    ...openOwnAccount(tools),
    ...openMembers(records, now),
    settleDue: async () => undefined,
    async forget() {
      await records.forgetSessions({ endedBefore: now(), unusedSince: now() - idleMs })
      await records.forgetInvitations(now() - INVITATION_KEPT_DAYS * DAY_MS)
      await records.forgetAttempts()
    },
  }
}
