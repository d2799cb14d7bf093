/**
 * Projects over the embedded node: the node that a project sees keeps each promise of the embedded node, and a crash
 * loses nothing.
 */
import { spawn } from "node:child_process"
import * as path from "node:path"

import { assert, it } from "@effect/vitest"
import { IpfsEmbedded } from "@plumbline/devnet"
import { ipfsDags } from "@plumbline/devnet/suites/IpfsDags"
import { ipfsPins } from "@plumbline/devnet/suites/IpfsPins"
import { Sqlite } from "@plumbline/gateway"
import { IpfsProjects } from "@plumbline/gateway-ipfs"
import type { IpfsNode } from "@plumbline/ipfs-client"
import { isWhole } from "@plumbline/seeded/Random"
import { Deferred, Effect, Layer, Logger, type Scope, Stream } from "effect"

import * as Upstream from "../../support/IpfsUpstream.ts"
import * as Places from "../../support/Places.ts"

const pinsOf = (node: IpfsNode.IpfsNodeCommands) =>
  Effect.map(Stream.runCollect(node.pinLs([], { type: "recursive" })), (pins) => pins.map(({ cid }) => String(cid)))

const project = (id: string) => ({ id })

const over = Effect.fnUntraced(function* (dir: string) {
  const behind = yield* IpfsEmbedded.make({ folder: path.join(dir, "ipfs") })
  const state = yield* Layer.build(Sqlite.layer({ file: path.join(dir, "state.sqlite") }))
  const projects = yield* IpfsProjects.make(behind, { name: "embedded", lease: 300 }).pipe(
    Effect.provideContext(state),
    // no logs: after a crash, the next start would log what the crash left behind
    Effect.provideService(Logger.CurrentLoggers, new Set())
  )
  // finishes the work that the killed process began
  yield* projects.reconcile
  return { behind, projects }
})

const fresh = Effect.gen(function* () {
  const dir = yield* Upstream.folder
  const { behind, projects } = yield* over(dir)
  return { node: projects.node(project("p1")), behind, dir: path.join(dir, "ipfs") }
})

ipfsDags(fresh)
ipfsPins(fresh)

it.live("over an upstream, projects share what it holds, and it lets go when the last one does", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const dir = yield* Upstream.folder
      const behind = yield* IpfsEmbedded.make({ folder: path.join(dir, "ipfs") })
      const operators = String((yield* behind.blockPut(Buffer.from("operator"), { pin: true })).cid)
      const upstream = yield* Upstream.kubo(behind)
      const state = yield* Layer.build(Sqlite.layer({ file: path.join(dir, "state.sqlite") }))
      const projects = yield* IpfsProjects.make(upstream, { name: "upstream", limits: { stored: 700_000 } }).pipe(
        Effect.provideContext(state)
      )
      const [a, b] = [projects.node(project("a")), projects.node(project("b"))]
      const added = yield* Stream.runCollect(a.add([{ path: "d/f", content: Buffer.alloc(300_000, "f") }]))
      const root = added.at(-1)
      const cid = String(root?._tag === "Added" && root.cid)
      yield* b.pinAdd(`${cid}/f`)
      yield* b.pinAdd(cid)
      yield* b.pinAdd(operators)
      assert.strictEqual((yield* projects.usage(project("a"))).stored, (yield* behind.stat(cid)).cumulativeSize)
      const { reason } = yield* Effect.flip(Stream.runDrain(a.add([{ content: Buffer.alloc(400_000, "g") }])))
      assert.strictEqual(reason._tag, "QuotaExceeded")
      yield* a.pinRm(cid)
      assert.strictEqual((yield* pinsOf(behind)).length, 3)
      yield* b.pinRm(cid)
      yield* b.pinRm(operators)
      assert.strictEqual((yield* pinsOf(behind)).length, 2)
      assert.include(yield* pinsOf(behind), operators)
      assert.deepStrictEqual(yield* projects.reconcile, { removed: 0, restored: 0, lost: 0 })
    })
  )
)

const fixture = path.join(Places.FIXTURES, "ipfs-projects.ts")

/** Returns the output of a process that is killed `after` milliseconds after it printed `lines` lines. */
const saidUntilKilled = (
  dir: string,
  round: number,
  lines: number,
  after: number
): Effect.Effect<ReadonlyArray<ReadonlyArray<string>>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const enough = yield* Deferred.make<void>()
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
      // The first line only says that the process is ready, so it does not count.
      if (said.split("\n").length - 2 >= lines) Deferred.doneUnsafe(enough, Effect.void)
    })
    child.once("close", () => Deferred.doneUnsafe(ended, Effect.void))
    yield* Effect.raceFirst(Deferred.await(enough), Deferred.await(ended))
    yield* Effect.sleep(after)
    assert.isTrue(child.kill("SIGKILL"), "it ended by itself")
    yield* Deferred.await(ended)
    return said
      .split("\n")
      .slice(1, -1)
      .map((line) => line.split(" "))
  })

it.live("whenever it is killed, each project has what it was told, and the node has no more than that", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const dir = yield* Upstream.folder
      const owed = new Map<string, ReadonlyArray<string>>()
      const sent = new Map<string, number>()
      const moments = [
        [0, 0],
        [1, 3],
        [2, 17],
        [6, 0],
        [12, 41]
      ] as const
      for (const [round, [lines, after]] of moments.slice(isWhole ? 0 : 3).entries()) {
        const said = yield* saidUntilKilled(dir, round, lines, after)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { behind, projects } = yield* over(dir)
            const all = new Set<string>()
            for (const id of ["a", "b"]) {
              const those = (word: string) =>
                said.flatMap(([what, who, cid]) => (what === word && who === id ? [cid!] : []))
              const removed = new Set(those("unpinned"))
              const perhaps = new Set(those("unpinning").filter((cid) => !removed.has(cid)))
              const due = [...(owed.get(id) ?? []), ...those("pinned")].filter((cid) => !removed.has(cid))
              const node = projects.node(project(id))
              const pins = yield* pinsOf(node)
              for (const cid of due)
                assert.isTrue(pins.includes(cid) || perhaps.has(cid), `${round} ${id}: ${cid} is lost`)
              for (const cid of removed) assert.isFalse(pins.includes(cid), `${round} ${id}: ${cid} is back`)
              // One more CID may be pinned, because the process may be killed between the pin and its report.
              assert.isAtMost(pins.filter((cid) => !due.includes(cid)).length, 1)
              for (const cid of pins) {
                all.add(cid)
                yield* Stream.runDrain(node.dagExport(cid))
              }
              owed.set(id, pins)

              const counted = said.reduce(
                (sum, [what, who, , size]) => sum + (what === "pinned" && who === id ? Number(size) : 0),
                sent.get(id) ?? 0
              )
              const { pins: count, stored, uploaded } = yield* projects.usage(project(id))
              assert.isAtLeast(uploaded, counted)
              assert.isAtMost(uploaded, counted + 40_000)
              sent.set(id, uploaded)
              assert.strictEqual(count, pins.length)
              const sizes = yield* Effect.forEach(pins, (cid) => node.stat(cid))
              assert.strictEqual(
                stored,
                sizes.reduce((sum, { cumulativeSize }) => sum + cumulativeSize, 0)
              )
            }
            assert.sameMembers(yield* pinsOf(behind), [...all])
            yield* Stream.runDrain(behind.gc)
            assert.deepStrictEqual(yield* projects.reconcile, { removed: 0, restored: 0, lost: 0 })
          })
        )
      }
      assert.isAtLeast(owed.get("a")!.length, 3)
    })
  )
)
