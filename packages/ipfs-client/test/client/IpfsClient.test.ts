/** Tests every command with stand-ins for Kubo, Infura and js-ipfs. */
import { assert, describe, it } from "@effect/vitest"
import { Cid, type IpfsError, IpfsPath } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"

import * as Clients from "../support/clients.ts"
import * as IpfsNode from "../support/ipfsNode.ts"

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const encode = (value: string): Uint8Array => new TextEncoder().encode(value)
const read = <E>(bytes: Stream.Stream<Uint8Array, E>) => Stream.mkString(Stream.decodeText(bytes))

/** CIDs that Kubo computes. */
const HELLO = "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD" as Cid.CidText
const EMPTY_DIRECTORY = "QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn" as Cid.CidText

const said = (status: number, message: string) => (error: IpfsError.IpfsError) => {
  assert(
    error.reason._tag === "FailedError" || error.reason._tag === "MalformedError",
    `${error.message} is not the server's`
  )
  assert.strictEqual(error.reason.message, message)
  assert.strictEqual(error.reason.status, status)
}

for (const [name, client] of Object.entries(Clients.httpClients)) {
  for (const flavour of ["kubo", "infura", "js-ipfs"] as const) {
    describe(`a client over ${name} and a node like ${flavour}`, () => {
      const connected = Effect.flatMap(IpfsNode.make(flavour), ({ url }) => Clients.over(client, { url }))

      it.effect("add, cat and ls a file and a directory", () =>
        Effect.gen(function* () {
          const ipfs = yield* connected
          const added = yield* ipfs.add({ path: "hello.txt", content: "hello world" })
          assert.deepInclude(added, { name: "hello.txt", cid: HELLO, size: 19 })
          const cid = Cid.fromTextUnsafe(HELLO)
          assert.strictEqual(yield* read(ipfs.cat(cid)), "hello world")
          assert.strictEqual(yield* read(ipfs.cat(added.cid, { offset: 6, length: 3 })), "wor")
          const many = yield* ipfs.add([
            { path: "hello.txt", content: "hello world" },
            { path: "d/f", content: Stream.make(encode("b")) }
          ])
          assert.deepStrictEqual(
            many.map(({ name }) => name),
            ["hello.txt", "d/f", "d"]
          )
          assert.strictEqual(many[0]!.cid, HELLO)
          const all = yield* Stream.runCollect(
            ipfs.addAll(
              [
                { path: "docs/a.txt", content: encode("a") },
                { path: "docs/b c+d.txt", content: Stream.make(encode("b"), encode("c")) },
                { type: "directory", path: "docs/empty" }
              ],
              { wrapWithDirectory: true, progress: true }
            )
          )
          const files = all.filter((event) => event.cid !== undefined)
          assert.deepStrictEqual(
            files.map(({ name }) => name),
            ["docs/a.txt", "docs/b c+d.txt", "docs", ""]
          )
          assert.deepStrictEqual(
            all.filter((event) => event.cid === undefined),
            [
              { name: "docs/a.txt", bytes: 1 },
              { name: "docs/b c+d.txt", bytes: 2 }
            ]
          )
          const root = files[3]!.cid
          const path = IpfsPath.make(root, "docs")
          const entries = yield* Stream.runCollect(ipfs.ls(path))
          assert.deepStrictEqual(
            entries.map(({ name, size, type }) => ({ name, size, type })),
            [
              { name: "a.txt", size: 1, type: 2 },
              { name: "b c+d.txt", size: 2, type: 2 },
              { name: "empty", size: 0, type: 1 }
            ]
          )
          assert.strictEqual(entries[2]?.cid, EMPTY_DIRECTORY)
          assert.strictEqual(yield* read(ipfs.cat(IpfsPath.make(root, "docs", "b c+d.txt"))), "bc")
          const stat = yield* ipfs.filesStat(IpfsPath.make(root, "docs", "b c+d.txt"))
          assert.deepInclude(stat, { size: 2, type: "file" })
          assert.strictEqual((yield* ipfs.dagResolve(path)).remainder, "")
          const tar = yield* Stream.mkUint8Array(ipfs.get(added.cid))
          assert.strictEqual(text(tar.subarray(0, HELLO.length)), HELLO)
          assert.strictEqual(text(tar.subarray(512, 523)), "hello world")
        })
      )

      it.effect("keeps the mode of a file that is told to", () =>
        Effect.gen(function* () {
          const ipfs = yield* connected
          const added = yield* ipfs.add({ path: "run", content: "#!", mode: 0o755, mtime: -1 }, { preserveMode: true })
          assert.strictEqual(added.mode, 0o755)
        })
      )

      it.effect("put, get and stat blocks and data", () =>
        Effect.gen(function* () {
          const ipfs = yield* connected
          const put = yield* ipfs.blockPut(encode("block"), { cidCodec: "raw" })
          assert.strictEqual(put.size, 5)
          const cid = Cid.fromTextUnsafe(put.cid)
          assert.strictEqual(Cid.toText(cid), "bafkreicjnlfibzgy6kp3r2gnqfwdv62i2pyqhfylhixocyambdfgomtn5y")
          assert.strictEqual(text(yield* ipfs.blockGet(cid)), "block")
          assert.deepStrictEqual((yield* ipfs.blockStat(cid)).size, 5)
          const stored = yield* ipfs.dagPut(encode('{"a":[1,2]}'))
          assert.strictEqual(text(yield* ipfs.dagGet(stored)), '{"a":[1,2]}')
          assert.deepStrictEqual(
            yield* ipfs.dagGet(stored, { outputCodec: "dag-cbor" }),
            Uint8Array.of(0xa1, 0x61, 0x61, 0x82, 1, 2)
          )
          const imported = yield* Stream.runCollect(ipfs.dagImport(encode("car"), { stats: true }))
          assert.deepStrictEqual(imported[1], { stats: { blocks: 1, bytes: 3 } })
          const root = imported[0]?.root
          assert(root !== undefined)
          assert.strictEqual(root.pinError, "")
          assert.strictEqual(text(yield* Stream.mkUint8Array(ipfs.dagExport(root.cid))), "car")
        })
      )

      it.effect("reads dag-pb nodes, whether the node has the commands or not", () =>
        Effect.gen(function* () {
          const ipfs = yield* connected
          const { cid } = yield* ipfs.add({ path: "d/hello.txt", content: "hello world" })
          const link = { name: "hello.txt", cid: HELLO, size: 19 }
          assert.deepStrictEqual(yield* ipfs.objectGet(cid), { links: [link], data: "CAE=" })
          assert.deepStrictEqual((yield* ipfs.objectGet(cid, { dataEncoding: "text" })).data, "\b\u0001")
          assert.deepStrictEqual(yield* ipfs.objectData(cid), Uint8Array.of(8, 1))
          assert.deepStrictEqual(yield* ipfs.objectStat(cid), {
            cid,
            links: 1,
            blockSize: 55,
            linksSize: 53,
            dataSize: 2,
            cumulativeSize: 74
          })
          if (flavour === "kubo") {
            const hello = yield* ipfs.objectGet(IpfsPath.make(cid, "hello.txt"))
            assert.deepStrictEqual(hello, { links: [], data: "CAISC2hlbGxvIHdvcmxkGAs=" })
          }
          const block = yield* ipfs.blockGet(cid)
          assert.strictEqual(yield* ipfs.objectPut(block), cid)
        })
      )

      it.effect("add, list, move and let go of pins", () =>
        Effect.gen(function* () {
          const ipfs = yield* connected
          const { cid } = yield* ipfs.add({ content: "hello world" }, { pin: false })
          const other = yield* ipfs.add({ content: "other" }, { pin: false })
          assert.deepStrictEqual(yield* Stream.runCollect(ipfs.pinLs()), [])
          assert.deepStrictEqual(yield* ipfs.pinAdd([cid, cid], { progress: true }), [cid, cid])
          assert.deepStrictEqual(yield* ipfs.pinAdd(cid, { name: "greeting" }), [cid])
          const pins = yield* Stream.runCollect(ipfs.pinLs({ names: true }))
          assert.lengthOf(pins, 1)
          assert.deepInclude(pins[0], { cid, type: "recursive" })
          if (flavour !== "js-ipfs") {
            assert.strictEqual(pins[0]?.name, "greeting")
            assert.deepStrictEqual(yield* ipfs.pinUpdate(cid, other.cid), [cid, other.cid])
            assert.deepStrictEqual(yield* ipfs.pinRm(other.cid), [other.cid])
          } else {
            const none = yield* Effect.flip(ipfs.pinUpdate(cid, other.cid))
            assert.strictEqual(none.message, "pin/update: Not Found")
            assert.deepStrictEqual(yield* ipfs.pinRm(cid), [cid])
          }
          yield* Effect.map(Effect.flip(ipfs.pinRm(cid)), said(500, "not pinned or pinned indirectly"))
          yield* Effect.map(
            Effect.flip(Stream.runDrain(ipfs.pinLs({ paths: [cid] }))),
            said(500, `path '${cid}' is not pinned`)
          )
        })
      )

      it.effect("says who it is", () =>
        Effect.gen(function* () {
          const ipfs = yield* connected
          assert.strictEqual((yield* ipfs.version()).repo, flavour === "js-ipfs" ? "12" : "18")
          const id = yield* ipfs.id()
          assert.deepStrictEqual(id.addresses, [])
          assert.deepStrictEqual(id.protocols, ["/ipfs/bitswap/1.2.0"])
        })
      )

      it.effect("says what the node says of a failure", () =>
        Effect.gen(function* () {
          const ipfs = yield* connected
          const missing = Cid.fromTextUnsafe("bafkreih3fygxv7nzwhcfjl32lptjv7hjcwmvuj5ae3ihoaqnoeq5z7guoe")
          yield* Effect.map(
            Effect.flip(ipfs.blockGet(missing)),
            said(500, `block was not found locally (offline): ipld: could not find ${Cid.toText(missing)}`)
          )
          const { cid } = yield* ipfs.add({ path: "d/f", content: "" })
          yield* Effect.map(Effect.flip(read(ipfs.cat(cid))), said(500, "this dag node is a directory"))
          yield* Effect.map(
            Effect.flip(read(ipfs.cat(cid, { offset: -1 }))),
            said(500, "cannot specify negative offset")
          )
          yield* Effect.map(
            Effect.flip(Stream.runDrain(ipfs.pinLs({ type: "x" }))),
            said(500, "invalid type 'x', must be one of {direct, indirect, recursive, all}")
          )
          const nobody = "/ipfs/nobody" as IpfsPath.IpfsPath
          yield* Effect.map(
            Effect.flip(read(ipfs.cat(nobody))),
            said(
              flavour === "js-ipfs" ? 400 : 500,
              'invalid path "/ipfs/nobody": invalid cid: selected encoding not supported'
            )
          )
        })
      )
    })
  }
}

