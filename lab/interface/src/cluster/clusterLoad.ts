/** Many clients at once, which record every answer. */
import { Agent, request } from "node:http"

import { HistoryChain } from "@plumbline/devnet"
import { WebSocket } from "ws"

import { call } from "../ask.ts"
import { rpcUrl, socketUrl, type Target } from "../target.ts"

/** A method that the processes do not use for questions of their own. */
export const METHOD = "eth_getTransactionCount"

const body = call(METHOD, [HistoryChain.accounts[0]!.address, "latest"])

/** The HTTP status of an answer; undefined if no answer arrived. */
export type Outcome = number | undefined

/** Sends a call over HTTP, on connections that stay open. */
export const overHttp = (target: Target, key: string, agent: Agent): Promise<Outcome> =>
  new Promise((resolve) => {
    const headers = { "content-type": "application/json", "content-length": String(body.length) }
    const sent = request(rpcUrl(target, "history", key), { method: "POST", agent, headers }, (response) => {
      response.resume()
      // An answer that is cut off counts as no answer.
      response.once("close", () => resolve(response.complete ? response.statusCode : undefined))
      response.on("error", () => undefined)
    })
    sent.on("error", () => resolve(undefined))
    sent.end(body)
  })

/** Sends calls from several clients at once, and returns their outcomes. */
export const flood = async (
  target: Target,
  key: string,
  calls: number,
  clients: number
): Promise<ReadonlyArray<Outcome>> => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const outcomes: Array<Outcome> = []
  let left = calls
  const client = async () => {
    while (left > 0) {
      left -= 1
      outcomes.push(await overHttp(target, key, agent))
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
  return outcomes
}

/** A WebSocket that is open and idle. */
export interface Idle {
  readonly socket: WebSocket
  readonly closed: Promise<{ readonly code: number; readonly at: number }>
}

export const idle = (target: Target, key: string): Promise<Idle> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(socketUrl(target, "history", key))
    const closed: Idle["closed"] = new Promise((closed) =>
      socket.once("close", (code) => closed({ code, at: performance.now() }))
    )
    socket.on("error", reject)
    socket.once("open", () => resolve({ socket, closed }))
  })

/**
 * Runs a client on a WebSocket until the client is stopped. The client sends one call after the other, and connects
 * again if its connection is lost.
 */
export const overSocket = async (
  target: Target,
  key: string,
  isOver: () => boolean
): Promise<ReadonlyArray<Outcome>> => {
  const outcomes: Array<Outcome> = []
  while (!isOver()) {
    const socket = new WebSocket(socketUrl(target, "history", key))
    await new Promise<void>((resolve) => {
      let isWaiting = false
      const ask = () => {
        isWaiting = true
        socket.send(body)
      }
      socket.on("open", ask)
      socket.on("message", (data) => {
        isWaiting = false
        outcomes.push(JSON.parse((data as Buffer).toString("utf8")).error === undefined ? 200 : 500)
        if (isOver()) socket.close()
        else ask()
      })
      socket.on("error", () => undefined)
      socket.on("close", () => {
        if (isWaiting) outcomes.push(undefined)
        resolve()
      })
    })
  }
  return outcomes
}
