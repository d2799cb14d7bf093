/** Commands about files and directories. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

import { CidText } from "../cid/Cid.ts"
import * as Command from "./Command.ts"
import { globals, path, progressBar, provide } from "./common.ts"
import * as Quick from "./quick.ts"
import { Absent, listOf, Mode, ModeNumber, ModeOfAdded, Nanoseconds, Seconds, Size, SizeText } from "./wire.ts"

/**
 * An added entry. `size` is the size of its whole DAG in bytes. The mode and the time are present if they were sent.
 * `mode` has the permission bits only, without the kind that Kubo's mode also holds.
 */
export const Added = Schema.Struct({
  name: Schema.String,
  cid: CidText,
  size: SizeText,
  mode: Schema.optionalKey(ModeOfAdded),
  mtime: Schema.optionalKey(Seconds),
  mtimeNsecs: Schema.optionalKey(Nanoseconds)
}).pipe(
  Schema.encodeKeys({
    name: "Name",
    cid: "Hash",
    size: "Size",
    mode: "Mode",
    mtime: "Mtime",
    mtimeNsecs: "MtimeNsecs"
  })
)

/** An added file, directory or symlink. */
export type Added = typeof Added.Type

/** The number of bytes of a file that the node has read so far. */
export const AddProgress = Schema.Struct({
  name: Schema.String,
  // Go leaves a zero out.
  bytes: Size.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  cid: Absent
}).pipe(Schema.encodeKeys({ name: "Name", bytes: "Bytes", cid: "Hash" }))

/** The number of bytes of a file that the node has read so far. */
export type AddProgress = typeof AddProgress.Type

/** Kubo's type of an entry of a directory: UnixFS's numbers of types. */
export const EntryType = Schema.Literals([0, 1, 2, 3, 4, 5])

/**
 * An entry of a directory. `type` is UnixFS's: 0 raw, 1 directory, 2 file, 3 metadata, 4 symlink, 5 shard of a
 * directory.
 *
 * `size` is that of the file, in bytes, and 0 for a directory. `mode` is permission bits; `type` says the kind.
 */
export const Entry = Schema.Struct({
  name: Schema.String,
  cid: CidText,
  size: Size,
  type: EntryType,
  // js-ipfs sends no target. Kubo before 0.30 and js-ipfs send neither mode nor time.
  target: Schema.optionalKey(Schema.String),
  mode: Schema.optionalKey(ModeNumber)
}).pipe(Schema.encodeKeys({ name: "Name", cid: "Hash", size: "Size", type: "Type", target: "Target", mode: "Mode" }))

/**
 * An entry of a directory.
 *
 * JSON has no form for a name or a target that is not UTF-8: `name` and `target` then only show it, with U+FFFD for
 * each byte that is part of no character, as Kubo does. `ProvenIpfsClient` gives the bytes as well.
 */
export type Entry = typeof Entry.Type & {
  readonly nameBytes?: Uint8Array | undefined
  readonly targetBytes?: Uint8Array | undefined
}

/** A listed path, as the caller gave it, with its entries: all of them, or a part of them if the answer is a stream. */
export const Listed = Schema.Struct({ path: Schema.String, entries: listOf(Entry) }).pipe(
  Schema.encodeKeys({ path: "Hash", entries: "Links" })
)

/** The answer of `ls`: for each path, the content found there. */
export const Listing = Schema.Struct({ objects: listOf(Listed) }).pipe(Schema.encodeKeys({ objects: "Objects" }))

/**
 * The answer of `files/stat`. `size` is that of the content, `cumulativeSize` that of the DAG, in bytes. `mode` is
 * permission bits. A symlink counts as a `file` here; `ls` of its directory distinguishes the two.
 */
export const FileStat = Schema.Struct({
  cid: CidText,
  size: Size,
  cumulativeSize: Size,
  blocks: Size,
  type: Schema.Literals(["file", "directory"]),
  withLocality: Schema.optionalKey(Schema.Boolean),
  local: Schema.optionalKey(Schema.Boolean),
  sizeLocal: Schema.optionalKey(Size),
  mode: Schema.optionalKey(Mode),
  mtime: Schema.optionalKey(Seconds),
  mtimeNsecs: Schema.optionalKey(Nanoseconds)
}).pipe(
  Schema.encodeKeys({
    cid: "Hash",
    size: "Size",
    cumulativeSize: "CumulativeSize",
    blocks: "Blocks",
    type: "Type",
    withLocality: "WithLocality",
    local: "Local",
    sizeLocal: "SizeLocal",
    mode: "Mode",
    mtime: "Mtime",
    mtimeNsecs: "MtimeNsecs"
  })
)

/** The answer of `files/stat`. */
export type FileStat = typeof FileStat.Type

