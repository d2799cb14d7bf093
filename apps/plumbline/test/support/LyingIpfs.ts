/**
 * An IPFS service in front of another IPFS service: it forwards requests unchanged, and changes one answer with the
 * given lie.
 */
import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

/** A change of the answers to one command. */
export interface Lie {
  readonly command: string
  /** Selects the requests whose answer changes (default: all of them). */
  readonly when?: (query: URLSearchParams) => boolean
  /** Changes a whole true answer. The service sends the returned bytes, with their length. */
  readonly change: (body: Buffer, response: ServerResponse) => Uint8Array | "handled"
}

/** Starts the service, which tells this one lie. */
export const telling = async (upstream: string, lie: Lie): Promise<{ readonly url: string } & AsyncDisposable> => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", upstream)
    const forward = send(
      new URL(request.url ?? "", upstream),
      { method: request.method, headers: { ...request.headers, host: new URL(upstream).host } },
      (answer) => {
        const isLie = pathname === `/api/v0/${lie.command}` && (lie.when?.(searchParams) ?? true)
        if (!isLie) {
          response.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(response)
          return
        }
        void whole(answer).then((body) => {
          const told = lie.change(body, response)
          if (told === "handled") return
          const type = answer.headers["content-type"]
          response.writeHead(answer.statusCode ?? 500, type === undefined ? {} : { "content-type": type })
          response.end(told)
        })
      }
    )
    forward.on("error", () => response.destroy())
    request.pipe(forward)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

const whole = async (answer: IncomingMessage): Promise<Buffer> => {
  const pieces: Array<Buffer> = []
  for await (const piece of answer) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Returns the bytes with one bit flipped (default: in the middle byte). */
export const flipped = (bytes: Uint8Array, at: number = bytes.length >> 1): Uint8Array => {
  const changed = Uint8Array.from(bytes)
  changed[at]! ^= 1
  return changed
}
