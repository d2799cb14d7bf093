/** Scripted nodes with names, for transports over several nodes. */
import { type Fallback, JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import { Effect, Result } from "effect"

import * as Scripted from "./scripted.ts"

interface Nodes {
  readonly nodes: ReadonlyArray<Fallback.NamedTransport>
  readonly scripts: ReadonlyArray<Scripted.Scripted>
  /** Returns, for each node, the number of calls in each packet that it received. */
  readonly sizes: () => ReadonlyArray<ReadonlyArray<number>>
  /** Returns, for each node, the times at which it was asked, in milliseconds of the Clock. */
  readonly times: () => ReadonlyArray<ReadonlyArray<number>>
}

const NAMES = ["a", "b", "c", "d", "e"]

/** Makes the nodes `a`, `b`, `c`, ... */
export const of = (...scripts: ReadonlyArray<Scripted.Scripted>): Nodes => ({
  nodes: scripts.map(({ transport }, index) => ({ name: NAMES[index]!, transport })),
  scripts,
  sizes: () => scripts.map(({ packets }) => packets.map(({ calls }) => calls.length)),
  times: () => scripts.map(({ packets }) => packets.map(({ at }) => at))
})

/** Makes a node that ends each call in this way. */
export const always = (ending: Scripted.Ending): Scripted.Scripted => Scripted.make(() => ending)

export const saying = (value: unknown): Scripted.Scripted => always(Effect.succeed(value))

export const failing = (reason: JsonRpcError.Reason): Scripted.Scripted => always(Effect.fail(reason))

/** Makes a node that finds the outcome of a call by its first parameter. */
export const table = (endings: Readonly<Record<string, Scripted.Ending>>): Scripted.Scripted =>
  Scripted.make(({ params: [key] }) => endings[String(key)]!)

export const remote = (code: number, message: string, status?: number): JsonRpcError.RemoteError =>
  new JsonRpcError.RemoteError({ code, message, ...(status === undefined ? {} : { status }) })

/** Returns the outcome of a call as a value that is easy to compare. */
export const shown = (outcome: Transport.WireOutcome): unknown =>
  Result.isSuccess(outcome) ? outcome.success : outcome.failure.message
