/** Connections that break, stall, or use a different protocol than HTTP. */
import { type Exchange, type Expected, type Family, type Fault, http, trueAnswer } from "../fault.ts"

const broken = (name: string, ours: Expected, respond: (exchange: Exchange, body: Buffer) => void): Fault => ({
  name,
  read: "transaction",
  server: http((exchange) => respond(exchange, Buffer.from(trueAnswer(exchange)))),
  ours
})

/** A server that never answers. Clients with a timeout setting get a short one. */
const silent = (name: string, respond: (exchange: Exchange, body: Buffer) => void): Fault => ({
  ...broken(name, "TimeoutError, retryable", respond),
  patience: 300
})

/**
 * A server that keeps sending pieces, but never finishes. The pauses between the pieces are much shorter than the
 * pauses that clients tolerate, so only a deadline ends the call.
 */
const dripping = (name: string, first: string, pieces: ReadonlyArray<string>): Fault => ({
  ...broken(name, "TimeoutError, retryable", (exchange) => {
    exchange.socket.write(first)
    drip(exchange, pieces, 20)
  }),
  patience: 1000
})

const head = (length: number | string, more = ""): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`

const chunkedHead = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")])

const unanswered = "TransportError, retryable"

/** Writes pieces one after the other, with a pause before each, until the client has gone. */
const drip = ({ socket }: Exchange, pieces: ReadonlyArray<string | Uint8Array>, milliseconds: number): void => {
  let next = 0
  const timer = setInterval(() => {
    const piece = pieces[next++]
    if (piece === undefined || socket.destroyed) clearInterval(timer)
    else socket.write(piece)
  }, milliseconds)
}

export const family: Family = {
  name: "Connections",
  faults: [
    { name: "nobody listens", read: "transaction", server: { _tag: "Nobody" }, ours: unanswered },
    broken("reset before the answer", unanswered, ({ socket }) => socket.resetAndDestroy()),
    broken("closed before the answer", unanswered, ({ socket }) => socket.end()),
    broken("reset in the middle of the head", unanswered, ({ socket }) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Ty", () => socket.resetAndDestroy())
    }),
    broken("closed in the middle of the head", unanswered, ({ socket }) => socket.end("HTTP/1.1 200 OK\r\nContent-Ty")),
    broken("reset in the middle of the body", unanswered, ({ socket }, body) => {
      socket.write(head(body.length))
      socket.write(body.subarray(0, 100), () => setTimeout(() => socket.resetAndDestroy(), 20))
    }),
    broken("closed in the middle of the body", unanswered, ({ socket }, body) => {
      socket.write(head(body.length))
      socket.end(body.subarray(0, 100))
    }),
    broken("a length of one byte more than there is, then closed", unanswered, ({ socket }, body) => {
      socket.write(head(body.length + 1))
      socket.end(body)
    }),
    broken("a length that cuts the answer off", "ProtocolError", ({ socket }, body) => {
      socket.write(head(body.length - 20))
      socket.end(body)
    }),
    broken("a length that is not a number", "TransportError", ({ socket }, body) => {
      socket.write(head("many"))
      socket.end(body)
    }),
    broken("a length and chunks", unanswered, ({ socket }, body) => {
      socket.write(head(5, "Transfer-Encoding: chunked\r\n"))
      socket.write(chunk(body))
      socket.end("0\r\n\r\n")
    }),
    broken("two lengths", unanswered, ({ socket }, body) => {
      socket.write(head(body.length, "Content-Length: 5\r\n"))
      socket.end(body)
    }),
    broken("chunks without the last one", unanswered, ({ socket }, body) => {
      socket.write(chunkedHead)
      socket.end(chunk(body))
    }),
    broken("a chunk cut off", unanswered, ({ socket }, body) => {
      socket.write(chunkedHead)
      socket.end(chunk(body).subarray(0, 100))
    }),
    broken("a chunk whose size is not a number", "TransportError", ({ socket }, body) => {
      socket.write(chunkedHead)
      socket.write("zz\r\n")
      socket.end(body)
    }),
    {
      ...broken("neither length nor chunks: the end is the end", "the truth", ({ socket }, body) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        socket.end(body)
      }),
      honest: true
    },
    broken("the same, cut off", "ProtocolError", ({ socket }, body) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
      socket.end(body.subarray(0, 100))
    }),
    broken("garbage before the status line", "TransportError", ({ socket }, body) => {
      socket.write(`\u0000\u0016garbage\r\n${head(body.length)}`)
      socket.end(body)
    }),
    broken("no status line", "TransportError", ({ socket }, body) => socket.end(body)),
    broken("another protocol's greeting", "TransportError", ({ socket }) => socket.end("SSH-2.0-OpenSSH_9.6\r\n")),
    broken("a head of 1 MB", "TransportError", ({ socket }, body) => {
      socket.write(head(body.length, `X-Trace: ${"a".repeat(1_000_000)}\r\n`))
      socket.end(body)
    }),
    broken("101 that nobody asked for", unanswered, ({ socket }) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
    }),
    {
      ...broken("the answer in drops, ten bytes at a time", "the truth", (exchange, body) => {
        exchange.socket.write(head(body.length))
        const count = Math.ceil(body.length / 10)
        drip(
          exchange,
          Array.from({ length: count }, (_, n) => body.subarray(n * 10, n * 10 + 10)),
          1
        )
      }),
      honest: true
    },
    {
      name: "a second answer behind the first, for the next call",
      read: "twice",
      server: http((exchange) => {
        const { socket, truth, call } = exchange
        const body = trueAnswer(exchange)
        socket.write(`${head(Buffer.byteLength(body))}${body}`)
        if (exchange.nth === 1) {
          const smuggled = JSON.stringify({ jsonrpc: "2.0", id: call.id + 1, result: truth.other.transaction })
          socket.write(`${head(smuggled.length)}${smuggled}`)
        }
      }),
      honest: true,
      ours: "the truth"
    },
    silent("silence", () => {}),
    silent("silence after the head", ({ socket }, body) => socket.write(head(body.length))),
    silent("silence in the middle of the body", ({ socket }, body) => {
      socket.write(head(body.length))
      socket.write(body.subarray(0, 100))
    }),
    dripping("one byte of the head every 20 ms", "", head(10_000, `X-Trace: ${"a".repeat(9000)}\r\n`).split("")),
    dripping("a space of the body every 20 ms", head(10_000), Array(9000).fill(" ")),
    dripping("103 every 20 ms", "", Array(9000).fill("HTTP/1.1 103 Early Hints\r\n\r\n"))
  ]
}
