/** Client libraries of other authors, unchanged, over a real connection to this machine. */
import { assert, describe, it } from "@effect/vitest"
import { Block, Cid, FileCid, type IpfsNode, IpfsNodeError, UnixFs } from "@plumbline/ipfs-client"
import { Effect, Result, Stream } from "effect"
import { create } from "kubo-rpc-client"

import * as Ipfs from "../support/ipfs.ts"
import { bytesOf, HELLO } from "../support/ipfs.ts"

/** A node that keeps the blocks of files in memory, and lists its pins. */
const inMemory = () => {
  const blocks = new Map<string, Uint8Array>()
  const pins = new Map<string, Cid.Cid>()
  const keep = ({ bytes, cid }: Block.Block) => Effect.sync(() => void blocks.set(Cid.key(cid), bytes))
  const read = (cid: Cid.Cid) =>
    Effect.suspend(() => {
      const bytes = blocks.get(Cid.key(cid))
      return bytes === undefined
        ? Ipfs.fails(new IpfsNodeError.NotFound({ cid: Cid.toText(cid) }))
        : Effect.succeed(bytes)
    })
  const cidOf = (path: string) => Cid.fromTextUnsafe(path.replace(/^\/ipfs\//u, ""))
  const add: IpfsNode.IpfsNodeCommands["add"] = (entries, { pin = true } = {}) =>
    (Stream.isStream(entries) ? entries : Stream.fromIterable(entries)).pipe(
      Stream.mapEffect(
        Effect.fnUntraced(function* (entry) {
          if (entry.type === "directory" || entry.type === "symlink") return yield* Effect.die("files only")
          const content = entry.content instanceof Uint8Array ? Stream.make(entry.content) : entry.content
          let root: Block.Block | undefined
          yield* Stream.runForEach(FileCid.blocks(content), (block) => {
            root = block
            return keep(block)
          })
          const { bytes, cid } = root!
          if (pin) pins.set(Cid.toText(cid), cid)
          return { _tag: "Added", name: entry.path ?? Cid.toText(cid), cid, size: bytes.length } as const
        })
      )
    )
  const node = Ipfs.nodeOf({
    add,
    cat: (path, range) =>
      Effect.gen(function* () {
        const cid = cidOf(path)
        const { size } = yield* Effect.orDie(UnixFs.stat(read, cid))
        const { length = size, offset = 0 } = range ?? {}
        return {
          size: Math.max(0, Math.min(length, size - offset)),
          bytes: Stream.orDie(UnixFs.cat(read, cid, { offset, length }))
        }
      }),
    blockGet: (path) => read(cidOf(path)),
    blockPut: (bytes) => {
      const cid = Result.getOrThrow(Block.cidOf(Block.RAW, bytes))
      return Effect.as(keep({ cid, bytes }), { cid, size: bytes.length })
    },
    pinLs: () =>
      Stream.map(Stream.fromIterable(pins.values()), (cid) => ({ cid, type: "recursive", name: "" }) as const),
    pinRm: (path) =>
      Effect.suspend(() =>
        pins.delete(path)
          ? Effect.succeed(cidOf(path))
          : Ipfs.fails(new IpfsNodeError.PinRefused({ subject: path, problem: "NotPinnedHere" }))
      )
  })
  return { node, pins }
}

const clientOf = (service: { readonly url: string }, authorization = Ipfs.AUTHORIZATION) =>
  create({ url: `${service.url}/api/v0`, headers: { authorization } })

/** Returns all bytes of an answer. */
const all = async (pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const collected: Array<Uint8Array> = []
  for await (const piece of pieces) collected.push(piece)
  return Buffer.concat(collected)
}

const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    (error: Error) => error.message
  )

describe("kubo-rpc-client", () => {
  it.live("adds, reads, stores blocks and unpins", () =>
    Effect.gen(function* () {
      const { node } = inMemory()
      const service = yield* Ipfs.start(() => node)
      yield* Effect.promise(async () => {
        const client = clientOf(service)
        const added = await client.add("hello\n")
        assert.strictEqual(String(added.cid), String(HELLO))
        assert.strictEqual(String(Buffer.from(await all(client.cat(HELLO.toString())))), "hello\n")
        assert.strictEqual(
          String(Buffer.from(await all(client.cat(HELLO.toString(), { offset: 1, length: 3 })))),
          "ell"
        )
        const names: Array<string> = []
        for await (const { path } of client.addAll([
          { path: "a.txt", content: "a" },
          { path: "d/b c+.txt", content: "b" }
        ])) {
          names.push(path)
        }
        assert.deepStrictEqual(names, ["a.txt", "d/b c+.txt"])
        const cid = await client.block.put(bytesOf("block"))
        assert.deepStrictEqual(await client.block.get(cid), bytesOf("block"))
        await client.pin.rm(HELLO.toString())
        const pins: Array<string> = []
        for await (const pin of client.pin.ls()) pins.push(String(pin.cid))
        assert.strictEqual(pins.length, 2)
        assert.strictEqual(await refusal(client.pin.rm(HELLO.toString())), "not pinned or pinned indirectly")
        assert.include(
          await refusal(client.block.get(Cid.fromTextUnsafe(String(Ipfs.RAW)))),
          "block was not found locally"
        )
      })
    }).pipe(Effect.scoped)
  )

  it.live("gets ten megabytes back as it sent them", () =>
    Effect.gen(function* () {
      const { node } = inMemory()
      const service = yield* Ipfs.start(() => node)
      yield* Effect.promise(async () => {
        const client = clientOf(service)
        const content = Uint8Array.from({ length: 10 * 1024 * 1024 }, (_, index) => (index * index) >> 8)
        const { cid } = await client.add(content)
        const { cid: expected } = await Effect.runPromise(FileCid.ofStream(Stream.make(content)))
        assert.strictEqual(String(cid), String(expected))
        assert.isTrue(Buffer.from(await all(client.cat(cid))).equals(content))
      })
    }).pipe(Effect.scoped)
  )

  it.live("is told that its secret is wrong, in the words that programs look for", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({})
      const wrong = clientOf(service, `Basic ${Buffer.from("a:b").toString("base64")}`)
      const message = yield* Effect.promise(() => refusal(wrong.version()))
      assert.strictEqual(message.trim(), "basic auth failure: invalid project id or project secret")
    }).pipe(Effect.scoped)
  )

  it.live("leaves nothing pinned where it gives up an upload", () =>
    Effect.gen(function* () {
      const { node, pins } = inMemory()
      const service = yield* Ipfs.start(() => node)
      const content = async function* () {
        yield new Uint8Array(300_000)
        throw new Error("the disk of the client failed")
      }
      const message = yield* Effect.promise(() => refusal(clientOf(service).add({ path: "f", content: content() })))
      assert.notStrictEqual(message, "")
      assert.strictEqual(pins.size, 0)
    }).pipe(Effect.scoped)
  )
})
