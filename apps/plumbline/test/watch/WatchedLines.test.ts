/** The file of a watch's cursor: kills at every point, files of other watches, and damaged ones. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, expect, it } from "@effect/vitest"
import { type ChainWatch, LogWatch } from "@plumbline/eth-methods"
import { Console, Effect, Layer, Option } from "effect"
import { TerminalCapabilities } from "effect/cli"

import * as CursorFile from "../../src/watch/CursorFile.ts"
import * as WatchedLines from "../../src/watch/WatchedLines.ts"
import * as Children from "../support/Children.ts"

const subject = CursorFile.subjectOf(1n)

/** The place behind the line with this number. */
const placeOf = (at: number): ChainWatch.Cursor => ({
  from: 0,
  parent: null,
  blocks: [{ number: at, hash: `0x${at.toString(16).padStart(64, "0")}`, told: 1, whole: true }]
})

const lineOf = (at: number) => ({ verdict: "VERIFIED", head: { number: `0x${at.toString(16)}` } })

class Killed extends Error {}

/** Runs a watch of 5 lines until it is killed: at a write of the file or at a line, counted together. */
const run = async (file: string, heard: Array<string>, killAt: number) => {
  let steps = 0
  const step = () => {
    if (steps++ === killAt) throw new Killed()
  }
  const caught: Console.Console = Object.assign(Object.create(console), {
    log: (line: string) => {
      step()
      heard.push(line)
      // killed after the line, before the place is settled
      step()
    }
  })
  const program = Effect.gen(function* () {
    const lines = yield* WatchedLines.open({ cursor: Option.some(file), json: true }, subject)
    const begun = yield* lines.begin(Effect.succeed(LogWatch.start(0n)))
    const told = begun.blocks.at(-1)?.number ?? 0
    for (let at = told + 1; at <= 5; at++) {
      step()
      yield* lines.tell(placeOf(at), lineOf(at))
      step()
      if (at % 2 === 0) yield* lines.settle
    }
    yield* lines.settle
  })
  const layer = Layer.mergeAll(
    NodeServices.layer,
    Layer.succeed(Console.Console, caught),
    Layer.succeed(TerminalCapabilities.TerminalCapabilities, { canColor: false, canAnimate: false, canPrompt: false })
  )
  const exit = await Effect.runPromiseExit(Effect.provide(Effect.scoped(program), layer))
  if (exit._tag === "Failure" && killAt === Infinity) throw new Error(String(exit.cause))
  return exit._tag === "Success"
}

describe("the lines of a watch", () => {
  it("come once, and only the first one after a kill again, the same, wherever the kills are", async () => {
    await using folder = await Children.folder()
    let doubles = 0
    for (let first = 0; first < 24; first++) {
      for (const second of [1, 2, Infinity]) {
        const file = path.join(folder.path, `${first}-${second}.json`)
        const runs: Array<Array<string>> = []
        for (const killAt of [first, second, Infinity]) {
          const heard: Array<string> = []
          runs.push(heard)
          await run(file, heard, killAt)
        }
        let last = ""
        const kept: Array<string> = []
        for (const heard of runs) {
          for (const [at, line] of heard.entries()) {
            if (line === last) {
              assert.strictEqual(at, 0)
              doubles++
            } else kept.push(line)
            last = line
          }
        }
        const wanted = [1, 2, 3, 4, 5].map((at) =>
          JSON.stringify({ ...lineOf(at), cursor: { ...subject, place: placeOf(at) } })
        )
        expect(kept, `${first} ${second}`).toEqual(wanted)
        expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ ...subject, place: placeOf(5) })
      }
    }
    expect(doubles).toBeGreaterThan(20)
  })
})

