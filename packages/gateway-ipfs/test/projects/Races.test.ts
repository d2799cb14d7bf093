/** Tests simultaneous work of projects: successful and failed uploads, quotas, and very many requests. */
import { assert, describe, it } from "@effect/vitest"
import * as Databases from "@plumbline/gateway/support/databases"
import * as Service from "@plumbline/gateway/support/service"
import { Block, Car, type Cid, type IpfsNode } from "@plumbline/ipfs-client"
import { Deferred, Effect, Exit, Fiber, Logger, References, Stream } from "effect"
import { TestClock } from "effect/testing"

import * as Ipfs from "../support/ipfs.ts"
import * as Memory from "../support/ipfsMemoryNode.ts"
import { open, over, project, utf8 } from "../support/ipfsProjects.ts"

const bytes = (length: number, fill = 0): Uint8Array => new Uint8Array(length).fill(fill)

const pinned = (node: IpfsNode.IpfsNodeCommands) =>
  Effect.map(Stream.runCollect(node.pinLs([], { type: "recursive" })), (pins) => pins.map(({ cid }) => String(cid)))

/**
 * Starts an upload with two files. The first file is small, and other uploads have it too. The second file waits, and
 * is then too large, so the upload fails.
 */
const failing = (node: IpfsNode.IpfsNodeCommands) =>
  Effect.gen(function* () {
    const said = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const rest = Stream.fromEffect(Effect.as(Deferred.await(go), bytes(2000)))
    const fiber = yield* Effect.forkChild(
      node
        .add([{ content: utf8("same") }, { content: rest }])
        .pipe(Stream.runForEach(() => Deferred.succeed(said, undefined)))
    )
    yield* Deferred.await(said)
    return { end: Effect.andThen(Deferred.succeed(go, undefined), Fiber.await(fiber)) }
  })

const same = (node: IpfsNode.IpfsNodeCommands) => Stream.runDrain(node.add([{ content: utf8("same") }]))

/** Returns a dag-cbor list with `count` links to the same CID. Source: RFC 8949. */
const many = (count: number, { bytes }: Cid.Cid): Uint8Array => {
  const link = Buffer.concat([Uint8Array.of(0xd8, 42, 0x58, bytes.length + 1, 0), bytes])
  return Buffer.concat([Uint8Array.of(0x99, count >> 8, count & 0xff), ...Array.from({ length: count }, () => link)])
}

