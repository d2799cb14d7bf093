/**
 * Clients of a service that is killed. Each has one packet in flight at a time, and remembers its acknowledged calls.
 */
import * as http from "node:http"

import * as Random from "@plumbline/seeded/Random"
import { WebSocket } from "ws"

import { ADDRESS, HASH } from "./methods.ts"

/** The summed usage that a ledger holds under one name. */
export interface Sums {
  calls: number
  credits: number
  bytesIn: number
}

export type Ledger = Map<string, Sums>

interface Kind {
  readonly params: ReadonlyArray<unknown>
  /** The credits, from the price list: https://docs.metamask.io/services/get-started/pricing/credit-cost/ */
  readonly credits: number
}

const kinds: Readonly<Record<string, Kind>> = {
  eth_chainId: { params: [], credits: 5 },
  eth_call: { params: [{ to: ADDRESS, data: "0x" }, "latest"], credits: 80 },
  eth_getStorageAt: { params: [ADDRESS, "0x00", "latest"], credits: 80 },
  eth_getBlockByHash: { params: [HASH, false], credits: 80 }
}

/** The bytes of one packet, and its expected usage. */
interface Packet {
  readonly body: string
  readonly calls: number
  readonly isBatch: boolean
  readonly usage: Ledger
}

export const add = (to: Ledger, what: Ledger): void => {
  for (const [name, { bytesIn, calls, credits }] of what) {
    const sums = to.get(name) ?? { calls: 0, credits: 0, bytesIn: 0 }
    to.set(name, { calls: sums.calls + calls, credits: sums.credits + credits, bytesIn: sums.bytesIn + bytesIn })
  }
}

const packet = (random: Random.Random): Packet => {
  const usage: Ledger = new Map()
  const isBatch = random() < 0.3
  const calls = isBatch ? 1 + Random.int(random, 5) : 1
  let inItems = 0
  const items = Array.from({ length: calls }, (_, id) => {
    const method = Random.pick(random, Object.keys(kinds))
    const { credits, params } = kinds[method]!
    // Each call has a random length, which identifies the call. So a lost call cannot be confused with a call that was
    // stored but not answered.
    const space = " ".repeat(Random.int(random, 4096))
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params }).replace("{", `{${space}`)
    inItems += text.length
    add(usage, new Map([[method, { calls: 1, credits, bytesIn: text.length }]]))
    return text
  })
  if (!isBatch) return { body: items[0]!, calls, isBatch, usage }
  const body = `[${items.join(",")}]`
  // A batch itself costs a credit. The bytes of the array around the calls belong to no call.
  add(usage, new Map([["batch", { calls: 0, credits: 1, bytesIn: body.length - inItems }]]))
  return { body, calls, isBatch, usage }
}

export class Client {
  readonly acknowledged: Ledger = new Map()
  readonly project: string
  readonly key: string
  /** The packet that was sent and not answered yet. */
  pending: Packet | undefined
  sent = 0
  answered = 0
  /** The number of packets that were answered with "service unavailable". */
  unavailable = 0
  readonly #random: Random.Random
  readonly #connect: (port: number, key: string) => Promise<Connection>

  constructor(project: string, transport: "http" | "webSocket", seed: number) {
    this.project = project
    this.#random = Random.make(seed)
    this.key = Array.from({ length: 32 }, () => Random.int(this.#random, 16).toString(16)).join("")
    this.#connect = transport === "http" ? overHttp : overWebSocket
  }

  /**
   * Sends one packet after another until the service is gone or answers "service unavailable". The service gives that
   * answer if the machine is so slow that a store does not respond in time. Then it is unknown whether the packet was
   * stored. Any other unexpected answer is an error.
   */
  async run(port: number, onAnswer: () => void): Promise<void> {
    const connection = await this.#connect(port, this.key)
    if (connection === undefined) return
    for (;;) {
      const sent = packet(this.#random)
      this.pending = sent
      this.sent += sent.calls
      const answer = await connection(sent.body)
      if (answer === undefined) return
      if (answer.includes(UNAVAILABLE)) {
        this.unavailable++
        return
      }
      check(sent, answer)
      this.pending = undefined
      this.answered += sent.calls
      add(this.acknowledged, sent.usage)
      onAnswer()
    }
  }
}

const UNAVAILABLE = "service unavailable"

const check = ({ calls, isBatch }: Packet, answer: string): void => {
  const parsed: unknown = JSON.parse(answer)
  const answers = isBatch ? parsed : [parsed]
  const isWhole =
    Array.isArray(answers) &&
    answers.length === calls &&
    answers.every((one: { result?: unknown }) => one.result === "0x2a")
  if (!isWhole) throw new Error(`not what was asked for: ${answer}`)
}

/** Sends a body, and returns the answer; undefined if the service was killed before the answer was complete. */
type Connection = ((body: string) => Promise<string | undefined>) | undefined

const overHttp = (port: number, key: string): Promise<Connection> => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { host: "live.localhost", "content-type": "application/json" }
  return Promise.resolve(
    (body) =>
      new Promise((resolve, reject) => {
        const gone = () => {
          agent.destroy()
          resolve(undefined)
        }
        const request = http.request({ agent, port, host: "127.0.0.1", method: "POST", path: `/v3/${key}`, headers })
        request.once("error", gone)
        request.once("response", (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
          response.once("error", gone)
          response.once("end", () => {
            if (response.statusCode === 200 || response.statusCode === 503) resolve(text)
            else reject(new Error(`status ${response.statusCode}: ${text}`))
          })
        })
        request.end(body)
      })
  )
}

const overWebSocket = (port: number, key: string): Promise<Connection> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/ws/v3/${key}`, { headers: { host: "live.localhost" } })
    let settle: (answer: string | undefined) => void = () => undefined
    let isGone = false
    const gone = () => {
      isGone = true
      settle(undefined)
      resolve(undefined)
    }
    socket.on("error", gone).on("close", gone)
    socket.on("message", (data: Buffer) => settle(data.toString("utf8")))
    socket.once("open", () =>
      resolve(
        (body) =>
          new Promise((answered) => {
            if (isGone) return answered(undefined)
            settle = answered
            socket.send(body)
          })
      )
    )
  })
