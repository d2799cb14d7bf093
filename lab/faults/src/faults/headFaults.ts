/** The faults of a subscription. The heads of the chain are 1 to 6. */
import type { WebSocket } from "ws"

import {
  failure,
  type Family,
  type Fault,
  type Heard,
  LAST_HEAD,
  trueAnswer,
  type Upgrade,
  webSocket
} from "../fault.ts"

const SUBSCRIPTION = "0xcd0c3e8af590364c09d0fa6a1210faf5"

const notification = (number: number, subscription = SUBSCRIPTION): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    method: "eth_subscription",
    params: { subscription, result: { number: `0x${number.toString(16)}` } }
  })

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

const send = (webSocket: WebSocket, from: number, to = LAST_HEAD): void => {
  for (const number of range(from, to)) webSocket.send(notification(number))
}

/** Accepts the subscription and runs the fault; answers all other calls with the truth. */
const fault = (
  name: string,
  ours: string,
  subscribed: (heard: Heard, accept: () => void) => void,
  more: Partial<Fault> = {},
  upgrade?: Upgrade
): Fault => ({
  name,
  read: "heads",
  server: webSocket((heard) => {
    const { call, webSocket } = heard
    if (call.method !== "eth_subscribe") webSocket.send(trueAnswer(heard))
    else subscribed(heard, () => webSocket.send(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: SUBSCRIPTION })))
  }, upgrade),
  honest: true,
  ours,
  ...more
})

/**
 * Makes a fault that breaks the connection after head 3. No connection gets head 4. A client that connects again gets
 * heads 5 and 6.
 */
const broken = (
  name: string,
  ours: string,
  breakOff: (heard: Heard) => void,
  more: Partial<Fault> = {},
  upgrade?: Upgrade
): Fault =>
  fault(
    name,
    ours,
    (heard, accept) => {
      accept()
      if (heard.connection > 1) return send(heard.webSocket, 5)
      send(heard.webSocket, 1, 3)
      heard.webSocket.send(notification(99, "0x0"), () => breakOff(heard))
    },
    more,
    upgrade
  )

const unauthorized: Upgrade = (_, socket, nth) => {
  if (nth > 1) socket.end("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
  return nth > 1
}

const twoResets: Upgrade = (_, socket, nth) => {
  const isReset = nth === 2 || nth === 3
  if (isReset) socket.resetAndDestroy()
  return isReset
}

/** Makes a fault that sends other messages after head 3. */
const interrupted = (name: string, ours: string, ...messages: ReadonlyArray<string>): Fault =>
  fault(name, ours, ({ connection, webSocket }, accept) => {
    accept()
    if (connection > 1) return send(webSocket, 4)
    send(webSocket, 1, 3)
    for (const message of messages) webSocket.send(message)
    send(webSocket, 4)
  })

const ALL = "1 2 3 4 5 6"
const WITH_GAP = "1 2 3 gap 5 6"

export const family: Family = {
  name: "Subscriptions",
  faults: [
    broken("the socket is reset", WITH_GAP, ({ socket }) => socket.resetAndDestroy()),
    broken("the socket is closed, 1001", WITH_GAP, ({ webSocket }) => webSocket.close(1001)),
    broken("the peer dies without a word", WITH_GAP, ({ socket }) => socket.pause(), { heartbeat: 150 }),
    broken(
      "the socket is reset, and so are two handshakes",
      WITH_GAP,
      ({ socket }) => socket.resetAndDestroy(),
      {},
      twoResets
    ),
    broken(
      "the socket is reset, and the key is no longer valid",
      "1 2 3 TransportError 401",
      ({ socket }) => socket.resetAndDestroy(),
      { honest: [] },
      unauthorized
    ),
    fault(
      "the socket is reset, and the subscription refused",
      "1 2 3 RemoteError -32000 other",
      ({ call, connection, socket, webSocket }, accept) => {
        if (connection > 1) return webSocket.send(JSON.stringify(failure(call.id, -32000, "not again")))
        accept()
        send(webSocket, 1, 3)
        webSocket.send(notification(99, "0x0"), () => socket.resetAndDestroy())
      },
      { honest: [], words: "not again" }
    ),
    fault("heads before the answer to the subscription", ALL, ({ webSocket }, accept) => {
      send(webSocket, 1, 2)
      accept()
      send(webSocket, 3)
    }),
    fault("all of it in one list", ALL, ({ call, webSocket }) => {
      const answer = JSON.stringify({ jsonrpc: "2.0", id: call.id, result: SUBSCRIPTION })
      webSocket.send(`[${[answer, ...range(1, LAST_HEAD).map((number) => notification(number))].join()}]`)
    }),
    interrupted("a head of another subscription among them", ALL, notification(99, "0x0")),
    interrupted("20,000 heads of another subscription", ALL, ...Array(20_000).fill(notification(99, "0x0"))),
    interrupted("a notification without parameters", ALL, '{"jsonrpc":"2.0","method":"eth_subscription"}'),
    interrupted("a reply that nobody waits for", ALL, JSON.stringify(failure(999_999, -32000, "no"))),
    interrupted("text that is not JSON", "1 2 3 gap 4 5 6", "upstream connect error"),
    fault(
      "subscriptions are refused",
      "RemoteError -32601 methodNotFound",
      ({ call, webSocket }) => webSocket.send(JSON.stringify(failure(call.id, -32601, "notifications not supported"))),
      { honest: [], words: "notifications not supported" }
    ),
    fault(
      "the answer to the subscription is null",
      "ProtocolError",
      ({ call, webSocket }) => webSocket.send(JSON.stringify({ jsonrpc: "2.0", id: call.id, result: null })),
      { honest: [] }
    ),
    fault("the subscription is never answered", "TimeoutError, retryable", () => {}, { honest: [], patience: 300 })
  ]
}
