/**
 * A refusal: `code` is CAMARA's, or RFC 6749's where the token endpoint refuses. The message never
 * quotes the request.
 */
export class CarrierError extends Error {
  override readonly name = "CarrierError"
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

export function invalidArgument(message: string): CarrierError {
  return new CarrierError(400, "INVALID_ARGUMENT", message)
}

export function outOfRange(message: string): CarrierError {
  return new CarrierError(400, "OUT_OF_RANGE", message)
}

export function notFound(message: string): CarrierError {
  return new CarrierError(404, "NOT_FOUND", message)
}
