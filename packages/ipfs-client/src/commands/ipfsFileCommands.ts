/** Commands about files and directories. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import { CidText } from "../cid/Cid.ts"
import * as Command from "./Command.ts"
import { globals, path, progressBar, provide } from "./commonOptions.ts"
import * as FileModes from "./fileModes.ts"
import * as GoTime from "./goTime.ts"
import {
  Absent,
  eitherOf,
  listOf,
  Mode,
  ModeOfAdded,
  ModeOrText,
  Nanoseconds,
  Seconds,
  Size,
  SizeText
} from "./ipfsWire.ts"
import * as QuickDecoders from "./quickDecoders.ts"

/**
 * An added entry. `size` is the size of its whole DAG in bytes. The mode and the time are present if they were sent.
 * `mode` has only the permission bits, without the kind of file that Kubo's mode also contains.
 */
export const AddedEntry = Schema.Struct({
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
export type AddedEntry = typeof AddedEntry.Type

/** The number of bytes of a file that the node has read so far. */
export const AddProgress = Schema.Struct({
  name: Schema.String,
  // Kubo omits the field if it is zero, as Go does.
  bytes: Size.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  cid: Absent
}).pipe(Schema.encodeKeys({ name: "Name", bytes: "Bytes", cid: "Hash" }))

/** The number of bytes of a file that the node has read so far. */
export type AddProgress = typeof AddProgress.Type

/** The type of a directory entry as Kubo sends it: the number of the type in UnixFS. */
export const EntryType = Schema.Literals([0, 1, 2, 3, 4, 5])

/** The type of a directory. */
const DIRECTORY = 1

const ListedFields = Schema.Struct({
  name: Schema.String,
  cid: CidText,
  size: Size,
  type: EntryType,
  // js-ipfs sends no target. Kubo before 0.30 and js-ipfs send neither mode nor time.
  target: Schema.optionalKey(Schema.String),
  mode: Schema.optionalKey(ModeOrText),
  time: Schema.optionalKey(Schema.String.check(Schema.isPattern(GoTime.PATTERN, { expected: "a time of RFC 3339" })))
}).pipe(
  Schema.encodeKeys({
    name: "Name",
    cid: "Hash",
    size: "Size",
    type: "Type",
    target: "Target",
    mode: "Mode",
    time: "ModTime"
  })
)

/**
 * An entry of a directory. `type` is the number of UnixFS: 0 raw, 1 directory, 2 file, 3 metadata, 4 symlink, 5 shard
 * of a directory.
 *
 * `size` is the size of the file in bytes, and 0 for a directory. The mode and the time are present if the entry has
 * them. `mode` has only the permission bits; the kind of file is in `type`.
 */
export const ListedEntry = ListedFields.pipe(
  Schema.decodeTo(
    Schema.Struct({
      name: Schema.String,
      cid: Schema.toType(CidText),
      size: Schema.Number,
      type: EntryType,
      target: Schema.optionalKey(Schema.String),
      mode: Schema.optionalKey(Schema.Number),
      mtime: Schema.optionalKey(Seconds),
      mtimeNsecs: Schema.optionalKey(Nanoseconds)
    }),
    SchemaTransformation.transform({
      decode: ({ mode, time, ...entry }) => {
        const bits = FileModes.toNumber(mode ?? 0)
        return {
          ...entry,
          ...(bits === 0 ? {} : { mode: FileModes.permissions(bits) }),
          ...(time === undefined ? {} : GoTime.parse(time))
        }
      },
      // Kubo writes a zero and the year 1 where there is no mode and no time.
      encode: ({ mode = 0, mtime, mtimeNsecs, ...entry }) => ({
        ...entry,
        mode:
          mode !== 0 && entry.type === DIRECTORY ? FileModes.toGo(mode) + FileModes.DIRECTORY : FileModes.toGo(mode),
        time: GoTime.format({ mtime, mtimeNsecs })
      })
    })
  )
)

/**
 * An entry of a directory.
 *
 * JSON has no form for a name or a target that is not UTF-8. `name` and `target` are then only for display, with U+FFFD
 * for each byte that is not part of a character, as in Kubo. `ProvenIpfsClient` also returns the bytes.
 */
export type ListedEntry = typeof ListedEntry.Type & {
  readonly nameBytes?: Uint8Array | undefined
  readonly targetBytes?: Uint8Array | undefined
}

/**
 * A listed path, as the caller wrote it, with its entries: all entries, or a part of them if the answer is a stream.
 */
export const Listed = Schema.Struct({ path: Schema.String, entries: listOf(ListedEntry) }).pipe(
  Schema.encodeKeys({ path: "Hash", entries: "Links" })
)

/** The answer of `ls`: for each path, the content found there. */
export const Listing = Schema.Struct({ objects: listOf(Listed) }).pipe(Schema.encodeKeys({ objects: "Objects" }))

/**
 * The answer of `files/stat`. `size` is the size of the content, and `cumulativeSize` is the size of the DAG. Both are
 * in bytes. `mode` has only the permission bits. A symlink counts as a `file` here; `ls` of its directory distinguishes
 * the two.
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

/** The command `add`: adds files and directories. */
export const add = Command.make("add", {
  args: [Command.file("path", "Files, directories and symlinks.", { variadic: true })],
  options: {
    ...globals,
    quiet: Command.local(Command.bool("Print CIDs only.", { alias: "q" })),
    quieter: Command.local(Command.bool("Print the last CID only.", { alias: "Q" })),
    silent: Command.bool("Answer nothing."),
    progress: Command.bool("Report the progress.", { alias: "p", default: false }),
    trickle: Command.bool("Build the DAG for reading from the start.", { alias: "t", default: false }),
    "only-hash": Command.bool("Compute the CID and store nothing.", { alias: "n", default: false }),
    "wrap-with-directory": Command.bool("Put everything into one directory.", { alias: "w", default: false }),
    pin: Command.bool("Pin the added content.", { default: true }),
    "pin-name": Command.string("The name of the pin."),
    chunker: Command.string("size-<bytes>, rabin-<min>-<avg>-<max> or buzhash.", {
      alias: "s",
      default: "size-262144"
    }),
    "raw-leaves": Command.bool("Make leaves without a frame. The default for CIDs of version 1."),
    "cid-version": Command.int("0 or 1. It is 1 for any hash other than sha2-256.", { default: 0 }),
    hash: Command.string("The hash function.", { default: "sha2-256" }),
    inline: Command.bool("Put small blocks into their CID.", { default: false }),
    "inline-limit": Command.int("Maximum size of an inlined block, in bytes.", { default: 32 }),
    "to-files": Command.string("Path in the node's own file tree for the added content."),
    "preserve-mode": Command.bool("Store the mode of each part."),
    "preserve-mtime": Command.bool("Store the time of each part."),
    mode: Command.uint("A mode to store with everything."),
    mtime: Command.int("A time to store with everything, in seconds since 1970."),
    "mtime-nsecs": Command.uint("The nanoseconds of that time."),
    nocopy: Command.bool("Refer to the file on the node's disk."),
    fscache: Command.bool("Look for blocks in the filestore."),
    "max-file-links": Command.int("Maximum number of links of a file's node.", { default: 174 }),
    "max-directory-links": Command.int("Maximum number of links of a directory before it is sharded."),
    "max-hamt-fanout": Command.int("Maximum number of links of a directory's shard."),
    "empty-dirs": Command.bool("Keep empty directories.", { alias: "E", default: true }),
    ...provide
  },
  answer: Command.lines(eitherOf(AddedEntry, AddProgress, ["Hash", "cid"]), QuickDecoders.added),
  doc: "Adds files and directories, and returns their CIDs; a directory comes after its content.",
  verification: "proven"
})

/** The command `cat`: returns the bytes of files. */
export const cat = Command.make("cat", {
  args: [{ ...path, variadic: true }],
  options: {
    ...globals,
    offset: Command.int("First byte.", { alias: "o" }),
    length: Command.int("Maximum number of bytes.", { alias: "l" }),
    progress: progressBar
  },
  answer: Command.bytes("text/plain", { hasLength: true }),
  doc: "The bytes of one file or of several files in a row.",
  verification: "proven",
  note: "js-ipfs does not send the length."
})

/** The command `get`: returns a file or a directory as an archive. */
export const get = Command.make("get", {
  args: [path],
  options: {
    ...globals,
    output: Command.local(Command.string("Path to write to.", { alias: "o" })),
    archive: Command.bool("Make a tar archive, even with compression.", { alias: "a", default: false }),
    compress: Command.bool("Compress with gzip.", { alias: "C", default: false }),
    "compression-level": Command.int("1 to 9.", { alias: "l" }),
    progress: progressBar
  },
  answer: Command.bytes("application/x-tar", { hasLength: true }),
  doc: "A file or a directory as a tar archive; with compression and without archive, a file as gzip.",
  verification: "partial",
  note: "Its Content-Type is text/plain before Kubo 0.40."
})

/** The command `ls`: returns the entries of directories. */
export const ls = Command.make("ls", {
  args: [{ ...path, variadic: true }],
  options: {
    ...globals,
    headers: Command.local(Command.bool("Print headers of columns.", { alias: "v" })),
    "resolve-type": Command.bool("Read entries to find their types.", { default: true }),
    size: Command.bool("Read entries to find their sizes.", { default: true }),
    stream: Command.bool("Answer while the directory is being read.", { alias: "s", default: false }),
    long: Command.bool("Report modes and times.", { alias: "l", default: false })
  },
  answer: Command.lines(Listing, QuickDecoders.listing),
  doc: "The entries of directories.",
  verification: "proven"
})

/** The command `files/stat`: returns the kind and the size of a path's content. */
export const filesStat = Command.make("files/stat", {
  args: [Command.argument("path", "A path in the node's own tree, or /ipfs/ and a CID.")],
  options: {
    ...globals,
    format: Command.local(Command.string("Form of the output.")),
    hash: Command.local(Command.bool("Print the CID only.")),
    size: Command.local(Command.bool("Print the size only.")),
    "with-local": Command.bool("Report how much of the DAG the node has.", { default: false })
  },
  answer: Command.json(FileStat),
  doc: "Kind and size of a path's target.",
  verification: "partial"
})
