/**
 * Several IPFS nodes as one: their order, failover, nodes that lie or hang, writes, and pins of content that only
 * another node has.
 */
import { assert, describe, it } from "@effect/vitest"
import { IpfsNodes } from "@plumbline/gateway-ipfs"
import { Block, BlockSource, Cid, FileCid, IpfsNodeError } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Deferred, Effect, Fiber, Logger, Result, Stream } from "effect"
import { TestClock } from "effect/testing"

import * as Ipfs from "../support/ipfs.ts"
import * as Memory from "../support/ipfsMemoryNode.ts"

const failed = (reason: IpfsNodeError.Reason) => new IpfsNodeError.IpfsNodeError({ reason })
const broken = failed(new IpfsNodeError.Failed({ doing: "asking", detail: "ECONNREFUSED" }))
const absent = (cid: string) => failed(new IpfsNodeError.NotFound({ cid }))

const version = { version: "1", commit: "", repo: "", system: "", golang: "" }

type Change = (cid: string, bytes: Uint8Array) => Effect.Effect<Uint8Array, IpfsNodeError.IpfsNodeError>

/** Returns a node with these blocks that records the requested CIDs. `change` can make it return wrong bytes. */
const nodeWith = (blocks: Iterable<Block.Block>, change: Change = (_, bytes) => Effect.succeed(bytes)) => {
  const known = BlockSource.fromBlocks(blocks)
  const asked: Array<string> = []
  const node = Ipfs.nodeOf({
    blockGet: (path) => {
      asked.push(path)
      return Effect.flatMap(
        Effect.mapError(known(Cid.fromTextUnsafe(path)), () => absent(path)),
        (bytes) => change(path, bytes)
      )
    },
    version: Effect.succeed(version)
  })
  return { node, asked }
}

const raw = (text: string): Block.Block => {
  const bytes = Ipfs.bytesOf(text)
  return { cid: Result.getOrThrow(Block.cidOf(Block.RAW, bytes)), bytes }
}
const hello = raw("hello")
const HELLO = Cid.toText(hello.cid)

const states = ({ health }: IpfsNodes.CombinedNodes) =>
  Effect.map(health, ({ nodes }) => nodes.map(({ lies, name, state }) => `${name} ${state} ${lies}`))

