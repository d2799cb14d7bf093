/** The journal of small blocks is emptied in slices, between which other work of the process runs. */
import { mkdtempSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"

import { assert, describe, it } from "@effect/vitest"
import { vi } from "vitest"

import * as BlockFiles from "../../src/ipfs/blockFiles.ts"
import * as BlockJournal from "../../src/ipfs/blockJournal.ts"
import * as SmallBlocks from "../../src/ipfs/smallBlocks.ts"

const keyOf = (index: number): string => `BLOCK${String(index).padStart(6, "0")}`
const bytesOf = (index: number): Uint8Array => Uint8Array.of(index & 255, index >> 8)

/** Makes a store in a folder of its own. `removed` gets the number of keys of each transaction that removes some. */
const open = (onTestFinished: (work: () => void) => void) => {
  const folder = mkdtempSync(path.join(tmpdir(), "plumbline-journal-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(path.join(folder, "blocks"))
  mkdirSync(path.join(folder, "temporary"))
  const database = new DatabaseSync(":memory:")
  onTestFinished(() => database.close())
  database.exec(BlockJournal.TABLE)
  const journal = BlockJournal.make(database, (work) => work())
  const removed: Array<number> = []
  const files = BlockFiles.make(path.join(folder, "blocks"), path.join(folder, "temporary"))
  const small = SmallBlocks.make({
    atOnce: (work) => work(),
    files,
    isSound: (key, bytes) => key === keyOf(bytes[0]! | (bytes[1]! << 8)),
    journal: {
      ...journal,
      remove: (keys) => {
        removed.push(keys.length)
        journal.remove(keys)
      }
    }
  })
  const count = (): number => Number(database.prepare("SELECT count(*) AS count FROM journal").get()!["count"])
  return { small, files, removed, count, journal, folder }
}

/** Stages and commits blocks, as the store does: a commit follows as soon as enough are staged. */
const put = async (small: SmallBlocks.SmallBlocks, from: number, to: number): Promise<void> => {
  for (let index = from; index < to; index++) {
    small.stage(keyOf(index), bytesOf(index))
    if (small.isFull()) await small.commit(() => undefined)
  }
  await small.commit(() => undefined)
}

describe("a checkpoint", () => {
  it("takes the blocks out of the journal in slices of a commit, and other work runs between them", async ({
    onTestFinished
  }) => {
    const { count, files, removed, small } = open(onTestFinished)
    await put(small, 0, 300)
    assert.strictEqual(count(), 300)
    let turns = 0
    const turning = setInterval(() => undefined, 1)
    onTestFinished(() => clearInterval(turning))
    /** The turns of the event loop that had passed at each slice. */
    const seen: Array<number> = []
    const push = vi.spyOn(removed, "push").mockImplementation((length) => {
      seen.push(turns)
      return Array.prototype.push.call(removed, length)
    })
    onTestFinished(() => push.mockRestore())
    let isOver = false
    const turn = (): void => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    await small.checkpoint()
    isOver = true
    assert.deepStrictEqual([...removed], [128, 128, 44])
    assert.strictEqual(count(), 0)
    assert.isAbove(seen[1]!, seen[0]!)
    assert.isAbove(seen[2]!, seen[1]!)
    // the files stay
    for (const index of [0, 127, 128, 299]) {
      assert.include(readdirSync(path.dirname(files.fileOf(keyOf(index)))), path.basename(files.fileOf(keyOf(index))))
    }
    await small.checkpoint()
    assert.lengthOf(removed, 3)
  })

  it("leaves what was put into the journal again, or was forgotten, while it ran", async ({ onTestFinished }) => {
    const { count, files, journal, removed, small } = open(onTestFinished)
    await put(small, 0, 300)
    /** Changes blocks of the second and of the last slice after the first slice. */
    const between = new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (removed.length === 0) return void setImmediate(look)
        try {
          small.forget(keyOf(299))
          rmSync(files.fileOf(keyOf(298)))
          small.stage(keyOf(298), bytesOf(298))
          small.commit(() => undefined).then(resolve, reject)
        } catch (error) {
          reject(error)
        }
      }
      setImmediate(look)
    })
    await Promise.all([small.checkpoint(), between])
    // the block that was written again has a file that no flush has seen, so the journal keeps it
    assert.strictEqual(count(), 1)
    assert.deepStrictEqual(
      journal.page("").map(({ key }) => key),
      [keyOf(298)]
    )
    await small.checkpoint()
    assert.strictEqual(count(), 0)
  })
})
