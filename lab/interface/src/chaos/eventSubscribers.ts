/** Subscribers of heads and logs, with the events that each of them received. */
import { WebSocket } from "ws"

import type { Project } from "../target.ts"
import type { Service } from "./operatedService.ts"

export interface Subscriber {
  readonly socket: WebSocket
  /** The events in the order of their arrival. */
  readonly events: ReadonlyArray<any>
  readonly closed: Promise<number>
}

/** Subscribes on a new socket, and waits until the service has confirmed the subscription. */
export const subscribe = (
  service: Service,
  { key }: Project,
  params: ReadonlyArray<unknown>,
  localAddress?: string
): Promise<Subscriber> =>
  new Promise((resolve, reject) => {
    const events: Array<any> = []
    const socket = new WebSocket(`ws://127.0.0.1:${service.port}/ws/v3/${key}`, {
      localAddress,
      perMessageDeflate: false
    })
    const closed = new Promise<number>((closed) => socket.once("close", closed))
    socket.once("error", reject)
    socket.once("open", () => socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params })))
    socket.on("message", (data) => {
      const message = JSON.parse((data as Buffer).toString("utf8"))
      if (message.method === "eth_subscription") events.push(message.params.result)
      else if (typeof message.result === "string") {
        socket.off("error", reject).on("error", () => undefined)
        resolve({ socket, events, closed })
      } else reject(new Error(JSON.stringify(message.error)))
    })
  })
