/** The faults that a WebSocket can have. */
import { createHash } from "node:crypto"

import type { WebSocket } from "ws"

import { MAX_BYTES } from "../contender.ts"
import { failure, type Family, type Fault, type Heard, replyTo, trueAnswer, type Upgrade, webSocket } from "../fault.ts"

const handshake = (name: string, ours: string, upgrade: Upgrade, more: Partial<Fault> = {}): Fault => ({
  name: `handshake: ${name}`,
  read: "transaction",
  server: webSocket(() => {}, upgrade),
  ours,
  ...more
})

const refused = (name: string, ours: string, ...head: ReadonlyArray<string>): Fault =>
  handshake(name, ours, (_, socket) => {
    socket.end(
      `${["HTTP/1.1", ...head].join("\r\n")}\r\nContent-Length: 0\r\n\r\n`.replace("HTTP/1.1\r\n", "HTTP/1.1 ")
    )
    return true
  })

const call = (name: string, ours: string, hear: (heard: Heard) => void, more: Partial<Fault> = {}): Fault => ({
  name,
  read: "transaction",
  server: webSocket(hear),
  ours,
  ...more
})

const honest = { honest: true } as const
const lost = "TransportError, retryable"

/** Sends other messages first, then the true answer. */
const after =
  (...messages: ReadonlyArray<string>) =>
  (heard: Heard): void => {
    for (const message of messages) heard.webSocket.send(message)
    heard.webSocket.send(trueAnswer(heard))
  }

const TEXT = 0x01
const FIN = 0x80

/** Returns the bytes of a frame. */
const frame = (firstByte: number, payload: Buffer): Buffer => {
  const { length } = payload
  const head = length < 126 ? [firstByte, length] : [firstByte, 126, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from(head), payload])
}

/** Waits for three calls, and answers the last one first. */
const inReverse = (): ((heard: Heard) => void) => {
  const waiting = new WeakMap<WebSocket, Array<Heard>>()
  return (heard) => {
    const { calls, isBatch, truth, webSocket } = heard
    if (isBatch) {
      webSocket.send(JSON.stringify(calls.map((call) => replyTo(truth, call)).toReversed()))
      return
    }
    const all = [...(waiting.get(webSocket) ?? []), heard]
    waiting.set(webSocket, all)
    if (all.length === 3) all.toReversed().forEach((each) => webSocket.send(trueAnswer(each)))
  }
}

const notification = (subscription: string): string =>
  JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params: { subscription, result: { number: "0x1" } } })

export const family: Family = {
  name: "WebSockets",
  faults: [
    refused("401", "TransportError 401", "401 Unauthorized"),
    refused("301", "TransportError 301", "301 Moved Permanently", "Location: /elsewhere"),
    refused("200", "TransportError 200", "200 OK"),
    refused(
      "429 and Retry-After",
      "TransportError 429, retryable, after 7 s",
      "429 Too Many Requests",
      "Retry-After: 7"
    ),
    refused("503", "TransportError 503, retryable", "503 Service Unavailable"),
    handshake("reset", lost, (_, socket) => {
      socket.resetAndDestroy()
      return true
    }),
    handshake("no HTTP", "TransportError", (_, socket) => {
      socket.end("SSH-2.0-OpenSSH_9.6\r\n")
      return true
    }),
    handshake("accepted with a wrong key", lost, (_, socket) => {
      const accept = createHash("sha1").update("another key").digest("base64")
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`
      )
      return true
    }),
    handshake("silence", "TimeoutError, retryable", () => true, { patience: 300 }),
    call("closed in the middle of a call, 1000", lost, ({ webSocket }) => webSocket.close(1000)),
    call("closed in the middle of a call, 1011", lost, ({ webSocket }) => webSocket.close(1011, "internal error")),
    call("closed in the middle of a call, 1013", lost, ({ webSocket }) => webSocket.close(1013, "try again later")),
    call("reset in the middle of a call", lost, ({ socket }) => socket.resetAndDestroy()),
    call("reset in the middle of a frame", lost, (heard) => {
      const bytes = frame(FIN | TEXT, Buffer.from(trueAnswer(heard)))
      heard.socket.write(bytes.subarray(0, 50), () => heard.socket.resetAndDestroy())
    }),
    call("cut in the middle of a message of several frames", lost, (heard) => {
      heard.socket.end(frame(TEXT, Buffer.from(trueAnswer(heard)).subarray(0, 200)))
    }),
    call(
      "a message in frames of 50 bytes",
      "the truth",
      (heard) => {
        const body = Buffer.from(trueAnswer(heard))
        for (let at = 0; at < body.length; at += 50) {
          const last = at + 50 >= body.length ? FIN : 0
          heard.socket.write(frame(last | (at === 0 ? TEXT : 0), body.subarray(at, at + 50)))
        }
      },
      honest
    ),
    call("a frame of a kind that does not exist", lost, ({ socket }) =>
      socket.write(frame(FIN | 0x03, Buffer.from("x")))
    ),
    call("a masked frame", lost, ({ socket }) => socket.write(Buffer.from([FIN | TEXT, 0x80 | 1, 1, 2, 3, 4, 5]))),
    call("a message that is longer than it may be", "TransportError", ({ webSocket }) =>
      webSocket.send(" ".repeat(MAX_BYTES + 1))
    ),
    call(
      "the answer as a binary message",
      "the truth",
      (heard) => heard.webSocket.send(Buffer.from(trueAnswer(heard)), { binary: true }),
      honest
    ),
    call("a binary message that is not text", "ProtocolError", ({ webSocket }) =>
      webSocket.send(Buffer.from([0xff, 0xfe, 0x00]), { binary: true })
    ),
    call(
      "an answer that nobody asked for, before the answer",
      "the truth",
      after(JSON.stringify(failure(999_999, 1, "no"))),
      honest
    ),
    call("a notification that nobody asked for, before the answer", "the truth", after(notification("0x9")), honest),
    call(
      "a request of the server's with the same id, before the answer",
      "the truth",
      (heard) => {
        heard.webSocket.send(JSON.stringify({ jsonrpc: "2.0", id: heard.call.id, method: "eth_accounts", params: [] }))
        heard.webSocket.send(trueAnswer(heard))
      },
      honest
    ),
    call("a list of notifications, before the answer", "the truth", after(`[${notification("0x9")}]`), honest),
    call(
      "20,000 notifications, before the answer",
      "the truth",
      after(...Array(20_000).fill(notification("0x9"))),
      honest
    ),
    call(
      "two answers to one call, the first is true",
      "the truth",
      (heard) => {
        heard.webSocket.send(trueAnswer(heard))
        heard.webSocket.send(JSON.stringify({ jsonrpc: "2.0", id: heard.call.id, result: null }))
      },
      honest
    ),
    {
      name: "the answers to three calls in another order",
      read: "three",
      server: webSocket(inReverse()),
      honest: true,
      ours: "the truth"
    },
    call("silence", "TimeoutError, retryable", () => {}, { patience: 300 }),
    call("a peer that has died without a word", lost, ({ socket }) => socket.pause(), { heartbeat: 150 }),
    {
      name: "closed after each answer",
      read: "twice",
      server: webSocket((heard) => heard.webSocket.send(trueAnswer(heard), () => heard.webSocket.close())),
      honest: true,
      ours: "the truth"
    },
    {
      name: "reset after each answer",
      read: "twice",
      server: webSocket((heard) =>
        heard.webSocket.send(trueAnswer(heard), () => setTimeout(() => heard.socket.resetAndDestroy(), 1))
      ),
      honest: true,
      ours: "the truth"
    }
  ]
}