describe("a key and its secret", () => {
  const credentials = { key: "0123abcd", secret: "hunter2:with:colons" }

  it.effect("are sent as Basic authentication", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* IpfsNode.make("infura", credentials)
      const ipfs = yield* Clients.make({ url, apiKey: credentials.key, apiKeySecret: credentials.secret })
      assert.strictEqual((yield* ipfs.version()).version, "0.43.1")
      assert.strictEqual(asked[0]?.headers.authorization, `Basic ${btoa("0123abcd:hunter2:with:colons")}`)
    })
  )

  it.effect("may stand in the URL", () =>
    Effect.gen(function* () {
      const { url } = yield* IpfsNode.make("infura", credentials)
      const ipfs = yield* Clients.to(
        url.replace("//", `//${credentials.key}:${encodeURIComponent(credentials.secret)}@`)
      )
      assert.strictEqual((yield* ipfs.version()).version, "0.43.1")
    })
  )

  it.effect("that are missing or wrong are told apart", () =>
    Effect.gen(function* () {
      const { url } = yield* IpfsNode.make("infura", credentials)
      const none = yield* Effect.flip((yield* Clients.to(url)).version())
      assert.strictEqual(none.message, "version: project id required")
      const wrong = yield* Clients.make({ url, apiKey: credentials.key, apiKeySecret: "other" })
      assert.strictEqual(
        (yield* Effect.flip(wrong.version())).message,
        "version: basic auth failure: invalid project id or project secret"
      )
    })
  )
})

