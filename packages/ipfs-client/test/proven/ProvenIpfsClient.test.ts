/**
 * Tests the client with proofs: it returns the same answers as the plain client from an honest node, and errors from
 * any other.
 */
import { assert, describe, it } from "@effect/vitest"
import * as DagCbor from "@ipld/dag-cbor"
import * as DagPb from "@ipld/dag-pb"
import {
  Block,
  Car,
  Cid,
  FileCid,
  type IpfsApi,
  IpfsClient,
  IpfsPath,
  Multihash,
  type Upload,
  ProvenIpfsClient
} from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Layer, Result, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { UnixFS } from "ipfs-unixfs"
import { CID } from "multiformats/cid"

import * as Clients from "../support/clients.ts"
import * as IpfsNode from "../support/ipfsNode.ts"

type Client = IpfsClient.AnyClient

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = <E>(bytes: Stream.Stream<Uint8Array, E>) => Stream.mkUint8Array(bytes)

const connected = (flavour: IpfsNode.Flavour) =>
  Effect.map(
    Effect.flatMap(IpfsNode.make(flavour), ({ url }) => Clients.to(url)),
    (plain) => ({ plain, verified: ProvenIpfsClient.make(plain) })
  )

/** Slightly more than 1 MiB: five blocks of a file, and their parent. */
const LARGE = Random.bytes(Random.make(3), 1024 * 1024 + 5)

const tree: ReadonlyArray<Upload.UploadEntry> = [
  { path: "d/large", content: LARGE },
  { path: "d/sub/hello.txt", content: "hello world" },
  { path: "d/sub/streamed", content: Stream.make(LARGE.subarray(0, 5), LARGE.subarray(5, 300_000)) },
  { path: "d/blob", content: new Blob(["a", "b"]) },
  { path: `d/${"long name ".repeat(15)}ü`, content: "x" }
]

/** Reads the names and contents of a tar archive with pax headers, without the package's code. */
const untar = (bytes: Uint8Array): ReadonlyArray<readonly [name: string, content: Uint8Array]> => {
  const found: Array<readonly [string, Uint8Array]> = []
  const text = (from: number, length: number) =>
    new TextDecoder().decode(bytes.subarray(from, from + length)).replace(/\0.*$/s, "")
  let pax: string | undefined
  for (let at = 0; at < bytes.length && bytes[at] !== 0;) {
    const sum = bytes
      .subarray(at, at + 512)
      .reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0)
    assert.strictEqual(Number.parseInt(text(at + 148, 8), 8), sum)
    const size = Number.parseInt(text(at + 124, 12), 8)
    const content = bytes.subarray(at + 512, at + 512 + size)
    if (text(at + 156, 1) === "x") {
      pax = /\d+ path=(.*)\n/.exec(new TextDecoder().decode(content))?.[1]
    } else {
      found.push([pax ?? text(at, 100), content])
      pax = undefined
    }
    at += 512 + Math.ceil(size / 512) * 512
  }
  return found
}

