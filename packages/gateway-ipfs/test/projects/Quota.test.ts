/** Quotas of projects: they are exact, count per day, and survive a crash. */
import { assert, describe, it } from "@effect/vitest"
import { IpfsProjects } from "@plumbline/gateway-ipfs"
import * as Databases from "@plumbline/gateway/support/databases"
import { Block, Car, Cid, type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { Effect, Exit, Result, Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import * as Memory from "../support/ipfsMemoryNode.ts"
import { connect, imageOf, open, over, project, restore, utf8 } from "../support/ipfsProjects.ts"

/** Returns the exceeded quota with its usage and its limit. */
const exceeded = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) =>
    error instanceof IpfsNodeError.IpfsNodeError && error.reason._tag === "QuotaExceeded"
      ? [error.reason.quota, error.reason.used, error.reason.limit]
      : [String(error)]
  )

const bytes = (length: number, fill = 0): Uint8Array => new Uint8Array(length).fill(fill)

const pinned = (node: IpfsNode.IpfsNodeCommands) =>
  Effect.map(Stream.runCollect(node.pinLs([], { type: "recursive" })), (pins) => pins.map(({ cid }) => String(cid)))

const day = (text: string) => TestClock.setTime(Date.parse(`${text}Z`))

describe.each(Databases.kinds)("quotas in $name", (kind) => {
  const test = it.effect.skipIf(kind.skipped)

  test("what is stored may be as much as the limit, and not one byte more", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh, { limits: { stored: 100 } })
        const a = projects.node(project("a"))
        const put = (node: IpfsNode.IpfsNodeCommands, length: number, fill: number) =>
          Effect.map(node.blockPut(bytes(length, fill), { pin: true }), ({ cid }) => String(cid))
        const first = yield* put(a, 60, 1)
        assert.deepStrictEqual(yield* exceeded(put(a, 41, 2)), ["stored", 60, 100])
        const second = yield* put(a, 40, 3)
        assert.sameMembers([...state.pins.keys()], [first, second])
        // content that is added twice counts once, and each project counts separately
        yield* put(a, 60, 1)
        yield* put(projects.node(project("b")), 60, 1)
        assert.deepStrictEqual(yield* exceeded(put(a, 1, 4)), ["stored", 100, 100])
        assert.strictEqual((yield* projects.usage(project("a"))).stored, 100)
        // replacing a pin frees the bytes of the old pin
        const small = Memory.put(state, Block.RAW, bytes(60, 5))
        const large = Memory.put(state, Block.RAW, bytes(61, 6))
        assert.deepStrictEqual(yield* exceeded(a.pinUpdate(first, String(large))), ["stored", 100, 100])
        assert.deepStrictEqual(yield* exceeded(a.pinUpdate(first, String(small), { unpin: false })), [
          "stored",
          100,
          100
        ])
        yield* a.pinUpdate(first, String(small))
        assert.sameMembers(yield* pinned(a), [second, String(small)])
        yield* a.pinRm(second)
        assert.strictEqual((yield* projects.usage(project("a"))).stored, 60)
        yield* put(a, 40, 7)
        assert.strictEqual((yield* projects.usage(project("a"))).pins, 2)
      })
    ))

  test("who has more than a limit that was lowered may replace it by less, and by nothing else", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* kind.fresh
        const raw = (length: number, fill: number) => Memory.put(state, Block.RAW, bytes(length, fill))
        const had = String(raw(150, 1))
        yield* Effect.scoped(
          Effect.gen(function* () {
            const a = (yield* open(state, database)).node(project("a"))
            yield* a.pinAdd(had)
            yield* a.pinAdd(String(raw(50, 2)))
          })
        )
        const projects = yield* open(state, database, { limits: { stored: 100 } })
        const a = projects.node(project("a"))
        // the old pin frees enough bytes for the first block of this content, but not for all of it
        const large = Memory.put(state, Block.DAG_CBOR, Memory.listOf([raw(1000, 3), raw(1000, 6)]))
        assert.deepStrictEqual(yield* exceeded(a.pinUpdate(had, String(large))), ["stored", 200, 100])
        assert.deepStrictEqual(yield* exceeded(a.pinUpdate(had, String(raw(151, 4)))), ["stored", 200, 100])
        yield* a.pinUpdate(had, String(raw(150, 5)))
        assert.strictEqual((yield* projects.usage(project("a"))).stored, 200)
      })
    ))

  test("pins made at the same time are together no more than the limit", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh, { limits: { stored: 1000 } })
        const a = projects.node(project("a"))
        const results = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, i) => i),
          (i) => Effect.exit(a.blockPut(bytes(100, i), { pin: true })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 10)
        assert.strictEqual((yield* projects.usage(project("a"))).stored, 1000)
        assert.strictEqual(state.pins.size, 10)
      })
    ))

  test("what cannot be stored is not read to its end to know that", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh, { limits: { stored: 2500 } })
        const leaves = Array.from({ length: 20 }, (_, i) => Memory.put(state, Block.RAW, bytes(1000, i)))
        const root = Memory.put(state, Block.DAG_CBOR, Memory.listOf(leaves))
        const get = state.blocks.get.bind(state.blocks)
        let read = 0
        state.blocks.get = (cid) => {
          read++
          return get(cid)
        }
        const used = yield* exceeded(projects.node(project("a")).pinAdd(String(root)))
        assert.deepStrictEqual(used, ["stored", 0, 2500])
        assert.isBelow(read, 8)
      })
    ))

  test("a DAG counts each block that it holds once, whatever its links say and however many paths lead to the block", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh)
        const a = projects.node(project("a"))
        // each level links twice to the level below, so there are 2^60 paths to the leaf of one byte
        let at = Memory.put(state, Block.RAW, bytes(1))
        for (let i = 0; i < 60; i++) at = Memory.put(state, Block.DAG_CBOR, Memory.listOf([at, at]))
        const held = Array.from(state.blocks.values(), ({ bytes }) => bytes.length).reduce((sum, size) => sum + size)
        assert.deepStrictEqual(yield* exceeded(projects.node(project("a"), { stored: held - 1 }).pinAdd(String(at))), [
          "stored",
          0,
          held - 1
        ])
        yield* projects.node(project("a"), { stored: held }).pinAdd(String(at))
        assert.strictEqual((yield* projects.usage(project("a"))).stored, held)
        yield* a.pinRm(String(at))
        assert.strictEqual((yield* projects.usage(project("a"))).stored, 0)

        // a dag-pb node with a link that claims the size 0 for 5,000 bytes: Links { Hash, Name "", Tsize 0 }
        const leaf = Memory.put(state, Block.RAW, bytes(5000))
        const link = Buffer.concat([
          Uint8Array.of(0x0a, leaf.bytes.length),
          leaf.bytes,
          Uint8Array.of(0x12, 0, 0x18, 0)
        ])
        const node = Buffer.concat([Uint8Array.of(0x12, link.length), link])
        yield* a.pinAdd(String(Memory.put(state, Block.DAG_PB, node)))
        assert.strictEqual((yield* projects.usage(project("a"))).stored, 5000 + node.length)
      })
    ))

  test("the sum of a project's pins is always a number that can be recorded", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const memory = Memory.make(state)
        const database = yield* kind.fresh
        // a node that says that each added root holds almost 2^53 bytes
        const held = Number.MAX_SAFE_INTEGER - 10
        const projects = yield* over(
          {
            ...memory,
            add: (entries, options) =>
              Stream.map(memory.add(entries, options), (out) => (out._tag === "Added" ? { ...out, held } : out))
          },
          database
        )
        const a = projects.node(project("a"))
        yield* Stream.runDrain(a.add([{ content: utf8("first") }]))
        assert.deepStrictEqual(yield* exceeded(Stream.runDrain(a.add([{ content: utf8("second") }]))), [
          "stored",
          held,
          Number.MAX_SAFE_INTEGER
        ])
        yield* a.blockPut(bytes(10), { pin: true })
        assert.deepStrictEqual(yield* exceeded(a.blockPut(bytes(1), { pin: true })), [
          "stored",
          Number.MAX_SAFE_INTEGER,
          Number.MAX_SAFE_INTEGER
        ])
        assert.strictEqual((yield* projects.usage(project("a"))).stored, Number.MAX_SAFE_INTEGER)
      })
    ))

  test("an import that is larger than the quota is refused before it has arrived", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh, { limits: { stored: 1000 } })
        let taken = 0
        const blocks = Array.from({ length: 50 }, (_, i) => {
          const block = bytes(100_000, i)
          return { cid: Result.getOrThrow(Block.cidOf(Block.RAW, block)), bytes: block }
        })
        const sent = Stream.fromIterable(blocks).pipe(
          Stream.rechunk(1),
          Stream.tap(() => Effect.sync(() => taken++))
        )
        const car = Car.encode([blocks[0]!.cid], sent)
        assert.deepStrictEqual(yield* exceeded(projects.node(project("a")).dagImport(car)), ["stored", 0, 1000])
        // a header may have a mebibyte
        assert.isBelow(taken, 12)
        assert.strictEqual(state.blocks.size, 0)
      })
    ))

  test("an add that is too much fails where it is, and leaves no pin, not even of what was said before", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh)
        const a = projects.node(project("a"), { uploaded: 1000 })
        let taken = 0
        const pieces = Stream.fromIterable(Array.from({ length: 50 }, (_, i) => bytes(100, i))).pipe(
          Stream.rechunk(1),
          Stream.tap(() => Effect.sync(() => taken++))
        )
        const before = [{ content: utf8("said before") }]
        const entries = (content: IpfsNode.FileEntry["content"]) => [...before, { content }]
        assert.deepStrictEqual(yield* exceeded(Stream.runDrain(a.add(entries(pieces)))), ["uploaded", 0, 1000])
        assert.strictEqual(taken, 10)
        assert.deepStrictEqual(yield* pinned(a), [])
        assert.deepStrictEqual([...state.pins], [])
        // The refused upload is not counted, so the whole quota can still be used.
        yield* Stream.runDrain(a.add([{ content: bytes(1000) }]))
        assert.deepStrictEqual(yield* exceeded(a.blockPut(bytes(1))), ["uploaded", 1000, 1000])
        assert.deepStrictEqual(yield* exceeded(a.dagPut(bytes(1))), ["uploaded", 1000, 1000])
        assert.deepStrictEqual(yield* exceeded(a.dagImport(Stream.make(bytes(1)))), ["uploaded", 1000, 1000])

        // the files under one root exceed the limit of the project, so the rest is not read
        const b = projects.node(project("b"), { stored: 1000 })
        taken = 0
        const inFolder = (content: Stream.Stream<Uint8Array>) => [
          { path: "d/1", content: bytes(500) },
          { path: "d/2", content }
        ]
        assert.deepStrictEqual(yield* exceeded(Stream.runDrain(b.add(inFolder(pieces)))), ["stored", 0, 1000])
        assert.strictEqual(taken, 6)
        // adding content that is already pinned adds nothing to the usage
        const again = Stream.runDrain(b.add([{ content: bytes(900) }]))
        yield* again
        yield* again
        assert.strictEqual((yield* pinned(b)).length, 1)
        const other = b.add([{ content: utf8("said before") }, { content: bytes(901) }])
        assert.strictEqual((yield* exceeded(Stream.runDrain(other)))[0], "stored")
        assert.strictEqual((yield* pinned(b)).length, 1)
        // content that is added without a pin does not count
        yield* Stream.runDrain(b.add([{ content: bytes(5000) }], { pin: false }))
      })
    ))

  test("of uploads at the same time as many pass as fit, and those that are refused count nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const MIB = 1024 * 1024
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh, { limits: { uploaded: 12 * MIB } })
        const a = projects.node(project("a"))
        // the uploads take turns: each sends one piece at a time
        const content = (i: number) =>
          Stream.fromIterable(Array.from({ length: 16 }, (_, piece) => bytes(MIB / 16, i * 16 + piece))).pipe(
            Stream.rechunk(1),
            Stream.tap(() => Effect.yieldNow)
          )
        const upload = (i: number) => Stream.runDrain(a.add([{ content: content(i) }], { pin: false }))
        const results = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, i) => i),
          (i) => Effect.exit(upload(i)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(results.filter(Exit.isSuccess).length, 12)
        assert.strictEqual((yield* projects.usage(project("a"))).uploaded, 12 * MIB)
        assert.deepStrictEqual(yield* exceeded(a.blockPut(bytes(1))), ["uploaded", 12 * MIB, 12 * MIB])
      })
    ))

  test("an upload that is refused gives back what it counted on each of two days", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const projects = yield* open(Memory.empty(), yield* kind.fresh, { limits: { uploaded: 100 } })
        const a = projects.node(project("a"))
        yield* day("2026-11-21T23:59:59.000")
        yield* a.blockPut(bytes(10))
        const pieces = Stream.fromIterable([bytes(60), bytes(70), bytes(31)]).pipe(
          Stream.rechunk(1),
          Stream.tap(() => TestClock.adjust("500 millis"))
        )
        assert.deepStrictEqual(yield* exceeded(Stream.runDrain(a.add([{ content: pieces }]))), ["uploaded", 0, 100])
        assert.deepStrictEqual(yield* projects.transfers("a", "2026-11-01", "2026-11-30"), [
          { day: "2026-11-21", uploaded: 10, downloaded: 0 }
        ])
      })
    ))

  test("an upload that is cut counts what was sent of it, and leaves the rest to others at once", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const projects = yield* open(Memory.empty(), yield* kind.fresh, { limits: { uploaded: 1000 } })
        const a = projects.node(project("a"))
        const cut = Stream.concat(Stream.make(bytes(300)), Stream.fail("cut"))
        assert.deepStrictEqual(yield* exceeded(Stream.runDrain(a.add([{ content: cut }]))), ["cut"])
        yield* Stream.runDrain(a.add([{ content: bytes(700) }]))
        assert.strictEqual((yield* projects.usage(project("a"))).uploaded, 1000)
      })
    ))

  test("a CAR that is too much counts nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh)
        const root = String(Memory.put(state, Block.RAW, bytes(1000, 1)))
        const a = projects.node(project("a"), { uploaded: 1000 })
        const car = projects.node(project("b")).dagExport(root)
        assert.deepStrictEqual(yield* exceeded(a.dagImport(car)), ["uploaded", 0, 1000])
        assert.strictEqual((yield* projects.usage(project("a"))).uploaded, 0)
      })
    ))

  test("a CAR whose roots are too much is refused, and pins none of them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh, { limits: { stored: 150 } })
        const one = Memory.put(state, Block.RAW, bytes(100, 1))
        const two = Memory.put(state, Block.RAW, bytes(100, 2))
        const both = Memory.put(state, Block.DAG_CBOR, Memory.listOf([one, two]))
        const a = projects.node(project("a"))
        const car = projects.node(project("b")).dagExport(String(both))
        assert.strictEqual((yield* exceeded(a.dagImport(car)))[0], "stored")
        assert.deepStrictEqual(yield* pinned(a), [])
        assert.strictEqual((yield* a.dagImport(car, { pinRoots: false })).blocks, 3)
      })
    ))

  test("what is read is cut at the limit, and refused at once when nothing is left", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh, { limits: { downloaded: 25 } })
        const a = projects.node(project("a"))
        const ten = String(Memory.put(state, Block.RAW, bytes(10)))
        const none = String(Memory.put(state, Block.RAW, bytes(0)))
        const cat = (read: Array<number>) =>
          Effect.flatMap(a.cat(ten), ({ bytes }) =>
            Stream.runForEach(bytes, ({ length }) => Effect.sync(() => read.push(length)))
          )
        yield* cat([])
        assert.strictEqual((yield* a.blockGet(ten)).length, 10)
        const read: Array<number> = []
        // the content has pieces of 3 and 7 bytes; only the first piece is within the quota
        assert.deepStrictEqual(yield* exceeded(cat(read)), ["downloaded", 23, 25])
        assert.deepStrictEqual(read, [3])
        assert.deepStrictEqual(yield* exceeded(a.blockGet(ten)), ["downloaded", 23, 25])
        assert.deepStrictEqual(yield* exceeded(a.dagGet(ten)), ["downloaded", 23, 25])
        const two = String(Memory.put(state, Block.RAW, bytes(2)))
        assert.strictEqual((yield* a.blockGet(two)).length, 2)
        assert.deepStrictEqual(yield* exceeded(a.cat(two)), ["downloaded", 25, 25])
        assert.deepStrictEqual(yield* exceeded(Stream.runDrain(a.dagExport(two))), ["downloaded", 25, 25])
        assert.deepStrictEqual(yield* exceeded(Stream.runDrain(a.get(two))), ["downloaded", 25, 25])
        assert.strictEqual((yield* a.cat(none)).size, 0)
        assert.strictEqual((yield* a.blockGet(none)).length, 0)
        assert.strictEqual((yield* projects.usage(project("a"))).downloaded, 25)
        assert.strictEqual((yield* projects.node(project("b")).blockGet(ten)).length, 10)
      })
    ))

  test("days begin at midnight UTC, are kept, and one that comes again is counted on", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh, { limits: { uploaded: 10 } })
        const a = projects.node(project("a"))
        yield* day("2026-11-21T23:59:59.999")
        yield* a.blockPut(bytes(10))
        assert.deepStrictEqual(yield* exceeded(a.blockPut(bytes(1))), ["uploaded", 10, 10])
        yield* TestClock.adjust(1)
        yield* a.blockPut(bytes(9))
        yield* a.blockGet(String(Memory.put(state, Block.RAW, bytes(4))))
        assert.deepStrictEqual(yield* projects.usage(project("a")), {
          day: "2026-11-22",
          uploaded: 9,
          downloaded: 4,
          stored: 0,
          pins: 0
        })
        yield* day("2026-11-21T12:00:00.000")
        assert.deepStrictEqual(yield* exceeded(a.blockPut(bytes(1))), ["uploaded", 10, 10])
        assert.deepStrictEqual(yield* projects.transfers("a", "2026-11-01", "2026-11-30"), [
          { day: "2026-11-21", uploaded: 10, downloaded: 0 },
          { day: "2026-11-22", uploaded: 9, downloaded: 4 }
        ])
        // a transfer that lasts over midnight counts for both days
        yield* day("2026-11-30T23:59:59.000")
        const { bytes: pieces } = yield* a.cat(String(Memory.put(state, Block.RAW, bytes(8))))
        yield* Stream.runForEach(pieces, () => TestClock.adjust("2 seconds"))
        assert.deepStrictEqual(yield* projects.transfers("a", "2026-11-30", "2026-12-01"), [
          { day: "2026-11-30", uploaded: 0, downloaded: 3 },
          { day: "2026-12-01", uploaded: 0, downloaded: 5 }
        ])
        assert.deepStrictEqual(yield* projects.transfers("b", "2026-11-01", "2026-11-30"), [])
      })
    ))

  test("what was taken ahead is given back within a second, and at the end", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* kind.fresh
        const sql = yield* connect(database)
        const sum = Effect.map(
          sql<{ readonly uploaded: number }>`SELECT uploaded FROM ipfs_transfers`,
          ([row]) => row?.uploaded
        )
        const scope = yield* Scope.make()
        const options = { limits: { uploaded: 16_000 } }
        const projects = yield* Scope.provide(open(Memory.empty(), database, options), scope)
        const put = projects.node(project("a")).blockPut(bytes(160))
        yield* put
        assert.strictEqual(yield* sum, 160 + 990)
        for (let turn = 0; (yield* sum) !== 160; turn++) {
          assert.isBelow(turn, 2000)
          yield* TestClock.adjust(turn === 0 ? "1 second" : 0)
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))
        }
        yield* put
        assert.strictEqual(yield* sum, 320 + 980)
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(yield* sum, 320)
      })
    ))

  test("killed or ended, nothing that was counted is forgotten", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* kind.fresh
        const sql = yield* connect(database)
        yield* Effect.scoped(
          Effect.gen(function* () {
            const projects = yield* open(state, database)
            yield* Effect.forEach(
              Array.from({ length: 30 }, (_, i) => i),
              (i) => projects.node(project(`p${i % 3}`)).blockPut(bytes(i + 1), { pin: i < 3 }),
              { concurrency: "unbounded" }
            )
            // copies the rows that are now on the disk, as a killed process would leave them
            yield* restore(sql, yield* imageOf(sql, "memory"), "killed")
          })
        )
        for (const name of ["memory", "killed"]) {
          const projects = yield* open({ ...state }, database, { name })
          const all = yield* Effect.forEach([0, 1, 2], (i) => projects.usage(project(`p${i}`)))
          assert.strictEqual(
            all.reduce((sum, { uploaded }) => sum + uploaded, 0),
            465,
            name
          )
          assert.deepStrictEqual(
            all.map(({ stored }) => stored),
            [1, 2, 3]
          )
        }
        assert.isTrue([...state.pins.keys()].every((cid) => Cid.isCidText(cid)))
      })
    ))
})

