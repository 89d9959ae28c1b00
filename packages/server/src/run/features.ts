import { audit } from "../audit/feature.ts"
import { decisions } from "../decisions/feature.ts"
import { events } from "../events/feature.ts"
import { evidence } from "../evidence/feature.ts"
import { feedback } from "../feedback/feature.ts"
import { health } from "../health/feature.ts"
import type { Feature } from "../http/feature.ts"
import { imports } from "../imports/feature.ts"
import { inbox } from "../inbox/feature.ts"
import { keys } from "../keys/feature.ts"
import { lists } from "../lists/feature.ts"
import { notifications } from "../notifications/feature.ts"
import { people } from "../people/feature.ts"
import { pages } from "../pages/feature.ts"
import { policy } from "../policy/feature.ts"
import type { EmailServices } from "../score/email/email-scorer.ts"
import { scoreRoutes } from "../score/email/routes.ts"
import { type BulkServices, bulkRoutes } from "../score/many/routes.ts"
import type { PhoneServices } from "../score/phone/phone-scorer.ts"
import { telecomRoutes } from "../score/phone/routes.ts"
import { signUp } from "../signup/feature.ts"
import { review } from "../review/feature.ts"
import { sinks } from "../sinks/feature.ts"
import { sharedSignals } from "../shared-signals/feature.ts"
import { sources } from "../sources/feature.ts"
import { subjects } from "../subjects/feature.ts"
import { tenants } from "../tenants/feature.ts"
import { usage } from "../usage/feature.ts"
import { views } from "../views/feature.ts"
import { watch } from "../watch/feature.ts"
import { webhooks } from "../webhooks/feature.ts"

const email: Feature<EmailServices> = { routes: scoreRoutes }
const phone: Feature<PhoneServices> = { routes: telecomRoutes }
const many: Feature<BulkServices> = { routes: bulkRoutes }

/** All that the service does, in the order of the API's description. */
export const features = [
  health,
  pages,
  email,
  phone,
  feedback,
  subjects,
  evidence,
  notifications,
  watch,
  many,
  decisions,
  review,
  events,
  views,
  webhooks,
  sinks,
  sharedSignals,
  policy,
  sources,
  imports,
  lists,
  keys,
  tenants,
  usage,
  audit,
  people,
  signUp,
  inbox,
] as const

/** How each brings what it keeps in the records into an index that was made anew. */
export const replays = Object.fromEntries(
  (features as readonly AnyFeature[]).flatMap(({ port, replay }) =>
    port === undefined || replay === undefined ? [] : [[port.name, replay]],
  ),
)

/** What all features need together. */
export type FeatureServices = Together<NeedsOf<(typeof features)[number]>>

/** Any one of the features. */
export type AnyFeature = Feature<FeatureServices, unknown>

type NeedsOf<F> = F extends { routes(app: never, services: infer Needs, writer: never): unknown }
  ? Needs
  : never
type Together<Each> = (Each extends unknown ? (each: Each) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never
