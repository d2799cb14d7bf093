/** Many clients at once, which record every answer. */
import { Agent, request } from "node:http"
import { setTimeout as pause } from "node:timers/promises"

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

/** Milliseconds after which a call without an answer ends a run: longer than an outage of the drill and a recovery. */
export const DEADLINE = 30_000

/** Calls `fail` with the name and the age of a call unless the returned function is called within `deadline`. */
const bounded = (name: string, deadline: number, fail: (error: Error) => void): (() => void) => {
  const began = performance.now()
  const timer = setTimeout(() => {
    fail(new Error(`${name} (${METHOD}) has had no answer for ${(performance.now() - began).toFixed(0)} ms`))
  }, deadline)
  return () => clearTimeout(timer)
}

/** Sends a call over HTTP, on connections that stay open. Rejects if nothing ends the call within `deadline`. */
export const overHttp = (
  target: Target,
  key: string,
  agent: Agent,
  name = "a call over HTTP",
  deadline = DEADLINE
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": String(body.length) }
    const sent = request(rpcUrl(target, "history", key), { method: "POST", agent, headers }, (response) => {
      response.resume()
      // An answer that is cut off counts as no answer.
      response.once("close", () => settle(response.complete ? response.statusCode : undefined))
      response.on("error", () => undefined)
    })
    const answered = bounded(name, deadline, (error) => {
      reject(error)
      sent.destroy()
    })
    const settle = (outcome: Outcome) => {
      answered()
      resolve(outcome)
    }
    sent.on("error", () => settle(undefined))
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
      outcomes.push(await overHttp(target, key, agent, `call ${calls - left} of ${calls} over HTTP`))
    }
  }
  try {
    await Promise.all(Array.from({ length: clients }, client))
  } finally {
    agent.destroy()
  }
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

/** A client of a run: its name, whether the run is over, and where its outcomes go. */
interface Client {
  readonly target: Target
  readonly key: string
  /** Names its next call. */
  readonly nameOf: (transport: string) => string
  readonly deadline: number
  readonly isOver: () => boolean
  readonly record: (outcome: Outcome) => void
}

/** Runs a client over HTTP until the client is stopped. The client sends one call after the other. */
const untilOver = async ({ deadline, isOver, key, nameOf, record, target }: Client, agent: Agent): Promise<void> => {
  while (!isOver()) {
    const outcome = await overHttp(target, key, agent, nameOf("HTTP"), deadline)
    record(outcome)
    if (outcome !== 200) await pause(PAUSE)
  }
}

/**
 * The close code of a service that ends. A call without an answer was not processed, and the client may send it again
 * (docs/operate.md); over HTTP, the status 408 says the same.
 */
const GOING_AWAY = 1001

/**
 * Runs a client on a WebSocket until the client is stopped. The client sends one call after the other, and connects
 * again if its connection is lost. A connection that does not open is bounded like a call.
 */
const overSocket = async ({ deadline, isOver, key, nameOf, record, target }: Client): Promise<void> => {
  while (!isOver()) {
    const socket = new WebSocket(socketUrl(target, "history", key))
    await new Promise<void>((resolve, reject) => {
      const wait = (name: string) =>
        bounded(name, deadline, (error) => {
          reject(error)
          socket.terminate()
        })
      let ended = wait(`the connection for ${nameOf("WebSocket")}`)
      let isWaiting = false
      const ask = () => {
        if (isOver()) return socket.close()
        isWaiting = true
        ended = wait(nameOf("WebSocket"))
        socket.send(body, (error) => void error)
      }
      socket.on("open", () => {
        ended()
        ask()
      })
      socket.on("message", async (data) => {
        ended()
        isWaiting = false
        const isAnswered = JSON.parse((data as Buffer).toString("utf8")).error === undefined
        record(isAnswered ? 200 : 500)
        if (!isAnswered) await pause(PAUSE)
        if (socket.readyState === WebSocket.OPEN) ask()
      })
      socket.on("error", () => undefined)
      socket.on("close", (code) => {
        ended()
        if (isWaiting) record(code === GOING_AWAY ? 408 : undefined)
        resolve()
      })
    })
    if (!isOver()) await pause(PAUSE)
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

/** The calls up to now. */
export interface Progress {
  /** Answered calls over HTTP. */
  readonly answered: () => number
  /** Refused calls over HTTP. */
  readonly refused: () => number
  /** Calls over HTTP and WebSocket that were sent and never answered. */
  readonly lost: () => number
}

/**
 * Runs clients until `during` ends, half of them on WebSockets, each with its own key, and returns the outcomes of each.
 * Rejects as soon as a call has had no answer for `deadline` milliseconds.
 */
export const load = async (
  target: Target,
  { deadline = DEADLINE, keys, name }: LoadOptions,
  during: (progress: Progress) => Promise<void>
): Promise<ReadonlyArray<ReadonlyArray<Outcome>>> => {
  const agent = new Agent({ keepAlive: true })
  const outcomes = keys.map((): Array<Outcome> => [])
  const byHttp = outcomes.filter((_, index) => index % 2 === 0)
  const count = (of: ReadonlyArray<ReadonlyArray<Outcome>>, holds: (outcome: Outcome) => boolean) => () =>
    of.reduce((sum, outcomes) => sum + outcomes.filter(holds).length, 0)
  const state = { isOver: false }
  const running = Promise.all(
    keys.map((key, index) => {
      const found = outcomes[index]!
      const client: Client = {
        target,
        key,
        nameOf: (transport) => `call ${found.length + 1} of "${name} ${index}" over ${transport}`,
        deadline,
        isOver: () => state.isOver,
        record: (outcome) => void found.push(outcome)
      }
      return index % 2 === 0 ? untilOver(client, agent) : overSocket(client)
    })
  )
  const progress: Progress = {
    answered: count(byHttp, isAnswered),
    refused: count(byHttp, isRefused),
    lost: count(outcomes, isLost)
  }
  try {
    // The clients end before `during` only if one of them fails.
    await Promise.race([during(progress), running])
    state.isOver = true
    await running
    return outcomes
  } finally {
    state.isOver = true
    agent.destroy()
  }
}

/** The clients of a run. `deadline` is in milliseconds (default: `DEADLINE`). */
interface LoadOptions {
  readonly name: string
  readonly keys: ReadonlyArray<string>
  readonly deadline?: number
}

/**
 * Runs clients until `during` ends. Each client has its own project. In a shared project, a lost call of one client could
 * hide behind another client's call that was metered without an answer.
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
  const outcomes = await load(target, { name, keys: projects.map(({ key }) => key) }, during)
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
