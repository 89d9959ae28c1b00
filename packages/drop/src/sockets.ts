/** The socket in the drop's folder that takes the same requests as its port. */
export const DROP_SOCKET = "drop.sock"
/**
 * The socket in the drop's folder over which workers pass on requests of recipients, after
 * authenticating them.
 */
export const RECIPIENTS_SOCKET = "recipients.sock"
