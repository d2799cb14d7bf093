/** Blocks with very many links, values or levels: they are refused before they are built, or read in short steps. */
import { assert, describe, it } from "@effect/vitest"
import * as dagCbor from "@ipld/dag-cbor"
import * as dagJson from "@ipld/dag-json"
import * as dagPb from "@ipld/dag-pb"
import { Rlp } from "@plumbline/codec"
import {
  Block,
  BlockSource,
  Car,
  Cid,
  Dag,
  DagCodec,
  DagPbObject,
  DagSelection,
  Multihash,
  WorkScheduler,
  UnixFs,
  UnixFsData,
  WalkStack
} from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result, Stream } from "effect"

const cidOf = (codec: number, bytes: Uint8Array): Cid.Cid => Result.getOrThrow(Block.cidOf(codec, bytes))

const blockOf = (codec: number, bytes: Uint8Array): Block.Block => ({ cid: cidOf(codec, bytes), bytes })

/** A CID that holds its number. */
const inlined = (n: number): Cid.Cid => Cid.make(Block.RAW, Multihash.IDENTITY, Uint8Array.of(n >> 16, n >> 8, n))

const cids = (count: number): ReadonlyArray<Cid.Cid> => Array.from({ length: count }, (_, n) => inlined(n))

/** Encodes the head of a list or a map in dag-cbor: the major type, and a number of more than 65,535. */
const head = (major: number, count: number): Uint8Array =>
  Uint8Array.of((major << 5) | 26, count >>> 24, count >> 16, count >> 8, count)

const join = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))

const directoryOf = (count: number): Uint8Array =>
  dagPb.encode({
    Data: UnixFsData.encode({ kind: "directory", blockSizes: [] }),
    Links: cids(count)
      .map((cid, n) => ({ Hash: cid as never, Name: `name ${n}`.padEnd(12, "-"), Tsize: 3 }))
      .sort((a, b) => Buffer.compare(Buffer.from(a.Name), Buffer.from(b.Name)))
  })

/** Counts the steps of all work on blocks in an effect. */
const counted = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<{ readonly value: A; readonly steps: number }, E> =>
  Effect.suspend(() => {
    let steps = 0
    const run: WorkScheduler.RunsJobs["run"] = (job) =>
      Effect.sync(() => {
        for (;;) {
          steps++
          const value = job.step()
          if (value !== undefined) return value
        }
      })
    return Effect.map(Effect.provideService(work, WorkScheduler.Scheduler, { run }), (value) => ({ value, steps }))
  })

const boundOf = <A>(result: Result.Result<A, Block.DecodeError>): string =>
  Result.isSuccess(result)
    ? "read"
    : result.failure._tag === "LimitExceeded"
      ? `${result.failure.bound} ${result.failure.limit}`
      : result.failure._tag