it.effect.each([undefined, 1_000_000])(
  "of many files and pieces what passes is written together, with a limit of %s",
  (limit) =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* Databases.kinds[0]!.fresh
        const leaf = Memory.put(state, Block.RAW, bytes(10))
        const whole = Memory.make(state)
        const files = Array.from({ length: 60 }, (_, i) => i)
        const node: IpfsNode.IpfsNodeCommands = {
          ...whole,
          get: () =>
            Stream.map(Stream.fromIterable(files), (i) => ({
              path: `d/${i}`,
              cid: leaf,
              type: "file",
              size: 10,
              content: Stream.rechunk(Stream.make(bytes(5, i), bytes(5)), 1)
            }))
        }
        const projects = yield* over(node, database, { limits: { uploaded: limit, downloaded: limit } })
        const sql = yield* connect(database)
        yield* sql`CREATE TABLE written (at INTEGER)`
        for (const change of ["INSERT", "UPDATE"]) {
          yield* sql.unsafe(`
          CREATE TRIGGER on_${change} AFTER ${change} ON ipfs_transfers BEGIN INSERT INTO written VALUES (1); END`)
        }
        const a = projects.node(project("a"))
        yield* Stream.runForEach(a.get("d"), ({ content }) => Stream.runDrain(content))
        yield* Stream.runDrain(
          a.add(
            files.map((i) => ({ content: Stream.make(bytes(10, i), bytes(10)) })),
            { pin: false }
          )
        )
        assert.isAtMost((yield* sql`SELECT at FROM written`).length, 8)
        const { downloaded, uploaded } = yield* projects.usage(project("a"))
        assert.deepStrictEqual([downloaded, uploaded], [600, 1200])
      })
    )
)

