/** Several processes over one node and one ledger: each process gets right answers while the others make changes. */
import { assert, describe, it } from "@effect/vitest"
import * as Databases from "@plumbline/gateway/support/databases"
import { Block, Cid, type IpfsNode } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Deferred, Effect, Exit, Fiber, Logger, Stream } from "effect"

import * as Memory from "../support/ipfsMemoryNode.ts"
import { connect, messageOf, open, over, project, utf8 } from "../support/ipfsProjects.ts"

const bytes = (length: number, fill = 0): Uint8Array => new Uint8Array(length).fill(fill)

const pinned = (node: IpfsNode.IpfsNodeCommands) =>
  Effect.map(Stream.runCollect(node.pinLs([], { type: "recursive" })), (pins) =>
    pins.map(({ cid }) => String(cid)).sort()
  )

/** A node that needs some time for each change of pins. */
const slow = (
  state: Memory.State,
  random: Random.Random,
  step: (what: string) => Effect.Effect<void>
): IpfsNode.IpfsNodeCommands => {
  const node = Memory.make(state, step)
  const pause = Effect.suspend(() => Effect.sleep(Random.int(random, 4)))
  return {
    ...node,
    pinAdd: (path, options) => Effect.andThen(pause, node.pinAdd(path, options)),
    pinRm: (path, options) =>
      Effect.andThen(
        pause,
        Effect.tap(node.pinRm(path, options), () => pause)
      )
  }
}

const quietly = Effect.provideService(Logger.CurrentLoggers, new Set())