describe("a block beyond a bound", () => {
  it("with one link too many is refused in every codec, and with one less it is read", () => {
    const encoders: ReadonlyArray<readonly [codec: number, of: (links: ReadonlyArray<Cid.Cid>) => Uint8Array]> = [
      [Block.DAG_CBOR, (links) => dagCbor.encode(links)],
      [Block.DAG_JSON, (links) => dagJson.encode(links)],
      [Block.DAG_PB, (links) => dagPb.encode({ Links: links.map((Hash) => ({ Hash: Hash as never, Name: "" })) })]
    ]
    const all = cids(Block.MAX_LINKS + 1)
    for (const [codec, of] of encoders) {
      const enough = blockOf(codec, of(all.slice(1)))
      assert.strictEqual(Result.getOrThrow(Block.links(enough)).length, Block.MAX_LINKS)
      assert.strictEqual(boundOf(Block.decode(enough)), "read")
      const much = blockOf(codec, of(all))
      assert.strictEqual(boundOf(Block.links(much)), `maxLinks ${Block.MAX_LINKS}`)
      assert.strictEqual(boundOf(Block.decode(much)), `maxLinks ${Block.MAX_LINKS}`)
    }
  })

  it.effect("is refused in few steps, however large the rest of it is", () =>
    Effect.gen(function* () {
      const link = Uint8Array.of(0xd8, 0x2a, 0x45, 0, 1, 0x55, 0, 0)
      const count = 1_040_000
      const bytes = join(head(4, count), new Uint8Array(Buffer.alloc(count * link.length, link)))
      const block = blockOf(Block.DAG_CBOR, bytes)
      const { steps, value } = yield* counted(Effect.flip(Block.linksEffect(block)))
      assert.strictEqual(value._tag, "LimitExceeded")
      assert.isBelow(steps, 10)
      const source = BlockSource.fromBlocks([block])
      const resolved = yield* counted(Effect.flip(Dag.resolve(source, block.cid, ["1"], { maxBlockSize: 1 << 24 })))
      assert.strictEqual(resolved.value._tag, "LimitExceeded")
      assert.isBelow(resolved.steps, 10)
    })
  )

  it("with too many values is not decoded, but its links are found", () => {
    const values = new Uint8Array(Block.MAX_VALUES).fill(0xa0)
    const bytes = join(head(4, Block.MAX_VALUES), values)
    // the list is a value too
    assert.strictEqual(boundOf(Block.decode(blockOf(Block.DAG_CBOR, bytes))), `maxValues ${Block.MAX_VALUES}`)
    assert.strictEqual(boundOf(Block.links(blockOf(Block.DAG_CBOR, bytes))), "read")
    const fewer = join(head(4, Block.MAX_VALUES - 1), values.subarray(1))
    assert.strictEqual(boundOf(Block.decode(blockOf(Block.DAG_CBOR, fewer))), "read")
    const json = new TextEncoder().encode(`[${Array(Block.MAX_VALUES).fill(0).join()}]`)
    assert.strictEqual(boundOf(Block.decode(blockOf(Block.DAG_JSON, json))), `maxValues ${Block.MAX_VALUES}`)
    // quotes and brackets in strings do not count
    const text = new TextEncoder().encode(JSON.stringify(['[{,\\"'.repeat(100_000)]))
    assert.strictEqual(boundOf(Block.decode(blockOf(Block.DAG_JSON, text))), "read")
  })

  it("with too many keys in one map is not decoded, but its links are found", () => {
    const keyed = (count: number) => {
      const keys = Array.from({ length: count }, (_, index) => index.toString(36).padStart(4, "0"))
      const cbor = join(head(5, count), Buffer.from(keys.map((key) => `\x64${key}\x01`).join("")))
      const json = new TextEncoder().encode(`{${keys.map((key) => `"${key}":1`).join()}}`)
      return [blockOf(Block.DAG_CBOR, cbor), blockOf(Block.DAG_JSON, json)]
    }
    for (const block of keyed(Block.MAX_KEYS)) assert.strictEqual(boundOf(Block.decode(block)), "read")
    for (const block of keyed(Block.MAX_KEYS + 1)) {
      assert.strictEqual(boundOf(Block.decode(block)), `maxKeys ${Block.MAX_KEYS}`)
      assert.strictEqual(boundOf(Block.links(block)), "read")
    }
    // the bound is that of one map: a list of two maps has twice as many keys
    const [map] = keyed(Block.MAX_KEYS)
    const two = join(Uint8Array.of(0x82), join(map!.bytes, map!.bytes))
    assert.strictEqual(boundOf(Block.decode(blockOf(Block.DAG_CBOR, two))), "read")
  })

  it("that is nested too deep is refused by what reads values and by what finds links", () => {
    const nested = (depth: number) => [
      blockOf(Block.DAG_CBOR, join(new Uint8Array(depth - 1).fill(0x81), Uint8Array.of(0x80))),
      blockOf(Block.DAG_JSON, new TextEncoder().encode("[".repeat(depth) + "]".repeat(depth)))
    ]
    for (const block of nested(Block.MAX_NESTING)) {
      assert.strictEqual(boundOf(Block.decode(block)), "read")
      assert.strictEqual(boundOf(Block.links(block)), "read")
    }
    for (const block of nested(Block.MAX_NESTING + 1)) {
      assert.strictEqual(boundOf(Block.decode(block)), `maxNesting ${Block.MAX_NESTING}`)
      assert.strictEqual(boundOf(Block.links(block)), `maxNesting ${Block.MAX_NESTING}`)
    }
  })

  it("of Ethereum is refused by the number of its items", () => {
    const items = (count: number) =>
      blockOf(Block.ETH_BLOCK, Rlp.encode(Array.from({ length: count }, () => new Uint8Array(0))))
    assert.strictEqual(boundOf(Block.decode(items(Block.MAX_LINKS - 1))), "read")
    assert.strictEqual(boundOf(Block.decode(items(Block.MAX_LINKS))), `maxLinks ${Block.MAX_LINKS}`)
  })

  it("of UnixFS cannot have more block sizes than links", () => {
    const packed = (count: number) => {
      const sizes = new Uint8Array(count)
      const length = [(count & 0x7f) | 0x80, ((count >> 7) & 0x7f) | 0x80, count >> 14]
      return join(Uint8Array.of(8, 2, 0x22, ...length), sizes)
    }
    assert.isTrue(Result.isSuccess(UnixFsData.decode(packed(Block.MAX_LINKS))))
    assert.isTrue(Result.isFailure(UnixFsData.decode(packed(Block.MAX_LINKS + 1))))
    const fields = new Uint8Array(Buffer.alloc(400_000, Uint8Array.of(0x78, 0)))
    assert.isTrue(Result.isFailure(UnixFsData.decode(join(Uint8Array.of(8, 2), fields))))
  })
})