describe("a read", () => {
  it.effect("asks the next node for what a node lacks, and only then", () =>
    Effect.gen(function* () {
      const other = raw("other")
      const [a, b] = [nodeWith([hello]), nodeWith([hello, other])]
      const nodes = yield* IpfsNodes.make({ name: "a", node: a.node }, [{ name: "b", node: b.node }])
      assert.deepStrictEqual(yield* nodes.node.blockGet(HELLO), hello.bytes)
      assert.deepStrictEqual(b.asked, [])
      assert.deepStrictEqual(yield* nodes.node.blockGet(Cid.toText(other.cid)), other.bytes)
      assert.deepStrictEqual(yield* states(nodes), ["a up 0", "b up 0"])
      const { reason } = yield* Effect.flip(nodes.node.blockGet(Cid.toText(raw("none").cid)))
      assert.strictEqual(reason._tag, "NotFound")
    }).pipe(Effect.scoped)
  )

  it.effect("of a block that others are reading is one with theirs, and ends with the last of them", () =>
    Effect.gen(function* () {
      const gates = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      const [first, second] = gates
      let given = 0
      let left = 0
      const slow = nodeWith([hello], (_, bytes) =>
        Effect.as(Deferred.await(given++ === 0 ? first : second), bytes).pipe(
          Effect.onInterrupt(() => Effect.sync(() => left++))
        )
      )
      const nodes = yield* IpfsNodes.make({ name: "a", node: slow.node }, [{ name: "b", node: nodeWith([]).node }])
      const readers = yield* Effect.forEach(Array.from({ length: 10 }), () =>
        Effect.forkChild(nodes.node.blockGet(HELLO))
      )
      yield* TestClock.adjust("1 second")
      const [leaver, ...others] = readers
      yield* Fiber.interrupt(leaver!)
      yield* Deferred.succeed(first, undefined)
      for (const reader of others) assert.deepStrictEqual(yield* Fiber.join(reader), hello.bytes)
      assert.deepStrictEqual([slow.asked.length, left], [1, 0])
      // A read is interrupted when all its readers are interrupted. The next reader starts a new read.
      const alone = yield* Effect.forEach([1, 2], () => Effect.forkChild(nodes.node.blockGet(HELLO)))
      yield* TestClock.adjust("1 second")
      for (const reader of alone) yield* Fiber.interrupt(reader)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([slow.asked.length, left], [2, 1])
      yield* Deferred.succeed(second, undefined)
      assert.deepStrictEqual(yield* nodes.node.blockGet(HELLO), hello.bytes)
    }).pipe(Effect.scoped)
  )

  it.effect("is not found only if every node says so: one that fails may have the block", () =>
    Effect.gen(function* () {
      const away = Ipfs.nodeOf({ blockGet: () => Effect.fail(broken), version: Effect.fail(broken) })
      const nodes = yield* IpfsNodes.make({ name: "a", node: away }, [{ name: "b", node: nodeWith([]).node }])
      const { reason } = yield* Effect.flip(nodes.node.blockGet(HELLO))
      assert.strictEqual(reason._tag, "Failed")
    }).pipe(Effect.scoped)
  )

  it.effect("passes over a node that is down, which a probe brings back, and never a caller's read", () =>
    Effect.gen(function* () {
      let isAway = true
      const a = nodeWith([hello])
      const flaky = {
        ...a.node,
        blockGet: (path: string) => (isAway ? Effect.fail(broken) : a.node.blockGet(path)),
        version: Effect.suspend(() => (isAway ? Effect.fail(broken) : Effect.succeed(version)))
      }
      const b = nodeWith([hello])
      const nodes = yield* IpfsNodes.make({ name: "a", node: flaky }, [{ name: "b", node: b.node }], {
        failures: 2,
        cooldown: "30 seconds"
      })
      yield* nodes.node.blockGet(HELLO)
      assert.deepStrictEqual(yield* states(nodes), ["a untried 0", "b up 0"])
      yield* nodes.node.blockGet(HELLO)
      assert.deepStrictEqual(yield* states(nodes), ["a down 0", "b up 0"])
      isAway = false
      yield* nodes.node.blockGet(HELLO)
      assert.deepStrictEqual(a.asked, [])
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* states(nodes), ["a up 0", "b up 0"])
      yield* nodes.node.blockGet(HELLO)
      assert.deepStrictEqual([a.asked.length, b.asked.length], [1, 3])
    }).pipe(Effect.scoped)
  )

  for (const [how, death, millis] of [
    ["refuses connections", Effect.fail(broken), 2750],
    ["hangs", Effect.never, 4750]
  ] as const) {
    it.effect(`notices within seconds a node that ${how} in a quiet moment, and that it is back`, () =>
      Effect.gen(function* () {
        let dies = false
        const mortal = { version: Effect.suspend(() => (dies ? death : Effect.succeed(version))) }
        const nodes = yield* IpfsNodes.make({ name: "a", node: Ipfs.nodeOf(mortal) }, [
          { name: "b", node: nodeWith([]).node }
        ])
        yield* TestClock.adjust("30 seconds")
        assert.deepStrictEqual(yield* states(nodes), ["a up 0", "b up 0"])
        dies = true
        yield* TestClock.adjust(millis)
        assert.deepStrictEqual(yield* states(nodes), ["a down 0", "b up 0"])
        dies = false
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* states(nodes), ["a up 0", "b up 0"])
      }).pipe(Effect.scoped)
    )
  }

  it.effect("goes on when a node gives no answer in time; the wait alone is not a fault, but a failed probe is", () =>
    Effect.gen(function* () {
      for (const answers of [true, false]) {
        const stuck = Ipfs.nodeOf({
          blockGet: () => Effect.never,
          version: answers ? Effect.succeed(version) : Effect.fail(broken)
        })
        const nodes = yield* IpfsNodes.make({ name: "a", node: stuck }, [{ name: "b", node: nodeWith([hello]).node }], {
          tryTimeout: "10 seconds",
          failures: 1
        })
        const read = yield* Effect.forkChild(nodes.node.blockGet(HELLO))
        yield* TestClock.adjust("9 seconds")
        assert.isUndefined(read.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* Fiber.join(read), hello.bytes)
        assert.deepStrictEqual(yield* states(nodes), [answers ? "a up 0" : "a down 0", "b up 0"])
      }
    }).pipe(Effect.scoped)
  )

  it.effect("that no node answers in time says so, and ends what it waited for", () =>
    Effect.gen(function* () {
      let open = 0
      const stuck = Ipfs.nodeOf({
        blockGet: () =>
          Effect.suspend(() => {
            open++
            return Effect.never
          }).pipe(Effect.onInterrupt(() => Effect.sync(() => open--))),
        version: Effect.succeed(version)
      })
      const nodes = yield* IpfsNodes.make({ name: "a", node: stuck }, [{ name: "b", node: stuck }], {
        tryTimeout: "1 second",
        timeout: "5 seconds"
      })
      const read = yield* Effect.forkChild(Effect.flip(nodes.node.blockGet(HELLO)))
      yield* TestClock.adjust("6 seconds")
      const { message, reason } = yield* Fiber.join(read)
      assert.strictEqual(reason._tag, "TimedOut")
      assert.strictEqual(message, `asking for ${HELLO}: no answer within 1 seconds`)
      assert.strictEqual(open, 0)
    }).pipe(Effect.scoped)
  )
})