/** Adds files and directories. */
export const add = Command.make("add", {
  args: [Command.file("path", "Files, directories and symlinks.", { variadic: true })],
  options: {
    ...globals,
    quiet: Command.local(Command.bool("Print CIDs only.", { alias: "q" })),
    quieter: Command.local(Command.bool("Print the last CID only.", { alias: "Q" })),
    silent: Command.bool("Answer nothing."),
    progress: Command.bool("Say how far it is.", { alias: "p", default: false }),
    trickle: Command.bool("Lay the DAG out for reading from the start.", { alias: "t", default: false }),
    "only-hash": Command.bool("Compute the CID and keep nothing.", { alias: "n", default: false }),
    "wrap-with-directory": Command.bool("Put everything into one directory.", { alias: "w", default: false }),
    pin: Command.bool("Pin what was added.", { default: true }),
    "pin-name": Command.string("The name of the pin."),
    chunker: Command.string("size-<bytes>, rabin-<min>-<avg>-<max> or buzhash.", {
      alias: "s",
      default: "size-262144"
    }),
    "raw-leaves": Command.bool("Leaves without a frame. The default of version 1."),
    "cid-version": Command.int("0, or 1. Another hash than sha2-256 makes it 1.", { default: 0 }),
    hash: Command.string("The hash function.", { default: "sha2-256" }),
    inline: Command.bool("Keep small blocks within their CID.", { default: false }),
    "inline-limit": Command.int("Maximum size of such a block, in bytes.", { default: 32 }),
    "to-files": Command.string("Path in the node's own directory tree to link it at."),
    "preserve-mode": Command.bool("Store the mode that a part says."),
    "preserve-mtime": Command.bool("Store the time that a part says."),
    mode: Command.uint("A mode to store with everything."),
    mtime: Command.int("A time to store with everything, in seconds since 1970."),
    "mtime-nsecs": Command.uint("Its nanoseconds."),
    nocopy: Command.bool("Refer to the file on the node's disk."),
    fscache: Command.bool("Look for blocks in the filestore."),
    "max-file-links": Command.int("Maximum number of links of a file's node.", { default: 174 }),
    "max-directory-links": Command.int("Maximum number of links of a directory before it is sharded."),
    "max-hamt-fanout": Command.int("Maximum number of links of a directory's shard."),
    "empty-dirs": Command.bool("Keep empty directories.", { alias: "E", default: true }),
    ...provide
  },
  answer: Command.lines(Schema.Union([Added, AddProgress]), Quick.added),
  doc: "Adds files and directories, and returns their CIDs; a directory comes after its content.",
  verification: "proven"
})

/** The bytes of files. */
export const cat = Command.make("cat", {
  args: [{ ...path, variadic: true }],
  options: {
    ...globals,
    offset: Command.int("First byte.", { alias: "o" }),
    length: Command.int("Maximum number of bytes.", { alias: "l" }),
    progress: progressBar
  },
  answer: Command.bytes("text/plain", { hasLength: true }),
  doc: "The bytes of a file, or of several, one after the other.",
  verification: "proven",
  note: "js-ipfs does not say how long they are."
})

/** A file or a directory as an archive. */
export const get = Command.make("get", {
  args: [path],
  options: {
    ...globals,
    output: Command.local(Command.string("Path to write to.", { alias: "o" })),
    archive: Command.bool("A tar archive, even when compressed.", { alias: "a", default: false }),
    compress: Command.bool("Compress with gzip.", { alias: "C", default: false }),
    "compression-level": Command.int("1 to 9.", { alias: "l" }),
    progress: progressBar
  },
  answer: Command.bytes("application/x-tar", { hasLength: true }),
  doc: "A file or a directory as a tar archive; compressed and without archive, a file as gzip.",
  verification: "partial",
  note: "Its Content-Type is text/plain before Kubo 0.40."
})

/** The entries of directories. */
export const ls = Command.make("ls", {
  args: [{ ...path, variadic: true }],
  options: {
    ...globals,
    headers: Command.local(Command.bool("Print headers of columns.", { alias: "v" })),
    "resolve-type": Command.bool("Look at entries to know their types.", { default: true }),
    size: Command.bool("Look at entries to know their sizes.", { default: true }),
    stream: Command.bool("Answer while the directory is being read.", { alias: "s", default: false }),
    long: Command.bool("Say modes and times.", { alias: "l", default: false })
  },
  answer: Command.lines(Listing, Quick.listing),
  doc: "The entries of directories.",
  verification: "proven"
})

/** Returns the kind and the size of a path's content. */
export const filesStat = Command.make("files/stat", {
  args: [Command.argument("path", "A path in the node's own tree, or /ipfs/ and a CID.")],
  options: {
    ...globals,
    format: Command.local(Command.string("Form of the output.")),
    hash: Command.local(Command.bool("Print the CID only.")),
    size: Command.local(Command.bool("Print the size only.")),
    "with-local": Command.bool("Say how much of it the node has.", { default: false })
  },
  answer: Command.json(FileStat),
  doc: "Kind and size of a path's target.",
  verification: "partial"
})
