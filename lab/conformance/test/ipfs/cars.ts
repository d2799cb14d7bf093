/**
 * Reads the CARs of Kubo's tests and of the gateway conformance suite, and walks their blocks. If a CAR holds UnixFS,
 * its files are read too.
 */
import * as path from "node:path"

import { assert, it } from "@effect/vitest"
import { Car, Cid, DirectoryCid, UnixFs } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"

import { bytes, files } from "../support/fixtures.ts"
import type { Tally } from "../support/tally.ts"

/** CARs that were made without all of their blocks, to test whether readers notice. */
const PARTIAL = new Set([
  "sharness_t0054-dag-car-import-export-data_partial-dag-scope-entity.car",
  "file-3k-and-3-blocks-missing-block.car"
])

const opened = (car: Uint8Array) =>
  Effect.gen(function* () {
    const [head] = yield* Stream.runCollect(Stream.take(Car.read(Stream.make(car)), 1))
    assert(head?._tag === "Roots")
    const root = head.roots[0]!
    return { root, source: yield* Car.collect(Car.dag(Stream.make(car), root), root) }
  })

const cat = (car: Uint8Array, ...path: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { root, source } = yield* opened(car)
    const cid = yield* UnixFs.resolve(source, root, path)
    return Buffer.concat(yield* Stream.runCollect(UnixFs.cat(source, cid))).toString()
  })

export const cars = (tally: Tally): void => {
  it.effect("reads every CAR, and says which are whole", () =>
    Effect.gen(function* () {
      const counter = tally.count("CARs")
      for (const file of files("5-ipfs/**/*.car")) {
        const car = Stream.make(bytes(file))
        const items = yield* Stream.runCollect(Car.read(car))
        assert(items[0]?._tag === "Roots")
        const root = items[0].roots[0]!
        const whole = Stream.runCollect(Car.dag(car, root))
        if (PARTIAL.has(path.basename(file))) {
          const failure = yield* Effect.flip(whole)
          counter.refuted(failure._tag)
        } else {
          const blocks = yield* whole
          const keys = new Set(items.flatMap((item) => (item._tag === "Block" ? [Cid.key(item.cid)] : [])))
          assert.strictEqual(blocks.length, keys.size, file)
          counter.verified()
        }
      }
      counter.expect({ verified: 21, refuted: { MissingBlocks: 3 } })
    })
  )

  it.effect("tells where symlinks point, and makes the same ones", () =>
    Effect.gen(function* () {
      const car = bytes("5-ipfs/gateway-conformance/fixtures/path_gateway_unixfs/symlink.car")
      const { root, source } = yield* opened(car)
      const cid = yield* UnixFs.resolve(source, root, ["bar"])
      const { kind, target } = yield* UnixFs.stat(source, cid)
      assert.deepStrictEqual([kind, target], ["symlink", "foo"])
      assert.isTrue(Cid.equals(DirectoryCid.symlink("foo").cid, cid))
    })
  )

  it.effect("reads files out of them, through plain and sharded directories", () =>
    Effect.gen(function* () {
      const at = (file: string) => bytes(`5-ipfs/gateway-conformance/fixtures/${file}`)
      const plain = at("path_gateway_unixfs/dir-with-files.car")
      assert.strictEqual(yield* cat(plain, "ascii.txt"), "hello application/vnd.ipld.car\n")
      const sharded = at("trustless_gateway_car/single-layer-hamt-with-multi-block-files.car")
      assert.match(yield* cat(sharded, "1.txt"), /^Lorem ipsum/)
      const failure = yield* Effect.flip(cat(sharded, "no such file"))
      assert.strictEqual(failure._tag, "NoSuchEntry")
    })
  )
}