describe("a node that lies", () => {
  it.effect("about any block changes nothing, is counted and logged once, and is asked last for a while", () =>
    Effect.gen(function* () {
      const content = Random.bytes(Random.make(1), 700_000)
      const blocks = yield* Stream.runCollect(FileCid.blocks(Stream.make(content)))
      const root = blocks.at(-1)!.cid
      for (const { cid } of blocks) {
        const lines: Array<string> = []
        const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
        const bad = Cid.toText(cid)
        const liar = nodeWith(blocks, (path, bytes) =>
          Effect.succeed(path === bad ? bytes.map((byte, i) => (i === bytes.length >> 1 ? byte ^ 1 : byte)) : bytes)
        )
        const honest = nodeWith(blocks)
        yield* Effect.gen(function* () {
          const nodes = yield* IpfsNodes.make(
            { name: "liar", node: liar.node },
            [{ name: "honest", node: honest.node }],
            {
              cooldown: "1 minute"
            }
          )
          const { bytes } = yield* nodes.node.cat(Cid.toText(root))
          assert.isTrue(Buffer.concat(yield* Stream.runCollect(bytes)).equals(content))
          assert.deepStrictEqual((yield* states(nodes))[0]?.split(" ").slice(0, 2), ["liar", "lies"])
          assert.lengthOf(lines, 1)
          assert.include(lines[0], bad)
          const before = liar.asked.length
          yield* nodes.node.blockGet(bad)
          assert.strictEqual(liar.asked.length, before)
          yield* TestClock.adjust("1 minute")
          assert.include(yield* states(nodes), `liar up ${liar.asked.filter((path) => path === bad).length}`)
          yield* nodes.node.blockGet(bad)
          assert.strictEqual(liar.asked.length, before + 1)
        }).pipe(Effect.scoped, Effect.provideService(Logger.CurrentLoggers, new Set([logger])))
      }
    })
  )

  it.effect("in the same way as all others gives nothing, and nothing is kept", () =>
    Effect.gen(function* () {
      const lie: Change = () => Effect.succeed(Ipfs.bytesOf("hellO"))
      const [a, b, c] = [nodeWith([hello], lie), nodeWith([hello], lie), nodeWith([hello], lie)]
      const nodes = yield* IpfsNodes.make(
        { name: "a", node: a.node },
        [
          { name: "b", node: b.node },
          { name: "c", node: c.node }
        ],
        { cache: { memory: 1_000_000 } }
      )
      for (const read of [nodes.node.blockGet(HELLO), nodes.node.cat(HELLO), nodes.node.stat(HELLO)]) {
        const { reason } = yield* Effect.flip<unknown, IpfsNodeError.IpfsNodeError, never>(read)
        assert.strictEqual(reason._tag, "Damaged")
      }
      const exported = yield* Effect.flip(Stream.runDrain(nodes.node.dagExport(HELLO)))
      assert.strictEqual(exported.reason._tag, "Damaged")
      assert.strictEqual((yield* nodes.health).cache?.memoryBytes, 0)
      assert.deepStrictEqual(yield* states(nodes), ["a lies 4", "b lies 4", "c lies 4"])
    }).pipe(Effect.scoped)
  )

  it.effect("and admits damage of its own is one that lies", () =>
    Effect.gen(function* () {
      const damaged = nodeWith([hello], (cid) =>
        Effect.fail(failed(new IpfsNodeError.Damaged({ cid, expected: "00", got: "01" })))
      )
      const nodes = yield* IpfsNodes.make({ name: "a", node: damaged.node }, [
        { name: "b", node: nodeWith([hello]).node }
      ])
      assert.deepStrictEqual(yield* nodes.node.blockGet(HELLO), hello.bytes)
      assert.deepStrictEqual(yield* states(nodes), ["a lies 1", "b up 0"])
    }).pipe(Effect.scoped)
  )
})

