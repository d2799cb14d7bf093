/** Nodes of a pool in memory. They answer as the test defines. */
import { EthMethods } from "@plumbline/eth-methods"
import { type Upstream, UpstreamError, UpstreamPool } from "@plumbline/gateway"
import type { ErrorObject } from "@plumbline/jsonrpc-core"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"

export type Reason = UpstreamError.UpstreamError["reason"]

/** The text of a result, an error object, a fault, an effect that ends with one of these, or `hangs`. */
export type Answer =
  | string
  | ErrorObject.ErrorObject
  | UpstreamError.UpstreamError
  | Effect.Effect<string, ErrorObject.ErrorObject | UpstreamError.UpstreamError>

export type Behaviour = (method: string, params: ReadonlyArray<unknown>) => Answer

/** A node whose behaviour the test can change. It records the methods of its calls. */
export interface Node {
  behaviour: Behaviour
  readonly asked: Array<string>
  readonly upstream: Upstream.Upstream
}

export const fault = (reason: Reason) => new UpstreamError.UpstreamError({ reason })
export const refused = fault({ _tag: "Unreachable", code: "ECONNREFUSED" })
export const error = (code: number, message: string, data?: unknown): ErrorObject.ErrorObject =>
  data === undefined ? { code, message } : { code, message, data }

export const node = (behaviour: Behaviour | Answer): Node => {
  const asked: Array<string> = []
  const self: Node = {
    behaviour: typeof behaviour === "function" ? behaviour : () => behaviour,
    asked,
    upstream: {
      call: (method, params) =>
        Effect.suspend(() => {
          asked.push(method)
          return effectOf(self.behaviour(method, params))
        })
    }
  }
  return self
}

const effectOf = (answer: Answer): ReturnType<Upstream.Upstream["call"]> => {
  if (answer === "hangs") return Effect.never
  if (typeof answer === "string") return Effect.succeed(encoder.encode(answer))
  return Effect.isEffect(answer) && !(answer instanceof UpstreamError.UpstreamError)
    ? Effect.map(answer, (text) => encoder.encode(text))
    : Effect.fail(answer as ErrorObject.ErrorObject)
}

/** The hash of every block of a `chain`. */
export const HASH = `0x${"ab".repeat(32)}`

export const hex = (number: number): string => `0x${number.toString(16)}`

/** A node whose heads the test can move. It answers all other calls with its name. */
export interface Chain extends Node {
  latest: number
  finalized: number
  isDown: boolean
}

export const chain = (name: string, latest: number): Chain => {
  const behaviour: Behaviour = (method, params) => {
    if (self.isDown) return refused
    const { finalized, latest } = self
    if (method === "eth_blockNumber") return `"${hex(latest)}"`
    if (method !== "eth_getBlockByNumber") return `"${name}"`
    const [tag] = params
    const number = tag === "latest" ? latest : tag === "finalized" ? finalized : Number(tag)
    return number > latest ? "null" : `{"hash":"${HASH}","number":"${hex(number)}","transactions":[]}`
  }
  const self: Chain = Object.assign(node(behaviour), { latest, finalized: latest - 64, isDown: false })
  return self
}

export const pool = (
  nodes: ReadonlyArray<Node>,
  options: Partial<UpstreamPool.PoolOptions> = {},
  members: ReadonlyArray<Partial<UpstreamPool.PoolNode>> = []
) =>
  UpstreamPool.make(
    nodes.map(({ upstream }, index) => ({ name: String(index), upstream, ...members[index] })),
    { methods: EthMethods.group, ...options }
  )

/** Returns the text of a result, an error object, or the reason of a fault. */
export const answerOf = (called: ReturnType<Upstream.Upstream["call"]>): Effect.Effect<unknown> =>
  Effect.match(called, {
    onSuccess: (bytes) => decoder.decode(bytes),
    onFailure: (error) => (error instanceof UpstreamError.UpstreamError ? error.reason : error)
  })

/** Advances the clock until the call is done. */
export const after = <A, E>(effect: Effect.Effect<A, E>, millis: number) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(effect, { startImmediately: true })
    yield* TestClock.adjust(millis)
    return yield* Fiber.join(fiber)
  })

export const quiet = Effect.provideService(Logger.CurrentLoggers, new Set<Logger.Logger<unknown, unknown>>())

const encoder = new TextEncoder()
const decoder = new TextDecoder()
