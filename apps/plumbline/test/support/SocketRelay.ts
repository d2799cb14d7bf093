/** A WebSocket relay in front of a node. It can cut its connections, and change the node's messages. */
import type { AddressInfo } from "node:net"

import { WebSocket, WebSocketServer } from "ws"

/** The relay. */
export interface SocketRelay {
  readonly url: string
  /** Breaks all connections; clients may connect again at once. */
  readonly cut: () => void
  /** Changes each further message of the node; `undefined` drops the message. */
  change: (message: any) => unknown
  readonly close: () => Promise<void>
}

/** Starts a relay to the node at a URL. */
export const start = async (upstream: string): Promise<SocketRelay> => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" })
  await new Promise((resolve) => server.once("listening", resolve))
  const cut = (): void => {
    for (const client of server.clients) client.terminate()
  }
  const relay: SocketRelay = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    change: (message) => message,
    close: () => {
      cut()
      return new Promise((resolve) => server.close(() => resolve()))
    }
  }
  server.on("connection", (client) => {
    const node = new WebSocket(upstream)
    const waiting: Array<string> = []
    node.on("open", () => {
      for (const text of waiting.splice(0)) node.send(text)
    })
    client.on("message", (data: any) => {
      if (node.readyState === node.OPEN) node.send(String(data))
      else waiting.push(String(data))
    })
    node.on("message", (data: any) => {
      const message = relay.change(JSON.parse(String(data)))
      if (message !== undefined) client.send(JSON.stringify(message))
    })
    client.on("close", () => node.terminate())
    node.on("error", () => client.terminate())
  })
  return relay
}