for (const flavour of ["kubo", "infura", "js-ipfs"] as const) {
  describe(`over a node like ${flavour}`, () => {
    it.effect("files and directories are added and read as by the plain client", () =>
      Effect.gen(function* () {
        const { plain, verified } = yield* connected(flavour)
        const added = (yield* Stream.runCollect(
          verified.addAll(tree, { wrapWithDirectory: true, progress: true })
        )).filter((event) => event.cid !== undefined)
        const root = added.at(-1)!.cid
        assert.lengthOf(added, 8)
        const large = IpfsPath.make(root, "d", "large")
        assert.deepStrictEqual(yield* read(verified.cat(large)), LARGE)
        const range = { offset: 262_100, length: 300_000 }
        assert.deepStrictEqual(
          yield* read(verified.cat(large, range)),
          LARGE.slice(range.offset, range.offset + range.length)
        )
        const directory = IpfsPath.make(root, "d")
        const facts = (client: Client) =>
          Effect.map(Stream.runCollect(client.ls(directory)), (entries) =>
            entries.map(({ cid, name, size, type }) => [name, cid, size, type])
          )
        assert.deepStrictEqual(yield* facts(verified), yield* facts(plain))
        const stat = yield* plain.filesStat(large)
        const { mode: _, ...expected } = stat
        assert.deepStrictEqual(yield* verified.filesStat(large), expected)
        assert.deepStrictEqual(yield* verified.dagResolve(large), yield* plain.dagResolve(large))
        const archive = untar(yield* read(verified.get(directory)))
        assert.deepStrictEqual(
          archive.map(([name]) => name),
          ["d", "d/blob", "d/large", `d/${"long name ".repeat(15)}ü`, "d/sub", "d/sub/hello.txt", "d/sub/streamed"]
        )
        assert.deepStrictEqual(archive[2]?.[1], LARGE)
        assert.deepStrictEqual(archive[5]?.[1], encode("hello world"))
      })
    )

    it.effect("every way of cutting a file gives the CID that the node gives", () =>
      Effect.gen(function* () {
        const { verified } = yield* connected(flavour)
        for (const content of [LARGE, LARGE.subarray(0, 262_144), LARGE.subarray(0, 262_145), new Uint8Array()]) {
          const nameless = yield* verified.add({ content })
          const named = yield* verified.add({ path: "f", content: Stream.make(content) })
          assert.strictEqual(nameless.cid, named.cid)
        }
        yield* verified.add({ content: "wrapped" }, { wrapWithDirectory: true })
        for (const options of [{ cidVersion: 1 }, { rawLeaves: true }, { chunker: "size-1000" }] as const) {
          const added = yield* verified.add({ path: "d/f", content: LARGE }, options)
          assert.deepStrictEqual(yield* read(verified.cat(IpfsPath.make(added.cid, "f"))), LARGE)
        }
      })
    )

    it.effect("blocks, data and dag-pb nodes are put and read", () =>
      Effect.gen(function* () {
        const { plain, verified } = yield* connected(flavour)
        const put = yield* verified.blockPut(encode("block"), { cidCodec: "raw" })
        assert.deepStrictEqual(yield* verified.blockGet(put.cid), encode("block"))
        assert.strictEqual((yield* verified.blockStat(put.cid)).size, 5)
        const inner = yield* verified.dagPut(encode('{"b":[1,{"/":{"bytes":"AQ"}}]}'))
        const outer = yield* verified.dagPut(encode(`{"a":{"/":"${Cid.toText(Cid.fromTextUnsafe(inner))}"}}`))
        const path = IpfsPath.make(outer, "a", "b", "0")
        assert.strictEqual(new TextDecoder().decode(yield* verified.dagGet(path)), "1")
        const resolved = yield* verified.dagResolve(path)
        assert.deepStrictEqual(
          [Cid.toText(Cid.fromTextUnsafe(resolved.cid)), resolved.remainder],
          [Cid.toText(Cid.fromTextUnsafe(inner)), "b/0"]
        )
        assert.deepStrictEqual(yield* verified.dagGet(inner), yield* plain.dagGet(inner))
        const { cid } = yield* verified.add({ path: "d/hello.txt", content: "hello world" })
        assert.deepStrictEqual(yield* verified.dagGet(cid), yield* plain.dagGet(cid))
        assert.deepStrictEqual(yield* verified.objectGet(cid), yield* plain.objectGet(cid))
        assert.deepStrictEqual(
          yield* verified.objectGet(cid, { dataEncoding: "text" }),
          yield* plain.objectGet(cid, { dataEncoding: "text" })
        )
        assert.deepStrictEqual(yield* verified.objectData(cid), yield* plain.objectData(cid))
        assert.deepStrictEqual(yield* verified.objectStat(cid), yield* plain.objectStat(cid))
        assert.strictEqual(yield* verified.objectPut(yield* verified.blockGet(cid)), cid)
      })
    )
  })
}

/** Returns an error's tag, and the check of a refutation. */
const verdict = <A>(call: Effect.Effect<A, IpfsClient.IpfsFailure>) =>
  Effect.map(Effect.flip(call), (error) => (error._tag === "RefutedError" ? `Refuted: ${error.check}` : error._tag))

/** Returns the same as `verdict`, for a call that may also succeed. */
const outcome = <A>(call: Effect.Effect<A, IpfsClient.IpfsFailure>) =>
  Effect.match(call, {
    onFailure: (error) => (error._tag === "RefutedError" ? `Refuted: ${error.check}` : error._tag),
    onSuccess: () => "verified"
  })

