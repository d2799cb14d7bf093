/** The functions of the client. Each of them calls one command of the table. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import type { LimitExceeded, MalformedBlock } from "../block/DagError.ts"
import * as DagPbObject from "../block/DagPbObject.ts"
import * as Cid from "../cid/Cid.ts"
import * as IpfsPath from "../cid/IpfsPath.ts"
import * as IpfsApi from "../commands/IpfsApi.ts"
import * as AddMethods from "./addMethods.ts"
import type { Client } from "./Client.ts"
import type { CommandCaller } from "./commandCaller.ts"
import { DecodeError, IpfsError, ProtocolError, StreamError } from "./IpfsError.ts"

const { commands } = IpfsApi

export const make = (call: CommandCaller): Client => {
  const addAll: Client["addAll"] = (entries, options) => call.lines(commands.add, { options, upload: entries })

  const blockGet: Client["blockGet"] = (cid, options) =>
    call.whole(commands["block/get"], { args: [IpfsPath.toText(cid)], options })

  const blockPut: Client["blockPut"] = (bytes, options) =>
    only("block/put", call.lines(commands["block/put"], { options, upload: [{ content: bytes }] }))

  const dagResolve: Client["dagResolve"] = (path, options) =>
    call.json(commands["dag/resolve"], { args: [IpfsPath.toText(path)], options })

  return {
    add: AddMethods.make(addAll, (entry, options) =>
      Effect.flatMap(
        Stream.runFold(
          addAll([entry], options),
          (): IpfsApi.AddedEntry | undefined => undefined,
          (last, event) => (event.cid === undefined ? last : event)
        ),
        (last) => (last === undefined ? Effect.fail(malformed("add", "the answer says no CID")) : Effect.succeed(last))
      )
    ),
    addAll,
    cat: (path, options) => call.bytes(commands.cat, { args: [IpfsPath.toText(path)], options }),
    get: (path, options) => call.bytes(commands.get, { args: [IpfsPath.toText(path)], options }),
    ls: (path, options) =>
      inLists(
        call.lines(commands.ls, { args: [IpfsPath.toText(path)], options: { ...options, stream: true } }),
        ({ objects }) => objects.flatMap(({ entries }) => entries)
      ),
    filesStat: (path, options) => call.json(commands["files/stat"], { args: [path], options }),
    blockGet,
    blockPut,
    blockStat: (cid, options) => call.json(commands["block/stat"], { args: [IpfsPath.toText(cid)], options }),
    dagGet: (path, options) =>
      call.whole(commands["dag/get"], {
        args: [IpfsPath.toText(path)],
        options: { outputCodec: "dag-json", ...options }
      }),
    dagPut: (bytes, options) =>
      Effect.map(
        only("dag/put", call.lines(commands["dag/put"], { options, upload: [{ content: bytes }] })),
        ({ cid }) => cid
      ),
    dagResolve,
    dagExport: (cid, options) => call.bytes(commands["dag/export"], { args: [IpfsPath.toText(cid)], options }),
    dagImport: (car, options) =>
      // The reason why a root is not pinned is not an error, so it stays in the answer.
      Stream.map(call.lines(commands["dag/import"], { options, upload: [{ content: car }] }), (answer) =>
        answer.root === undefined
          ? answer
          : { ...answer, root: { ...answer.root, pinError: call.redact(answer.root.pinError) } }
      ),
    ...objectMethods(call, { blockGet, blockPut, dagResolve }),
    ...pinMethods(call),
    blockRm: (cids, options) =>
      // The reason why a block stays is not an error, so it stays in the answer.
      Stream.map(call.lines(commands["block/rm"], { args: textsOf(cids), options }), ({ cid, error }) =>
        error === undefined ? { cid } : { cid, error: call.redact(error) }
      ),
    refs: (path, options) =>
      refsOf("refs", call.redact, call.lines(commands.refs, { args: [IpfsPath.toText(path)], options })),
    refsLocal: (options) =>
      Stream.mapEffect(refsOf("refs/local", call.redact, call.lines(commands["refs/local"], { options })), (ref) =>
        Cid.isCidText(ref) ? Effect.succeed(ref) : Effect.fail(malformed("refs/local", "the answer has no CID"))
      ),
    resolve: (path, options) =>
      Effect.map(call.json(commands.resolve, { args: [IpfsPath.toText(path)], options }), ({ path }) => path),
    dagStat: (paths, options) =>
      call.lines(commands["dag/stat"], { args: textsOf(paths), options: { progress: false, ...options } }),
    repoStat: (options) => call.json(commands["repo/stat"], { options }),
    version: (options) => call.json(commands.version, { options }),
    id: (peer, options) => call.json(commands.id, { args: peer === undefined ? [] : [peer], options })
  }
}

/** Returns the methods for dag-pb nodes, which read the block itself if the node has removed its commands. */
const objectMethods = (
  call: CommandCaller,
  { blockGet, blockPut, dagResolve }: Pick<Client, "blockGet" | "blockPut" | "dagResolve">
): Pick<Client, "objectGet" | "objectData" | "objectStat" | "objectPut"> => {
  /** Returns the CID of a dag-pb node and the bytes of its block. */
  const nodeAt = (
    command: string,
    path: IpfsPath.IpfsPathInput
  ): Effect.Effect<readonly [Cid.Cid, Uint8Array], IpfsError> =>
    Effect.flatMap(rootOf(command, path, dagResolve), (cid) =>
      Effect.map(blockGet(Cid.toText(cid)), (block) => [cid, block])
    )

  // If a node has refused the command once, the client does not call it again.
  let isRemoved = false
  const orFromBlock = <A, B>(
    command: string,
    asked: Effect.Effect<A, IpfsError>,
    path: IpfsPath.IpfsPathInput,
    synthesised: (cid: Cid.Cid, block: Uint8Array) => Result.Result<B, MalformedBlock | LimitExceeded>
  ): Effect.Effect<A | B, IpfsError> => {
    const fromBlock = Effect.flatMap(nodeAt(command, path), ([cid, block]) =>
      Effect.fromResult(
        Result.mapError(synthesised(cid, block), (error) =>
          malformed(command, error._tag === "MalformedBlock" ? `the block ${error.detail}` : error.message)
        )
      )
    )
    return orInstead(asked, fromBlock)
  }
  const orInstead = <A, B>(
    asked: Effect.Effect<A, IpfsError>,
    instead: Effect.Effect<B, IpfsError>
  ): Effect.Effect<A | B, IpfsError> =>
    Effect.suspend(() =>
      isRemoved
        ? instead
        : Effect.catch(asked, (error): Effect.Effect<A | B, IpfsError> => {
            if (!saysRemoved(error)) {
              return Effect.fail(error)
            }
            isRemoved = true
            return instead
          })
    )

  return {
    objectGet: (path, options) => {
      const dataEncoding = options?.dataEncoding ?? "base64"
      const asked = call.json(commands["object/get"], { args: [IpfsPath.toText(path)], options: { dataEncoding } })
      return orFromBlock("object/get", asked, path, (cid, block) => DagPbObject.get(cid, block, dataEncoding))
    },
    objectData: (path) =>
      orFromBlock(
        "object/data",
        call.whole(commands["object/data"], { args: [IpfsPath.toText(path)] }),
        path,
        DagPbObject.data
      ),
    objectStat: (path) =>
      orFromBlock(
        "object/stat",
        call.json(commands["object/stat"], { args: [IpfsPath.toText(path)] }),
        path,
        DagPbObject.stat
      ),
    objectPut: (block, options) =>
      Effect.map(
        orInstead(
          call.json(commands["object/put"], {
            options: { inputenc: "protobuf", ...options },
            upload: [{ content: block }]
          }),
          blockPut(block, { format: "v0", ...options })
        ),
        ({ cid }) => cid
      )
  }
}