describe.each(Databases.kinds)("projects at the same time in $name", (kind) => {
  const test = it.effect.skipIf(kind.skipped)

  test("of two adds of the same content, the one that fails takes nothing away from the other", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh, { limits: { stored: 1000 } })
        const others: ReadonlyArray<
          readonly [string, (node: IpfsNode.IpfsNodeCommands, cid: string) => Effect.Effect<unknown, unknown>]
        > = [
          ["added", same],
          ["pinned", (node, cid) => node.pinAdd(cid)],
          [
            "put in the place of another",
            (node, cid) =>
              Effect.gen(function* () {
                const { cid: from } = yield* node.blockPut(utf8("old"), { pin: true })
                yield* node.pinUpdate(String(from), cid)
              })
          ],
          ["removed, and added again", (node, cid) => Effect.andThen(node.pinRm(cid), same(node))]
        ]
        for (const [what, other] of others) {
          const node = projects.node(project(what))
          const first = yield* failing(node)
          const [cid] = yield* pinned(node)
          yield* other(node, cid!)
          assert.isTrue(Exit.isFailure(yield* first.end))
          assert.deepStrictEqual(yield* pinned(node), [cid!], what)
          assert.isTrue(state.pins.has(cid!), what)
        }
      })
    ))

  test("whichever way they take turns, who is told that it is pinned has it pinned", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const projects = yield* open(Memory.empty(), yield* kind.fresh, { limits: { stored: 1000 } })
        for (let turn = 3; turn < 40; turn += 4) {
          const node = projects.node(project(`p${turn}`))
          const first = yield* failing(node)
          yield* Effect.all([first.end, same(node)], { concurrency: "unbounded" }).pipe(
            Effect.provideService(References.MaxOpsBeforeYield, turn)
          )
          assert.strictEqual((yield* pinned(node)).length, 1, `${turn} steps a turn`)
        }
      })
    ))

  test("of two adds of the same content that both fail, nothing stays, whichever ends first", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh, { limits: { stored: 1000 } })
        for (const order of [
          [0, 1],
          [1, 0]
        ]) {
          const node = projects.node(project("a"))
          const both = [yield* failing(node), yield* failing(node)]
          yield* both[order[0]!]!.end
          assert.strictEqual((yield* pinned(node)).length, 1)
          yield* both[order[1]!]!.end
          assert.deepStrictEqual(yield* pinned(node), [])
          assert.deepStrictEqual([...state.pins], [])
        }
        // a failed upload does not remove a pin that was made earlier
        const node = projects.node(project("b"))
        yield* same(node)
        yield* (yield* failing(node)).end
        assert.strictEqual((yield* pinned(node)).length, 1)
      })
    ))

  test("an upload that breaks off, or whose client leaves, leaves none of its pins", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh)
        const node = projects.node(project("a"))
        const cut = node.add([{ content: utf8("one") }, { content: Stream.fail("cut" as const) }])
        assert.strictEqual(yield* Effect.flip(Stream.runDrain(cut)), "cut")
        assert.deepStrictEqual([...state.pins], [])

        const said = yield* Deferred.make<void>()
        const left = node.add([{ content: utf8("one") }, { content: Stream.never }])
        const fiber = yield* Effect.forkChild(Stream.runForEach(left, () => Deferred.succeed(said, undefined)))
        yield* Deferred.await(said)
        assert.strictEqual(state.pins.size, 1)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual([...state.pins], [])
        assert.deepStrictEqual(yield* pinned(node), [])
      })
    ))

  test("a client that has sent everything, and leaves when it is told what is pinned, was told the truth", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const whole = Memory.make(state)
        // a node that reads all uploaded entries before it sends an answer, as the embedded node does
        const ahead: IpfsNode.IpfsNodeCommands = {
          ...whole,
          add: (entries, options) =>
            Stream.unwrap(
              Effect.map(Stream.runCollect(Stream.isStream(entries) ? entries : Stream.fromIterable(entries)), (all) =>
                whole.add(all, options)
              )
            )
        }
        const projects = yield* over(ahead, yield* kind.fresh)
        const node = projects.node(project("a"))
        const told = yield* Deferred.make<void>()
        const reader = yield* Effect.forkChild(
          Stream.runForEach(node.add([{ content: utf8("one") }]), () =>
            Effect.andThen(Deferred.succeed(told, undefined), Effect.never)
          )
        )
        yield* Deferred.await(told)
        yield* Fiber.interrupt(reader)
        assert.strictEqual((yield* pinned(node)).length, 1)
        // if the reader of the answer stops early, the upload counts as successful
        yield* Stream.runDrain(Stream.take(node.add([{ content: utf8("two") }, { content: utf8("three") }]), 1))
        assert.strictEqual((yield* pinned(node)).length, 2)
      })
    ))

  test("a client that leaves while the roots of its CAR are pinned leaves none of them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const [one, two] = [Memory.put(state, Block.RAW, bytes(10, 1)), Memory.put(state, Block.RAW, bytes(10, 2))]
        const waiting = yield* Deferred.make<void>()
        const whole = Memory.make(state)
        const stuck: IpfsNode.IpfsNodeCommands = {
          ...whole,
          pinAdd: (path, options) =>
            path === String(two)
              ? Effect.andThen(Deferred.succeed(waiting, undefined), Effect.never)
              : whole.pinAdd(path, options)
        }
        const projects = yield* over(stuck, yield* kind.fresh)
        const node = projects.node(project("a"))
        const blocks = Stream.fromIterable([...state.blocks.values()])
        const fiber = yield* Effect.forkChild(node.dagImport(Car.encode([one, two], blocks)))
        yield* Deferred.await(waiting)
        assert.deepStrictEqual(yield* pinned(node), [String(one)])
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* pinned(node), [])
        assert.deepStrictEqual([...state.pins], [])
      })
    ))

  test("fifty uploads at once are together no more than the day's limit, however they take turns", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const projects = yield* open(Memory.empty(), yield* kind.fresh, { limits: { uploaded: 1000 } })
        for (let turn = 3; turn < 30; turn += 5) {
          const node = projects.node(project(`p${turn}`))
          const exits = yield* Effect.forEach(
            Array.from({ length: 50 }, (_, i) => i),
            (i) => Effect.exit(node.blockPut(bytes(50, i))),
            { concurrency: "unbounded" }
          ).pipe(Effect.provideService(References.MaxOpsBeforeYield, turn))
          assert.strictEqual(exits.filter(Exit.isSuccess).length, 20, `${turn} steps a turn`)
          assert.strictEqual((yield* projects.usage(project(`p${turn}`))).uploaded, 1000)
        }
      })
    ))

  test("a DAG of blocks that link to the same thousands of times is measured as fast as they are read", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const projects = yield* open(state, yield* kind.fresh)
        const node = projects.node(project("a"))
        const links = 4000
        const inner = many(links, Memory.put(state, Block.RAW, bytes(1)))
        const outer = many(links, Memory.put(state, Block.DAG_CBOR, inner))
        const start = performance.now()
        yield* node.pinAdd(String(Memory.put(state, Block.DAG_CBOR, outer)))
        // This takes some hundredths of a second. Following each link again would take half a minute.
        assert.isBelow(performance.now() - start, 10_000)
        assert.strictEqual((yield* projects.usage(project("a"))).stored, outer.length + inner.length + 1)
      })
    ))

  test("a node whose list of pins has no end does not keep the service from starting", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const cid = Memory.put(state, Block.RAW, bytes(1))
        let listed = 0
        const endless = Stream.fromEffectRepeat(
          Effect.as(
            Effect.tap(Effect.yieldNow, () => Effect.sync(() => listed++)),
            { cid, type: "recursive", name: "" } satisfies IpfsNode.Pin
          )
        )
        const node: IpfsNode.IpfsNodeCommands = {
          ...Memory.make(state),
          pinLs: (paths) => (paths.length === 0 ? endless : Stream.empty)
        }
        const database = yield* kind.fresh
        const started = yield* Effect.forkChild(over(node, database))
        yield* Effect.repeat(Effect.yieldNow, { until: () => listed > 100 })
        yield* TestClock.adjust("1 minute")
        const projects = yield* Fiber.join(started)
        yield* projects.node(project("a")).blockPut(bytes(1), { pin: true })
      })
    ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set())))

  it.live.skipIf(kind.skipped)(
    "quotas hold over HTTP: fifty uploads at once, a download that is cut, and nothing pinned of what was too much",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const state = Memory.empty()
          const projects = yield* open(state, yield* kind.fresh, { limits: { stored: 1000, downloaded: 100 } })
          const node = projects.node(project("a"))
          const service = yield* Ipfs.start(() => node)
          const answers = yield* Effect.forEach(
            Array.from({ length: 50 }, (_, i) => i),
            (i) => Ipfs.upload(service, "block/put?pin=true", { content: String.fromCharCode(i).repeat(100) }),
            { concurrency: "unbounded" }
          )
          const refused = answers.filter(({ status }) => status !== 200)
          assert.strictEqual(refused.length, 40)
          for (const { body, status } of refused) {
            assert.deepStrictEqual([status, JSON.parse(body).Code], [500, 3])
            assert.match(body, /quota exceeded: \d+ of 1000 bytes are stored/u)
          }
          assert.strictEqual(state.pins.size, 10)

          const [first, second] = [...state.pins.keys()]
          assert.strictEqual((yield* Ipfs.ask(service, `block/get?arg=${first}`)).body.length, 100)
          const over = yield* Ipfs.ask(service, `block/get?arg=${second}`)
          assert.deepStrictEqual([over.status, JSON.parse(over.body).Code], [500, 3])
          // 50 of 100 bytes are used up: the first piece of the next file (3 bytes) is sent, and the rest is too much
          const other = yield* Ipfs.start(() => projects.node(project("b")))
          const half = String(Memory.put(state, Block.RAW, bytes(50)))
          assert.strictEqual((yield* Ipfs.ask(other, `block/get?arg=${half}`)).status, 200)
          const cut = yield* Service.raw(other, Ipfs.head(`cat?arg=${first}`, { "Content-Length": "0" }))
          assert.match(
            cut,
            /\r\n3\r\n.{3}\r\n0\r\nX-Stream-Error: quota exceeded: 53 of 100 bytes are downloaded today/su
          )
        })
      )
  )
})
