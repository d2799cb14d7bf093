/**
 * An IPFS node as a service: the commands of its HTTP API, without HTTP.
 *
 * `IpfsEmbedded` of `@plumbline/devnet` runs a node in this process, and `IpfsKubo` uses a node behind a URL.
 * `IpfsProjects` of `@plumbline/gateway` makes a node for each project out of either. Code that uses `IpfsNode` works
 * with all of them. Names and defaults are those of the commands: `blockPut` is `block/put`, and `rawLeaves` is the
 * option `raw-leaves`.
 *
 * A path is a CID and names, with or without `/ipfs/` before them. The reader of a stream sets its pace, and ending a
 * stream early ends the work behind it.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

import type * as Cid from "../cid/Cid.ts"
import type { IpfsNodeError } from "./IpfsNodeError.ts"

/**
 * The attributes that are stored with content on request: permission bits, and the time of the last change in seconds
 * since 1970, with nanoseconds. An added mode may have all 32 bits of Go's `os.FileMode`, but only the permission bits
 * are stored.
 */
export interface EntryAttributes {
  readonly mode?: number | undefined
  readonly mtime?: number | undefined
  readonly mtimeNsecs?: number | undefined
}

/** A file to add. `path` has slashes between names. A file without a path is named by its CID. */
export interface FileEntry<E = never> extends EntryAttributes {
  readonly type?: "file" | undefined
  readonly path?: string | undefined
  readonly content: Uint8Array | Stream.Stream<Uint8Array, E>
}

/**
 * A directory to add. Only empty directories, and directories with a mode or a time, need such an entry; other
 * directories are made automatically.
 */
export interface DirectoryEntry extends EntryAttributes {
  readonly type: "directory"
  readonly path: string
}

/** A symlink to add. Its target is text, or bytes if it is not UTF-8. */
export interface SymlinkEntry extends EntryAttributes {
  readonly type: "symlink"
  readonly path: string
  readonly target: string | Uint8Array
}

/** One file, directory or symlink to add. */
export type AddEntry<E = never> = FileEntry<E> | DirectoryEntry | SymlinkEntry

/** Options of adding. */
export interface AddOptions extends EntryAttributes {
  /** The profile of IPIP-499, which sets the defaults of the options below. Default: `unixfs-v0-2015`, as in Kubo. */
  readonly profile?: "unixfs-v0-2015" | "unixfs-v1-2025" | undefined
  readonly cidVersion?: number | undefined
  readonly rawLeaves?: boolean | undefined
  /** The method of cutting files: `size-<bytes>`, `rabin`, `rabin-<avg>`, or `rabin-<min>-<avg>-<max>`. */
  readonly chunker?: string | undefined
  readonly trickle?: boolean | undefined
  /** The hash function. Default: `sha2-256`. Any other function makes CIDs of version 1. */
  readonly hash?: string | undefined
  /** True to put blocks of at most `inlineLimit` bytes (default: 32) into their CID. */
  readonly inline?: boolean | undefined
  readonly inlineLimit?: number | undefined
  readonly maxFileLinks?: number | undefined
  /** The number of places in the shards of a large directory: a power of two from 8 to 1024. */
  readonly maxHamtFanout?: number | undefined
  /** True to put everything into one directory, which is reported last and has the name "". */
  readonly wrapWithDirectory?: boolean | undefined
  /** True (the default) to pin the roots recursively. */
  readonly pin?: boolean | undefined
  readonly pinName?: string | undefined
  /** True to compute the CIDs and store nothing. */
  readonly onlyHash?: boolean | undefined
  /** True to also report progress. */
  readonly progress?: boolean | undefined
  readonly preserveMode?: boolean | undefined
  readonly preserveMtime?: boolean | undefined
}

/**
 * An added entry. `size` is the size of its whole DAG in bytes, as its parent states it: a block that is linked several
 * times counts several times. `held` is the number of bytes of its blocks, each counted once; undefined if the node has
 * not counted them.
 */
