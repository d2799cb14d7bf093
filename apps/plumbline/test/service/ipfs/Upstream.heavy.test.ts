/**
 * Runs the embedded node's own tests on a node that `IpfsKubo` reads through the service's own routes. This node must
 * keep each promise of the embedded node.
 */
import { assert, it } from "@effect/vitest"
import { IpfsEmbedded } from "@plumbline/devnet"
import { ipfsContent } from "@plumbline/devnet/suites/IpfsContent"
import { ipfsDags } from "@plumbline/devnet/suites/IpfsDags"
import { ipfsPins } from "@plumbline/devnet/suites/IpfsPins"
import { Effect, Fiber, Schedule, Stream } from "effect"

import * as Upstream from "../../support/IpfsUpstream.ts"

const fresh = Effect.gen(function* () {
  const dir = yield* Upstream.folder
  const behind = yield* IpfsEmbedded.make({ folder: dir })
  return { node: yield* Upstream.kubo(behind), behind, dir }
})

ipfsContent(fresh)
ipfsDags(fresh)
ipfsPins(fresh)

it.live("an add that is cancelled ends the upload, and the upstream keeps no pin and nothing under way", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { behind, node } = yield* fresh
      let closed = 0
      const endless = Stream.concat(Stream.make(Buffer.alloc(1_000_000)), Stream.never).pipe(
        Stream.ensuring(Effect.sync(() => closed++))
      )
      const fiber = yield* Effect.forkChild(Stream.runDrain(node.add([{ path: "d/f", content: endless }])))
      const blocks = Effect.map(behind.repoStat, ({ blocks }) => blocks)
      const until = (isSo: (blocks: number) => boolean) =>
        Effect.repeat(blocks, { schedule: Schedule.spaced("5 millis"), until: isSo })
      yield* until((count) => count > 0)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(closed, 1)
      // A collection keeps the blocks of work in progress, so the test repeats the collection until no block is left.
      yield* Effect.repeat(Effect.andThen(Stream.runDrain(behind.gc), blocks), {
        schedule: Schedule.spaced("5 millis"),
        until: (count) => count === 0
      })
      assert.deepStrictEqual(yield* Stream.runCollect(node.pinLs([])), [])
    })
  )
)

it.live("a CAR that breaks off says why to who reads trailers, and is a failure to all others", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const behind = yield* IpfsEmbedded.make({ folder: yield* Upstream.folder })
      const block = Buffer.from("0a110802120b68656c6c6f20776f726c64180b", "hex")
      const { cid } = yield* behind.blockPut(block, { format: "v0" })
      // A directory with two entries. The node has the block of the first entry, but not of the second.
      const links = [String(cid), "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"].map((hash, i) => ({
        Hash: { "/": hash },
        Name: `${i}`,
        Tsize: 19
      }))
      const data = Buffer.from(JSON.stringify({ Data: { "/": { bytes: "CAE" } }, Links: links }))
      const root = String(yield* behind.dagPut(data, { storeCodec: "dag-pb" }))
      for (const [headers, tag] of [
        [{ te: "trailers" }, "NotFound"],
        [{}, "Failed"]
      ] as const) {
        const node = yield* Upstream.kubo(behind, headers)
        const { reason } = yield* Effect.flip(Stream.runDrain(node.dagExport(root)))
        assert.strictEqual(reason._tag, tag)
      }
    })
  )
)
