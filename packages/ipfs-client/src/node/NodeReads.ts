/**
 * Implements the reading commands of an IPFS node with its blocks.
 *
 * Use this module for a node that can only return blocks, such as several nodes behind one source. The commands read
 * files, directories and data from these blocks. Every block is checked against its CID. A block that does not match
 * fails with `Damaged`, and is never returned.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import * as Block from "../block/Block.ts"
import * as Car from "../car/Car.ts"
import type { IpfsNodeCommands } from "./IpfsNode.ts"
import * as NodePath from "./NodePath.ts"
import * as NodeReading from "./nodeReading.ts"

/** The commands that read content. */
export type NodeReads = Pick<
  IpfsNodeCommands,
  | "blockGet"
  | "blockStat"
  | "cat"
  | "dagBlocks"
  | "dagExport"
  | "dagGet"
  | "dagResolve"
  | "get"
  | "ls"
  | "refs"
  | "stat"
>

/**
 * Makes the commands over a source of blocks. A block may have any size.
 *
 * ```ts import.meta.vitest
 * import { Block, Cid, NodeReads } from "@plumbline/ipfs-client"
 * import { Effect, Result, Stream } from "effect"
 *
 * const bytes = new TextEncoder().encode("hello")
 * const cid = Result.getOrThrow(Block.cidOf(Block.RAW, bytes))
 * const node = NodeReads.make(() => Effect.succeed(bytes))
 * const text = Effect.flatMap(node.cat(Cid.toText(cid), { offset: 1 }), (content) =>
 *   content.bytes.pipe(Stream.decodeText(), Stream.mkString)
 * )
 * await Effect.runPromise(text) // => "ello"
 * ```
 */
export const make = (source: NodePath.NodeBlocks): NodeReads => {
  const blockAt = (path: string) => NodePath.resolveBlock(source, path)
  return {
    cat: (path, range) => NodeReading.cat(source, path, range),
    get: (path) => NodeReading.get(source, path),
    ls: (path, options) => NodeReading.ls(source, path, options),
    stat: (path) => NodeReading.stat(source, path),
    blockGet: (path) => Effect.flatMap(blockAt(path), (cid) => NodeReading.block(source, cid)),
    blockStat: (path) =>
      Effect.flatMap(blockAt(path), (cid) =>
        Effect.map(NodeReading.block(source, cid), ({ length }) => ({ cid, size: length }))
      ),
    dagGet: (path, outputCodec = "dag-json") =>
      Effect.gen(function* () {
        const { cid, inside } = yield* NodePath.resolve(source, path)
        const bytes = yield* NodeReading.block(source, cid)
        if (inside.length === 0 && Block.codecs.get(cid.code) === outputCodec) return bytes
        return yield* NodePath.write({ cid, bytes }, inside, outputCodec)
      }),
    dagResolve: (path) =>
      Effect.map(NodePath.resolve(source, path), ({ cid, inside }) => ({ cid, remainder: inside.join("/") })),
    dagExport: (path) =>
      Stream.unwrap(Effect.map(blockAt(path), (cid) => Car.encode([cid], NodeReading.blocks(source, cid)))),
    dagBlocks: (path) =>
      Stream.unwrap(
        Effect.map(blockAt(path), (cid) =>
          Stream.map(NodeReading.blocks(source, cid), ({ bytes, cid }) => ({ cid, size: bytes.length }))
        )
      ),
    refs: (path, options) => NodePath.refs(source, path, options)
  }
}
