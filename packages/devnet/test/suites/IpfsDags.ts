/**
 * Tests blocks, IPLD data and CARs. CIDs and forms come from the IPLD codec fixtures; `@ipld/car` reads and makes CARs.
 */
import { assert, it } from "@effect/vitest"
import { CarReader, CarWriter } from "@ipld/car"
import * as dagCbor from "@ipld/dag-cbor"
import type { IpfsNode } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"
import { CID } from "multiformats/cid"

import { addAll, addOne, arrayOf, bytesAt, keyStream, random, reasonOf, utf8, type Fresh } from "../support/ipfs.ts"

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** `dagpb_Links_Hash_some_Name_some` of the codec fixtures: one value in three codecs. */
const FIXTURE = {
  "dag-json": {
    cid: "baguqeeras44ncqauojywh67izb3d5j7rjbgdscdfsglzaex3envlwzq3lvxa",
    bytes: utf8('{"Links":[{"Hash":{"/":"bafkqabiaaebagba"},"Name":"some name"}]}')
  },
  "dag-cbor": {
    cid: "bafyreigi3x5lx7auupkm3z27b5emluvkrv3mwpq35244zy4cnqjplyr2fi",
    bytes: Buffer.from("a1654c696e6b7381a26448617368d82a4a00015500050001020304644e616d6569736f6d65206e616d65", "hex")
  },
  "dag-pb": {
    cid: "bafybeifq4hcxma3kjljrpxtunnljtc6tvbkgsy3vldyfpfbx2lij76niyu",
    bytes: Buffer.from("12160a090155000500010203041209736f6d65206e616d65", "hex")
  }
} as const

const CODECS = ["dag-json", "dag-cbor", "dag-pb"] as const

/** Returns a CAR, written by `@ipld/car`. */
const carOf = (roots: ReadonlyArray<CID>, blocks: ReadonlyArray<{ readonly cid: CID; readonly bytes: Uint8Array }>) =>
  Effect.promise(async () => {
    const { out, writer } = CarWriter.create([...roots])
    const bytes = arrayOf(out)
    for (const block of blocks) await writer.put(block)
    await writer.close()
    return Buffer.concat(await bytes)
  })

