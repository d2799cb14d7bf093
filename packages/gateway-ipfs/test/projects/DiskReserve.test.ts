/** A reserve of the disk: uploads end before the disk is full, and everything else goes on. */
import { assert, describe, it } from "@effect/vitest"
import * as Databases from "@plumbline/gateway/support/databases"
import { IpfsNodeError } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"

import * as DiskReserve from "../../src/projects/diskReserve.ts"
import * as Memory from "../support/ipfsMemoryNode.ts"
import { open, project, utf8 } from "../support/ipfsProjects.ts"

const GIB = 1024 ** 3

const reasonOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) =>
    error instanceof IpfsNodeError.IpfsNodeError ? error.reason : (error as unknown)
  )

describe("a reserve of the disk", () => {
  it.effect("refuses when less is free, and looks at the disk again as bytes arrive", () =>
    Effect.gen(function* () {
      let free = 3 * GIB
      let looks = 0
      const room = DiskReserve.make({ folder: "/data", reserve: GIB }, (folder) => {
        assert.strictEqual(folder, "/data")
        looks++
        return Promise.resolve(free)
      })
      yield* room.check
      yield* room.take(64 * 1024)
      assert.strictEqual(looks, 1)
      free = GIB - 1
      assert.deepStrictEqual(
        yield* reasonOf(Effect.forEach(Array.from({ length: 16 }), () => room.take(64 * 1024))),
        new IpfsNodeError.StorageFull({ free: GIB - 1, reserve: GIB })
      )
      free = GIB
      yield* room.check
    })
  )

  it.effect("does not refuse because a disk cannot be asked, or without a reserve", () =>
    Effect.gen(function* () {
      yield* DiskReserve.make({ folder: "/gone", reserve: GIB }, () => Promise.reject(new Error("gone"))).check
      yield* DiskReserve.make(undefined).check
    })
  )

  it.effect("ends every upload of a project, and no read, and no removal of a pin", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* Databases.kinds[0]!.fresh
        const before = yield* open(state, database)
        const kept = yield* before.node(project("a")).blockPut(utf8("kept"), { pin: true })
        // a reserve that no disk has
        const projects = yield* open(state, database, { disk: { folder: ".", reserve: Number.MAX_SAFE_INTEGER } })
        const a = projects.node(project("a"))
        const car = Stream.make(new Uint8Array(100))
        const blocks = state.blocks.size
        for (const [name, upload] of Object.entries({
          add: Stream.runDrain(a.add([{ content: utf8("x") }])),
          blockPut: Effect.asVoid(a.blockPut(utf8("x"))),
          dagPut: Effect.asVoid(a.dagPut(utf8("[]"))),
          dagImport: Effect.asVoid(a.dagImport(car)),
          pinAdd: Effect.asVoid(a.pinAdd(String(kept.cid)))
        })) {
          const reason = yield* reasonOf(upload)
          assert.strictEqual((reason as IpfsNodeError.Reason)._tag, "StorageFull", name)
        }
        assert.strictEqual(state.blocks.size, blocks)
        assert.strictEqual((yield* projects.usage(project("a"))).uploaded, 4)
        yield* Stream.runDrain(a.add([{ content: utf8("x") }], { onlyHash: true }))
        assert.deepStrictEqual(yield* a.blockGet(String(kept.cid)), utf8("kept"))
        yield* a.pinRm(String(kept.cid))
        assert.strictEqual((yield* projects.usage(project("a"))).stored, 0)
      })
    )
  )
})
