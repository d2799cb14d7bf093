/** Damages the disk: every read returns bytes that match the CID, or an error. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as path from "node:path"

import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

import { IpfsEmbedded } from "../../src/index.ts"
import {
  addAll,
  addOne,
  blockFiles,
  bytesAt,
  flipBit,
  fresh,
  keyStream,
  random,
  reasonOf,
  utf8
} from "../support/ipfs.ts"
import { folder } from "../support/shared.ts"

it.live("a flipped bit anywhere in any block is an error of every command that reads it", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      const added = yield* addAll(node, [{ path: "d/f", content: random("flip", 400_000) }])
      const root = String(added.at(-1)?.cid)
      const files = blockFiles(dir)
      assert.strictEqual(files.length, 4)
      const bits = keyStream("bits")
      for (const file of files) {
        const size = readFileSync(file).length
        for (let i = 0; i < 6; i++) {
          const bit = Buffer.from(bits(4)).readUInt32LE() % (size * 8)
          flipBit(file, bit)
          const reasons = [
            yield* reasonOf(bytesAt(node, `${root}/f`)),
            yield* reasonOf(Stream.runDrain(node.dagExport(root))),
            yield* reasonOf(Stream.runDrain(Stream.flatMap(node.get(root), ({ content }) => content)))
          ]
          assert.deepStrictEqual(
            reasons.map(({ _tag }) => _tag),
            ["Damaged", "Damaged", "Damaged"]
          )
          flipBit(file, bit)
        }
      }
      assert.strictEqual((yield* bytesAt(node, `${root}/f`)).length, 400_000)
    })
  )
)

it.live("the bytes before a damaged block are given, and none of it", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      const size = 5 * 262_144
      const cid = yield* addOne(node, random("part", size))
      const given = keyStream("part")(size)
      const links = yield* Stream.runCollect(node.ls(cid))
      const [first, second, third, fourth] = links.map((link) => String(link.cid.toV1())) as [
        string,
        string,
        string,
        string
      ]
      const damaged = yield* node.blockGet(third)
      flipBit(
        blockFiles(dir).find((file) => readFileSync(file).equals(damaged))!,
        80_000
      )
      const pieces: Array<Uint8Array> = []
      const { bytes } = yield* node.cat(cid)
      yield* reasonOf(Stream.runForEach(bytes, (piece) => Effect.sync(() => pieces.push(piece))))
      assert.isTrue(Buffer.from(given.subarray(0, 2 * 262_144)).equals(Buffer.concat(pieces)))
      // an export reads further blocks before their turn, and fails at the turn of the damaged one all the same
      const blocks = yield* Effect.forEach([first, second, fourth], (block) => node.blockGet(block))
      const exported: Array<Uint8Array> = []
      const reason = yield* reasonOf(
        Stream.runForEach(node.dagExport(cid), (piece) => Effect.sync(() => exported.push(piece)))
      )
      assert.strictEqual(reason._tag, "Damaged")
      assert.deepStrictEqual(
        blocks.map((block) => Buffer.concat(exported).includes(Buffer.from(block))),
        [true, true, false]
      )
      assert.strictEqual((yield* bytesAt(node, cid, { offset: 0, length: 500_000 })).length, 500_000)
      assert.strictEqual((yield* reasonOf(node.blockGet(third)))._tag, "Damaged")
      assert.strictEqual((yield* reasonOf(node.blockStat(third)))._tag, "Damaged")
    })
  )
)

it.live("a block that was cut short or lost is an error, and adding the content again mends it", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      const cid = yield* addOne(node, "mend me")
      const file = blockFiles(dir)[0]!
      const whole = readFileSync(file)
      for (const [bytes, tag] of [
        [whole.subarray(1), "Damaged"],
        [new Uint8Array(0), "Damaged"],
        [undefined, "NotFound"]
      ] as const) {
        if (bytes === undefined) rmSync(file)
        else writeFileSync(file, bytes)
        assert.strictEqual((yield* reasonOf(bytesAt(node, cid)))._tag, tag)
        yield* addOne(node, "mend me")
        assert.isTrue(readFileSync(file).equals(whole))
        assert.strictEqual((yield* bytesAt(node, cid)).length, 7)
      }
    })
  )
)

it.live("a collection stops at a pinned DAG that is not whole, before it removes anything", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      yield* addOne(node, "garbage", { pin: false })
      const garbage = blockFiles(dir)[0]!
      const cid = yield* addOne(node, random("pinned", 600_000))
      const root = yield* node.blockGet(cid)
      const file = blockFiles(dir).find((file) => readFileSync(file).equals(root))!
      flipBit(file, 9)
      assert.strictEqual((yield* reasonOf(Stream.runDrain(node.gc)))._tag, "Damaged")
      assert.strictEqual(blockFiles(dir).length, 5)
      flipBit(file, 9)
      yield* Stream.runDrain(node.gc)
      assert.isFalse(blockFiles(dir).includes(garbage))
      assert.strictEqual(blockFiles(dir).length, 4)
    })
  )
)

it.live("a damaged list of pins is not an empty one: there is no node over it", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const dir = yield* folder
      const open = Effect.scoped(IpfsEmbedded.make({ folder: dir }))
      yield* Effect.scoped(Effect.flatMap(IpfsEmbedded.make({ folder: dir }), (node) => addOne(node, "pinned")))
      const file = path.join(dir, "pins.sqlite")
      const whole = readFileSync(file)
      writeFileSync(
        file,
        utf8("this is not a list of pins, and long enough to be taken for a file of its own ".repeat(20))
      )
      assert.strictEqual((yield* Effect.flip(open)).problem, "Damaged")
      writeFileSync(file, whole)
      yield* open
    })
  )
)

it.live("a folder that cannot be used is told by the system's code, not by its path", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const dir = yield* folder
      writeFileSync(path.join(dir, "file"), "")
      const error = yield* Effect.flip(Effect.scoped(IpfsEmbedded.make({ folder: path.join(dir, "file", "in") })))
      assert.strictEqual(error.message, "the folder cannot be used: ENOTDIR")

      // at the path where a block's file should be, there is a folder
      const node = yield* IpfsEmbedded.make({ folder: path.join(dir, "node") })
      const cid = yield* addOne(node, "x", { onlyHash: true })
      const { node: other, dir: otherDir } = yield* fresh
      yield* addOne(other, "x")
      const name = blockFiles(otherDir)[0]!.slice(path.join(otherDir, "blocks").length)
      mkdirSync(path.join(dir, "node", "blocks", name), { recursive: true })
      assert.strictEqual((yield* reasonOf(bytesAt(node, cid))).message, "reading a block: EISDIR")
      assert.strictEqual((yield* reasonOf(addOne(node, "x"))).message, "reading a block: EISDIR")
    })
  )
)
