/** Many clients at once, which record every answer. */
import { Agent, request } from "node:http"
import { setTimeout } from "node:timers/promises"

import { HistoryChain } from "@plumbline/devnet"
import { WebSocket } from "ws"

import { call } from "../ask.ts"
import * as Operator from "../operator.ts"
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

/** Milliseconds for which a client waits after a call that was not answered. */
const PAUSE = 20

/** Runs a client over HTTP until the client is stopped. The client sends one call after the other. */
const untilOver = async (send: () => Promise<Outcome>, isOver: () => boolean, record: (outcome: Outcome) => void) => {
  while (!isOver()) {
    const outcome = await send()
    record(outcome)
    if (outcome !== 200) await setTimeout(PAUSE)
  }
}

/**
 * Runs a client on a WebSocket until the client is stopped. The client sends one call after the other, and connects
 * again if its connection is lost.
 */
const overSocket = async (target: Target, key: string, isOver: () => boolean, record: (outcome: Outcome) => void) => {
  while (!isOver()) {
    const socket = new WebSocket(socketUrl(target, "history", key))
    await new Promise<void>((resolve) => {
      let isWaiting = false
      const ask = () => {
        if (isOver()) return socket.close()
        isWaiting = true
        socket.send(body, (error) => void error)
      }
      socket.on("open", ask)
      socket.on("message", async (data) => {
        isWaiting = false
        const isAnswered = JSON.parse((data as Buffer).toString("utf8")).error === undefined
        record(isAnswered ? 200 : 500)
        if (!isAnswered) await setTimeout(PAUSE)
        if (socket.readyState === WebSocket.OPEN) ask()
      })
      socket.on("error", () => undefined)
      socket.on("close", () => {
        if (isWaiting) record(undefined)
        resolve()
      })
    })
    if (!isOver()) await setTimeout(PAUSE)
  }
}

/** The calls of a client, and the calls that were metered for its project. */
export interface Tally {
  readonly acknowledged: number
  readonly metered: number
  /** Calls that the service refused. */
  readonly refused: number
  /** Calls without an answer, or for which nginx answered because the process did not. */
  readonly unanswered: number
}

/** The calls over HTTP up to now. */
export interface Progress {
  readonly answered: () => number
  readonly refused: () => number
  readonly lost: () => number
}

/**
 * Runs clients until `during` ends, half of them on WebSockets. Each client has its own project. In a shared project, a
 * lost call of one client could hide behind another client's call that was metered without an answer.
 */
export const metered = async (
  target: Target,
  options: { readonly name: string; readonly clients: number; readonly limits?: object },
  during: (progress: Progress) => Promise<void>
): Promise<ReadonlyArray<Tally>> => {
  const { clients, limits, name } = options
  const projects = await Promise.all(
    Array.from({ length: clients }, (_, index) =>
      Operator.makeProject(target, `${name} ${index}`, limits === undefined ? {} : { limits })
    )
  )
  const agent = new Agent({ keepAlive: true })
  const outcomes = projects.map((): Array<Outcome> => [])
  const byHttp = outcomes.filter((_, index) => index % 2 === 0)
  const count = (holds: (outcome: Outcome) => boolean) => () =>
    byHttp.reduce((sum, outcomes) => sum + outcomes.filter(holds).length, 0)
  const state = { isOver: false }
  const isOver = () => state.isOver
  const running = projects.map(({ key }, index) => {
    const record = (outcome: Outcome) => void outcomes[index]!.push(outcome)
    return index % 2 === 0
      ? untilOver(() => overHttp(target, key, agent), isOver, record)
      : overSocket(target, key, isOver, record)
  })
  await during({ answered: count(isAnswered), refused: count(isRefused), lost: count(isLost) })
  state.isOver = true
  await Promise.all(running)
  agent.destroy()
  return Promise.all(
    outcomes.map(async (outcomes, index) => ({
      acknowledged: outcomes.filter(isAnswered).length,
      metered: Operator.answered(await Operator.usage(target, projects[index]!.id)),
      refused: outcomes.filter(isRefused).length,
      unanswered: outcomes.filter(isLost).length
    }))
  )
}

const isAnswered = (outcome: Outcome): boolean => outcome === 200
const isLost = (outcome: Outcome): boolean => outcome === undefined || outcome === 502 || outcome === 504
const isRefused = (outcome: Outcome): boolean => !isAnswered(outcome) && !isLost(outcome)