describe("a block within the bounds", () => {
  const COUNT = 50_000
  /** Most links or values that one step may pass. */
  const STEP = 1024

  it.effect("is read in short steps by every reader", () =>
    Effect.gen(function* () {
      const directory = blockOf(Block.DAG_PB, directoryOf(COUNT))
      const list = blockOf(Block.DAG_CBOR, dagCbor.encode(cids(COUNT)))
      const numbers = blockOf(Block.DAG_CBOR, dagCbor.encode(Array.from({ length: COUNT }, (_, n) => ({ n }))))
      const json = dagJson.encode(Array.from({ length: COUNT }, (_, n) => ({ n })))
      const source = BlockSource.fromBlocks([directory, list, numbers])
      const car = Car.encode([list.cid], Stream.make(list))
      // each reader, and the number of times that it passes all links or values
      const readers: ReadonlyArray<readonly [name: string, passes: number, read: Effect.Effect<unknown, unknown>]> = [
        ["links of dag-pb", 1, Block.linksEffect(directory)],
        ["entries", 2, Stream.runDrain(UnixFs.entries(source, directory.cid))],
        ["an entry", 1, UnixFs.resolve(source, directory.cid, ["name 7------"])],
        ["no entry", 1, Effect.flip(UnixFs.resolve(source, directory.cid, ["none"]))],
        ["stat", 1, UnixFs.stat(source, directory.cid)],
        ["object/stat", 1, DagPbObject.statEffect(directory.cid, directory.bytes)],
        ["object/get", 2, DagPbObject.getEffect(directory.cid, directory.bytes, "text")],
        ["a path in data", 2, Dag.resolve(source, numbers.cid, ["7", "n"])],
        ["a walk", 2, Stream.runDrain(Stream.take(Dag.walk(source, directory.cid), 1))],
        ["a selection", 1, Stream.runDrain(DagSelection.blocks(source, directory.cid))],
        ["a CAR", 1, Stream.runDrain(Car.dag(car, list.cid))],
        ["conversion", 2, DagCodec.convert("dag-json", json, "dag-cbor")],
        ["plain JSON", 2, DagCodec.parseJson(json)]
      ]
      for (const [name, passes, read] of readers) {
        const { steps } = yield* counted(read)
        // a scan without objects passes sixteen times as much in a step
        assert.isAtLeast(steps, Math.floor((passes * COUNT) / STEP / 16), name)
        if (!name.includes("stat") && name !== "a CAR") assert.isAtLeast(steps, 3, name)
      }
      const entries = yield* counted(Stream.runDrain(UnixFs.entries(source, directory.cid)))
      assert.isAtLeast(entries.steps, Math.floor(COUNT / STEP))
    })
  )

  it.effect("of one map with very many keys is written in as many steps as it has keys", () =>
    Effect.gen(function* () {
      const json = dagJson.encode(Object.fromEntries(Array.from({ length: COUNT }, (_, n) => [`key ${n}`, n])))
      for (const codec of ["dag-cbor", "dag-json"] as const) {
        const { steps } = yield* counted(DagCodec.convert("dag-json", json, codec))
        // reading, passing the members, ordering them, and writing
        assert.isAtLeast(steps, Math.floor((3 * COUNT) / STEP) + 8, codec)
      }
    })
  )

  it.effect("of a directory emits its entries in short arrays, in their order", () =>
    Effect.gen(function* () {
      const directory = blockOf(Block.DAG_PB, directoryOf(COUNT))
      const lengths: Array<number> = []
      const found: Array<string> = []
      const entries = UnixFs.entries(BlockSource.fromBlocks([directory]), directory.cid)
      yield* Stream.runForEachArray(entries, (array) =>
        Effect.sync(() => {
          lengths.push(array.length)
          for (const { name } of array) found.push(name)
        })
      )
      assert.isAtMost(Math.max(...lengths), STEP)
      assert.deepStrictEqual(
        found,
        dagPb.decode(directory.bytes).Links.map(({ Name }) => Name!)
      )
    })
  )

  it.effect("of short lists in a list is written in as many steps as it has values", () =>
    Effect.gen(function* () {
      const json = dagJson.encode(Array.from({ length: 500 }, () => Array.from({ length: 500 }, (_, n) => n)))
      for (const codec of ["dag-cbor", "dag-json"] as const) {
        const { steps } = yield* counted(DagCodec.convert("dag-json", json, codec))
        // reading and writing
        assert.isAtLeast(steps, Math.floor((2 * 250_000) / STEP), codec)
      }
    })
  )

  it.effect("of one long string, or of bytes, is converted in as many steps as it has pieces", () =>
    Effect.gen(function* () {
      const size = 1_000_000
      const values: ReadonlyArray<readonly [name: string, value: unknown, steps: number]> = [
        ["bytes", new Uint8Array(size), 10],
        ["a list of bytes", Array.from({ length: 100 }, () => new Uint8Array(size / 100)), 10],
        ["a string", "\\".repeat(size), 50],
        ["a key", { ["\\".repeat(size)]: 1 }, 50],
        ["a list of strings", Array.from({ length: 100 }, () => "\\".repeat(size / 100)), 10],
        ["a string that is not UTF-8", new DagCodec.Text(new Uint8Array(size).fill(0xff)), 50]
      ]
      for (const [name, value, expected] of values) {
        const cbor = Result.getOrThrow(DagCodec.encode("dag-cbor", value))
        const written = yield* counted(DagCodec.convert("dag-cbor", cbor, "dag-json"))
        assert.isAtLeast(written.steps, expected, name)
        if (!name.includes("bytes")) continue
        const read = yield* counted(DagCodec.convert("dag-json", written.value, "dag-cbor"))
        assert.deepStrictEqual(read.value, cbor)
        if (name === "bytes") assert.isAtLeast(read.steps, expected, name)
      }
    })
  )

  it.effect("lets other work run between the steps", () =>
    Effect.gen(function* () {
      const directory = blockOf(Block.DAG_PB, directoryOf(COUNT))
      const source = BlockSource.fromBlocks([directory])
      let turns = 0
      let isDone = false
      const turn = () => {
        turns++
        if (!isDone) setImmediate(turn)
      }
      setImmediate(turn)
      yield* Stream.runDrain(UnixFs.entries(source, directory.cid))
      isDone = true
      assert.isAtLeast(turns, Math.floor(COUNT / STEP))
    })
  )
})

