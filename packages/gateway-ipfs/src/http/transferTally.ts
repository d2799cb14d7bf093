/**
 * Counts the bytes that a command uploads and downloads, in the same way as `IpfsQuota`. It works with any node, with
 * or without quotas.
 */
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import { IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** The counts of one command. */
export interface TransferTally {
  uploaded: number
  downloaded: number
}

export const empty = (): TransferTally => ({ uploaded: 0, downloaded: 0 })

/** Wraps a node and counts all bytes that are transferred. */
export const counted = (node: IpfsNodeCommands, tally: TransferTally): IpfsNodeCommands => {
  const send = ({ length }: Uint8Array): void => {
    tally.uploaded += length
  }
  /**
   * Begins an upload. If the upload fails because of the quota, the returned function removes its bytes from the count.
   */
  const upload = () => {
    const before = tally.uploaded
    return (error: unknown): Effect.Effect<void> =>
      Effect.sync(() => {
        if (isRefused(error)) tally.uploaded = before
      })
  }
  const read = ({ length }: Uint8Array): void => {
    tally.downloaded += length
  }
  const passing =
    (count: (bytes: Uint8Array) => void) =>
    <E>(bytes: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
      Stream.map(bytes, (piece) => {
        count(piece)
        return piece
      })
  const sending = passing(send)
  const reading = passing(read)
  const wholly = <E>(bytes: Effect.Effect<Uint8Array, E>): Effect.Effect<Uint8Array, E> =>
    Effect.tap(bytes, (bytes) => Effect.sync(() => read(bytes)))
  return {
    ...node,
    add: (entries, options) =>
      Stream.suspend(() => {
        const giveBack = upload()
        const counted = Stream.map(Stream.isStream(entries) ? entries : Stream.fromIterable(entries), (entry) => {
          if (entry.type === "directory" || entry.type === "symlink") return entry
          if (entry.content instanceof Uint8Array) {
            send(entry.content)
            return entry
          }
          return { ...entry, content: sending(entry.content) }
        })
        return Stream.tapError(node.add(counted, options), (error) => giveBack(error))
      }),
    cat: (path, range) => Effect.map(node.cat(path, range), ({ bytes, size }) => ({ size, bytes: reading(bytes) })),
    get: (path) => Stream.map(node.get(path), (found) => ({ ...found, content: reading(found.content) })),
    blockGet: (path) => wholly(node.blockGet(path)),
    blockPut: (bytes, options) =>
      Effect.suspend(() => {
        const giveBack = upload()
        send(bytes)
        return Effect.tapError(node.blockPut(bytes, options), giveBack)
      }),
    dagGet: (path, outputCodec) => wholly(node.dagGet(path, outputCodec)),
    dagPut: (data, options) =>
      Effect.suspend(() => {
        const giveBack = upload()
        send(data)
        return Effect.tapError(node.dagPut(data, options), giveBack)
      }),
    dagExport: (path) => reading(node.dagExport(path)),
    dagImport: (car, options) => Effect.suspend(() => Effect.tapError(node.dagImport(sending(car), options), upload()))
  }
}

/** True if the error is a refusal by the daily upload quota. */
const isRefused = (error: unknown): boolean =>
  error instanceof IpfsNodeError && error.reason._tag === "QuotaExceeded" && error.reason.quota === "uploaded"
