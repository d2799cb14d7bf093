/** Kills a process with a node at many moments, and opens the node's folder again. */
import { spawn } from "node:child_process"
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

import { assert, it } from "@effect/vitest"
import type { IpfsNode } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Deferred, Effect, Result, type Scope, Stream } from "effect"

import { IpfsEmbedded } from "../../src/index.ts"
import { addAll, addOne, blockFiles, bytesAt, fresh, random, utf8 } from "../support/ipfs.ts"
import { folder } from "../support/shared.ts"

const fixture = fileURLToPath(new URL("../support/ipfs-adder.ts", import.meta.url))

/** Returns the output of a process that is killed some milliseconds after it is ready. */
const saidUntilKilled = (
  dir: string,
  round: number,
  after: number
): Effect.Effect<ReadonlyArray<string>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const ready = yield* Deferred.make<void>()
    const ended = yield* Deferred.make<void>()
    let said = ""
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [fixture, dir, String(round)], { stdio: ["ignore", "pipe", "inherit"] })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    child.stdout.on("data", (data) => {
      said += String(data)
      if (said.startsWith("ready\n")) Deferred.doneUnsafe(ready, Effect.void)
    })
    child.once("close", () => Deferred.doneUnsafe(ended, Effect.void))
    yield* Effect.raceFirst(Deferred.await(ready), Deferred.await(ended))
    const second = yield* Effect.result(Effect.scoped(IpfsEmbedded.make({ folder: dir })))
    assert.strictEqual(Result.isFailure(second) && second.failure.problem, "InUse")
    yield* Effect.sleep(after)
    assert.isTrue(child.kill("SIGKILL"), "it ended by itself")
    yield* Deferred.await(ended)
    return said.split("\n").slice(1, -1)
  })

const MOST_ROUNDS = 60

it.live("small files that were added together are there after their files were lost with the power", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { dir, node } = yield* fresh
      const contents = Array.from({ length: 300 }, (_, i) => utf8(`small file ${i}`))
      const entries = contents.map((content, i) => ({ path: `f${i}`, content }))
      const added = yield* addAll(node, entries)
      assert.lengthOf(added, 300)
      const kept = String((yield* node.blockPut(utf8("kept"), { pin: true })).cid)
      // A copy of the disk on which only the database is intact. Of the files that were not flushed, one is empty and
      // the others are missing.
      const lost = yield* folder
      mkdirSync(path.join(lost, "blocks"))
      for (const name of readdirSync(dir).filter((name) => name.startsWith("pins.sqlite"))) {
        copyFileSync(path.join(dir, name), path.join(lost, name))
      }
      const torn = blockFiles(dir)[0]!.slice(dir.length)
      mkdirSync(path.join(lost, path.dirname(torn)))
      writeFileSync(path.join(lost, torn), "")

      const after = yield* Effect.scoped(
        Effect.gen(function* () {
          const node = yield* IpfsEmbedded.make({ folder: lost })
          assert.strictEqual((yield* pinsOf(node)).length, 301)
          for (const [i, { cid }] of added.entries()) {
            assert.deepStrictEqual(yield* bytesAt(node, String(cid)), Buffer.from(contents[i]!))
          }
          assert.deepStrictEqual(yield* node.blockGet(kept), Buffer.from("kept"))
          yield* node.pinRm(kept)
          yield* Stream.runDrain(node.gc)
          return blockFiles(lost).length
        })
      )
      assert.strictEqual(after, 300)
      // opening the folder again must not restore a collected block
      yield* Effect.scoped(IpfsEmbedded.make({ folder: lost }))
      assert.strictEqual(blockFiles(lost).length, 300)
    })
  )
)

const pinsOf = (node: IpfsNode.IpfsNodeCommands) =>
  Effect.map(Stream.runCollect(node.pinLs([], { type: "recursive" })), (pins) => pins.map(({ cid }) => String(cid)))

it.live("whenever it is killed, what it said is there, whole, and nothing half done can be seen", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const dir = yield* folder
      let owed: ReadonlyArray<string> = []
      let rubbish = 0
      const moments = Random.isWhole ? [0, 3, 11, 24, 40, 75, 130, 260] : [0, 24, 130]
      // Then the process is killed at other moments, until one of them is in the middle of an add.
      for (let round = 0; round < moments.length || (rubbish === 0 && round < MOST_ROUNDS); round++) {
        const after = moments[round] ?? (round * 7) % 61
        const said = (yield* saidUntilKilled(dir, round, after)).map((line) => line.split(" "))
        const those = (word: string) => said.flatMap(([what, cid]) => (what === word ? [cid!] : []))
        const removed = new Set(those("removed"))
        const perhaps = new Set(those("removing").filter((cid) => !removed.has(cid)))
        owed = [...owed, ...those("added")].filter((cid) => !removed.has(cid))

        rubbish += yield* Effect.scoped(
          Effect.gen(function* () {
            const node = yield* IpfsEmbedded.make({ folder: dir })
            const pins = yield* pinsOf(node)
            for (const cid of owed) assert.isTrue(pins.includes(cid) || perhaps.has(cid), `${cid} is lost`)
            for (const cid of removed) assert.isFalse(pins.includes(cid), `${cid} is back`)
            // the process may have pinned one more CID before it could report it
            const unsaid = pins.filter((cid) => !owed.includes(cid))
            assert.isAtMost(unsaid.length, 1)
            assert.deepStrictEqual(readdirSync(path.join(dir, "temporary")), [])
            for (const cid of pins) {
              for (const file of [0, 1, 2, 3]) {
                assert.strictEqual((yield* bytesAt(node, `${cid}/${file}`)).length, file * 300_000)
              }
              for (const small of [0, 9, 19]) {
                assert.strictEqual((yield* bytesAt(node, `${cid}/small/${small}`)).length, 4000)
              }
            }
            const collected = yield* Stream.runCollect(node.gc)
            // every remaining file is a whole block that a pin reaches
            const reached = yield* Stream.runCollect(node.pinLs([]))
            const names = new Set(reached.map(({ cid }) => Buffer.from(cid.multihash.bytes).toString("hex")))
            assert.strictEqual(blockFiles(dir).length, names.size)
            for (const { cid } of reached) yield* node.blockGet(String(cid))
            owed = pins
            return collected.length
          })
        )
      }
      assert.isAtLeast(rubbish, 1, "it was never killed in the middle of an add")
      const node = yield* IpfsEmbedded.make({ folder: dir })
      assert.strictEqual((yield* bytesAt(node, yield* addOne(node, random("after all", 500_000)))).length, 500_000)
    })
  )
)
