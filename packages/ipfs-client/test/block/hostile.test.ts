import { assert, it } from "@effect/vitest"
import { Block, BlockSource, Car, Cid, Dag, UnixFs } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Cause, Effect, Exit, Result, Stream } from "effect"
import { fixedSize } from "ipfs-unixfs-importer/chunker"

import * as Imported from "../support/imported.ts"

/** Returns a copy of the bytes. In the copy some bytes are changed, removed or inserted. */
const changed = (random: Random.Random, bytes: Uint8Array): Uint8Array => {
  let out = Array.from(bytes)
  for (let i = 0; i <= Random.int(random, 3); i++) {
    const at = Random.int(random, out.length)
    const byte = Random.pick(random, [0, 1, 0x7f, 0x80, 0xff, Random.int(random, 256)])
    const kind = Random.int(random, 4)
    if (kind < 2) out[at] = byte
    else if (kind === 2) out.splice(at, 1 + Random.int(random, 4))
    else out.splice(at, 0, byte)
    if (out.length === 0) out = [byte]
  }
  return Uint8Array.from(out)
}

const isExpected = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isSuccess(exit) || exit.cause.reasons.every(Cause.isFailReason)

/**
 * Reads roots with deliberately wrong content. Their hashes are right, so that nothing is refuted before it is read.
 * With any content, the readers must end, and fail only with errors of their types.
 */
it.effect("no content makes a reader throw, or read without end", () =>
  Effect.gen(function* () {
    const random = Random.make(19)
    const contents = yield* Effect.promise(() =>
      Promise.all([
        Imported.file(Random.bytes(random, 4000), {
          cidVersion: 0,
          rawLeaves: false,
          chunker: fixedSize({ chunkSize: 200 })
        }),
        Imported.files(
          [1, 2, 3].map((n) => [`d/${n}`, Random.bytes(random, 20)] as const),
          Imported.V0
        ),
        Imported.files(
          Array.from({ length: 40 }, (_, n) => [`d/${n}`, Uint8Array.of(n)] as const),
          { ...Imported.V0, shardSplitThresholdBytes: 0 }
        )
      ])
    )
    const outcomes = new Set<string>()
    for (let i = 0; i < Random.runs(200); i++) {
      const { blocks, root } = Random.pick(random, contents)
      const honest = blocks.find(({ cid }) => Cid.key(cid) === Cid.key(root))!
      const bytes = changed(random, honest.bytes)
      const codec = i % 8 === 0 ? Random.pick(random, [...Block.codecs.keys()]) : Block.DAG_PB
      const cid = Result.getOrThrow(Block.cidOf(codec, bytes))
      const source = BlockSource.fromBlocks([...blocks, { cid, bytes }])
      const name = Random.pick(random, ["1", "7", "x"])
      const car = Car.encode([cid], Stream.fromIterable([{ cid, bytes }, ...blocks]))
      const cut = changed(random, Buffer.concat(yield* Stream.runCollect(car)))
      const readings: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        Stream.runDrain(Stream.take(UnixFs.cat(source, cid), 100)),
        Stream.runDrain(UnixFs.cat(source, cid, { offset: 1000, length: 10 })),
        Stream.runDrain(UnixFs.entries(source, cid)),
        UnixFs.resolve(source, cid, [name]),
        UnixFs.stat(source, cid),
        Dag.resolve(source, cid, [name]),
        Stream.runDrain(Car.dag(car, cid)),
        Stream.runDrain(Car.dag(Stream.make(cut), cid))
      ]
      for (const [at, reading] of readings.entries()) {
        const exit = yield* Effect.exit(reading)
        assert.isTrue(isExpected(exit), `run ${i}, reading ${at}: ${String(exit)}`)
        outcomes.add(Exit.isSuccess(exit) ? "read" : "refused")
      }
    }
    assert.deepStrictEqual([...outcomes].sort(), ["read", "refused"])
  })
)