describe("a request", () => {
  it.effect("repeats arg, names options as the API does, and goes below the path of the URL", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* IpfsNode.make("kubo")
      const ipfs = yield* Clients.to(`${url}/?tenant=7`)
      yield* Effect.exit(ipfs.pinAdd([HELLO, EMPTY_DIRECTORY], { cidBase: "base32", timeout: "1m30s" }))
      assert.strictEqual(
        asked[0]?.query.toString(),
        `arg=${HELLO}&arg=${EMPTY_DIRECTORY}&cid-base=base32&timeout=1m30s&tenant=7`
      )
      yield* Effect.exit(ipfs.add({ content: "" }, { rawLeaves: true, mtimeNsecs: 5, maxHamtFanout: 8 }))
      assert.strictEqual(asked[1]?.query.toString(), "raw-leaves=true&mtime-nsecs=5&max-hamt-fanout=8&tenant=7")
    })
  )

  it.effect("that cannot be right is not sent", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* IpfsNode.make("kubo")
      const ipfs = yield* Clients.to(url)
      const cases: ReadonlyArray<readonly [Effect.Effect<unknown, IpfsError.IpfsError>, string]> = [
        [ipfs.add({ path: "../x", content: "" }), "path must be names"],
        [ipfs.add({ path: "a//x", content: "" }), "path must be names"],
        [ipfs.add({ path: "a", content: "", mode: 2 ** 32 }), "mode must be permission bits"],
        [ipfs.add({ path: "a", content: "", mtimeNsecs: 1 }), "mtimeNsecs must be"],
        [ipfs.add({ content: "" }, { cidVersion: 0.5 }), "cidVersion must be a whole number"],
        [ipfs.version({ timeout: "soon" }), "timeout must be a duration"],
        [ipfs.version({ colour: "red" } as never), "colour is not an option"]
      ]
      for (const [call, message] of cases) {
        const { reason } = yield* Effect.flip(call)
        assert.strictEqual(reason._tag, "EncodeError")
        assert.include(reason.message, message)
      }
      assert.lengthOf(asked, 0)
    })
  )

  it.effect("to a URL that is none fails at the start", () =>
    Effect.gen(function* () {
      for (const url of ["node", "ftp://node.example", "http://a:%ff@node.example"]) {
        assert.strictEqual((yield* Effect.flip(Clients.to(url))).reason._tag, "EncodeError")
      }
      const half = yield* Effect.flip(Clients.make({ url: "http://node.example", apiKey: "k" }))
      assert.include(half.message, "apiKey must be a key without a colon, and stand beside its secret")
    })
  )
})