describe("a node that lies", () => {
  const lying = (lie: (plain: Client) => Partial<Client>) =>
    Effect.map(connected("kubo"), ({ plain, verified }) => ({
      honest: verified,
      ipfs: ProvenIpfsClient.make({ ...plain, ...lie(plain) })
    }))

  const flipped = (bytes: Uint8Array, at: number): Uint8Array =>
    bytes.map((byte, index) => (index === at % bytes.length ? byte ^ 1 : byte))

  it.effect("about the bytes of any block is refuted, whatever is read", () =>
    Effect.gen(function* () {
      let lie: (cid: Cid.Cid, bytes: Uint8Array) => Uint8Array = (_, bytes) => bytes
      const { honest, ipfs } = yield* lying((plain) => ({
        blockGet: (cid) =>
          Effect.map(plain.blockGet(cid), (bytes) =>
            lie(typeof cid === "string" ? Cid.fromTextUnsafe(cid) : cid, bytes)
          ),
        dagExport: (given) => {
          const root = typeof given === "string" ? Cid.fromTextUnsafe(given) : given
          const blocks = Stream.map(Car.dag(plain.dagExport(root), root), ({ bytes, cid }) => ({
            cid,
            bytes: lie(cid, bytes)
          }))
          return Car.encode([root], blocks)
        }
      }))
      const { cid: root } = yield* honest.add({ path: "d/f", content: LARGE })
      const path = IpfsPath.make(root, "f")
      const reads: Readonly<Record<string, Effect.Effect<unknown, IpfsClient.IpfsFailure>>> = {
        cat: read(ipfs.cat(path)),
        get: read(ipfs.get(root)),
        ls: Stream.runCollect(ipfs.ls(root)),
        filesStat: ipfs.filesStat(path),
        blockGet: ipfs.blockGet(root),
        blockStat: ipfs.blockStat(root),
        dagGet: ipfs.dagGet(root),
        dagResolve: ipfs.dagResolve(path),
        objectGet: ipfs.objectGet(root),
        objectData: ipfs.objectData(root),
        objectStat: ipfs.objectStat(root)
      }
      const random = Random.make(4)
      const lies: ReadonlyArray<typeof lie> = [
        (_, bytes) => flipped(bytes, Random.int(random, bytes.length)),
        (_, bytes) => bytes.subarray(1),
        (_, bytes) => new Uint8Array([...bytes, 0]),
        () => new Uint8Array()
      ]
      for (const [name, call] of Object.entries(reads)) {
        lie = (_, bytes) => bytes
        yield* call
        for (const next of lies) {
          lie = next
          assert.strictEqual(yield* verdict(call), "Refuted: block hash", name)
        }
      }
      // One block at the end of the file is wrong. All bytes before it arrive unchanged.
      const leaves = yield* honest.objectGet(path)
      const last = leaves.links.at(-1)!.cid
      lie = (cid, bytes) => (Cid.toText(cid) === last ? flipped(bytes, 3) : bytes)
      const got: Array<Uint8Array> = []
      assert.strictEqual(
        yield* verdict(Stream.runForEach(ipfs.cat(path), (bytes) => Effect.sync(() => got.push(bytes)))),
        "Refuted: block hash"
      )
      assert.deepStrictEqual(Buffer.concat(got), Buffer.from(LARGE.subarray(0, 1024 * 1024)))
    })
  )

  it.effect("about what was added is refuted", () =>
    Effect.gen(function* () {
      const other = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH" as Cid.CidText
      const changed = (change: (event: { name: string; cid: Cid.CidText; size: number }) => object | undefined) =>
        lying((plain) => ({
          addAll: (entries, options) =>
            Stream.flatMap(plain.addAll(entries, options), (event) => {
              const next = event.cid === undefined ? event : change(event)
              return next === undefined ? Stream.empty : Stream.succeed({ ...event, ...next })
            })
        }))
      const cases = [
        [(event: { name: string }) => (event.name === "d/f" ? { cid: other } : {}), "Refuted: added CID"],
        [(event: { name: string }) => (event.name === "d" ? { cid: other } : {}), "Refuted: added CID"],
        [(event: { name: string }) => (event.name === "" ? { cid: other } : {}), "Refuted: added CID"],
        [(event: { size: number }) => ({ size: event.size + 1 }), "Refuted: added size"],
        [() => ({ name: "stranger" }), "Refuted: added name"],
        [(event: { name: string }) => (event.name === "d/f" ? undefined : {}), "IpfsError"],
        [(event: { name: string }) => (event.name === "" ? undefined : {}), "IpfsError"],
        [() => undefined, "IpfsError"]
      ] as const
      for (const [change, expected] of cases) {
        const { ipfs } = yield* changed(change)
        for (const content of [encode("content"), Stream.make(encode("content"))]) {
          assert.strictEqual(yield* verdict(ipfs.add({ path: "d/f", content }, { wrapWithDirectory: true })), expected)
        }
      }
      const nameless = yield* changed(() => ({ cid: other, name: other }))
      assert.strictEqual(yield* verdict(nameless.ipfs.add({ content: "x" })), "Refuted: added CID")
      assert.strictEqual(yield* verdict(nameless.ipfs.add([{ content: "x" }])), "Refuted: added CID")
    })
  )

  it.effect("that answers before it has read what is added is not a proof", () =>
    Effect.gen(function* () {
      const ipfs = ProvenIpfsClient.make({
        ...(yield* connected("kubo")).plain,
        addAll: () =>
          Stream.succeed({ name: "f", cid: "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH" as Cid.CidText, size: 6 })
      })
      const error = yield* Effect.flip(ipfs.add({ path: "f", content: Stream.make(encode("x")) }))
      assert.strictEqual(error.message, "add: the answer came before everything was sent")
    })
  )

  it.effect("about what was stored is refuted", () =>
    Effect.gen(function* () {
      const { honest } = yield* lying(() => ({}))
      const put = yield* honest.blockPut(encode("other"), { cidCodec: "raw" })
      const asPb = yield* honest.blockPut(encode("block"), { format: "v0" })
      const liar = (cid: Cid.CidText, size = 5) =>
        lying(() => ({
          blockPut: () => Effect.succeed({ cid, size }),
          dagPut: () => Effect.succeed(cid),
          objectPut: () => Effect.succeed(cid)
        }))
      const { ipfs } = yield* liar(put.cid)
      assert.strictEqual(yield* verdict(ipfs.blockPut(encode("block"))), "Refuted: block CID")
      assert.strictEqual(yield* verdict(ipfs.blockPut(encode("other"), { cidCodec: "dag-cbor" })), "Refuted: block CID")
      assert.strictEqual(yield* verdict(ipfs.blockPut(encode("other"), { mhtype: "blake3" })), "Refuted: block CID")
      assert.strictEqual(yield* verdict(ipfs.blockPut(encode("other"), { format: "v0" })), "Refuted: block CID")
      assert.strictEqual(yield* verdict(ipfs.dagPut(encode('{"a":1}'))), "Refuted: stored CID")
      assert.strictEqual(yield* verdict(ipfs.objectPut(encode("other"))), "Refuted: object CID")
      assert.deepStrictEqual(yield* ipfs.blockPut(encode("other")), { cid: put.cid, size: 5 })
      const sized = yield* liar(asPb.cid, 6)
      assert.strictEqual(yield* verdict(sized.ipfs.blockPut(encode("block"), { format: "v0" })), "Refuted: block size")
      // CIDs that name the right bytes, but not in the requested form: with inline data, a shorter digest or another
      // version
      const digest = Result.getOrThrow(Multihash.digest(Multihash.SHA2_256, encode("other")))
      const wrong = [
        Cid.make(0x55, 0, encode("other")),
        Cid.make(0x55, Multihash.SHA2_256, digest.subarray(0, 20)),
        Cid.make(0x55, Multihash.SHA2_256, digest.subarray(0, 31)),
        Cid.make(0x70, Multihash.SHA2_256, digest),
        Cid.make(0x0129, Multihash.SHA2_256, digest),
        Cid.makeV0(digest)
      ]
      for (const cid of wrong) {
        const other = yield* liar(Cid.toText(cid))
        for (const asked of [undefined, { cidCodec: "raw" }, { mhlen: 32 }]) {
          assert.strictEqual(yield* verdict(other.ipfs.blockPut(encode("other"), asked)), "Refuted: block CID")
        }
        if (cid.code !== 0x70)
          assert.strictEqual(yield* verdict(other.ipfs.objectPut(encode("other"))), "Refuted: object CID")
      }
      // The CIDs that were wrong above are right if the caller requested that form.
      const short = yield* liar(Cid.toText(wrong[1]!))
      assert.strictEqual((yield* short.ipfs.blockPut(encode("other"), { mhlen: 20 })).size, 5)
      const v0 = yield* liar(Cid.toText(Cid.makeV0(digest)))
      assert.strictEqual((yield* v0.ipfs.blockPut(encode("other"), { format: "v0" })).size, 5)
      const v1 = yield* liar(Cid.toText(Cid.make(0x70, Multihash.SHA2_256, digest)))
      assert.strictEqual(yield* verdict(v1.ipfs.blockPut(encode("other"), { format: "v0" })), "Refuted: block CID")
      assert.strictEqual((yield* v1.ipfs.blockPut(encode("other"), { format: "v0", cidBase: "base32" })).size, 5)
      assert.strictEqual((yield* v1.ipfs.blockPut(encode("other"), { format: "protobuf" })).size, 5)
    })
  )

  it.effect("that stores data as another make of node does is not accused, and not believed", () =>
    Effect.gen(function* () {
      // the CIDs of Kubo 0.43 for {"a":1.0} in dag-cbor and in dag-json, and for "\u2028" in dag-json
      const cases = [
        [
          '{"a":1.0}',
          "dag-cbor",
          "bafyreifs2olxiewfjhsszcpgoa4jd3t4eduvyp4bvukn7sjisbjt4fn3k4",
          DagCbor.encode({ a: 1 })
        ],
        ['{"a":1.0}', "dag-json", "baguqeeraafnl2724yv5c3wklowipaswybbbhhec64m7mltv6vzrco2ux7bra", undefined],
        ['["\u2028"]', "dag-json", undefined, encode('["\u2028"]')]
      ] as const
      for (const [data, storeCodec, kubo, inJavaScript] of cases) {
        const code = storeCodec === "dag-cbor" ? 0x71 : 0x0129
        const answering = (cid: string) => lying(() => ({ dagPut: () => Effect.succeed(cid as Cid.CidText) }))
        if (kubo !== undefined) {
          const { ipfs } = yield* answering(kubo)
          assert.isTrue((yield* ipfs.dagPut(encode(data), { storeCodec })) === kubo)
        }
        if (inJavaScript !== undefined) {
          const cid = Cid.toText(Result.getOrThrow(Block.cidOf(code, inJavaScript)))
          const { ipfs } = yield* answering(cid)
          assert.strictEqual(yield* verdict(ipfs.dagPut(encode(data), { storeCodec })), "UnprovenError")
        }
        const { ipfs } = yield* answering(Cid.toText(Result.getOrThrow(Block.cidOf(code, encode("2")))))
        assert.strictEqual(yield* verdict(ipfs.dagPut(encode(data), { storeCodec })), "Refuted: stored CID")
      }
    })
  )

  it.effect("about pins that nobody asked for is refuted", () =>
    Effect.gen(function* () {
      const [a, b, other] = ["a", "b", "c"].map((text) =>
        Cid.toText(Result.getOrThrow(Block.cidOf(Block.RAW, encode(text))))
      ) as [Cid.CidText, Cid.CidText, Cid.CidText]
      const answering = (pins: ReadonlyArray<Cid.CidText>, type = "recursive") =>
        Effect.map(
          lying(() => ({
            pinAdd: () => Effect.succeed(pins),
            pinRm: () => Effect.succeed(pins),
            pinUpdate: () => Effect.succeed(pins),
            pinLs: () => Stream.fromIterable(pins.map((cid) => ({ cid, type })))
          })),
          ({ ipfs }) => ipfs
        )
      for (const pins of [[a], [a, other], [a, b, other], []]) {
        const ipfs = yield* answering(pins)
        assert.strictEqual(yield* verdict(ipfs.pinAdd([a, b])), "Refuted: pinned CID")
        assert.strictEqual(yield* verdict(ipfs.pinRm([a, b])), "Refuted: pinned CID")
        assert.strictEqual(yield* verdict(ipfs.pinUpdate(a, b)), "Refuted: pinned CID")
      }
      const ipfs = yield* answering([b, a])
      assert.deepStrictEqual(yield* ipfs.pinAdd([a, b]), [a, b], "in the order of the question")
      assert.strictEqual(yield* verdict(Stream.runCollect(ipfs.pinLs({ paths: [a] }))), "Refuted: pinned CID")
      assert.strictEqual((yield* Stream.runCollect(ipfs.pinLs({ paths: [a, b] }))).length, 2)
      assert.strictEqual((yield* Stream.runCollect(ipfs.pinLs())).length, 2)
      assert.strictEqual(yield* verdict(Stream.runCollect(ipfs.pinLs({ type: "direct" }))), "Refuted: pin type")
    })
  )

  it.effect("about what it imported is refuted", () =>
    Effect.gen(function* () {
      const root = Result.getOrThrow(Block.cidOf(Block.RAW, encode("block")))
      const strange = Cid.toText(Result.getOrThrow(Block.cidOf(Block.RAW, encode("strange"))))
      const car = carOf(root, encode("block"))
      const run = (answers: ReadonlyArray<IpfsApi.Imported>, options = {}) =>
        Effect.flatMap(
          lying(() => ({ dagImport: (sent) => imported(sent, answers) })),
          ({ ipfs }) =>
            outcome(Stream.runCollect(ipfs.dagImport(Stream.make(car.subarray(0, 7), car.subarray(7)), options)))
        )
      const good = { root: { cid: Cid.toText(root), pinError: "" } }
      const stats = (blocks: number, bytes: number) => ({ stats: { blocks, bytes } })
      assert.strictEqual(yield* run([good]), "verified")
      assert.strictEqual(yield* run([good, stats(1, 5)], { stats: true }), "verified")
      assert.strictEqual(yield* run([], { pinRoots: false }), "verified")
      assert.strictEqual(yield* run([{ root: { cid: strange, pinError: "" } }]), "Refuted: imported root")
      assert.strictEqual(yield* run([good, stats(2, 5)], { stats: true }), "Refuted: imported sums")
      assert.strictEqual(yield* run([good, stats(1, 6)], { stats: true }), "Refuted: imported sums")
      assert.strictEqual(yield* run([]), "IpfsError")
      assert.strictEqual(yield* run([good], { stats: true }), "IpfsError")
    })
  )

  it.effect("about modes, about names of what has none, and about the order of its answers is not believed", () =>
    Effect.gen(function* () {
      const { honest } = yield* lying(() => ({}))
      const changed = (change: (answers: ReadonlyArray<IpfsApi.AddedEntry>) => ReadonlyArray<IpfsApi.AddedEntry>) =>
        lying((ipfs) => ({
          addAll: (entries, options) =>
            Stream.unwrap(
              Effect.map(Stream.runCollect(ipfs.addAll(entries, options)), (events) =>
                Stream.fromIterable(change(events.filter((event) => event.cid !== undefined)))
              )
            )
        }))
      const { ipfs } = yield* changed((all) => all.map((event) => ({ ...event, mode: 0o600, mtime: 7 })))
      const file = { path: "d/f", content: "x", mode: 0o600 }
      const wrapped = yield* ipfs.add(file, { wrapWithDirectory: true })
      assert.deepStrictEqual(wrapped, { name: "", cid: wrapped.cid, size: wrapped.size })
      const all = yield* Stream.runCollect(ipfs.addAll([file]))
      assert.deepStrictEqual(
        all.map(({ name, ...rest }) => [name, "mode" in rest ? rest.mode : undefined, "mtime" in rest]),
        [
          ["d/f", 0o600, false],
          ["d", undefined, false]
        ],
        "only what was sent with it"
      )
      // The uploaded mode is Go's whole mode of a directory. The answer has only its permission bits.
      const inGo = yield* Stream.runCollect(ipfs.addAll([{ ...file, mode: 0o20000000600 }]))
      assert.strictEqual((inGo[0] as IpfsApi.AddedEntry).mode, 0o600)
      const reversed = yield* changed((all) => all.toReversed())
      assert.strictEqual((yield* reversed.ipfs.add({ path: "d/f", content: "x" })).name, "d")
      const named = yield* changed((all) => all.map((event) => ({ ...event, name: "evil.txt" })))
      assert.strictEqual(yield* verdict(named.ipfs.add({ content: "x" })), "Refuted: added name")
      assert.strictEqual((yield* honest.add({ content: "x" })).size > 0, true)
    })
  )

  it.effect("in an exported DAG is found: wrong, missing and strange blocks", () =>
    Effect.gen(function* () {
      const { honest } = yield* lying(() => ({}))
      const { cid } = yield* honest.blockPut(encode("block"), { cidCodec: "raw" }).pipe(Effect.orDie)
      const car = (bytes: Uint8Array) => lying(() => ({ dagExport: () => Stream.succeed(bytes) }))
      const good = carOf(Cid.fromTextUnsafe(cid), encode("block"))
      const cases = [
        [good.map((byte, index) => (index === good.length - 1 ? byte ^ 1 : byte)), "Refuted: block hash"],
        [good.subarray(0, good.length - 1), "CarError"],
        [good.subarray(0, good[0]! + 1), "MissingBlocks"],
        [new Uint8Array(), "CarError"]
      ] as const
      for (const [bytes, expected] of cases) {
        const { ipfs } = yield* car(bytes)
        assert.strictEqual(yield* verdict(read(ipfs.dagExport(cid))), expected)
      }
      const { ipfs } = yield* car(good)
      assert.deepStrictEqual(yield* read(ipfs.dagExport(cid)), good)
      assert.deepStrictEqual(yield* read(ipfs.dagExport(cid, { localOnly: true })), good)
    })
  )

  it.effect("in a partial export is found as well: blocks may be missing, but not the root, and none is strange", () =>
    Effect.gen(function* () {
      const blocks = yield* Stream.runCollect(FileCid.blocks(Stream.make(LARGE), FileCid.KUBO_V1))
      const root = blocks.at(-1)!
      const bytes = encode("strange")
      const strange = { cid: Result.getOrThrow(Block.cidOf(Block.RAW, bytes)), bytes }
      const run = (sent: ReadonlyArray<Block.Block>, roots = [root.cid]) =>
        Effect.flatMap(
          lying(() => ({ dagExport: () => Car.encode(roots, Stream.fromIterable(sent)) })),
          ({ ipfs }) => outcome(read(ipfs.dagExport(root.cid, { localOnly: true })))
        )
      assert.strictEqual(yield* run([root, ...blocks.slice(0, -1)]), "verified")
      assert.strictEqual(yield* run([root, blocks[1]!]), "verified")
      assert.strictEqual(yield* run([root]), "verified")
      assert.strictEqual(yield* run([strange]), "MissingBlocks")
      assert.strictEqual(yield* run([root, strange]), "UnexpectedBlock")
      assert.strictEqual(yield* run([blocks[1]!]), "MissingBlocks")
      assert.strictEqual(yield* run([strange], [strange.cid]), "Refuted: car roots")
    })
  )
})

