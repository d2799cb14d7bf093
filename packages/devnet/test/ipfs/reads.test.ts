/** Counts the blocks that commands read from the disk. A command reads each block at most once, for any CIDs. */
import FsPromises from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"

import { assert, it } from "@effect/vitest"
import { Car, Cid, DirectoryCid, FileCid, type IpfsNode } from "@plumbline/ipfs-client"
import { Effect, Result, Stream } from "effect"
import { afterAll } from "vitest"

import { addAll, addOne, fresh, reasonOf, utf8 } from "../support/ipfs.ts"

const files: Array<string> = []

const { readFile } = FsPromises
Object.assign(FsPromises, {
  readFile: (...given: Parameters<typeof readFile>) => {
    if (typeof given[0] === "string") files.push(given[0])
    return readFile(...given)
  }
})
syncBuiltinESMExports()
afterAll(() => {
  Object.assign(FsPromises, { readFile })
  syncBuiltinESMExports()
})

/** Returns the number of blocks that are read from this folder during an effect. */
const reads = <A, E, R>(dir: string, effect: Effect.Effect<A, E, R>) => {
  const count = () => files.filter((file) => file.startsWith(dir)).length
  return Effect.suspend(() => {
    const before = count()
    return Effect.map(effect, (value) => [count() - before, value] as const)
  })
}

it.live("pin/ls of many that are pinned through others is one walk of all pins, and so is one that finds nothing", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      const count = 60
      const entries = Array.from({ length: count }, (_, i) => ({ path: `d${i}/f`, content: utf8(`file ${i}`) }))
      const added = yield* addAll(node, entries)
      const below = added.filter(({ name }) => name.endsWith("/f")).map(({ cid }) => String(cid))
      const tops = new Map(added.filter(({ name }) => !name.includes("/")).map(({ cid, name }) => [name, String(cid)]))
      assert.strictEqual(tops.size, count)
      const ls = (paths: ReadonlyArray<string>, options?: IpfsNode.PinLsOptions) =>
        reads(dir, Stream.runCollect(node.pinLs(paths, options)))

      const [many, pins] = yield* ls(below)
      assert.isAtMost(many, 2 * count)
      // at least each directory is read, which shows that the counter works
      assert.isAtLeast(many, count)
      assert.deepStrictEqual(
        pins.map(({ cid, through }) => [String(cid), String(through)]),
        below.map((cid, i) => [cid, tops.get(`d${i}`)!])
      )
      const unpinned = yield* addOne(node, "not pinned", { pin: false })
      const [none, reason] = yield* reads(dir, reasonOf(Stream.runDrain(node.pinLs([unpinned, unpinned]))))
      assert.strictEqual(reason._tag, "PinRefused")
      assert.isAtMost(none, 2 * count)
      // for CIDs that are pinned themselves, the command reads no block
      assert.strictEqual((yield* ls([...tops.values()]))[0], 0)
      assert.strictEqual((yield* ls([...tops.values()], { type: "recursive" }))[0], 0)
      // the command emits the result for the first CID before it fails at the second one, which is not pinned
      const said: Array<string> = []
      const collect = Stream.runForEach(node.pinLs([below[0]!, unpinned]), ({ cid }) =>
        Effect.sync(() => said.push(String(cid)))
      )
      assert.strictEqual((yield* reasonOf(collect))._tag, "PinRefused")
      assert.deepStrictEqual(said, [below[0]])
    })
  )
)

it.live("one that is pinned itself is found below another, and not below itself", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      const added = yield* addAll(node, [{ path: "d/in/f", content: utf8("f") }])
      const cid = (name: string) => String(added.find((one) => one.name === name)?.cid)
      yield* node.pinAdd(cid("d/in"))
      const type = { type: "indirect" } as const
      const [pin] = yield* Stream.runCollect(node.pinLs([cid("d/in")], type))
      assert.deepStrictEqual([pin?.type, String(pin?.through)], ["indirect", cid("d")])
      assert.strictEqual((yield* reasonOf(Stream.runDrain(node.pinLs([cid("d")], type))))._tag, "PinRefused")
      const both = yield* Stream.runCollect(node.pinLs([cid("d/in"), cid("d/in/f")], type))
      assert.strictEqual(both.length, 2)
    })
  )
)

it.live("get of directories in directories reads each once", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      const levels = 150
      const blocks = [...(yield* Stream.runCollect(FileCid.blocks(Stream.make(utf8("leaf")))))]
      let root: Pick<FileCid.FileRoot, "cid" | "totalSize"> = yield* FileCid.ofStream(Stream.make(utf8("leaf")))
      for (let level = 0; level < levels; level++) {
        const made = Result.getOrThrow(DirectoryCid.make([["d", root]]))
        blocks.push(...made.blocks)
        root = made
      }
      yield* node.dagImport(Car.encode([root.cid], Stream.fromIterable(blocks)), { pinRoots: false })
      const all = Stream.runForEach(node.get(Cid.toText(root.cid)), ({ content }) => Stream.runDrain(content))
      const [count] = yield* reads(dir, all)
      // the file is read once for its type, and once for its bytes
      assert.isAtMost(count, levels + 2)
      assert.isAtLeast(count, levels)
    })
  )
)