describe("the file of a cursor", () => {
  const read = (file: string, of = subject) =>
    Effect.runPromise(Effect.provide(Effect.result(CursorFile.read(file, of)), NodeServices.layer))

  it("is of one chain and one filter, in whatever order and case the filter is given", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "cursor.json")
    expect((await read(file))._tag).toBe("Success")
    const [a, b] = ["0xAb", "0xcd"].map((start) => start.padEnd(42, "0") as `0x${string}`)
    const [t, u] = ["0x1F", "0x2e"].map((start) => start.padEnd(66, "0") as `0x${string}`)
    const own = CursorFile.subjectOf(1n, { address: [a!, b!], topics: [[t!, u!], null] })
    writeFileSync(file, JSON.stringify({ ...own, place: LogWatch.start(3n) }))
    const lower = (hex: `0x${string}`) => hex.toLowerCase() as `0x${string}`
    const same = CursorFile.subjectOf(1n, {
      address: [b!, lower(a!)],
      topics: [[u!, lower(t!)], null]
    })
    expect(await read(file, same)).toMatchObject({ success: { place: { from: 3 } } })
    const others = [
      subject,
      CursorFile.subjectOf(2n, { address: [a!, b!], topics: [[t!, u!], null] }),
      CursorFile.subjectOf(1n, { address: [a!], topics: [[t!, u!], null] }),
      CursorFile.subjectOf(1n, { address: [a!, b!], topics: [null, [t!, u!]] }),
      CursorFile.subjectOf(1n, {})
    ]
    for (const other of others) expect(await read(file, other)).toMatchObject({ failure: { _tag: "UsageError" } })
  })

  it("is refused if it is damaged, and left as it is", async () => {
    await using folder = await Children.folder()
    const good = { ...subject, place: placeOf(4) }
    const bad = [
      "",
      "{",
      "null",
      "[]",
      JSON.stringify(good).slice(0, -1),
      JSON.stringify({ ...good, place: { ...good.place, from: -1 } }),
      JSON.stringify({ ...good, place: { ...good.place, from: 9 } }),
      JSON.stringify({ ...good, line: "VERIFIED" }),
      JSON.stringify({ place: good.place })
    ]
    for (const [at, content] of bad.entries()) {
      const file = path.join(folder.path, `${at}.json`)
      writeFileSync(file, content)
      expect(await read(file), content).toMatchObject({ failure: { _tag: "DataError", problem: "Damaged" } })
      expect(readFileSync(file, "utf8")).toBe(content)
    }
    expect(await read(folder.path)).toMatchObject({ failure: { _tag: "DataError" } })
  })

  it("has one holder at a time, and no lock beside a file that is no cursor", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "cursor.json")
    const hold = CursorFile.hold(file)
    const twice = Effect.scoped(Effect.andThen(hold, Effect.result(Effect.scoped(hold))))
    for (let times = 2; times > 0; times--) {
      const second = await Effect.runPromise(Effect.provide(twice, NodeServices.layer))
      expect(second).toMatchObject({ failure: { _tag: "CursorInUseError", path: file } })
    }
    writeFileSync(`${file}.lock`, "something else")
    const own = await Effect.runPromise(Effect.provide(Effect.result(Effect.scoped(hold)), NodeServices.layer))
    expect(own).toMatchObject({ failure: { _tag: "DataError", problem: "Damaged", path: `${file}.lock` } })
    expect(readFileSync(`${file}.lock`, "utf8")).toBe("something else")
    const other = path.join(folder.path, "notes.json")
    writeFileSync(other, "{}")
    await expect(run(other, [], Infinity)).rejects.toThrow("no cursor")
    expect(existsSync(`${other}.lock`)).toBe(false)
  })

  it("names its holder, but no process that has ended, while a new holder has not written its id", async () => {
    await using folder = await Children.folder()
    const file = path.join(folder.path, "cursor.json")
    const refused = () =>
      Effect.runPromise(Effect.provide(Effect.flip(Effect.scoped(CursorFile.hold(file))), NodeServices.layer))
    for (const [before, by] of [
      [99_999_999, "(another process)"],
      [process.ppid, `(process ${process.ppid})`]
    ] as const) {
      using holder = new DatabaseSync(`${file}.lock`)
      holder.exec(`PRAGMA user_version = ${before}`)
      holder.exec("BEGIN IMMEDIATE")
      const { _tag, message } = await refused()
      expect([_tag, message]).toEqual(["CursorInUseError", expect.stringContaining(by)])
    }
  })

  it("is written where a symlink leads", async () => {
    await using folder = await Children.folder()
    const [target, link] = ["target.json", "link.json"].map((name) => path.join(folder.path, name))
    writeFileSync(target!, JSON.stringify({ ...subject, place: placeOf(2) }))
    symlinkSync(target!, link!)
    expect(await run(link!, [], Infinity)).toBe(true)
    expect(JSON.parse(readFileSync(target!, "utf8")).place).toEqual(placeOf(5))
  })
})
