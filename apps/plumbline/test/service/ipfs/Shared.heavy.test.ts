/** Two processes share one Postgres and one node. One process is killed, and the other continues. */
import { spawn } from "node:child_process"
import * as path from "node:path"

import { assert, it } from "@effect/vitest"
import { IpfsEmbedded } from "@plumbline/devnet"
import { Postgres } from "@plumbline/gateway"
import { IpfsProjects } from "@plumbline/gateway-ipfs"
import type { IpfsNode } from "@plumbline/ipfs-client"
import { Effect, Layer, Logger, Redacted, Stream } from "effect"

import * as Databases from "../../support/Databases.ts"
import * as Upstream from "../../support/IpfsUpstream.ts"
import * as Places from "../../support/Places.ts"

const fixture = path.join(Places.FIXTURES, "ipfs-shared.ts")

const pinsOf = (node: IpfsNode.IpfsNodeCommands) =>
  Effect.map(Stream.runCollect(node.pinLs([], { type: "recursive" })), (pins) => pins.map(({ cid }) => String(cid)))

/** Starts a process that prints each of its steps, until it is killed. */
const start = (args: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [fixture, ...args], { stdio: ["ignore", "pipe", "inherit"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      let text = ""
      child.stdout.on("data", (data) => (text += String(data)))
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
      const lines = () => text.split("\n").slice(0, -1)
      return {
        lines,
        said: (count: number) =>
          Effect.repeat(
            Effect.delay(
              Effect.sync(() => assert.isNull(child.exitCode, "it ended by itself")),
              "2 millis"
            ),
            { until: () => lines().length >= count }
          ),
        kill: Effect.suspend(() => {
          child.kill("SIGKILL")
          return Effect.promise(() => ended)
        })
      }
    }
  )

/** Returns the CIDs that must be pinned, and the CIDs that may be pinned, according to the printed lines. */
const owedOf = (lines: ReadonlyArray<string>) => {
  const owed = new Set<string>()
  let unsure = ""
  for (const [what, cid] of lines.map((line) => line.split(" "))) {
    if (what === "pinned") owed.add(cid!)
    if (what === "unpinning") unsure = cid!
    if (what === "unpinned") {
      owed.delete(cid!)
      unsure = ""
    }
  }
  return { owed, unsure }
}

it.live.skipIf(Databases.skipped)(
  "of two processes one is killed, and the other goes on: each project has what it was told, and the node no more",
  () =>
    Effect.scoped(
      Effect.gen(function* () {
        const dir = yield* Upstream.folder
        const servers = yield* Effect.acquireRelease(
          Effect.promise(() => Databases.start()),
          (servers) => Effect.promise(() => servers[Symbol.asyncDispose]())
        )
        const behind = yield* IpfsEmbedded.make({ folder: path.join(dir, "ipfs") })
        const { apiKey, apiKeySecret, url } = yield* Upstream.serve(() => behind)
        const state = yield* Layer.build(Postgres.layer({ url: Redacted.make(servers.postgres) }))
        const moments = [
          [3, 0],
          [9, 7]
        ] as const
        for (const [round, [lines, after]] of moments.entries()) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const where = [servers.postgres, url, Redacted.value(apiKey), Redacted.value(apiKeySecret)]
              const [a, b] = yield* Effect.all(
                ["a", "b"].map((id) => start([...where, `${id}${round}`, String(round)]))
              )
              yield* Effect.all([a!.said(lines), b!.said(2)])
              yield* Effect.sleep(after)
              yield* a!.kill
              yield* Stream.runDrain(behind.gc)
              // The other process continues with the state that it shared with the killed one.
              yield* b!.said(b!.lines().length + 30)
              yield* b!.kill
              const projects = yield* IpfsProjects.make(behind, { name: "shared", lease: 1000 }).pipe(
                Effect.provideContext(state),
                Effect.provideService(Logger.CurrentLoggers, new Set())
              )
              yield* projects.reconcile
              yield* Stream.runDrain(behind.gc)
              const all = new Set<string>()
              for (const [id, process] of [
                ["a", a!],
                ["b", b!]
              ] as const) {
                const { owed, unsure } = owedOf(process.lines())
                const node = projects.node({ id: `${id}${round}` })
                const pins = yield* pinsOf(node)
                for (const cid of pins) {
                  all.add(cid)
                  yield* Stream.runDrain(node.dagExport(cid))
                }
                for (const cid of owed) assert.isTrue(pins.includes(cid) || cid === unsure, `${round} ${id}: lost`)
                // One more CID may be pinned, because the process may be killed between the pin and its report.
                assert.isAtMost(pins.filter((cid) => !owed.has(cid)).length, 1)
                for (const cid of pins) yield* node.pinRm(cid)
              }
              assert.isAtLeast(all.size, 1)
              assert.deepStrictEqual(yield* pinsOf(behind), [])
            })
          )
        }
      })
    )
)