export interface AddedEntry extends EntryAttributes {
  readonly _tag: "Added"
  readonly name: string
  readonly cid: Cid.Cid
  readonly size: number
  readonly held?: number | undefined
}

/** The number of bytes of a file that were read so far. */
export interface AddProgress {
  readonly _tag: "Progress"
  readonly name: string
  readonly bytes: number
}

/** A range of a file's bytes. */
export interface FileRange {
  /** The first byte. Default: 0. */
  readonly offset?: number | undefined
  /** Maximum number of bytes to read. Default: all. */
  readonly length?: number | undefined
}

/** Bytes of a file, and their number. */
export interface ContentStream {
  readonly size: number
  readonly bytes: Stream.Stream<Uint8Array, IpfsNodeError>
}

/** The target of a path, or an entry of a directory. */
export interface ContentInfo extends EntryAttributes {
  readonly cid: Cid.Cid
  readonly type: "file" | "directory" | "symlink"
  /** Bytes of a file; 0 for anything else. */
  readonly size: number
  /** The target of a symlink. If it is not UTF-8, this text is only for display. */
  readonly target?: string | undefined
  /** The bytes of the target. Undefined if the target is UTF-8. */
  readonly targetBytes?: Uint8Array | undefined
}

/** An entry of a directory, or a part of a file. The name of a part is "". */
export interface ListedEntry extends Omit<ContentInfo, "type"> {
  /** The kind of the entry; undefined if the entry was not read. */
  readonly type: ContentInfo["type"] | undefined
  /** The name. If the name is not UTF-8, this text is only for display, and no path finds the entry by this text. */
  readonly name: string
  /** The bytes of the name. Undefined if the name is UTF-8. */
  readonly nameBytes?: Uint8Array | undefined
}

/** A file, directory or symlink at or below a path, as an archive needs it. A directory comes before its content. */
export interface ArchiveEntry extends ContentInfo {
  /**
   * The path, with slashes between names. It begins with the last name of the requested path. If it is not UTF-8, this
   * text is only for display.
   */
  readonly path: string
  /** The bytes of the path, for an archive. Undefined if the path is UTF-8. */
  readonly pathBytes?: Uint8Array | undefined
  /** The bytes of a file; empty for anything else. */
  readonly content: Stream.Stream<Uint8Array, IpfsNodeError>
}

/** Options of listing. */
export interface LsOptions {
  /**
   * False to list without reading the entries. The kinds of entries are then unknown and their sizes are 0, except of
   * raw blocks: these are files, and have the size that the directory says. Default: true.
   */
  readonly resolve?: boolean | undefined
}

/** The target of a path, with the sizes of its DAG in bytes and the number of its links. */
export interface ContentStat extends ContentInfo {
  readonly cumulativeSize: number
  readonly blocks: number
}

/** A block and its size in bytes. */
export interface BlockStat {
  readonly cid: Cid.Cid
  readonly size: number
}

/** Options of storing a block. */
export interface BlockPutOptions {
  /** The codec of the block's CID. Default: `raw`. */
  readonly cidCodec?: string | undefined
  /** The codec in Kubo's old form: `v0`, `protobuf` or `cbor`. It cannot be combined with `cidCodec`. */
  readonly format?: string | undefined
  readonly mhtype?: string | undefined
  /** Number of bytes of the digest to keep. -1 keeps all. */
  readonly mhlen?: number | undefined
  readonly pin?: boolean | undefined
  readonly allowBigBlock?: boolean | undefined
}

/** Options of storing data as a block. */
export interface DagPutOptions {
  /** The codec of the stored block. Default: `dag-cbor`. */
  readonly storeCodec?: string | undefined
  /** The codec of the given data. Default: `dag-json`. */
  readonly inputCodec?: string | undefined
  readonly hash?: string | undefined
  readonly pin?: boolean | undefined
  readonly allowBigBlock?: boolean | undefined
}