/** Reads the whole upload, as a node does, and then gives these answers. */
const imported = (sent: Upload.FileContent<any>, answers: ReadonlyArray<IpfsApi.Imported>) =>
  Stream.concat(Stream.isStream(sent) ? Stream.drain(Stream.orDie(sent)) : Stream.empty, Stream.fromIterable(answers))

/** Makes a CAR of one block. Its header is short enough for lengths of one byte. */
const carOf = (cid: Cid.Cid, bytes: Uint8Array): Uint8Array => {
  // {"roots": [cid], "version": 1} in dag-cbor
  const roots = [0xa2, 0x65, ...encode("roots"), 0x81, 0xd8, 0x2a, 0x58, cid.bytes.length + 1, 0, ...cid.bytes]
  const header = [...roots, 0x67, ...encode("version"), 1]
  return Uint8Array.of(header.length, ...header, cid.bytes.length + bytes.length, ...cid.bytes, ...bytes)
}

describe("a read that is proven", () => {
  it.effect("asks for each block of a small file once, and as it was told to ask", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* IpfsNode.make("kubo")
      const ipfs = ProvenIpfsClient.make(yield* Clients.to(url))
      const { cid } = yield* ipfs.add({ path: "d/f", content: "x" })
      asked.length = 0
      yield* read(ipfs.get(cid, { offline: true, timeout: "1m" }))
      assert.deepStrictEqual(
        asked.map(({ command, query }) => [command, query.get("offline"), query.get("timeout")]),
        [
          ["block/get", "true", "1m"],
          ["block/get", "true", "1m"]
        ]
      )
    })
  )
})

