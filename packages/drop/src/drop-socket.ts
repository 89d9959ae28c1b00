/** The socket in the drop's folder that takes the same requests as its port. */
export const DROP_SOCKET = "drop.sock"
