import type { Delivery, DeliveryAttempt, Webhook } from "@assay/client"

type Reason = NonNullable<Webhook["disabled"]>["reason"]

/** Why nothing is sent to a webhook. */
export const disabledWords: Readonly<Record<Reason, string>> = {
  "by-hand": "An owner disabled it.",
  gone: "It answered 410: nobody wants these events there any more.",
  failing: "An event was given up after every attempt failed, and nothing else arrived meanwhile.",
}

export const statusWords: Readonly<Record<Delivery["status"], string>> = {
  pending: "Pending",
  delivered: "Delivered",
  dead: "Dead",
  replaced: "Replaced",
}

/** What each status of a delivery means. */
export const statusMeanings: Readonly<Record<Delivery["status"], string>> = {
  pending: "It waits for its next attempt.",
  delivered: "The receiver took it.",
  dead: "It was given up, and is sent again only when somebody asks for it.",
  replaced: "A newer change of the same address or number was sent instead.",
}

export const isStatus = (status: string): status is Delivery["status"] =>
  Object.hasOwn(statusWords, status)

export const causeWords: Readonly<Record<DeliveryAttempt["cause"], string>> = {
  schedule: "Its time had come",
  replay: "Sent again by hand",
  test: "A test",
}

/** What came of an attempt: the status of the answer, or why there was none. */
export function answerWords(status: number | null, error: string | null): string {
  if (status !== null) return `Answered ${status}`
  return error === null ? "" : `No answer: ${error.replaceAll("-", " ")}`
}

/** Whether a receiver took what it was sent. */
export const wasTaken = ({ status }: Pick<DeliveryAttempt, "status">): boolean =>
  status !== null && status >= 200 && status < 300
