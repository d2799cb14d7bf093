/** UnixFS messages, written in parts, so that the bytes of a file are copied once. */
import * as Bytes from "@plumbline/codec/hex/Bytes"

import * as Protobuf from "../codec/protobuf.ts"

/** The kinds of nodes, in the order of their numbers in the message. */
export const KINDS = ["raw", "directory", "file", "metadata", "symlink", "hamt-shard"] as const

/** A `UnixFsData` with its data in parts. */
export interface UnixFsMessage {
  readonly kind: (typeof KINDS)[number]
  readonly data?: ReadonlyArray<Uint8Array> | undefined
  readonly fileSize?: number | undefined
  readonly blockSizes: ReadonlyArray<number>
  readonly hashType?: number | undefined
  readonly fanout?: number | undefined
  readonly mode?: number | undefined
  readonly mtime?: Time | undefined
}

interface Time {
  readonly seconds: bigint
  readonly nanoseconds?: number | undefined
}

/** Returns the bytes of the message, in parts. */
export const messageOf = (message: UnixFsMessage): ReadonlyArray<Uint8Array> => {
  const parts: Array<Uint8Array> = [Protobuf.number(1, KINDS.indexOf(message.kind))]
  if (message.data !== undefined) parts.push(...Protobuf.bytesOf(2, message.data))
  if (message.fileSize !== undefined) parts.push(Protobuf.number(3, message.fileSize))
  for (const size of message.blockSizes) parts.push(Protobuf.number(4, size))
  if (message.hashType !== undefined) parts.push(Protobuf.number(5, message.hashType))
  if (message.fanout !== undefined) parts.push(Protobuf.number(6, message.fanout))
  if (message.mode !== undefined) parts.push(Protobuf.number(7, message.mode))
  if (message.mtime !== undefined) parts.push(...Protobuf.bytes(8, encodeMtime(message.mtime)))
  return parts
}

const encodeMtime = ({ nanoseconds, seconds }: Time): Uint8Array => {
  const parts = [Protobuf.number(1, BigInt.asUintN(64, seconds))]
  if (nanoseconds !== undefined && nanoseconds > 0) {
    const fixed = new Uint8Array(5)
    fixed[0] = (2 << 3) | 5
    new DataView(fixed.buffer).setUint32(1, nanoseconds, true)
    parts.push(fixed)
  }
  return Bytes.join(parts)
}