describe("links that are found without decoding", () => {
  /** Returns a random value with links, and its links in order, as the tests' own walk finds them. */
  const valueOf = (random: Random.Random, depth: number, links: Array<string>): unknown => {
    const kind = Random.int(random, depth > 4 ? 6 : 9)
    const many = Random.int(random, 5)
    switch (kind) {
      case 0:
      case 1: {
        const cid = cidOf(Random.pick(random, [Block.RAW, Block.DAG_PB, 0x129]), Random.bytes(random, 9))
        links.push(Cid.toText(cid))
        return cid
      }
      case 2:
        return Random.bytes(random, Random.int(random, 40))
      case 3:
        return "é".repeat(Random.int(random, 30))
      case 4:
        return Random.int(random, 2 ** 31) - 2 ** 30
      case 5:
        return Random.pick(random, [null, true, false, 0.5])
      case 6:
        return Object.fromEntries(
          // keys of increasing length come in this order in both codecs
          Array.from({ length: many }, (_, n) => ["k".repeat(n + 1), valueOf(random, depth + 1, links)])
        )
      default:
        return Array.from({ length: many }, () => valueOf(random, depth + 1, links))
    }
  }

  it("are those of the values that the codecs' own libraries wrote", () => {
    const random = Random.make(77)
    for (let i = 0; i < Random.runs(300); i++) {
      const links: Array<string> = []
      const value = [valueOf(random, 0, links), valueOf(random, 0, links)]
      for (const [codec, bytes] of [
        [Block.DAG_CBOR, dagCbor.encode(value)],
        [Block.DAG_JSON, dagJson.encode(value)]
      ] as const) {
        const found = Block.links(blockOf(codec, bytes))
        assert.deepStrictEqual(
          Result.getOrThrow(found).map((cid) => Cid.toText(cid)),
          links,
          `${i}`
        )
      }
    }
  })

  it("are in the order of the text of dag-json, whatever the keys are", () => {
    const [a, b, c] = cids(3).map((cid) => Cid.toText(cid))
    const link = (cid: string | undefined) => `{"/":"${cid}"}`
    const linksOf = (text: string) =>
      Result.map(Block.links(blockOf(Block.DAG_JSON, new TextEncoder().encode(text))), (links) =>
        links.map((cid) => Cid.toText(cid))
      )
    const numbers = `{"7":${link(a)},"x":${link(b)},"1":${link(c)}}`
    assert.deepStrictEqual<unknown>(linksOf(numbers), Result.succeed([a, b, c]))
    const twice = `{"x":${link(a)},"x":[${link(b)}],"/":${link(c)}}`
    assert.deepStrictEqual<unknown>(linksOf(twice), Result.succeed([a, b, c]))
    // maps that are not links or bytes, because they have more members
    const others = `[{"/":"${a}","/":"${b}"},{"/":"${a}","y":1},{"/":{"bytes":"?","bytes":"?"}},{"/":{"bytes":"?","y":1,"z":2}}]`
    assert.deepStrictEqual<unknown>(linksOf(others), Result.succeed([]))
    assert.isTrue(Result.isFailure(linksOf(`{"/":{"bytes":"?"}}`)))
    assert.isTrue(Result.isFailure(linksOf(`{"x":{"/":"?"}}`)))
  })

  it("of changed bytes are those of the decoded value, or the block is refused", () => {
    const random = Random.make(78)
    let read = 0
    for (let i = 0; i < Random.runs(2000); i++) {
      const isPb = i % 2 === 0
      const links: Array<string> = []
      const honest = isPb
        ? dagPb.encode({
            Data: Random.bytes(random, 5),
            Links: cids(1 + Random.int(random, 5)).map((Hash) => ({ Hash: Hash as never, Name: "", Tsize: 2 }))
          })
        : dagCbor.encode([valueOf(random, 1, links)])
      const at = Random.int(random, honest.length)
      const bytes = honest.with(at, Random.int(random, 256))
      const found = Block.links(blockOf(isPb ? Block.DAG_PB : Block.DAG_CBOR, bytes))
      let theirs: unknown
      try {
        theirs = isPb ? dagPb.decode(bytes) : dagCbor.decode(bytes)
      } catch {
        continue
      }
      if (Result.isFailure(found)) continue
      read++
      const expected: Array<string> = []
      const visit = (value: unknown): void => {
        if (typeof value !== "object" || value === null || value instanceof Uint8Array) return
        const cid = Cid.asCid(value)
        if (cid !== undefined) expected.push(Cid.toText(cid))
        else for (const inner of Object.values(value)) visit(inner)
      }
      visit(theirs)
      assert.sameMembers(
        found.success.map((cid) => Cid.toText(cid)),
        expected,
        `${i}`
      )
    }
    assert.isAbove(read, 10)
  })

  it("have their digests where the block has them, even if the block is much larger than its links", () => {
    const cid = cidOf(Block.RAW, Uint8Array.of(1))
    for (const size of [0, 1000]) {
      const { bytes, cid: root } = blockOf(Block.DAG_CBOR, dagCbor.encode([new Uint8Array(size), cid, cid]))
      const { at, count, heldBytes, placeOf } = Effect.runSync(Block.linksEffect({ cid: root, bytes }))
      assert.strictEqual(count, 2)
      assert.isAtMost(heldBytes, Math.min(bytes.length, 200))
      for (let i = 0; i < count; i++) {
        assert.isTrue(Cid.equals(at(i), cid))
        const { length, offset } = placeOf(i)!
        assert.deepStrictEqual(bytes.slice(offset, offset + length), Uint8Array.from(cid.multihash.digest))
      }
      assert.notStrictEqual(placeOf(0)!.offset, placeOf(1)!.offset)
    }
  })
})

