/** Clients that call without a pause, and count the outcome of every call. */
import { Agent, request } from "node:http"

import { WebSocket } from "ws"

import { call } from "../ask.ts"

/** The outcomes of the calls of one client. */
export interface Outcome {
  acknowledged: number
  /**
   * Calls that were answered with 408 or ended by a WebSocket's close frame. They were not processed, and the client
   * sends them again.
   */
  told: number
  /** Calls that ended with an error, and calls that got neither an answer nor a refusal that `told` counts. */
  lost: number
  /** The reasons of lost calls. */
  readonly why: Map<string, number>
}

export const METHOD = "eth_getBalance"

const body = call(METHOD, [`0x${"11".repeat(20)}`, "latest"])

const lose = (outcome: Outcome, why: string): void => {
  outcome.lost++
  outcome.why.set(why, (outcome.why.get(why) ?? 0) + 1)
}

export const outcome = (): Outcome => ({ acknowledged: 0, told: 0, lost: 0, why: new Map() })

/** Sends calls over a persistent connection until `isOver` returns true. */
export const overHttp = async (port: number, key: string, isOver: () => boolean): Promise<Outcome> => {
  const found = outcome()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { "content-type": "application/json", "content-length": String(body.length) }
  const ask = () =>
    new Promise<void>((resolve) => {
      const options = { host: "127.0.0.1", port, path: `/v3/${key}`, method: "POST", agent, headers }
      const sent = request(options, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
        response.on("error", () => undefined)
        response.once("close", () => {
          if (!response.complete) lose(found, "an answer that broke off")
          else if (response.statusCode === 408) found.told++
          else if (response.statusCode === 200 && text.includes('"result"')) found.acknowledged++
          else lose(found, `status ${response.statusCode}`)
          resolve()
        })
      })
      sent.once("error", (error: NodeJS.ErrnoException) => {
        lose(found, error.code ?? error.message)
        resolve()
      })
      sent.end(body)
    })
  while (!isOver()) await ask()
  agent.destroy()
  return found
}

/** Sends calls on a WebSocket, one after the other. Connects again when the service closes the socket. */
export const overSocket = async (port: number, key: string, isOver: () => boolean): Promise<Outcome> => {
  const found = outcome()
  while (!isOver()) {
    await new Promise<void>((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${key}`)
      let isWaiting = false
      const ask = () => {
        isWaiting = true
        socket.send(body)
      }
      socket.once("open", ask)
      socket.on("message", (data) => {
        isWaiting = false
        if ((data as Buffer).toString("utf8").includes('"result"')) found.acknowledged++
        else lose(found, "an error on a WebSocket")
        if (isOver()) socket.close()
        else if (socket.readyState === socket.OPEN) ask()
      })
      // A handshake that is refused has sent no call. The client tries again.
      socket.on("error", () => undefined)
      socket.once("close", (code) => {
        if (isWaiting && code === 1001) found.told++
        else if (isWaiting) lose(found, `a WebSocket closed with ${code}`)
        setTimeout(resolve, 10)
      })
    })
  }
  return found
}