const pinMethods = (call: CommandCaller): Pick<Client, "pinAdd" | "pinRm" | "pinLs" | "pinUpdate" | "pinVerify"> => ({
  pinAdd: (paths, options) =>
    Effect.flatMap(
      Stream.runFold(
        call.lines(commands["pin/add"], { args: textsOf(paths), options }),
        (): ReadonlyArray<Cid.CidText> | undefined => undefined,
        (pins, event) => event.pins ?? pins
      ),
      (pins) =>
        pins === undefined ? Effect.fail(malformed("pin/add", "the answer says no pins")) : Effect.succeed(pins)
    ),
  pinRm: (paths, options) =>
    Effect.map(call.json(commands["pin/rm"], { args: textsOf(paths), options }), ({ pins }) => pins),
  pinLs: ({ paths, ...options } = {}) =>
    inLists(
      call.lines(commands["pin/ls"], { args: textsOf(paths ?? []), options: { ...options, stream: true } }),
      (line) => (line.cid === undefined ? (line.pins ?? []) : [line])
    ),
  pinUpdate: (from, to, options) =>
    Effect.map(
      call.json(commands["pin/update"], { args: [IpfsPath.toText(from), IpfsPath.toText(to)], options }),
      ({ pins }) => pins
    ),
  pinVerify: (options) => call.lines(commands["pin/verify"], { options })
})

