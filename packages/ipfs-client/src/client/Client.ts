/** The type of the client: a function for each command, with its errors. */
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { UnprovenError } from "@plumbline/verdict/UnprovenError"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

import type { LimitExceeded, MalformedBlock, MissingBlocks, NoSuchEntry, WrongKind } from "../block/DagError.ts"
import type * as DagPbObject from "../block/DagPbObject.ts"
import type { CarError, UnexpectedBlock } from "../car/CarError.ts"
import type * as Cid from "../cid/Cid.ts"
import type * as IpfsPath from "../cid/IpfsPath.ts"
import type * as Command from "../commands/Command.ts"
import type * as IpfsApi from "../commands/IpfsApi.ts"
import type * as Upload from "../commands/Upload.ts"
import type { IpfsError } from "./IpfsError.ts"

/** The type of a command's options. */
type OptionsOf<Name extends IpfsApi.CommandName> = Command.OptionsOf<(typeof IpfsApi.commands)[Name]>

/** A block, named by its CID. */
export type CidInput = Cid.Cid | Cid.CidText

/** The answer of `id`. */
export type NodeIdentity = Command.AnswerOf<(typeof IpfsApi.commands)["id"]>

/** The answer of `repo/stat`. `limit` is undefined if there is none. */
export type RepoStat = Command.AnswerOf<(typeof IpfsApi.commands)["repo/stat"]>

/** The answer of `version`. */
export type NodeVersion = Command.AnswerOf<(typeof IpfsApi.commands)["version"]>

/** The errors of a command whose answer is checked as a whole: the call failed, or the check did not hold. */
export type CheckFailure = IpfsError | RefutedError | UnprovenError

/** The errors of `add`: a limit bounds the directories that the client computes. */
export type AddFailure = CheckFailure | LimitExceeded

/** The errors of a command that follows a path through checked blocks, whose content may contradict itself. */
export type ReadFailure = CheckFailure | MalformedBlock | LimitExceeded | WrongKind | NoSuchEntry

/** The errors of a command that reads a CAR and checks its blocks. */
export type CarFailure = CheckFailure | MalformedBlock | LimitExceeded | MissingBlocks | CarError | UnexpectedBlock

/** The errors of all commands together, under any layer. */
export type IpfsFailure = ReadFailure | CarFailure

/** The type of `add`, for one entry or for many. */
export interface Add<out E> {
  /**
   * Adds files and directories, and returns the answers about all of them, in the node's order. `addAll` streams the
   * answers, and can read the entries from a stream.
   */
  <E2 = never>(
    entries: ReadonlyArray<Upload.UploadEntry<E2>>,
    options?: Omit<OptionsOf<"add">, "silent" | "progress">
  ): Effect.Effect<ReadonlyArray<IpfsApi.AddedEntry>, E | E2>
  /**
   * Adds one file. If its path has directories, or if the file is wrapped in one, the answer is about the outermost one.
   */
  <E2 = never>(
    entry: Upload.UploadEntry<E2>,
    options?: Omit<OptionsOf<"add">, "silent" | "progress">
  ): Effect.Effect<IpfsApi.AddedEntry, E | E2>
}

/**
 * The client as a value. `E` is the error type of a call: the plain client fails only with `IpfsError`. An upload also
 * fails if the stream of its content fails.
 *
 * A stream begins its request when it is run, reads only as much as its consumer pulls, and ends the request when the
 * stream ends.
 */