describe("Cid.isBytes", () => {
  it("agrees with fromBytes on CIDs, on changed CIDs and on ranges of them", () => {
    const random = Random.make(79)
    const codecs = [0x55, 0x70, 0x71, 0x129, 0x0200, 0xb220, 0x1f_ffff]
    const seen = { yes: 0, no: 0 }
    for (let i = 0; i < Random.runs(5000); i++) {
      const digest = Random.bytes(random, Random.int(random, 60))
      const hash = Random.pick(random, [0, 0x12, 0x13, 0xb220])
      const cid =
        i % 5 === 0 ? Cid.makeV0(Random.bytes(random, 32)) : Cid.make(Random.pick(random, codecs), hash, digest)
      let bytes = Uint8Array.from(cid.bytes)
      if (i % 2 === 0) bytes[Random.int(random, Math.min(6, bytes.length))] = Random.int(random, 256)
      if (i % 7 === 0) bytes = bytes.subarray(0, Random.int(random, bytes.length + 1))
      const expected = Result.isSuccess(Cid.fromBytes(bytes))
      seen[expected ? "yes" : "no"]++
      assert.strictEqual(Cid.isBytes(bytes), expected, Buffer.from(bytes).toString("hex"))
      const around = join(Uint8Array.of(1, 2), bytes, Uint8Array.of(3))
      assert.strictEqual(Cid.isBytes(around, 2, 2 + bytes.length), expected)
    }
    assert.isAbove(Math.min(seen.yes, seen.no), 10)
  })
})

