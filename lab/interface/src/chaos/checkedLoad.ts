/**
 * Clients that call without a pause, over kept connections and WebSockets, and compare each answer with the truth.
 *
 * Each client has its own project, so that its acknowledged calls can be compared with the metered ones.
 */
import { Agent, request } from "node:http"
import { setTimeout } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"

import { WebSocket } from "ws"

import type { Project } from "../target.ts"
import type { Service } from "./operatedService.ts"
import * as Tally from "./outcomeTally.ts"
import type { Size } from "./scenario.ts"

/** A call. */
export interface Question {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  /** Called when the call is sent. Returns a function that checks the result. */
  readonly send: () => (result: any) => boolean
}

/** Returns a question whose result is always the same. */
export const question = (method: string, params: ReadonlyArray<unknown>, truth: unknown): Question => ({
  method,
  params,
  send: () => (result) => isDeepStrictEqual(result, truth)
})

/** Running clients. */
export interface Load {
  /** Returns the number of right answers until now. */
  readonly right: () => number
  /** Returns the number of refusals until now. */
  readonly refused: () => number
  /** Ends the clients after their last answers. */
  readonly stop: () => Promise<Outcome>
}

export interface Outcome extends Tally.Tally {
  readonly metered: number
  /** The longest time without an answer to any client, in milliseconds. */
  readonly pause: number
}

export interface Options {
  readonly questions: ReadonlyArray<Question>
  readonly clients: Size["clients"]
  /** The refusals of the scenario: statuses, codes and texts such as `503 -32005 the nodes ...`. */
  readonly refusals: RegExp
  /** Milliseconds between two calls of a client. Default: none. */
  readonly rest?: number | undefined
  /** Limits of each client's project. Default: none. */
  readonly limits?: object | undefined
}

interface Client {
  readonly service: Service
  readonly project: Project
  readonly tally: Tally.Tally
  readonly options: Options
  readonly isOver: () => boolean
  readonly onAnswer: () => void
}

/** A call without an answer for this many milliseconds is lost. */
const PATIENCE = 60_000

/** Starts the clients. */
export const start = async (service: Service, options: Options): Promise<Load> => {
  let isOver = false
  let pause = 0
  let last = performance.now()
  const onAnswer = () => {
    const now = performance.now()
    pause = Math.max(pause, now - last)
    last = now
  }
  const { http, webSocket } = options.clients
  const clients = await Promise.all(
    Array.from({ length: http + webSocket }, async (_, index) => {
      const project = await service.project(`client ${index}`, options.limits)
      const client: Client = { service, project, tally: Tally.make(), options, isOver: () => isOver, onAnswer }
      return { client, run: index < http ? overHttp : overSocket, index }
    })
  )
  last = performance.now()
  const running = clients.map(({ client, index, run }) => run(client, index))
  return {
    right: () => clients.reduce((sum, { client }) => sum + client.tally.right, 0),
    refused: () =>
      clients.reduce((sum, { client }) => sum + [...client.tally.refused.values()].reduce((a, b) => a + b, 0), 0),
    stop: async () => {
      isOver = true
      await Promise.all(running)
      onAnswer()
      const metered = await Promise.all(clients.map(({ client }) => service.metered(client.project.id)))
      return {
        ...Tally.sum(clients.map(({ client }) => client.tally)),
        metered: metered.reduce((a, b) => a + b, 0),
        pause
      }
    }
  }
}

const body = ({ method, params }: Question, id: number): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

/** A call that was sent. */
interface Asked {
  readonly text: string
  readonly isRight: (result: any) => boolean
}

/** Counts an answer. `status` is undefined on a WebSocket, where only the error code matters. */
const judge = ({ onAnswer, options, tally }: Client, asked: Asked, status: number | undefined, text: string): void => {
  const answer = parse(text)
  if (answer !== undefined && "result" in answer && (status ?? 200) === 200) {
    if (asked.isRight(answer.result)) {
      tally.right++
      onAnswer()
      return
    }
    tally.wrong++
    if (tally.examples.length < 3) tally.examples.push(`${asked.text}: ${text.slice(0, 300)}`)
    return
  }
  const words = answer === undefined ? text.trim().slice(0, 100) : `${answer.error?.code} ${answer.error?.message}`
  const reason = `${status ?? "WebSocket"} ${words}`
  Tally.count(options.refusals.test(reason) ? tally.refused : tally.lost, reason)
}

const parse = (text: string): any => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const REST_AFTER_REFUSAL = 20

const overHttp = async (client: Client, index: number): Promise<void> => {
  const { isOver, options, project, service, tally } = client
  const { questions, rest } = options
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (question: Question, id: number) =>
    new Promise<void>((resolve) => {
      const text = body(question, id)
      const asked: Asked = { text, isRight: question.send() }
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) }
      const path = `/v3/${project.key}`
      const sent = request(
        { host: "127.0.0.1", port: service.port, path, method: "POST", agent, headers },
        (response) => {
          let heard = ""
          response.setEncoding("utf8").on("data", (chunk: string) => (heard += chunk))
          response.on("error", () => undefined)
          response.once("close", () => {
            if (response.complete) judge(client, asked, response.statusCode, heard)
            else Tally.count(tally.lost, "an answer that broke off")
            resolve()
          })
        }
      )
      sent.setTimeout(PATIENCE, () => sent.destroy(new Error("no answer in time")))
      sent.once("error", (error: NodeJS.ErrnoException) => {
        Tally.count(tally.lost, error.code ?? error.message)
        resolve()
      })
      sent.end(text)
      tally.sent++
    })
  for (let id = index; !isOver(); id++) {
    const before = tally.right
    await ask(questions[id % questions.length]!, id)
    if (rest !== undefined || tally.right === before) await setTimeout(rest ?? REST_AFTER_REFUSAL)
  }
  agent.destroy()
}

/** Sends one call after the other. If the service closes the socket and names a reason, the client opens a new one. */
const overSocket = async (client: Client, index: number): Promise<void> => {
  const { isOver, options, project, service, tally } = client
  const { questions, refusals, rest } = options
  let id = index
  while (!isOver()) {
    await new Promise<void>((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${service.port}/ws/v3/${project.key}`)
      let asked: Asked | undefined
      const ask = () => {
        const question = questions[id % questions.length]!
        asked = { text: body(question, id++), isRight: question.send() }
        socket.send(asked.text)
        tally.sent++
      }
      socket.once("open", ask)
      socket.on("message", (data) => {
        const answered = asked!
        asked = undefined
        const before = tally.right
        judge(client, answered, undefined, (data as Buffer).toString("utf8"))
        const next = () => {
          if (isOver()) socket.close()
          else if (socket.readyState === socket.OPEN) ask()
        }
        const wait = rest ?? (tally.right === before ? REST_AFTER_REFUSAL : undefined)
        if (wait === undefined) next()
        else void setTimeout(wait).then(next)
      })
      // A refused handshake loses no call, so its error is ignored. A later break is handled at `close`.
      socket.on("error", () => undefined)
      socket.once("close", (code) => {
        if (asked !== undefined) {
          const reason = `WebSocket closed with ${code}`
          Tally.count(refusals.test(reason) ? tally.refused : tally.lost, reason)
        }
        void setTimeout(REST_AFTER_REFUSAL).then(resolve)
      })
    })
  }
}
