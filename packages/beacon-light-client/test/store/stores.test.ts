/** Runs the same tests on every store. */
import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { FileStore, IndexedDbStore, TrustRecord, TrustStore } from "@plumbline/beacon-light-client"
import { Effect, Layer } from "effect"
import { KeyValueStore } from "effect/persistence"

const folder = (): string => mkdtempSync(path.join(tmpdir(), "plumbline-trust-"))

const inFile = (at: string) => FileStore.layer({ folder: at }).pipe(Layer.provide(NodeServices.layer))

const kinds: Readonly<Record<string, (at: string) => Layer.Layer<TrustStore.TrustStore>>> = {
  memory: () => TrustStore.layerMemory(),
  file: inFile,
  "key-value store": () => TrustStore.layerKeyValueStore().pipe(Layer.provide(KeyValueStore.layerMemory))
}

describe.each(Object.keys(kinds))("the store in a %s", (kind) => {
  it.effect("keeps one record per network, whatever its name, and replaces it as a whole", ({ onTestFinished }) => {
    const at = folder()
    onTestFinished(() => rmSync(at, { recursive: true }))
    return Effect.gen(function* () {
      const store = yield* TrustStore.TrustStore
      assert.isUndefined(yield* store.load("mainnet"))
      const bytes = Uint8Array.of(1, 2, 3)
      yield* store.save("mainnet", bytes)
      bytes.fill(0)
      yield* store.save("../..", Uint8Array.of(9))
      assert.deepStrictEqual(Array.from((yield* store.load("mainnet"))!), [1, 2, 3])
      yield* store.save("mainnet", Uint8Array.of(4))
      assert.deepStrictEqual(Array.from((yield* store.load("mainnet"))!), [4])
      assert.deepStrictEqual(Array.from((yield* store.load("../.."))!), [9])
      if (kind === "file") {
        assert.deepStrictEqual(readdirSync(at).toSorted(), ["..%2F...light-client", "mainnet.light-client"])
      }
    }).pipe(Effect.provide(kinds[kind]!(at)))
  })
})

describe("FileStore", () => {
  it.effect(
    "refuses a file that is too large to be a record, and fails where there can be no file",
    ({ onTestFinished }) => {
      const at = folder()
      onTestFinished(() => rmSync(at, { recursive: true }))
      return Effect.gen(function* () {
        const file = path.join(at, "mainnet.light-client")
        writeFileSync(file, "")
        truncateSync(file, TrustRecord.MAX_BYTES + 1)
        const load = TrustStore.TrustStore.use((store) => store.load("mainnet"))
        const refused = yield* Effect.flip(Effect.provide(load, inFile(at)))
        assert(refused._tag === "RecordError")
        assert.strictEqual(refused.place, file)
        const save = TrustStore.TrustStore.use((store) => store.save("mainnet", Uint8Array.of(1)))
        const failed = yield* Effect.flip(Effect.provide(save, inFile(path.join(file, "below"))))
        assert.strictEqual(failed._tag, "StoreError")
        assert.notInclude(failed.message, at)
      })
    }
  )
})

describe("IndexedDbStore", () => {
  it.effect("fails where the platform has no IndexedDB", () =>
    Effect.gen(function* () {
      const load = TrustStore.TrustStore.use((store) => store.load("mainnet"))
      const failed = yield* Effect.flip(Effect.provide(load, IndexedDbStore.layer()))
      assert.strictEqual(failed._tag, "StoreError")
    })
  )
})