describe("the primary", () => {
  it.effect("takes writes and pins, and gets the blocks of what it is to pin and lacks, with one pin and no more", () =>
    Effect.gen(function* () {
      const content = Random.bytes(Random.make(2), 600_000)
      const blocks = yield* Stream.runCollect(FileCid.blocks(Stream.make(content)))
      const root = Cid.toText(blocks.at(-1)!.cid)
      const [here, there] = [Memory.empty(), Memory.empty()]
      for (const block of blocks) there.blocks.set(Cid.toText(block.cid), block)
      const nodes = yield* IpfsNodes.make({ name: "here", node: Memory.make(here), isRemote: false }, [
        { name: "there", node: Memory.make(there) }
      ])
      assert.isTrue(Buffer.concat(yield* Stream.runCollect((yield* nodes.node.cat(root)).bytes)).equals(content))
      assert.strictEqual(here.blocks.size, 0)
      yield* nodes.node.pinAdd(root, { name: "kept" })
      assert.deepStrictEqual(Array.from(here.pins), [[root, "recursive"]])
      assert.deepStrictEqual(new Set(here.blocks.keys()), new Set(blocks.map(({ cid }) => Cid.toText(cid))))
      assert.strictEqual(there.pins.size, 0)
      const put = yield* nodes.node.blockPut(Ipfs.bytesOf("new"))
      assert.isTrue(here.blocks.has(Cid.toText(put.cid)))
      assert.isFalse(there.blocks.has(Cid.toText(put.cid)))
      yield* nodes.node.pinRm(root)
      assert.strictEqual(here.pins.size, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("keeps no pin if a copy fails in its middle", () =>
    Effect.gen(function* () {
      const blocks = yield* Stream.runCollect(FileCid.blocks(Stream.make(Random.bytes(Random.make(3), 600_000))))
      const root = Cid.toText(blocks.at(-1)!.cid)
      const here = Memory.empty()
      const nodes = yield* IpfsNodes.make({ name: "here", node: Memory.make(here), isRemote: false }, [
        { name: "there", node: nodeWith(blocks.slice(1)).node }
      ])
      const { reason } = yield* Effect.flip(nodes.node.pinAdd(root))
      assert.strictEqual(reason._tag, "NotFound")
      assert.strictEqual(here.pins.size, 0)
    }).pipe(Effect.scoped)
  )

  it.effect("is alone in knowing pins, versions and collections", () =>
    Effect.gen(function* () {
      const primary = Ipfs.nodeOf({ version: Effect.succeed(version), pinLs: () => Stream.empty, gc: Stream.empty })
      const nodes = yield* IpfsNodes.make({ name: "a", node: primary }, [{ name: "b", node: nodeWith([]).node }])
      assert.deepStrictEqual(yield* nodes.node.version, version)
      assert.deepStrictEqual(yield* Stream.runCollect(nodes.node.pinLs([])), [])
      assert.deepStrictEqual(yield* Stream.runCollect(nodes.node.gc), [])
    }).pipe(Effect.scoped)
  )
})

it.effect("readers of one block at once do not disturb each other, and one that leaves ends its own read alone", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const a = nodeWith([hello], (_, bytes) => Effect.as(Deferred.await(gate), bytes))
    const nodes = yield* IpfsNodes.make({ name: "a", node: a.node })
    const reads = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(nodes.node.blockGet(HELLO)))
    yield* Effect.yieldNow
    yield* Fiber.interrupt(reads[0]!)
    yield* Deferred.succeed(gate, undefined)
    assert.deepStrictEqual(yield* Fiber.joinAll(reads.slice(1)), [hello.bytes, hello.bytes])
  }).pipe(Effect.scoped)
)

it.effect("options and names that cannot be are refused by name", () =>
  Effect.gen(function* () {
    const { node } = nodeWith([])
    const make = (options: IpfsNodes.IpfsNodesOptions, other = "b") =>
      Effect.scoped(Effect.flip(IpfsNodes.make({ name: "a", node }, [{ name: other, node }], options)))
    const messages = yield* Effect.forEach(
      [make({ failures: 0 }), make({ tryTimeout: 0 }), make({ cooldown: "30 days" }), make({}, "a")],
      (refused) => Effect.map(refused, ({ message }) => message)
    )
    assert.deepStrictEqual(messages, [
      "ipfs.nodes.failures: must be a whole number from 1 to 1000000000",
      "ipfs.nodes.tryTimeout: must be a time from 1ms to 24d",
      "ipfs.nodes.cooldown: must be a time from 1ms to 24d",
      "ipfs.nodes.name: must be another one for each node"
    ])
  })
)
