/** Reads blocks and dag-pb nodes. Every block is checked. */
import * as Effect from "effect/Effect"
import type * as Result from "effect/Result"

import * as BlockSource from "../block/BlockSource.ts"
import * as DagPbObject from "../block/DagPbObject.ts"
import * as Cid from "../cid/Cid.ts"
import type * as IpfsPath from "../cid/IpfsPath.ts"
import type { AnyClient, ReadFailure } from "../client/IpfsClient.ts"
import type * as UnixFs from "../unixfs/UnixFs.ts"
import * as NodeBlocks from "./nodeBlocks.ts"
import * as ResolvedPath from "./resolvedPath.ts"

type Blocks = Pick<AnyClient, "blockGet" | "blockStat" | "objectGet" | "objectData" | "objectStat">

export const make = (ipfs: AnyClient, options: UnixFs.UnixFsOptions): Blocks => {
  const node = <A, E extends ReadFailure>(
    command: string,
    path: IpfsPath.IpfsPathInput,
    read: (cid: Cid.Cid, block: Uint8Array) => Result.Result<A, E>
  ): Effect.Effect<A, ReadFailure> =>
    Effect.gen(function* () {
      const source = NodeBlocks.make(ipfs)
      const cid = yield* ResolvedPath.cidAt(command, path, source, options)
      const { bytes } = yield* BlockSource.get(source, cid, options)
      return yield* Effect.fromResult(read(cid, bytes))
    })

  return {
    blockGet: (cid, asked) =>
      Effect.map(BlockSource.get(NodeBlocks.make(ipfs, asked), NodeBlocks.cidOf(cid), options), ({ bytes }) => bytes),
    blockStat: (cid, asked) =>
      Effect.map(BlockSource.get(NodeBlocks.make(ipfs, asked), NodeBlocks.cidOf(cid), options), ({ bytes, cid }) => ({
        cid: Cid.toText(cid),
        size: bytes.length
      })),
    objectGet: (path, { dataEncoding = "base64" } = {}) =>
      node("object/get", path, (cid, block) => DagPbObject.get(cid, block, dataEncoding)),
    objectData: (path) => node("object/data", path, DagPbObject.data),
    objectStat: (path) => node("object/stat", path, DagPbObject.stat)
  }
}
