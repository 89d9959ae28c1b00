/** What the service says of itself in the page. */
export interface Facts {
  readonly nonce: string
  /** A key of the demo that may only score; null in production. */
  readonly demoKey: string | null
  /** Where people begin to sign in with their company's account; null: nowhere. */
  readonly signInPath: string | null
  readonly dropPage: string | null
  readonly hasInbox: boolean
  /** Whether strangers can sign up. */
  readonly hasSignUp: boolean
}

function read(): Facts {
  const { dataset } = document.getElementById("console") ?? document.body
  const orNull = (text: string | undefined): string | null => (text ? text : null)
  return {
    nonce: dataset["nonce"] ?? "",
    demoKey: orNull(dataset["demoKey"]),
    signInPath: orNull(dataset["signIn"]),
    dropPage: orNull(dataset["drop"]),
    hasInbox: dataset["inbox"] === "true",
    hasSignUp: dataset["signUp"] === "true",
  }
}

export const facts = read()
