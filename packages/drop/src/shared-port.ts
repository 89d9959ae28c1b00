import { type IncomingMessage, request as ask, type Server, type ServerResponse } from "node:http"
import { join } from "node:path"
import { DROP_SOCKET } from "./sockets.ts"

/**
 * For demos: forwards requests for the drop to its socket, before the API sees them. The content
 * then passes through this process, which keeps none of the drop's promises; the pages state that.
 */
export function passOn(folder: string): (server: Server) => void {
  const socketPath = join(folder, DROP_SOCKET)
  return (server) => {
    const listeners = server.listeners("request")
    server.removeAllListeners("request")
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      if (/^\/drop(?:[/?]|$)/.test(request.url ?? "")) forward(request, response, socketPath)
      else for (const listener of listeners) listener.call(server, request, response)
    })
  }
}

function forward(request: IncomingMessage, response: ServerResponse, socketPath: string): void {
  const { method = "", url = "", rawHeaders } = request
  const onward = ask({ socketPath, method, path: url, headers: rawHeaders, setHost: false })
  onward.on("response", (answer) => {
    // A pipe does not hand on that its source broke off, and the visitor would wait for the rest.
    answer.once("close", () => {
      if (!answer.complete) response.destroy()
    })
    const send = (): void => {
      response.sendDate = false
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(response)
    }
    if (request.complete) {
      send()
      return
    }
    // A connection that is closed on someone who still sends loses the answer on its way.
    request.unpipe(onward)
    request.once("end", send).resume()
  })
  onward.on("error", () => {
    // The answer may come before the whole request was sent; then this error is only about the rest
    // of the request.
    if (response.headersSent) return
    response.writeHead(503, { "content-type": "text/plain; charset=utf-8", "retry-after": "5" })
    response.end("The drop cannot be reached at the moment.\n")
  })
  request.on("error", () => onward.destroy())
  response.on("close", () => onward.destroy())
  request.pipe(onward)
}