export interface Client<out E = IpfsError> {
  /** Adds one file and returns its answer, or adds many entries and returns all answers. */
  readonly add: Add<E>
  /**
   * Adds files and directories, and streams the answers. With `progress`, it also reports how much of each file was
   * read.
   */
  readonly addAll: <E2 = never>(
    entries: Upload.UploadEntries<E2>,
    options?: Omit<OptionsOf<"add">, "silent">
  ) => Stream.Stream<IpfsApi.AddedEntry | IpfsApi.AddProgress, E | E2>
  /** Streams the bytes of a file, or a range of them. */
  readonly cat: (path: IpfsPath.IpfsPathInput, options?: OptionsOf<"cat">) => Stream.Stream<Uint8Array, E>
  /** Streams a file or a directory as a tar archive. */
  readonly get: (path: IpfsPath.IpfsPathInput, options?: OptionsOf<"get">) => Stream.Stream<Uint8Array, E>
  /** Streams the entries of a directory. */
  readonly ls: (
    path: IpfsPath.IpfsPathInput,
    options?: Omit<OptionsOf<"ls">, "stream">
  ) => Stream.Stream<IpfsApi.ListedEntry, E>
  /** Returns the kind and the size of content at a path. */
  readonly filesStat: (path: string, options?: OptionsOf<"files/stat">) => Effect.Effect<IpfsApi.FileStat, E>
  /** Returns the bytes of a block. */
  readonly blockGet: (cid: CidInput, options?: OptionsOf<"block/get">) => Effect.Effect<Uint8Array, E>
  /** Stores a block, and returns its CID. */
  readonly blockPut: (bytes: Uint8Array, options?: OptionsOf<"block/put">) => Effect.Effect<IpfsApi.BlockStat, E>
  /** Returns the size of a block. */
  readonly blockStat: (cid: CidInput, options?: OptionsOf<"block/stat">) => Effect.Effect<IpfsApi.BlockStat, E>
  /** Removes blocks. Each answer has the reason if a block stays. */
  readonly blockRm: (
    cids: CidInput | ReadonlyArray<CidInput>,
    options?: OptionsOf<"block/rm">
  ) => Stream.Stream<IpfsApi.Removed, E>
  /** Streams the links of a block, or of its whole DAG with `recursive`, as texts in the form of `format`. */
  readonly refs: (path: IpfsPath.IpfsPathInput, options?: OptionsOf<"refs">) => Stream.Stream<string, E>
  /** Streams the CIDs of the node's blocks; of a service, those that the caller's pins reach. */
  readonly refsLocal: (options?: OptionsOf<"refs/local">) => Stream.Stream<Cid.CidText, E>
  /** Returns the path of the block that a path leads to. */
  readonly resolve: (path: IpfsPath.IpfsPathInput, options?: OptionsOf<"resolve">) => Effect.Effect<string, E>
  /** Counts the blocks and bytes of DAGs. With `progress`, an answer follows each block; the last one is complete. */
  readonly dagStat: (
    paths: IpfsPath.IpfsPathInput | ReadonlyArray<IpfsPath.IpfsPathInput>,
    options?: OptionsOf<"dag/stat">
  ) => Stream.Stream<IpfsApi.DagStat, E>
  /** Streams the recursive pins that are not complete; with `verbose`, all of them. */
  readonly pinVerify: (options?: OptionsOf<"pin/verify">) => Stream.Stream<IpfsApi.PinVerified, E>
  /** Returns the size of the node's store; of a service, of the caller's pins. */
  readonly repoStat: (options?: OptionsOf<"repo/stat">) => Effect.Effect<RepoStat, E>
  /** Returns the value at a path, in dag-json unless `outputCodec` names another codec. */
  readonly dagGet: (path: IpfsPath.IpfsPathInput, options?: OptionsOf<"dag/get">) => Effect.Effect<Uint8Array, E>
  /** Stores data that is in `inputCodec` (default: dag-json) as a block in `storeCodec` (default: dag-cbor). */
  readonly dagPut: (bytes: Uint8Array, options?: OptionsOf<"dag/put">) => Effect.Effect<Cid.CidText, E>
  /** Returns the CID of the block that a path leads to, and the rest of the path inside the block. */
  readonly dagResolve: (
    path: IpfsPath.IpfsPathInput,
    options?: OptionsOf<"dag/resolve">
  ) => Effect.Effect<IpfsApi.ResolvedTarget, E>
  /** Streams a DAG as a CAR. */
  readonly dagExport: (cid: CidInput, options?: OptionsOf<"dag/export">) => Stream.Stream<Uint8Array, E>
  /** Stores the blocks of a CAR. The answer names each root, with the reason if the node could not pin it. */
  readonly dagImport: <E2 = never>(
    car: Upload.FileContent<E2>,
    options?: Omit<OptionsOf<"dag/import">, "silent">
  ) => Stream.Stream<IpfsApi.Imported, E | E2>
  /**
   * Returns the links and the data of a dag-pb node. The data is base64, or text if `dataEncoding` is `text`; text
   * loses bytes that are not UTF-8.
   */
  readonly objectGet: (
    path: IpfsPath.IpfsPathInput,
    options?: { readonly dataEncoding?: DagPbObject.DataEncoding | undefined }
  ) => Effect.Effect<DagPbObject.DagPbObject, E>
  /** Returns the data of a dag-pb node. */
  readonly objectData: (path: IpfsPath.IpfsPathInput) => Effect.Effect<Uint8Array, E>
  /** Returns the sizes of a dag-pb node. */
  readonly objectStat: (path: IpfsPath.IpfsPathInput) => Effect.Effect<DagPbObject.DagPbStat, E>
  /** Stores a dag-pb node, given as the bytes of its block. */
  readonly objectPut: (
    block: Uint8Array,
    options?: { readonly pin?: boolean | undefined }
  ) => Effect.Effect<Cid.CidText, E>
  /**
   * Pins content. With `progress` the node reports twice a second that it is still working, so that the call does not
   * time out.
   */
  readonly pinAdd: (
    paths: IpfsPath.IpfsPathInput | ReadonlyArray<IpfsPath.IpfsPathInput>,
    options?: OptionsOf<"pin/add">
  ) => Effect.Effect<ReadonlyArray<Cid.CidText>, E>
  /** Removes pins, and returns the CIDs that were pinned. */
  readonly pinRm: (
    paths: IpfsPath.IpfsPathInput | ReadonlyArray<IpfsPath.IpfsPathInput>,
    options?: OptionsOf<"pin/rm">
  ) => Effect.Effect<ReadonlyArray<Cid.CidText>, E>
  /** Streams all pins, or the pins of `paths`. A path that is not pinned fails with `FailedError`. */
  readonly pinLs: (
    options?: Omit<OptionsOf<"pin/ls">, "stream"> & {
      readonly paths?: ReadonlyArray<IpfsPath.IpfsPathInput> | undefined
    }
  ) => Stream.Stream<IpfsApi.Pin, E>
  /** Moves a recursive pin from one DAG to another. */
  readonly pinUpdate: (
    from: IpfsPath.IpfsPathInput,
    to: IpfsPath.IpfsPathInput,
    options?: OptionsOf<"pin/update">
  ) => Effect.Effect<ReadonlyArray<Cid.CidText>, E>
  /** Returns the version of the node. */
  readonly version: (options?: OptionsOf<"version">) => Effect.Effect<NodeVersion, E>
  /** Returns the identity of the node, or of another node by its id. */
  readonly id: (peer?: string, options?: OptionsOf<"id">) => Effect.Effect<NodeIdentity, E>
}

/** The commands whose errors differ under a layer that verifies. */
type Checks = Pick<Client<CheckFailure>, "blockGet" | "blockStat" | "blockPut" | "dagPut" | "objectPut" | "dagImport">
type Adds = Pick<Client<AddFailure>, "add" | "addAll">
type Reads = Pick<
  Client<ReadFailure>,
  | "get"
  | "ls"
  | "filesStat"
  | "dagGet"
  | "dagResolve"
  | "dagStat"
  | "refs"
  | "resolve"
  | "objectGet"
  | "objectData"
  | "objectStat"
  | "pinAdd"
  | "pinRm"
  | "pinLs"
  | "pinUpdate"
>
type Cars = Pick<Client<CarFailure>, "dagExport">
type Contents = Pick<Client<IpfsFailure>, "cat">

/**
 * A client that may verify, such as the service. A command has the errors that it can fail with under any layer: every
 * command fails with `IpfsError` if the call fails, and a checked one also with the errors of its checks.
 */
export interface AnyClient
  extends
    Omit<Client, keyof Checks | keyof Adds | keyof Reads | keyof Cars | keyof Contents>,
    Checks,
    Adds,
    Reads,
    Cars,
    Contents {}