/** The target of a path: a block, and the rest of the path inside it. */
export interface ResolvedBlock {
  readonly cid: Cid.Cid
  readonly remainder: string
}

/** A root of an imported CAR. `pinError` is empty if the root was pinned, or if the caller requested no pins. */
export interface Imported {
  readonly roots: ReadonlyArray<{ readonly cid: Cid.Cid; readonly pinError: string }>
  readonly blocks: number
  readonly bytes: number
}

/** The kind of a pin. */
export type PinType = "recursive" | "direct" | "indirect"

/**
 * A pin. Its CID has the form in which the caller gave it. For an indirect pin, `through` is the pin that reaches it.
 */
export interface Pin {
  readonly cid: Cid.Cid
  readonly type: PinType
  readonly name: string
  readonly through?: Cid.Cid | undefined
}

/** Options that select pins. */
export interface PinLsOptions {
  readonly type?: PinType | "all" | undefined
  /** A text that the names of the listed pins contain. */
  readonly name?: string | undefined
}

/** The software of the node. */
export interface NodeVersion {
  readonly version: string
  readonly commit: string
  /** The version of the store. */
  readonly repo: string
  readonly system: string
  /** The platform that the node runs on, such as a version of Go. */
  readonly golang: string
}

/** The identity of the node. */
export interface NodeIdentity {
  readonly id: string
  readonly publicKey: string
  readonly addresses: ReadonlyArray<string>
  readonly agentVersion: string
  readonly protocols: ReadonlyArray<string>
}

/** The numbers of blocks, bytes and pins in the node's store. */
export interface RepoStat {
  readonly blocks: number
  readonly bytes: number
  readonly recursivePins?: number | undefined
  readonly directPins?: number | undefined
  /** Maximum number of bytes; undefined if there is no limit. */
  readonly limit?: number | undefined
}

/** A link from one block to another. The name is "" in codecs without names of links. */
export interface Ref {
  readonly from: Cid.Cid
  readonly to: Cid.Cid
  readonly name: string
}

/** Options of listing links. */
export interface RefsOptions {
  /** True to list each linked CID once. Default: false. */
  readonly unique?: boolean | undefined
  /** Maximum number of links from the root to a listed block. Default: 1, the links of the root alone. */
  readonly maxDepth?: number | undefined
}

/** A recursive pin, and the blocks that are missing or broken below it; none if the pin is complete. */
export interface VerifiedPin {
  readonly cid: Cid.Cid
  readonly bad: ReadonlyArray<{ readonly cid: string; readonly error: string }>
}

