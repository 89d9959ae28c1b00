import type { Letter } from "../base/mail.ts"

/** The letter with the token that completes a sign-up. */
export function tokenLetter(
  to: string,
  organisation: string,
  token: string,
  until: string,
): Letter {
  return {
    to,
    subject: "Your sign-up at Assay",
    text: [
      `Somebody signed up ${organisation} with this address.`,
      "",
      `If it was you, this token gives you the API key, once, within ${until}:`,
      "",
      `    ${token}`,
      "",
      "Enter it on the page /console/sign-up of the service,",
      'or send it as {"token": "…"} to POST /api/v1/signup/confirm.',
      "",
      "If it was not you, do nothing: without the token nothing is made.",
      "",
    ].join("\n"),
  }
}

/**
 * For somebody who signs up twice: the form says nothing about it, so that it tells nobody else.
 */
export function alreadyLetter(to: string): Letter {
  return {
    to,
    subject: "Your sign-up at Assay",
    text: [
      "Somebody signed up with this address, which has an organisation here already.",
      "Nothing was made. Its owner can sign in and make further keys.",
      "",
      "If it was not you, there is nothing to do.",
      "",
    ].join("\n"),
  }
}
