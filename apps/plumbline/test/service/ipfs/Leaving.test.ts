/**
 * Clients that disconnect at every point of an upload and of a download. Nothing stays pinned or in progress, and no
 * file or connection stays open.
 */
import { readdirSync } from "node:fs"
import * as net from "node:net"
import * as path from "node:path"

import { assert, it } from "@effect/vitest"
import { IpfsEmbedded } from "@plumbline/devnet"
import { Sqlite } from "@plumbline/gateway"
import { IpfsProjects } from "@plumbline/gateway-ipfs"
import { Block, Car } from "@plumbline/ipfs-client"
import { Effect, Layer, Option, Redacted, Result, Schedule, Stream } from "effect"

import * as Upstream from "../../support/IpfsUpstream.ts"

const BOUNDARY = "----leaving"

const part = (name: string, content: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`
    ),
    content,
    Buffer.from("\r\n")
  ])

const body = (...parts: ReadonlyArray<Buffer>): Buffer => Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])

/** Returns bytes in which no part repeats. */
const content = (length: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at + 4 <= length; at += 4) bytes.writeUInt32LE(Math.imul(at + seed * 7919, 2_654_435_761) >>> 0, at)
  return bytes
}

/** Sends `sends` bytes of a request, reads `takes` bytes of the answer, and disconnects. */
const leave = (port: number, request: Uint8Array, sends: number, takes: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    let left = takes
    const socket = net.connect(port, "127.0.0.1", () => {
      socket.write(request.subarray(0, sends), () => {
        if (takes === 0) socket.destroy()
      })
    })
    socket.on("data", (data) => {
      left -= data.length
      if (left <= 0) socket.destroy()
    })
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.void))
    return Effect.sync(() => socket.destroy())
  })

/** Sends `sends` bytes of a request, and disconnects when the answer contains `said`. */
const leaveAfter = (port: number, request: Uint8Array, sends: number, said: string): Effect.Effect<void> =>
  Effect.callback((resume) => {
    let text = ""
    const socket = net.connect(port, "127.0.0.1", () => socket.write(request.subarray(0, sends)))
    socket.on("data", (data) => {
      text += data.toString("latin1")
      if (text.includes(said)) socket.destroy()
    })
    socket.on("close", () => resume(Effect.void))
  })

/** Returns offsets in a request: around each line and each boundary, and some offsets between them. */
const points = (request: Buffer, first: number): ReadonlyArray<number> => {
  const found = new Set<number>()
  for (let at = first; at < request.length; at = request.indexOf(BOUNDARY, at + 1)) {
    if (at === -1) break
    for (const by of [-1, 0, 3, BOUNDARY.length + 1, BOUNDARY.length + 60, BOUNDARY.length + 130]) found.add(at + by)
  }
  for (let i = 1; i < 24; i++) found.add(first + Math.floor(((request.length - first) * i) / 24))
  for (let by = 1; by < 6; by++) found.add(request.length - by)
  return [...found].filter((at) => at > 0 && at < request.length)
}

const openFiles = (): ReadonlyArray<string> => readdirSync("/proc/self/fd")

it.live("whoever leaves, at whatever point, leaves nothing behind", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const dir = yield* Upstream.folder
      const behind = yield* IpfsEmbedded.make({ folder: path.join(dir, "ipfs") })
      const projects = yield* IpfsProjects.make(behind, { name: "embedded" }).pipe(
        Effect.provideContext(yield* Layer.build(Sqlite.layer({ file: ":memory:" })))
      )
      const { apiKey, apiKeySecret, url } = yield* Upstream.serve(() => projects.node({ id: "p1" }))
      const port = Number(new URL(url).port)
      const authorization = `Basic ${Buffer.from(`${Redacted.value(apiKey)}:${Redacted.value(apiKeySecret)}`).toString("base64")}`
      const requestOf = (command: string, sent: Uint8Array = Buffer.alloc(0)): Buffer =>
        Buffer.concat([
          Buffer.from(
            [
              `POST /api/v0/${command} HTTP/1.1`,
              "Host: localhost",
              `Authorization: ${authorization}`,
              `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
              `Content-Length: ${sent.length}`,
              "",
              ""
            ].join("\r\n")
          ),
          sent
        ])
      const mine = projects.node({ id: "p1" })

      const blocks = Array.from({ length: 30 }, (_, i) => {
        const bytes = content(20_000, 1000 + i)
        return { cid: Result.getOrThrow(Block.cidOf(Block.RAW, bytes)), bytes }
      })
      const roots = blocks.slice(0, 3).map(({ cid }) => cid)
      const car = Buffer.concat(yield* Stream.runCollect(Car.encode(roots, Stream.fromIterable(blocks))))
      const files = body(
        part("d/small", content(9, 1)),
        part("d/sub/large", content(600_000, 2)),
        part("alone", content(300_000, 3)),
        part("last", content(5, 4))
      )
      const uploads = [
        requestOf("add?progress=true", files),
        requestOf("add?wrap-with-directory=true&pin=true", files),
        requestOf("dag/import", body(part("car", car))),
        requestOf("block/put?pin=true", body(part("block", content(100_000, 5)))),
        requestOf("dag/put?pin=true", body(part("node", Buffer.from(JSON.stringify({ text: "x".repeat(50_000) })))))
      ]
      /**
       * True if nothing is pinned, and no block is left after a collection. A collection keeps the blocks of work in
       * progress.
       */
      const isClean = Effect.gen(function* () {
        yield* Stream.runDrain(behind.gc)
        const { blocks, directPins = 0, recursivePins = 0 } = yield* behind.repoStat
        return blocks + directPins + recursivePins === 0
      })
      const until = (isSo: Effect.Effect<boolean>, what: string) =>
        Effect.repeat(isSo, { schedule: Schedule.spaced("10 millis"), until: (so) => so }).pipe(
          Effect.timeoutOption("60 seconds"),
          Effect.map((so) => assert.isTrue(Option.isSome(so), what))
        )

      yield* leave(port, uploads[3]!, 10, 0)
      const before = openFiles().length
      for (const request of uploads) {
        const first = request.indexOf("\r\n\r\n") + 4
        const where = [first - 20, ...points(request, first)]
        yield* Effect.forEach(where, (at) => leave(port, request, at, 0), { concurrency: 4 })
        // the client also disconnects after it has received a part of the answer
        yield* Effect.forEach(where.slice(-8), (at) => leave(port, request, at, 1), { concurrency: 8 }).pipe(
          Effect.timeoutOption("150 millis")
        )
        yield* until(Effect.orDie(isClean), `something is left behind by ${request.toString("latin1", 5, 30)}`)
      }
      // the answer already names the third file, so that file was pinned; the last file is never sent completely
      yield* leaveAfter(port, uploads[0]!, uploads[0]!.length - 20, '"Name":"alone","Hash"')
      yield* until(Effect.orDie(isClean), "a file that was said is left behind")
      assert.deepStrictEqual(yield* Stream.runCollect(mine.pinLs([])), [])

      // Downloads do not change the stored content.
      const added = yield* Stream.runCollect(behind.add([{ path: "d/f", content: content(3_000_000, 6) }]))
      const root = added.at(-1)
      assert(root?._tag === "Added")
      const cid = String(root.cid)
      const held = yield* behind.repoStat
      for (const command of [
        `cat?arg=${cid}/f`,
        `get?arg=${cid}`,
        `get?arg=${cid}&archive=true&compress=true`,
        `dag/export?arg=${cid}`,
        `ls?arg=${cid}&stream=true`,
        `pin/ls?stream=true`,
        `pin/add?arg=${cid}`
      ]) {
        const request = requestOf(command)
        for (const takes of [0, 1, 400, 5000, 200_000, 1_500_000]) {
          yield* Effect.timeoutOption(leave(port, request, request.length, takes), "50 millis")
        }
      }
      yield* until(
        Effect.sync(() => openFiles().length <= before),
        "files or connections are open"
      )
      yield* Effect.ignore(mine.pinRm(cid))
      assert.deepStrictEqual(yield* behind.repoStat, held)
    })
  )
)