/** Streams the links of an answer. The line of an error ends the list. */
const refsOf = (
  command: string,
  redact: CommandCaller["redact"],
  lines: Stream.Stream<{ readonly ref: string; readonly error: string }, IpfsError>
): Stream.Stream<string, IpfsError> =>
  Stream.mapEffect(lines, ({ error, ref }) =>
    error === ""
      ? Effect.succeed(ref)
      : Effect.fail(
          new IpfsError({ command, reason: new StreamError({ message: redact(error).slice(0, 1000), where: "value" }) })
        )
  )

/** Streams the items of each value. Creating a stream for each value would take longer than reading its line. */
const inLists = <A, B, E>(values: Stream.Stream<A, E>, itemsOf: (value: A) => ReadonlyArray<B>): Stream.Stream<B, E> =>
  Stream.chunks(values).pipe(
    Stream.map((several) => several.flatMap(itemsOf)),
    Stream.filter((items): items is [B, ...Array<B>] => items.length > 0),
    Stream.flattenArray
  )

/** Returns the only value of a stream. Fails if the stream has none or several. */
const only = <A, E>(command: string, values: Stream.Stream<A, E>): Effect.Effect<A, E | IpfsError> =>
  Effect.flatMap(Stream.runCollect(Stream.take(values, 2)), ([first, second]) =>
    first === undefined || second !== undefined
      ? Effect.fail(malformed(command, `the answer has ${first === undefined ? "no" : "more than one"} value`))
      : Effect.succeed(first)
  )

const malformed = (command: string, detail: string): IpfsError =>
  new IpfsError({ command, reason: new ProtocolError({ detail }) })

const textsOf = (paths: IpfsPath.IpfsPathInput | ReadonlyArray<IpfsPath.IpfsPathInput>): ReadonlyArray<string> =>
  (isList(paths) ? paths : [paths]).map(IpfsPath.toText)

const isList = (
  paths: IpfsPath.IpfsPathInput | ReadonlyArray<IpfsPath.IpfsPathInput>
): paths is ReadonlyArray<IpfsPath.IpfsPathInput> => Array.isArray(paths)

/** True if the node states that the command was removed, as Kubo does since 0.28, or does not know the command. */
const saysRemoved = ({ reason }: IpfsError): boolean =>
  (reason._tag === "FailedError" && reason.message.startsWith("removed, use 'ipfs dag'")) ||
  reason._tag === "UnknownCommandError"

/** Returns the CID that a path leads to. If the path has names, the node resolves them. */
const rootOf = (
  command: string,
  path: IpfsPath.IpfsPathInput,
  resolve: Client["dagResolve"]
): Effect.Effect<Cid.Cid, IpfsError> => {
  if (typeof path !== "string") {
    return Effect.succeed(path)
  }
  const parts = IpfsPath.split(path)
  if (Result.isSuccess(parts) && parts.success.namespace === "ipfs" && parts.success.names.length === 0) {
    return Effect.succeed(Cid.fromTextUnsafe(parts.success.root))
  }
  return Effect.flatMap(resolve(path), ({ cid, remainder }) =>
    remainder === ""
      ? Effect.succeed(Cid.fromTextUnsafe(cid))
      : Effect.fail(
          new IpfsError({
            command,
            reason: new DecodeError({ path: ["RemPath"], detail: "Expected a path that leads to a whole block" })
          })
        )
  )
}
