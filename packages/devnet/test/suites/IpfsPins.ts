/** Tests pins and collections. The texts of refusals are Kubo's (`dspinner/pin.go`, `core/commands/pin`). */
import { assert, it } from "@effect/vitest"
import type { IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { Effect, Fiber, Stream } from "effect"
import { CID } from "multiformats/cid"
import * as raw from "multiformats/codecs/raw"

import { addAll, addOne, blockFiles, bytesAt, random, reasonOf, type Fresh } from "../support/ipfs.ts"

const listOf = (node: IpfsNode.IpfsNodeCommands, paths: ReadonlyArray<string> = [], options?: IpfsNode.PinLsOptions) =>
  Effect.map(Stream.runCollect(node.pinLs(paths, options)), (pins) =>
    pins.map(({ cid, name, through, type }) => [
      String(cid),
      type,
      name,
      ...(through === undefined ? [] : [String(through)])
    ])
  )

/** Adds a directory with one file of three blocks, without a pin. */
const directory = Effect.fnUntraced(function* (node: IpfsNode.IpfsNodeCommands) {
  const added = yield* addAll(node, [{ path: "d/f", content: random("f", 600_000) }], { pin: false })
  const [file, root] = added.map(({ cid }) => String(cid))
  return { file: file!, root: root! }
})

/** Defines the shared tests for a kind of node. */
export const ipfsPins = (fresh: Fresh): void => {
  it.live("a name has at most 255 bytes, and needs a pin", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const whole = "\u00e9".repeat(127) + "x"
        const cid = yield* addOne(node, "named", { pinName: whole })
        yield* node.pinAdd(cid, { name: whole })
        assert.deepStrictEqual(yield* listOf(node, [], { name: whole }), [[cid, "recursive", whole]])
        // Kubo 0.43 returns this text, and checks the name before anything else
        const long = "pin name is 256 bytes (max 255 bytes)"
        const unpinned = "pin-name option requires pin to be set"
        const tooLong = `${whole}x`
        const refusals = [
          [node.pinAdd("no path", { name: tooLong }), long],
          [Stream.runDrain(node.pinLs([], { name: tooLong })), long],
          [addOne(node, "x", { pinName: tooLong, pin: false }), long],
          [addOne(node, "x", { pinName: tooLong }), long],
          [addOne(node, "x", { pinName: "x", pin: false }), unpinned],
          [addOne(node, "x", { pinName: "", pin: false }), unpinned],
          [addOne(node, "x", { pinName: "x", onlyHash: true }), unpinned]
        ] as const
        for (const [refused, words] of refusals) {
          const { message, reason } = yield* Effect.flip<unknown, IpfsNodeError.IpfsNodeError, never>(refused)
          assert.deepStrictEqual([reason._tag, message], ["InvalidRequest", words])
        }
        assert.lengthOf(yield* listOf(node), 1)
      })
    )
  )

  it.live("pins are recursive, direct and indirect, idempotent, and keep the CID as it was given", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { behind, node } = yield* fresh
        const { file, root } = yield* directory(node)
        assert.deepStrictEqual(yield* listOf(node), [])
        for (let i = 0; i < 2; i++) assert.strictEqual(String(yield* node.pinAdd(root)), root)
        assert.deepStrictEqual(yield* listOf(node, [], { type: "recursive" }), [[root, "recursive", ""]])
        assert.deepStrictEqual(yield* listOf(node, [`/ipfs/${root}/f`]), [[file, "indirect", "", root]])
        assert.strictEqual((yield* listOf(node)).length, 5)
        assert.strictEqual((yield* listOf(node, [], { type: "indirect" })).length, 4)

        yield* node.pinAdd(`${root}/f`, { recursive: false, name: "mine" })
        assert.deepStrictEqual(yield* listOf(node, [], { type: "direct" }), [[file, "direct", "mine"]])
        assert.deepStrictEqual(yield* listOf(node, [], { name: "in" }), [[file, "direct", "mine"]])
        assert.strictEqual((yield* listOf(node, [], { type: "indirect" })).length, 3)
        const { directPins, recursivePins } = yield* behind.repoStat
        assert.deepStrictEqual([recursivePins, directPins], [1, 1])

        // the CID of version 1 names the same content, but can have a separate pin
        const v1 = String((yield* node.dagResolve(root)).cid.toV1())
        yield* node.pinAdd(v1)
        assert.sameMembers(
          (yield* listOf(node, [], { type: "recursive" })).map(([cid]) => cid),
          [root, v1]
        )
        yield* node.pinRm(root)
        assert.deepStrictEqual(yield* listOf(node, [], { type: "recursive" }), [[v1, "recursive", ""]])

        assert.strictEqual((yield* reasonOf(listOf(node, [root])))._tag, "PinRefused")

        // a direct pin becomes a recursive one, and takes the new name
        yield* node.pinAdd(file, { name: "whole" })
        assert.deepStrictEqual(yield* listOf(node, [file]), [[file, "recursive", "whole"]])
        assert.deepStrictEqual(yield* listOf(node, [], { type: "direct" }), [])
      })
    )
  )

  it.live("what the pins do not allow is refused in Kubo's words", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const { file, root } = yield* directory(node)
        const message = (effect: Parameters<typeof reasonOf>[0]) =>
          Effect.map(reasonOf(effect), (reason) => reason.message)
        assert.strictEqual(yield* message(listOf(node, [root])), `path '${root}' is not pinned`)
        assert.strictEqual(yield* message(node.pinRm(root)), "not pinned or pinned indirectly")
        assert.strictEqual(yield* message(node.pinUpdate(root, file)), "'from' cid was not recursively pinned already")
        yield* node.pinAdd(root)
        assert.strictEqual(yield* message(node.pinRm(file)), "not pinned or pinned indirectly")
        assert.strictEqual(yield* message(node.pinRm(root, { recursive: false })), `${root} is pinned recursively`)
        assert.strictEqual(
          yield* message(node.pinAdd(root, { recursive: false })),
          `${root} already pinned recursively`
        )
        assert.strictEqual(yield* message(listOf(node, [file], { type: "direct" })), `path '${file}' is not pinned`)
        assert.strictEqual(yield* message(listOf(node, [root], { type: "indirect" })), `path '${root}' is not pinned`)
        assert.deepStrictEqual(yield* listOf(node, [], { type: "recursive" }), [[root, "recursive", ""]])
      })
    )
  )

  it.live("an update moves a pin with its name, or leaves the old one", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const [a, b, c] = yield* Effect.forEach(["a", "b", "c"], (text) => addOne(node, text, { pin: false }))
        yield* node.pinAdd(a!, { name: "moving" })
        assert.deepStrictEqual((yield* node.pinUpdate(a!, b!)).map(String), [a, b])
        assert.deepStrictEqual(yield* listOf(node), [[b, "recursive", "moving"]])
        yield* node.pinUpdate(b!, c!, { unpin: false })
        assert.sameMembers(
          (yield* listOf(node)).map(([cid]) => cid),
          [b, c]
        )
        yield* node.pinUpdate(c!, c!)
        assert.strictEqual((yield* listOf(node)).length, 2)
        assert.strictEqual(
          (yield* reasonOf(node.pinUpdate(c!, "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH")))._tag,
          "NotFound"
        )
      })
    )
  )

  it.live("a DAG that is not whole cannot be pinned", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const { root } = yield* directory(node)
        const bytes = yield* node.blockGet(root)
        const { node: other } = yield* fresh
        yield* other.blockPut(bytes, { format: "v0" })
        assert.strictEqual((yield* reasonOf(other.pinAdd(root)))._tag, "NotFound")
        assert.deepStrictEqual(yield* listOf(other), [])
        yield* other.pinAdd(root, { recursive: false })
        assert.deepStrictEqual(yield* listOf(other), [[root, "direct", ""]])
      })
    )
  )

  it.live("a collection removes what no pin reaches, tells it, and nothing else", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { behind, dir, node } = yield* fresh
        const kept = yield* addOne(node, random("kept", 800_000))
        const shared = yield* addAll(node, [{ path: "d/f", content: random("kept", 800_000) }], { pin: false })
        const direct = yield* addOne(node, "direct", { pin: false })
        yield* node.pinAdd(direct, { recursive: false })
        const before = blockFiles(dir).length
        // Only the directory is removed, because its file is pinned.
        const removed = yield* Stream.runCollect(behind.gc)
        assert.deepStrictEqual(removed.map(String), [String(CID.createV1(raw.code, shared.at(-1)!.cid.multihash))])
        assert.strictEqual(blockFiles(dir).length, before - 1)
        assert.strictEqual((yield* bytesAt(node, kept)).length, 800_000)

        yield* node.pinRm(kept)
        yield* node.pinRm(direct)
        yield* Stream.runDrain(behind.gc)
        assert.deepStrictEqual(blockFiles(dir), [])
        assert.strictEqual((yield* reasonOf(node.cat(kept)))._tag, "NotFound")
      })
    )
  )

  it.live("collections beside adds take nothing that is being added or pinned", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { behind, node } = yield* fresh
        const collecting = yield* Effect.forkChild(
          Effect.forever(Effect.andThen(Stream.runDrain(behind.gc), Effect.yieldNow))
        )
        const sizes = Array.from({ length: 30 }, (_, i) => 100_000 + i * 40_009)
        const cids = yield* Effect.forEach(
          sizes,
          (size) =>
            Effect.gen(function* () {
              // adds the same blocks again and again: some exist, some were just collected
              const first = yield* addOne(node, random("same", size))
              yield* node.pinRm(first)
              const cid = yield* addOne(node, random("same", size))
              assert.strictEqual(cid, first)
              return cid
            }),
          { concurrency: 6 }
        )
        yield* Fiber.interrupt(collecting)
        yield* Stream.runDrain(behind.gc)
        for (const [i, cid] of cids.entries()) {
          assert.strictEqual((yield* bytesAt(node, cid)).length, sizes[i])
        }
      })
    )
  )
}
