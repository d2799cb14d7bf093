/** What a command sends and hands out, in bytes, as `IpfsQuota` counts them: over any node, with quotas or without. */
import type { Node } from "@plumbline/ipfs-client/IpfsNode"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/** Of one command. */
export interface Tally {
  uploaded: number
  downloaded: number
  /** The last bytes that were sent: those that a quota refuses were not. */
  sent: number
}

export const empty = (): Tally => ({ uploaded: 0, downloaded: 0, sent: 0 })

/** The node, and all that passes counted. */
export const counted = (node: Node, tally: Tally): Node => {
  const send = ({ length }: Uint8Array): void => {
    tally.uploaded += length
    tally.sent = length
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
      node.add(
        Stream.map(Stream.isStream(entries) ? entries : Stream.fromIterable(entries), (entry) => {
          if (entry.type === "directory" || entry.type === "symlink") return entry
          if (entry.content instanceof Uint8Array) {
            send(entry.content)
            return entry
          }
          return { ...entry, content: sending(entry.content) }
        }),
        options
      ),
    cat: (path, range) => Effect.map(node.cat(path, range), ({ bytes, size }) => ({ size, bytes: reading(bytes) })),
    get: (path) => Stream.map(node.get(path), (found) => ({ ...found, content: reading(found.content) })),
    blockGet: (path) => wholly(node.blockGet(path)),
    blockPut: (bytes, options) =>
      Effect.suspend(() => {
        send(bytes)
        return node.blockPut(bytes, options)
      }),
    dagGet: (path, outputCodec) => wholly(node.dagGet(path, outputCodec)),
    dagPut: (data, options) =>
      Effect.suspend(() => {
        send(data)
        return node.dagPut(data, options)
      }),
    dagExport: (path) => reading(node.dagExport(path)),
    dagImport: (car, options) => node.dagImport(sending(car), options)
  }
}