/** The commands of a node. */
export interface IpfsNodeCommands {
  /**
   * Adds entries one after the other, and reports each; a directory is reported after its content. A root is pinned
   * before it is reported. Errors of the entries are passed on. If the stream is ended early, only the reported roots
   * stay pinned.
   */
  readonly add: <E = never>(
    entries: Iterable<AddEntry<E>> | Stream.Stream<AddEntry<E>, E>,
    options?: AddOptions
  ) => Stream.Stream<AddedEntry | AddProgress, E | IpfsNodeError>
  /** Returns the bytes of a file, or a range of them. */
  readonly cat: (path: string, range?: FileRange) => Effect.Effect<ContentStream, IpfsNodeError>
  /** Streams everything at and below a path, in the order of an archive. */
  readonly get: (path: string) => Stream.Stream<ArchiveEntry, IpfsNodeError>
  /** Streams the entries of a directory, or the parts of a file. */
  readonly ls: (path: string, options?: LsOptions) => Stream.Stream<ListedEntry, IpfsNodeError>
  /** Returns the kind and the sizes of a path that begins with a CID, as `files/stat` does. */
  readonly stat: (path: string) => Effect.Effect<ContentStat, IpfsNodeError>
  readonly blockGet: (path: string) => Effect.Effect<Uint8Array, IpfsNodeError>
  readonly blockPut: (bytes: Uint8Array, options?: BlockPutOptions) => Effect.Effect<BlockStat, IpfsNodeError>
  readonly blockStat: (path: string) => Effect.Effect<BlockStat, IpfsNodeError>
  /** Removes a block that no pin reaches. With `force`, a block that is not there counts as removed. */
  readonly blockRm: (
    path: string,
    options?: { readonly force?: boolean | undefined }
  ) => Effect.Effect<Cid.Cid, IpfsNodeError>
  /** Streams the links of a DAG, depth first. Each listed block is read. */
  readonly refs: (path: string, options?: RefsOptions) => Stream.Stream<Ref, IpfsNodeError>
  /** Streams the blocks of the node, as raw CIDs of version 1. */
  readonly refsLocal: Stream.Stream<Cid.Cid, IpfsNodeError>
  /** Streams the blocks of a DAG with their sizes, depth first, each once. */
  readonly dagBlocks: (path: string) => Stream.Stream<BlockStat, IpfsNodeError>
  /** Returns the value at a path, encoded in a codec (default: `dag-json`). */
  readonly dagGet: (path: string, outputCodec?: string) => Effect.Effect<Uint8Array, IpfsNodeError>
  readonly dagPut: (data: Uint8Array, options?: DagPutOptions) => Effect.Effect<Cid.Cid, IpfsNodeError>
  readonly dagResolve: (path: string) => Effect.Effect<ResolvedBlock, IpfsNodeError>
  /** Streams a whole DAG as a CAR of version 1, each block once, depth first. */
  readonly dagExport: (path: string) => Stream.Stream<Uint8Array, IpfsNodeError>
  /** Stores the blocks of a CAR, and pins its roots recursively unless `pinRoots` is false. */
  readonly dagImport: <E = never>(
    car: Stream.Stream<Uint8Array, E>,
    options?: { readonly pinRoots?: boolean | undefined }
  ) => Effect.Effect<Imported, E | IpfsNodeError>
  /** Pins the targets of paths, recursively by default. An existing pin of the same kind gets the new name. */
  readonly pinAdd: (
    path: string,
    options?: { readonly recursive?: boolean | undefined; readonly name?: string | undefined }
  ) => Effect.Effect<Cid.Cid, IpfsNodeError>
  /** Removes a pin. */
  readonly pinRm: (
    path: string,
    options?: { readonly recursive?: boolean | undefined }
  ) => Effect.Effect<Cid.Cid, IpfsNodeError>
  /** Streams all pins, or the pins of these paths. A path that is not pinned is an error. */
  readonly pinLs: (paths: ReadonlyArray<string>, options?: PinLsOptions) => Stream.Stream<Pin, IpfsNodeError>
  /** Pins `to` instead of `from`. The pin of `from` is removed unless `unpin` is false. */
  readonly pinUpdate: (
    from: string,
    to: string,
    options?: { readonly unpin?: boolean | undefined }
  ) => Effect.Effect<readonly [from: Cid.Cid, to: Cid.Cid], IpfsNodeError>
  /** Streams the recursive pins, each with its broken blocks. A walk ends at the first broken block. */
  readonly pinVerify: Stream.Stream<VerifiedPin, IpfsNodeError>
  /**
   * Removes blocks that no pin reaches, except blocks that running work uses. Reports each removed block as a raw CID
   * of version 1.
   */
  readonly gc: Stream.Stream<Cid.Cid, IpfsNodeError>
  readonly repoStat: Effect.Effect<RepoStat, IpfsNodeError>
  readonly version: Effect.Effect<NodeVersion, IpfsNodeError>
  readonly id: Effect.Effect<NodeIdentity, IpfsNodeError>
}

/** The node as a service. */
export class IpfsNode extends Context.Service<IpfsNode, IpfsNodeCommands>()("@plumbline/ipfs-client/IpfsNode") {}