describe("the mode and the time in a block", () => {
  it.effect("are proven with it, in lists and facts, as far as a number can say the time", () =>
    Effect.gen(function* () {
      const { url } = yield* IpfsNode.make("kubo")
      const plain = yield* Clients.to(url)
      const ipfs = ProvenIpfsClient.make(plain)
      const put = (bytes: Uint8Array) =>
        Effect.map(plain.blockPut(bytes, { cidCodec: "dag-pb" }), ({ cid }) => ({ cid, tsize: bytes.length }))
      const file = (secs: bigint, nsecs?: number) =>
        new UnixFS({
          type: "file",
          data: encode("x"),
          mode: 0o1640,
          mtime: { secs, ...(nsecs === undefined ? {} : { nsecs }) }
        })
      const files = {
        early: [file(-5n, 120), { mtime: -5, mtimeNsecs: 120 }],
        plain: [file(1_700_000_000n), { mtime: 1_700_000_000 }],
        // later than the largest whole number that a float is sure to hold
        vast: [file(2n ** 53n, 7), {}]
      } as const
      const links = yield* Effect.forEach(Object.entries(files), ([name, [node]]) =>
        Effect.map(put(DagPb.encode({ Data: node.marshal(), Links: [] })), ({ cid, tsize }) => ({
          Name: name,
          Tsize: tsize,
          Hash: CID.parse(cid)
        }))
      )
      const root = new UnixFS({ type: "directory", mode: 0o750, mtime: { secs: 9n } })
      const { cid } = yield* put(DagPb.encode(DagPb.prepare({ Data: root.marshal(), Links: links })))
      const listed = yield* Stream.runCollect(ipfs.ls(cid))
      for (const [name, [, time]] of Object.entries(files)) {
        const entry = listed.find((entry) => entry.name === name)!
        const { mode, mtime, mtimeNsecs, size } = { mtime: undefined, mtimeNsecs: undefined, ...entry }
        const expected = { mtime: undefined, mtimeNsecs: undefined, ...time, mode: 0o1640, size: 1 }
        assert.deepStrictEqual({ mtime, mtimeNsecs, mode, size }, expected, name)
        const stat = yield* ipfs.filesStat(IpfsPath.make(cid, name))
        assert.deepStrictEqual({ mtime: undefined, mtimeNsecs: undefined, ...stat }, { ...stat, ...expected }, name)
      }
      assert.deepInclude(yield* ipfs.filesStat(IpfsPath.make(cid)), { mode: 0o750, mtime: 9, type: "directory" })
    })
  )
})

