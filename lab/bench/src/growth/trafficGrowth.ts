/** Measures how the cost of network traffic grows: batches, directories, lines, subscriptions. */
import { EthClient } from "@plumbline/eth-methods"
import { Cid, DirectoryCid } from "@plumbline/ipfs-client"
import { Batching, Connection, JsonRpcServer, MethodGroup, Subscription, Transport } from "@plumbline/jsonrpc-core"
import { Deferred, Effect, PubSub, Result, Schema, Stream } from "effect"

import * as Lines from "../parts/ipfs/lines.ts"
import { answering } from "./parsedNode.ts"
import type { Subject } from "./subject.ts"

const ACCOUNT = `0x${"12".repeat(20)}`

/** Measures calls that a client makes at the same time. The transport gathers them into packets. */
const batch: Subject = {
  name: "calls gathered into batches",
  prepare: async (size) => {
    const { transport } = answering(({ params }) => params[1])
    const client = Effect.runSync(
      Effect.provideService(EthClient.make, Transport.Transport, Batching.make()(transport))
    )
    const numbers = Array.from({ length: size }, (_, i) => `0x${i.toString(16).padStart(64, "0")}`)
    const read = (slot: string) => client.getStorageAt(ACCOUNT as never, slot as never, "latest")
    return {
      run: () => Effect.runPromise(Effect.forEach(numbers, read, { concurrency: "unbounded", discard: true }))
    }
  }
}

/** Measures the entries of one directory. A large directory is sharded. */
const directory: Subject = {
  name: "entries of a directory",
  prepare: async (size) => {
    const cid = Result.getOrThrow(Cid.fromText("Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"))
    const entries = Array.from({ length: size }, (_, i) => [`entry ${i}`, { cid, totalSize: 11 }] as const)
    return { run: () => Result.getOrThrow(DirectoryCid.make(new Map(entries) as never)) }
  }
}

const lines: Subject = {
  name: "NDJSON lines of an answer",
  prepare: async (size) => ({ run: Lines.read(Lines.textOf(size)) })
}

/** Measures subscriptions on one connection, and one event that is sent to each of them. */
const subscriptions: Subject = {
  name: "subscriptions and an event for each",
  prepare: async (size) => ({
    run: () =>
      Effect.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            const events = yield* PubSub.unbounded<number>()
            const subscribed = yield* Deferred.make<void>()
            const told = yield* Deferred.make<void>()
            const ticks = Subscription.make("eth", "ticks", { params: [], item: Schema.Finite })
            let readers = 0
            const source = JsonRpcServer.source(ticks, () =>
              Effect.succeed(
                Stream.unwrap(
                  Effect.map(PubSub.subscribe(events), (subscription) => {
                    if (++readers === size) Deferred.doneUnsafe(subscribed, Effect.void)
                    return Stream.fromSubscription(subscription)
                  })
                )
              )
            )
            const server = JsonRpcServer.make(MethodGroup.make(), {}, { subscriptions: [source] })
            let packets = 0
            // the server sends two packets for each subscription: its id, and later one notification
            const { receive } = yield* Connection.make(server, {
              limits: { maxSubscriptions: size, maxBufferedBytes: 1e9 },
              send: () =>
                Effect.sync(() => {
                  if (++packets === 2 * size) Deferred.doneUnsafe(told, Effect.void)
                })
            })
            for (let id = 1; id <= size; id++) {
              yield* receive(`{"jsonrpc":"2.0","id":${id},"method":"eth_subscribe","params":["ticks"]}`)
            }
            yield* Deferred.await(subscribed)
            yield* PubSub.publish(events, 7)
            yield* Deferred.await(told)
          })
        )
      )
  })
}

export const subjects: ReadonlyArray<Subject> = [batch, directory, lines, subscriptions]
