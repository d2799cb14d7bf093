/** A proving node in front of a chain in this process, with helpers for its subscriptions. */
import { TrustedBlock } from "@plumbline/eth-methods"
import type { ErrorObject } from "@plumbline/jsonrpc-core"
import { Context, Effect, Layer, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"

import { type Notice, ProvingNode } from "../../src/index.ts"
import type { TestChain } from "./chain.ts"

export type Following = ProvingNode.ProvingNode["Service"]

/** Makes a proving node in the scope. Without `pushes` the chain's node pushes no events. */
export const proxyTo = (
  chain: TestChain,
  options: ProvingNode.ProvingNodeOptions & {
    readonly pushes?: boolean
    readonly trust?: Layer.Layer<TrustedBlock.TrustedBlock>
  } = {}
): Effect.Effect<Following, never, Scope.Scope> => {
  const { pushes, trust = TrustedBlock.layerPinned(chain.canonical[0]!.hash), ...rest } = options
  const node = pushes === true ? Layer.merge(chain.transport, chain.subscriptions) : chain.transport
  return Effect.map(Layer.build(ProvingNode.layer(rest).pipe(Layer.provide([node, trust]))), (context) =>
    Context.get(context, ProvingNode.ProvingNode)
  )
}

/** Subscribes, and returns the list to which notices are added. */
export const listen = (
  proxy: Following,
  ...params: ReadonlyArray<unknown>
): Effect.Effect<Array<Notice.Notice>, ErrorObject.ErrorObject, Scope.Scope> =>
  Effect.gen(function* () {
    const { notices } = yield* proxy.subscribe(params)
    const heard: Array<Notice.Notice> = []
    yield* Effect.forkScoped(Stream.runForEach(notices, (notice) => Effect.sync(() => heard.push(notice))))
    yield* settled
    return heard
  })

/** Runs all work that waits only for its turn in the event loop. */
export const settled: Effect.Effect<void> = Effect.forEach(Array.from({ length: 200 }), () => Effect.yieldNow, {
  discard: true
})

/** One poll of a proving node. */
export const look: Effect.Effect<void> = Effect.andThen(TestClock.adjust("4 seconds"), settled)

/** Returns short texts of notices: the number of a head, the address of a log, or the error. */
export const brief = (heard: ReadonlyArray<Notice.Notice>): ReadonlyArray<string> =>
  heard.map((notice) => {
    if (notice._tag !== "Item") return `${notice._tag}: ${notice.error.message}`
    const { verdict } = notice
    const result = notice.result as any
    if (typeof result === "string") return `${result} ${verdict._tag}`
    return "address" in result
      ? `${result.removed ? "-" : "+"}${result.address.slice(2, 3)}@${Number(result.blockNumber)} ${verdict._tag}`
      : `${Number(result.number)} ${verdict._tag}`
  })

export const hashes = (heard: ReadonlyArray<Notice.Notice>): ReadonlyArray<unknown> =>
  heard.flatMap((notice) => (notice._tag === "Item" ? [(notice.result as any).hash] : []))