describe("what no CID names", () => {
  it.effect("is not proven, and nothing is asked", () =>
    Effect.gen(function* () {
      let asked = 0
      const node = HttpClient.make((request) =>
        Effect.sync(() => {
          asked++
          return HttpClientResponse.fromWeb(request, new Response("{}"))
        })
      )
      const layer = ProvenIpfsClient.layer().pipe(
        Layer.provide(IpfsClient.layer({ url: "http://node.example" })),
        Layer.provide(Layer.succeed(HttpClient.HttpClient, node))
      )
      const verdicts = yield* IpfsClient.IpfsClient.use((ipfs) => {
        const name = IpfsPath.fromTextUnsafe("/ipns/docs.example")
        return Effect.all([
          verdict(read(ipfs.cat(name))),
          verdict(ipfs.dagGet(name)),
          verdict(ipfs.filesStat("/documents")),
          verdict(ipfs.add({ content: "" }, { nocopy: true })),
          verdict(ipfs.add({ content: "" }, { inline: true, inlineLimit: 129 })),
          verdict(ipfs.add({ content: "" }, { maxHamtFanout: 100 })),
          verdict(ipfs.add({ content: "" }, { chunker: "rabin" })),
          verdict(ipfs.add({ content: "" }, { hash: "sha1" })),
          verdict(ipfs.add({ content: "" }, { mode: 0o644 })),
          verdict(ipfs.dagPut(encode("1"), { storeCodec: "git-raw" }))
        ])
      }).pipe(Effect.provide(layer))
      assert.deepStrictEqual(
        verdicts,
        verdicts.map(() => "UnprovenError")
      )
      assert.strictEqual(asked, 0)
    })
  )

  it.effect("by a mistake of the caller is an error of the caller", () =>
    Effect.gen(function* () {
      const { verified } = yield* connected("kubo")
      const cid = Cid.fromTextUnsafe("bafkqaaqha4")
      assert.deepStrictEqual(yield* read(verified.cat(cid)), Uint8Array.of(7, 7), "a CID that holds its data itself")
      const messages = [
        yield* Effect.flip(read(verified.cat(cid, { offset: -1 }))),
        yield* Effect.flip(read(verified.get(cid, { compress: true }))),
        yield* Effect.flip(verified.dagGet(cid, { outputCodec: "dag-xml" })),
        yield* Effect.flip(verified.dagPut(encode("not json")))
      ].map(({ message }) => message)
      assert.deepStrictEqual(messages, [
        "cat: offset and length must be zero or more",
        "get: compress is not for archives that are made here: compress the stream",
        "dag/get: codec must be dag-json, dag-cbor, dag-pb or raw",
        "dag/put: data is not dag-json"
      ])
    })
  )
})
