/** Tests the record of a light client that several processes share in Postgres. */
import { assert, describe, it } from "@effect/vitest"
import { LightClientStore, MadeChain, MadeNetwork, TrustRecord, TrustStore } from "@plumbline/beacon-light-client"
import { Postgres } from "@plumbline/gateway"
import { Context, Effect, Layer, Redacted, Result } from "effect"

import * as SharedTrust from "../../src/service/SharedTrust.ts"
import * as Databases from "../support/Databases.ts"

const network = MadeNetwork.make()
const chain = MadeChain.make(network)

/** Returns the record of a light client that has just started at a slot. */
const recordAt = (slot: bigint): Uint8Array => {
  const root = chain.root(slot)
  const store = Result.getOrThrow(LightClientStore.fromBootstrap(chain.bootstrap(slot), root, network))
  return TrustRecord.encode({ checkpoint: root, givenAt: 1, advancedAt: 2, store }, network)
}

/** Returns the store of one process, with its own connections. */
const process = (url: string, checkpoint = "0xc0", name = "main") =>
  Effect.map(
    Layer.build(
      SharedTrust.layer({ name, checkpoint, network }).pipe(Layer.provide(Postgres.layer({ url: Redacted.make(url) })))
    ),
    Context.get(TrustStore.TrustStore)
  )

describe.skipIf(Databases.skipped)("the record of a light client in Postgres", () => {
  it.live("is shared by processes, one for each network and checkpoint, and never goes back", () =>
    Effect.gen(function* () {
      const databases = yield* Effect.acquireRelease(
        Effect.promise(() => Databases.start()),
        (databases) => Effect.promise(() => databases[Symbol.asyncDispose]())
      )
      const url = databases.postgres
      const [first, second] = yield* Effect.all([process(url), process(url)])
      // both make the table at once
      assert.deepStrictEqual(yield* Effect.all([first.load("made"), second.load("made")], { concurrency: 2 }), [
        undefined,
        undefined
      ])
      const [older, newer] = [recordAt(500n), recordAt(600n)]
      yield* first.save("made", newer)
      assert.deepStrictEqual(yield* second.load("made"), newer)
      yield* second.save("made", older)
      assert.deepStrictEqual(yield* first.load("made"), newer)
      const later = recordAt(601n)
      yield* second.save("made", later)
      assert.deepStrictEqual(yield* first.load("made"), later)
      for (const other of [yield* process(url, "0xc1"), yield* process(url, "0xc0", "other")]) {
        assert.isUndefined(yield* other.load("made"))
        yield* other.save("made", older)
        assert.deepStrictEqual(yield* other.load("made"), older)
      }
      assert.deepStrictEqual(yield* first.load("made"), later)
    }).pipe(Effect.scoped)
  )
})