it.effect("the database is asked no more for a thousand blocks than for a few", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const state = Memory.empty()
      const real = yield* connect(yield* Databases.kinds[0]!.fresh)
      let asked = 0
      const sql = new Proxy(real, {
        apply: (target, self, given) => {
          asked++
          return Reflect.apply(target, self, given)
        }
      })
      const projects = yield* IpfsProjects.make(Memory.make(state), {
        name: "memory",
        limits: { downloaded: 1e9 }
      }).pipe(Effect.provideService(SqlClient.SqlClient, sql))
      const asks = (count: number) =>
        Effect.gen(function* () {
          const node = projects.node(project(`p${count}`))
          const leaves = Array.from({ length: count }, (_, i) =>
            Memory.put(state, Block.RAW, utf8(`${count} ${i}`.padEnd(20)))
          )
          const root = String(Memory.put(state, Block.DAG_CBOR, Memory.listOf(leaves)))
          const files = leaves.map((_, i) => ({ path: `d/${i}`, content: utf8(`${count} ${i}`) }))
          const before = asked
          yield* node.pinAdd(root)
          assert.strictEqual((yield* Stream.runCollect(node.pinLs([]))).length, count + 1)
          yield* Stream.runDrain(node.dagExport(root))
          yield* Stream.runDrain(node.add(files))
          return asked - before
        })
      const few = yield* asks(2)
      assert.isAtMost((yield* asks(1000)) - few, 4)
    })
  )
)
