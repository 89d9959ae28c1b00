/**
 * A question that got no usable answer. It has no cause and quotes nothing: errors of resolvers and
 * of `fetch` name the domain, which must reach no log.
 */
export class LookupFailure extends Error {
  override readonly name = "LookupFailure"
  /**
   * `name`: the provider works and could not answer for this one name. `provider`: nobody was
   * answered.
   */
  readonly fault: "name" | "provider"
  constructor(fault: LookupFailure["fault"]) {
    super("A look-up over the network had no usable answer")
    this.fault = fault
  }
}
