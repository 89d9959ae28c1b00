/**
 * The socket in the drop's folder over which workers pass on what recipients ask, once they know
 * who asks.
 */
export const OPERATORS_SOCKET = "operators.sock"