describe.each(Databases.kinds)("several processes over $name", (kind) => {
  const test = it.live.skipIf(kind.skipped)

  test("pin and let go of the same, and the node has all that any project has, and in the end no more", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* kind.fresh
        const sql = yield* connect(database)
        const random = Random.make(9100)
        let released = 0
        // The node never unpins content that a project has pinned.
        const step = (what: string) =>
          Effect.gen(function* () {
            const [, cid] = what.split("before unpin ")
            if (cid === undefined) return
            released++
            const { bytes } = Cid.fromTextUnsafe(cid)
            assert.deepStrictEqual(yield* Effect.orDie(sql`SELECT project FROM ipfs_pins WHERE cid = ${bytes}`), [])
          })
        const processes = yield* Effect.forEach([0, 1, 2], () => over(slow(state, random, step), database))
        const contents = [1, 2, 3].map((fill) => String(Memory.put(state, Block.RAW, bytes(10, fill))))
        const work = (process: number) =>
          Effect.gen(function* () {
            for (let step = 0; step < 10; step++) {
              const id = Random.pick(random, ["a", "b"])
              const node = processes[process]!.node(project(id))
              const cid = Random.pick(random, contents)
              const work = random() < 0.5 ? node.pinAdd(cid, { recursive: random() < 0.8 }) : node.pinRm(cid)
              // these errors are valid: the pin does not exist, or is already recursive
              yield* Effect.catchIf(
                work,
                ({ reason }) => reason._tag === "PinRefused",
                () => Effect.void
              )
            }
          })
        for (let round = 0; round < 2; round++) {
          yield* Effect.forEach([0, 0, 1, 1, 2, 2], work, { concurrency: "unbounded" })
          const rows = yield* sql<{ readonly cid: Uint8Array; readonly project: string }>`SELECT * FROM ipfs_pins`
          const needed = new Set<string>()
          for (const id of ["a", "b"]) {
            const seen = yield* Effect.forEach(processes, (projects) =>
              Effect.map(Stream.runCollect(projects.node(project(id)).pinLs([])), (pins) =>
                pins.map(({ cid, type }) => `${String(cid)} ${type}`).sort()
              )
            )
            assert.deepStrictEqual(seen[1], seen[0])
            assert.deepStrictEqual(seen[2], seen[0])
            for (const pin of seen[0]!) needed.add(pin.split(" ")[0]!)
            const { pins, stored } = yield* processes[0]!.usage(project(id))
            assert.deepStrictEqual([pins, stored], [seen[0]!.length, 10 * seen[0]!.length])
          }
          assert.strictEqual(new Set(rows.map(({ cid }) => Buffer.from(cid).toString("hex"))).size, needed.size)
          assert.sameMembers([...state.pins.keys()], [...needed])
        }
        assert.isAtLeast(released, 2)
        for (const id of ["a", "b"]) {
          const node = processes[2]!.node(project(id))
          for (const { cid } of yield* Stream.runCollect(node.pinLs([]))) yield* node.pinRm(String(cid))
        }
        assert.deepStrictEqual([...state.pins], [])
        assert.deepStrictEqual(yield* sql`SELECT * FROM ipfs_held`, [])
        assert.deepStrictEqual(yield* sql`SELECT * FROM ipfs_makers`, [])
      })
    ))

  test("have one quota: together they store as much as the limit, and not one byte more", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* kind.fresh
        const processes = yield* Effect.forEach([0, 1], () => open(state, database, { limits: { stored: 1000 } }))
        const results = yield* Effect.forEach(
          Array.from({ length: 24 }, (_, i) => i),
          (i) => Effect.exit(processes[i % 2]!.node(project("a")).blockPut(bytes(100, i), { pin: true })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(results.filter(Exit.isSuccess).length, 10)
        assert.strictEqual(yield* processes[0]!.stored(project("a")), 1000)
        assert.strictEqual(state.pins.size, 10)
      })
    ))

  test("have one day's limit: what passes is never more, and what one gives back the other may use", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* kind.fresh
        const processes = yield* Effect.forEach([0, 1, 2], () => open(state, database, { limits: { uploaded: 1000 } }))
        const puts = (length: number) =>
          Effect.forEach(
            Array.from({ length: 60 }, (_, i) => i),
            (i) => Effect.exit(processes[i % 3]!.node(project("a")).blockPut(bytes(length, i))),
            { concurrency: "unbounded" }
          )
        const passed = (yield* puts(30)).filter(Exit.isSuccess).length * 30
        assert.isAtMost(passed, 1000)
        // each process takes only a small part of the remaining bytes in advance, so most of the 1000 bytes can be used
        assert.isAtLeast(passed, 800)
        for (const projects of processes) yield* projects.usage(project("a"))
        const rest = (yield* puts(1)).filter(Exit.isSuccess).length
        for (const projects of processes) yield* projects.usage(project("a"))
        assert.strictEqual((yield* processes[1]!.usage(project("a"))).uploaded, passed + rest)
        const last = yield* Effect.exit(processes[2]!.node(project("a")).blockPut(bytes(1000 - passed - rest)))
        assert.isTrue(Exit.isSuccess(last))
        const over = processes[0]!.node(project("a")).blockPut(bytes(1))
        assert.match(yield* messageOf(over), /^quota exceeded: 1000 of 1000 bytes are uploaded today/u)
      })
    ))

  test("have one day's limit: of uploads in all of them nearly as many pass as fit, and those that are refused count nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const KIB = 1024
        const database = yield* kind.fresh
        const limits = { uploaded: 12 * 64 * KIB }
        const processes = yield* Effect.forEach([0, 1, 2], () => open(Memory.empty(), database, { limits }))
        const content = (i: number) =>
          Stream.fromIterable(Array.from({ length: 8 }, (_, piece) => bytes(8 * KIB, i * 8 + piece))).pipe(
            Stream.rechunk(1),
            Stream.tap(() => Effect.yieldNow)
          )
        const results = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, i) => i),
          (i) =>
            Effect.exit(
              Stream.runDrain(processes[i % 3]!.node(project("a")).add([{ content: content(i) }], { pin: false }))
            ),
          { concurrency: "unbounded" }
        )
        for (const projects of processes) yield* projects.usage(project("a"))
        const passed = results.filter(Exit.isSuccess).length
        assert.strictEqual((yield* processes[0]!.usage(project("a"))).uploaded, passed * 64 * KIB)
        assert.isAtMost(passed, 12)
        // twelve uploads fit, but a few may be refused, because other processes have taken bytes in advance
        assert.isAtLeast(passed, 10)
      })
    ))

  test("of two uploads of the same content, the one that fails takes nothing away from the other's", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* kind.fresh
        const [one, other] = yield* Effect.all([open(state, database), open(state, database)])
        const failing = (node: IpfsNode.IpfsNodeCommands) =>
          Effect.gen(function* () {
            const said = yield* Deferred.make<void>()
            const go = yield* Deferred.make<void>()
            const rest = Stream.fromEffect(Effect.andThen(Deferred.await(go), Effect.fail("cut" as const)))
            const add = node.add([{ content: utf8("same") }, { content: rest }])
            const fiber = yield* Effect.forkChild(Stream.runForEach(add, () => Deferred.succeed(said, undefined)))
            yield* Deferred.await(said)
            return { end: Effect.andThen(Deferred.succeed(go, undefined), Fiber.await(fiber)) }
          })
        const node = one.node(project("a"))
        const first = yield* failing(node)
        yield* Stream.runDrain(other.node(project("a")).add([{ content: utf8("same") }]))
        yield* first.end
        assert.strictEqual((yield* pinned(node)).length, 1)
        assert.strictEqual(state.pins.size, 1)
        // if both uploads fail, no pin stays
        const both = [yield* failing(one.node(project("b"))), yield* failing(other.node(project("b")))]
        yield* both[0]!.end
        assert.strictEqual((yield* pinned(one.node(project("b")))).length, 1)
        yield* both[1]!.end
        assert.deepStrictEqual(yield* pinned(one.node(project("b"))), [])
      })
    ))

  test("leave alone the pins of an upload that takes longer than a lease, and is taken back", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* kind.fresh
        const lease = 900
        const [one, other] = yield* Effect.all([open(state, database, { lease }), open(state, database, { lease })])
        const said = yield* Deferred.make<void>()
        const add = one.node(project("a")).add([{ content: utf8("first") }, { content: Stream.never }])
        const fiber = yield* Effect.forkChild(Stream.runForEach(add, () => Deferred.succeed(said, undefined)))
        yield* Deferred.await(said)
        yield* Effect.sleep(1.5 * lease)
        yield* other.reconcile
        assert.strictEqual(state.pins.size, 1)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual([...state.pins], [])
      })
    ))

  test("tell nodes of other names apart", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* kind.fresh
        const [here, there] = [Memory.empty(), Memory.empty()]
        const one = yield* open(here, database, { name: "here", limits: { uploaded: 10, stored: 10 } })
        const other = yield* open(there, database, { name: "there", limits: { uploaded: 10, stored: 10 } })
        for (const projects of [one, other]) yield* projects.node(project("a")).blockPut(bytes(10), { pin: true })
        const [cid] = here.pins.keys()
        yield* one.node(project("a")).pinRm(cid!)
        assert.deepStrictEqual([here.pins.size, there.pins.size], [0, 1])
        assert.deepStrictEqual(yield* other.reconcile, { removed: 0, restored: 0, lost: 0 })
        assert.deepStrictEqual(yield* pinned(other.node(project("a"))), [cid!])
      })
    ))

  test("leave alone what a living one is at work on, and go on with what a dead one was", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* kind.fresh
        const cid = String(Memory.put(state, Block.RAW, bytes(10)))
        const whole = Memory.make(state)
        const asked = yield* Deferred.make<void>()
        // The node pins the content, but its answer never arrives.
        const stuck: IpfsNode.IpfsNodeCommands = {
          ...whole,
          pinAdd: (path, options) =>
            whole
              .pinAdd(path, options)
              .pipe(Effect.andThen(Deferred.succeed(asked, undefined)), Effect.andThen(Effect.never))
        }
        const lease = 1500
        const first = yield* over(stuck, database, { lease })
        const fiber = yield* Effect.forkChild(first.node(project("a")).pinAdd(cid))
        yield* Deferred.await(asked)
        // The process works for longer than its lease, but renews it.
        yield* Effect.sleep(2 * lease)
        const second = yield* open(state, database, { lease })
        assert.deepStrictEqual([...state.pins.keys()], [cid])
        const waiting = yield* Effect.forkChild(second.reconcile)
        yield* Effect.sleep(lease / 2)
        assert.isUndefined(waiting.pollUnsafe())
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* Fiber.join(waiting), { removed: 0, restored: 0, lost: 0 })
        assert.deepStrictEqual([...state.pins.keys()], [])

        // a killed process does not renew its lease, so its row stays unchanged
        const sql = yield* connect(database)
        yield* sql`
          INSERT INTO ipfs_held (node, cid, strength, elsewhere, worker, until)
          SELECT 'memory', ${Memory.put(state, Block.RAW, bytes(10)).bytes}, 1, 0, 'killed', ${Date.now() + lease}`
        yield* sql`
          INSERT INTO ipfs_makers (node, project, cid, upload, until)
          VALUES ('memory', 'a', ${Cid.fromTextUnsafe(cid).bytes}, 'killed', 0)`
        state.pins.set(cid, "recursive")
        yield* open(state, database, { lease })
        assert.deepStrictEqual(yield* sql`SELECT * FROM ipfs_makers`, [])
        assert.isTrue(state.pins.has(cid))
        assert.deepStrictEqual(yield* second.reconcile, { removed: 1, restored: 0, lost: 0 })
        assert.isFalse(state.pins.has(cid))
        assert.deepStrictEqual(yield* sql`SELECT * FROM ipfs_held`, [])
      })
    ))

  test("that was held up for too long finds out, and makes good what it did too late", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const database = yield* kind.fresh
        const sql = yield* connect(database)
        const cid = String(Memory.put(state, Block.RAW, bytes(10)))
        const whole = Memory.make(state)
        // while this process unpins the CID, another process takes over the work, and a project pins the CID there
        const takenOver = Effect.gen(function* () {
          yield* sql`UPDATE ipfs_held SET until = 0`
          const other = yield* open(state, database)
          yield* other.node(project("b")).pinAdd(cid)
        }).pipe(Effect.scoped, Effect.orDie)
        let late = true
        const node: IpfsNode.IpfsNodeCommands = {
          ...whole,
          pinRm: (path) =>
            Effect.suspend(() => {
              if (!late) return whole.pinRm(path)
              late = false
              return Effect.andThen(takenOver, whole.pinRm(path))
            })
        }
        const held = yield* over(node, database)
        yield* held.node(project("a")).pinAdd(cid)
        yield* held.node(project("a")).pinRm(cid)
        assert.deepStrictEqual(yield* pinned(held.node(project("b"))), [cid])
        assert.isTrue(state.pins.has(cid))

        // a process that pins too late gets an error, and its pin is removed from the node
        yield* held.node(project("b")).pinRm(cid)
        assert.isFalse(state.pins.has(cid))
        const pins: IpfsNode.IpfsNodeCommands = {
          ...whole,
          pinAdd: (path, options) =>
            Effect.tap(whole.pinAdd(path, options), () =>
              Effect.orDie(sql`UPDATE ipfs_held SET worker = 'another', until = 0`)
            )
        }
        const other = yield* over(pins, database)
        assert.match(yield* messageOf(other.node(project("c")).pinAdd(cid)), /another process went on with it/u)
        assert.deepStrictEqual(yield* pinned(other.node(project("c"))), [])
        assert.isFalse(state.pins.has(cid))
      })
    ).pipe(quietly))
})