/** Defines the shared tests for a kind of node. */
export const ipfsDags = (fresh: Fresh): void => {
  it.live("data goes in by one codec and out by another, under the CIDs of the fixtures", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        for (const inputCodec of CODECS) {
          for (const storeCodec of CODECS) {
            const cid = yield* node.dagPut(FIXTURE[inputCodec].bytes, { inputCodec, storeCodec })
            assert.strictEqual(String(cid), FIXTURE[storeCodec].cid, `${inputCodec} to ${storeCodec}`)
            for (const outputCodec of CODECS) {
              const out = yield* node.dagGet(String(cid), outputCodec)
              assert.isTrue(Buffer.from(FIXTURE[outputCodec].bytes).equals(out), `${storeCodec} to ${outputCodec}`)
            }
          }
        }
        assert.isTrue(Buffer.of(0, 1, 2, 3, 4).equals(yield* node.blockGet("bafkqabiaaebagba")))
        assert.strictEqual(
          text(
            yield* node
              .dagGet("QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn")
              .pipe(Effect.catch(() => Effect.succeed(utf8("absent"))))
          ),
          "absent"
        )
        yield* addAll(node, [{ type: "directory", path: "empty" }])
        // the same answer as Kubo's
        assert.strictEqual(
          text(yield* node.dagGet("QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn")),
          '{"Data":{"/":{"bytes":"CAE"}},"Links":[]}'
        )
      })
    )
  )

  it.live("paths lead through fields and links of data, and through directories", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const file = yield* addOne(node, "found")
        const added = yield* addAll(node, [{ path: "d/sub/f", content: utf8("deep") }])
        const directory = String(added.at(-1)?.cid)
        const inner = yield* node.dagPut(dagCbor.encode({ list: [{ file: CID.parse(file) }], n: 7, none: null }), {
          inputCodec: "dag-cbor"
        })
        const outer = String(yield* node.dagPut(utf8(`{"to":{"/":"${String(inner)}"},"dir":{"/":"${directory}"}}`)))

        assert.strictEqual(text(yield* node.dagGet(`${outer}/to/list/0`)), `{"file":{"/":"${file}"}}`)
        assert.strictEqual(text(yield* node.dagGet(`/ipfs/${outer}/to/n`)), "7")
        assert.strictEqual(text(yield* node.dagGet(`${outer}/to/none`)), "null")
        assert.strictEqual(text(yield* bytesAt(node, `${outer}/to/list/0/file`)), "found")
        assert.strictEqual(text(yield* bytesAt(node, `${outer}/dir/sub/f`)), "deep")

        const resolve = (path: string) =>
          Effect.map(node.dagResolve(path), ({ cid, remainder }) => [String(cid), remainder])
        assert.deepStrictEqual(yield* resolve(`${outer}/to/list/0`), [String(inner), "list/0"])
        assert.deepStrictEqual(yield* resolve(`${outer}/to/list/0/file`), [file, ""])
        assert.deepStrictEqual(yield* resolve(`${outer}/dir/sub`), [String(added.at(-2)?.cid), ""])

        assert.strictEqual(
          (yield* reasonOf(node.dagGet(`${outer}/to/list/1`))).message,
          `no link named "1" under ${String(inner)}`
        )
        assert.strictEqual((yield* reasonOf(node.dagGet(`${outer}/constructor`)))._tag, "NoLink")
        assert.strictEqual((yield* reasonOf(node.cat(`${outer}/to/n`)))._tag, "NoLink")
      })
    )
  )

  it.live("a block is stored under the codec and the hash asked for", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const put = (bytes: Uint8Array, options?: IpfsNode.BlockPutOptions) =>
          Effect.map(node.blockPut(bytes, options), ({ cid }) => String(cid))
        assert.strictEqual(
          yield* put(utf8("hello world")),
          "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"
        )
        const file = Buffer.from("0a110802120b68656c6c6f20776f726c64180b", "hex")
        assert.strictEqual(yield* put(file, { format: "v0" }), "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD")
        assert.strictEqual(text(yield* bytesAt(node, "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD")), "hello world")
        for (const mhtype of ["sha2-512", "keccak-256", "blake2b-256", "blake3", "sha3-256", "identity"]) {
          const cid = yield* put(utf8("any hash"), { mhtype })
          assert.strictEqual(text(yield* node.blockGet(cid)), "any hash", mhtype)
          assert.deepStrictEqual(yield* Effect.map(node.blockStat(cid), ({ cid, size }) => [String(cid), size]), [
            cid,
            8
          ])
        }
        const short = yield* put(utf8("short"), { mhlen: 20 })
        assert.strictEqual(text(yield* node.blockGet(short)), "short")
        assert.strictEqual(CID.parse(short).multihash.digest.length, 20)

        // a block is stored as it is; Kubo gives the same CID
        const jose = "bagcqcerafvyrmqvxe2yeialcpsu7xlbs6xefgd5rsa6mjwycewdrpeq2jcaq"
        assert.strictEqual(yield* put(utf8("x"), { cidCodec: "dag-jose" }), jose)

        const big = new Uint8Array(2 * 1024 * 1024 + 1)
        assert.match(
          (yield* reasonOf(node.blockPut(big))).message,
          /produced block is over 2MiB: big blocks can't be exchanged/
        )
        const cid = yield* put(big, { allowBigBlock: true, pin: true })
        assert.strictEqual((yield* node.cat(cid)).size, big.length)
        assert.strictEqual((yield* bytesAt(node, cid)).length, big.length)

        for (const [options, tag] of [
          [{ format: "v0", cidCodec: "raw" }, "InvalidRequest"],
          [{ format: "v0", mhtype: "sha2-512" }, "InvalidRequest"],
          [{ mhlen: 8 }, "InvalidRequest"],
          [{ mhtype: "md5" }, "NotSupported"],
          [{ cidCodec: "no-codec" }, "NotSupported"]
        ] as const) {
          assert.strictEqual((yield* reasonOf(node.blockPut(utf8("x"), options)))._tag, tag, JSON.stringify(options))
        }
      })
    )
  )

  it.live("a CAR of a block that is not there has no beginning", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const missing = "bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"
        const holder = yield* node.dagPut(utf8(`{"x":{"/":"${missing}"}}`))
        for (const path of [missing, `${String(holder)}/x`]) {
          let pieces = 0
          const counted = Stream.tap(node.dagExport(path), () => Effect.sync(() => pieces++))
          assert.strictEqual((yield* reasonOf(Stream.runDrain(counted)))._tag, "NotFound")
          assert.strictEqual(pieces, 0)
        }
        // if the node has the root, the CAR begins with the blocks that are there
        let pieces = 0
        const counted = Stream.tap(node.dagExport(String(holder)), () => Effect.sync(() => pieces++))
        assert.strictEqual((yield* reasonOf(Stream.runDrain(counted)))._tag, "NotFound")
        assert.isAbove(pieces, 0)
      })
    )
  )

  it.live("a CAR has every block of a DAG once, and brings it to another node", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const content = keyStream("car")(700_000)
        const added = yield* addAll(node, [
          { path: "d/one", content },
          { path: "d/two", content },
          { path: "d/empty", content: new Uint8Array(0) }
        ])
        const root = String(added.at(-1)?.cid)
        const car = Buffer.concat(yield* Stream.runCollect(node.dagExport(root)))

        const reader = yield* Effect.promise(() => CarReader.fromBytes(car))
        assert.deepStrictEqual((yield* Effect.promise(() => reader.getRoots())).map(String), [root])
        const cids = (yield* Effect.promise(() => arrayOf(reader.cids()))).map(String)
        // the directory, the file, its three parts, and the empty file
        assert.strictEqual(cids.length, 6)
        assert.strictEqual(new Set(cids).size, 6)
        assert.strictEqual(cids[0], root)

        const { behind, node: other } = yield* fresh
        const pieces = Stream.fromIterable([car.subarray(0, 1), car.subarray(1, 70_000), car.subarray(70_000)])
        const imported = yield* other.dagImport(pieces)
        assert.deepStrictEqual(
          imported.roots.map(({ cid, pinError }) => [String(cid), pinError]),
          [[root, ""]]
        )
        assert.strictEqual(imported.blocks, 6)
        yield* Stream.runDrain(behind.gc)
        assert.isTrue(Buffer.from(content).equals(yield* bytesAt(other, `${root}/two`)))
      })
    )
  )

  it.live("a CAR that is cut, wrong or not whole pins nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const cid = CID.parse(yield* addOne(node, random("c", 600_000), { pin: false }))
        const bytes = yield* node.blockGet(String(cid))
        const { node: other } = yield* fresh
        const importing = (car: Uint8Array) => other.dagImport(Stream.make(car))

        const partial = yield* importing(yield* carOf([cid], [{ cid, bytes }]))
        assert.match(partial.roots[0]!.pinError, /^block was not found locally \(offline\): ipld: could not find Qm/)

        const wrong = yield* carOf([cid], [{ cid, bytes: bytes.map((byte, i) => (i === 9 ? byte ^ 1 : byte)) }])
        assert.strictEqual((yield* reasonOf(importing(wrong)))._tag, "InvalidRequest")
        const whole = yield* carOf([cid], [{ cid, bytes }])
        assert.strictEqual((yield* reasonOf(importing(whole.subarray(0, -1))))._tag, "InvalidRequest")
        assert.strictEqual((yield* reasonOf(importing(utf8("no CAR at all"))))._tag, "InvalidRequest")
        const failing = Stream.concat(Stream.make(whole.subarray(0, 60)), Stream.fail("cut" as const))
        assert.strictEqual(yield* Effect.flip(other.dagImport(failing)), "cut")
        assert.deepStrictEqual(yield* Stream.runCollect(other.pinLs([])), [])

        const kept = yield* other.dagImport(Stream.make(whole), { pinRoots: false })
        assert.deepStrictEqual(
          kept.roots.map(({ pinError }) => pinError),
          [""]
        )
        assert.deepStrictEqual(yield* Stream.runCollect(other.pinLs([])), [])
      })
    )
  )

  it.live("data that is not of its codec is refused", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { behind, node } = yield* fresh
        const refused = (data: Uint8Array, options: IpfsNode.DagPutOptions) =>
          Effect.map(reasonOf(node.dagPut(data, options)), (reason) => reason._tag)
        assert.strictEqual(yield* refused(utf8("{"), {}), "InvalidRequest")
        assert.strictEqual(yield* refused(utf8('{"a":1,"a":2}'), {}), "InvalidRequest")
        assert.strictEqual(yield* refused(utf8('{"Links":"no"}'), { storeCodec: "dag-pb" }), "InvalidRequest")
        assert.strictEqual(yield* refused(utf8("{}"), { storeCodec: "raw" }), "InvalidRequest")
        assert.strictEqual(yield* refused(utf8("{}"), { inputCodec: "dag-jose" }), "NotSupported")
        assert.strictEqual(yield* refused(utf8("{}"), { hash: "md5" }), "NotSupported")
        const { blocks } = yield* behind.repoStat
        assert.strictEqual(blocks, 0)
      })
    )
  )
}
