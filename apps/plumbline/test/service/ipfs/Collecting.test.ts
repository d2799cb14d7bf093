/**
 * Projects that pin and unpin the same content at the same time, during collections. Content that a project has pinned
 * stays.
 */
import * as path from "node:path"

import { assert, it } from "@effect/vitest"
import { IpfsEmbedded } from "@plumbline/devnet"
import { Sqlite } from "@plumbline/gateway"
import { IpfsProjects } from "@plumbline/gateway-ipfs"
import { Cid, type IpfsNode } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Fiber, Layer, Stream } from "effect"

import * as Upstream from "../../support/IpfsUpstream.ts"

const pinsOf = (node: IpfsNode.IpfsNodeCommands) =>
  Effect.map(Stream.runCollect(node.pinLs([], { type: "recursive" })), (pins) => pins.map(({ cid }) => String(cid)))

it.live(
  "whatever two projects pin and unpin beside collections, the node has all that they have, and in the end no more",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const dir = yield* Upstream.folder
        const behind = yield* IpfsEmbedded.make({ folder: path.join(dir, "ipfs") })
        const projects = yield* IpfsProjects.make(behind, { name: "embedded" }).pipe(
          Effect.provideContext(yield* Layer.build(Sqlite.layer({ file: ":memory:" })))
        )
        const nodes = ["a", "b"].map((id) => projects.node({ id }))
        // the first two directories share the chunks of a file
        const small = Buffer.alloc(300_000, "small")
        const entries: ReadonlyArray<ReadonlyArray<IpfsNode.AddEntry>> = [
          [{ path: "d/one", content: small }],
          [
            { path: "d/one", content: small },
            { path: "d/two", content: Buffer.from("two") }
          ],
          [{ path: "alone", content: Buffer.from("alone") }]
        ]
        const roots = yield* Effect.forEach(entries, (files) =>
          Effect.map(Stream.runCollect(behind.add(files, { onlyHash: true })), (out) => {
            const last = out.at(-1)
            assert(last?._tag === "Added")
            return Cid.toText(last.cid)
          })
        )
        const collecting = yield* Effect.forkChild(
          Effect.forever(Effect.andThen(Stream.runDrain(behind.gc), Effect.sleep("1 millis")))
        )
        const worker = (node: IpfsNode.IpfsNodeCommands, seed: number) =>
          Effect.gen(function* () {
            const random = Random.make(seed)
            for (let step = 0; step < 6; step++) {
              const which = Math.floor(random() * entries.length)
              const cid = roots[which]!
              const kind = random()
              if (kind < 0.5) yield* Stream.runDrain(node.add(entries[which]!))
              // the content or the pin may be missing already; both errors are valid
              else if (kind < 0.6) yield* Effect.exit(node.pinAdd(cid))
              else yield* Effect.exit(node.pinRm(cid))
            }
          })
        let owned: ReadonlyArray<ReadonlyArray<string>> = []
        for (let round = 0; round < 10; round++) {
          yield* Effect.all(
            nodes.flatMap((node, i) => [worker(node, 10 * round + i), worker(node, 10 * round + 5 + i)]),
            { concurrency: "unbounded" }
          )
          owned = yield* Effect.forEach(nodes, pinsOf)
          for (const [i, pins] of owned.entries()) {
            for (const cid of pins) yield* Stream.runDrain(nodes[i]!.dagExport(cid))
          }
          assert.sameMembers(yield* pinsOf(behind), [...new Set(owned.flat())])
        }
        yield* Fiber.interrupt(collecting)
        for (const [i, pins] of owned.entries()) for (const cid of pins) yield* nodes[i]!.pinRm(cid)
        yield* Stream.runDrain(behind.gc)
        const { blocks, recursivePins } = yield* behind.repoStat
        assert.deepStrictEqual([blocks, recursivePins], [0, 0])
      })
    )
)
