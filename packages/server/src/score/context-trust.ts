/** What the request's `context` and this tenant's last 24 hours say. */
export interface ContextTrust {
  readonly velocity24h: number | undefined
  readonly clusterSize: number | undefined
  readonly signupToActionSec: number | undefined
  readonly anomaly: number | undefined
  /** False where the counters could not be asked: velocity is then unknown, not zero. */
  readonly counted: boolean
  /** For the explanation. */
  readonly explained: Readonly<Record<string, unknown>>
}