describe("WalkStack", () => {
  it("gives places in the order of a depth-first walk, whatever is looked at before its turn", () => {
    const random = Random.make(80)
    for (let run = 0; run < Random.runs(100); run++) {
      const stack = new WalkStack.WalkStack<string>()
      const plain: Array<string> = []
      let made = 0
      const push = () => {
        const places = Array.from({ length: Random.int(random, 6) }, () => `p${made++}`)
        assert.isTrue(stack.push({ count: places.length, at: (i) => places[i]!, heldBytes: 1 }))
        plain.push(...places.toReversed())
      }
      push()
      for (let i = 0; i < 60; i++) {
        const most = Random.int(random, 9)
        assert.deepStrictEqual(
          stack.coming(most),
          plain.slice(plain.length - Math.min(most, plain.length)).toReversed()
        )
        assert.strictEqual(stack.next(), plain.pop())
        if (Random.chance(random, 0.4)) push()
      }
    }
  })

  it("holds no more bytes of blocks than it may, and frees a block at its last link", () => {
    const stack = new WalkStack.WalkStack<number>()
    const half = { count: 2, at: (i: number) => i, heldBytes: WalkStack.MAX_HELD_BYTES / 2 }
    assert.isTrue(stack.push(half))
    assert.isTrue(stack.push(half))
    assert.isFalse(stack.push({ ...half, heldBytes: 1 }))
    stack.next()
    assert.isFalse(stack.push(half))
    stack.next()
    assert.isTrue(stack.push(half))
    // a chain, in which each block has one link, holds nothing
    const chain = new WalkStack.WalkStack<number>()
    for (let i = 0; i < 1000; i++) {
      assert.isTrue(chain.push({ count: 1, at: () => i, heldBytes: WalkStack.MAX_HELD_BYTES }))
      assert.strictEqual(chain.next(), i)
    }
  })
})
