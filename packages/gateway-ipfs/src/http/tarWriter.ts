/** Writes tar archives as streams. */
import { Buffer } from "node:buffer"

import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import type { ArchiveEntry } from "@plumbline/ipfs-client/node/IpfsNode"
import { IpfsNodeError, Malformed } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as TarHeader from "@plumbline/ipfs-client/unixfs/TarHeader"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

/**
 * Returns the archive of the found entries. It fails if a path would lead out of the folder in which the archive is
 * unpacked. It also fails if a file does not have its stated length, because all later entries would be misread.
 */
export const archive = <E>(found: Stream.Stream<ArchiveEntry, E>): Stream.Stream<Uint8Array, E | IpfsNodeError> =>
  Stream.concat(Stream.flatMap(found, part), Stream.succeed(TarHeader.END))

const part = (entry: ArchiveEntry): Stream.Stream<Uint8Array, IpfsNodeError> => {
  if (!isInside(pathOf(entry))) return Stream.fail(malformed(entry, "has a name that leads out of an archive"))
  const head = Stream.succeed(header(entry))
  return entry.type === "file" ? head.pipe(Stream.concat(exact(entry)), Stream.concat(padding(entry.size))) : head
}

/** True if a path stays inside the archive. Latin-1 decodes any byte to one character. */
const isInside = (path: Buffer): boolean =>
  !path.includes(0) &&
  path
    .toString("latin1")
    .split("/")
    .every((name) => name !== "" && name !== "." && name !== "..")

const pathOf = ({ path, pathBytes }: TarEntry): Buffer => Buffer.from(pathBytes ?? Buffer.from(path))

const header = (entry: TarEntry): Uint8Array =>
  TarHeader.header({ ...entry, path: pathOf(entry), target: entry.targetBytes ?? Buffer.from(entry.target ?? "") })

/** Returns the content of an entry. The stream fails if its length is wrong. */
const exact = (entry: ArchiveEntry): ArchiveEntry["content"] =>
  Stream.suspend(() => {
    let left = entry.size
    const wrong = Effect.suspend(() => Effect.fail(malformed(entry, "is not as long as it says")))
    return entry.content.pipe(
      Stream.mapEffect((bytes) => {
        left -= bytes.length
        return left < 0 ? wrong : Effect.succeed(bytes)
      }),
      Stream.concat(Stream.fromEffectDrain(Effect.suspend(() => (left === 0 ? Effect.void : wrong))))
    )
  })

const malformed = ({ cid }: ArchiveEntry, detail: string): IpfsNodeError =>
  new IpfsNodeError({ reason: new Malformed({ cid: Cid.toText(cid), detail }) })

/** Returns the size of an archive of one file, in bytes. */
export const sizeOf = (entry: TarEntry): number =>
  header(entry).length + entry.size + TarHeader.padding(entry.size).length + TarHeader.END.length

/** The details of an entry that are in its header. */
export type TarEntry = Omit<ArchiveEntry, "content" | "cid">

const padding = (size: number): Stream.Stream<Uint8Array> =>
  Stream.filter(Stream.succeed(TarHeader.padding(size)), ({ length }) => length > 0)
