/** Clients of made chains, and the time of watches. */
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import { Effect } from "effect"
import * as TestClock from "effect/testing/TestClock"

import { EthClient, TrustedBlock, VerdictEthClient } from "../../src/index.ts"
import * as LogChain from "./logChain.ts"
import * as Nodes from "./node.ts"

/** Returns a client of a node that trusts the newest block of a chain. */
export const open = Effect.fnUntraced(function* (
  replies: Nodes.Replies,
  head: LogChain.Head,
  options?: VerdictEthClient.VerdictEthClientOptions
) {
  const eth = yield* Effect.provideService(EthClient.make, Transport, Nodes.node(replies).transport)
  const trust = yield* Effect.provide(TrustedBlock.TrustedBlock, LogChain.trusting(head))
  return VerdictEthClient.make(eth, trust, options)
})

/** Lets time pass while an effect runs. */
export const inTime = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.raceFirst(effect, Effect.forever(Effect.andThen(TestClock.adjust("4 seconds"), Effect.yieldNow)))
