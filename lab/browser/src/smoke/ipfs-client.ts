/**
 * Cuts a file into blocks, reads it again, and refuses a lie. Runs in the browser's realm, and from the packed
 * packages.
 */
import { BlockSource, Car, Cid, FileCid, UnixFs } from "@plumbline/ipfs-client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import { expectSame } from "./expect.ts"

export const run = (): Promise<string> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const hello = yield* FileCid.ofStream(Stream.make(new TextEncoder().encode("hello world")))
      expectSame("Kubo's CID", Cid.toText(hello.cid), "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD")

      const file = new Uint8Array(600_000).map((_, at) => at % 251)
      const blocks = yield* Stream.runCollect(FileCid.blocks(Stream.make(file)))
      const root = blocks.at(-1)!.cid
      const source = yield* Car.collect(Car.dag(Car.encode([root], Stream.fromIterable(blocks)), root), root)
      const part = yield* Stream.runCollect(UnixFs.cat(source, root, { offset: 262_140, length: 8 }))
      expectSame(
        "a range over two blocks",
        part.map((bytes) => bytes.join()).join(),
        file.slice(262_140, 262_148).join()
      )

      const lie = blocks.map(({ bytes, cid }) => ({ cid, bytes: bytes.slice().fill(7, 100, 101) }))
      const refused = yield* Effect.flip(Stream.runDrain(UnixFs.cat(BlockSource.fromBlocks(lie), root)))
      expectSame("a changed byte", refused._tag, "RefutedError")
      return "a file cut, packed, read in part, a lie refused"
    })
  )
