/**
 * Runs commands of IPFS with a key, and gives a verdict on each answer. If a CID proves the answer, this page checks
 * the CID.
 */
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsPath from "@plumbline/ipfs-client/cid/IpfsPath"
import type * as IpfsClient from "@plumbline/ipfs-client/client/IpfsClient"
import type { IpfsError } from "@plumbline/ipfs-client/client/IpfsError"
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import type * as Claim from "@plumbline/verdict/Claim"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import type * as Proving from "../chain/Proving.ts"
import type * as IpfsStore from "../ipfs/IpfsStore.ts"
import type { CommandQuestion } from "./CommandForms.ts"

/** Maximum size of an answer that the page reads, in bytes. */
export const MAX_BYTES: number = 8 * 1024 * 1024

/** The answer is longer than a page shows. */
class TooLongError extends Schema.TaggedError<TooLongError>()("TooLongError", {}) {
  override get message(): string {
    return `The answer has more than ${MAX_BYTES / 1024 / 1024} MiB. Ask for a part of it, or run one of the programs above.`
  }
}

type Failure = IpfsClient.IpfsFailure | TooLongError

/** A question with its files. */
export interface AskedCommand extends CommandQuestion {
  readonly files: ReadonlyArray<File>
}

/** Runs a command, and proves as much of the answer as a CID proves. Never fails: an error is an outcome. */
export const ask = Effect.fnUntraced(function* (
  client: IpfsStore.AccessClient,
  asked: AskedCommand
): Effect.fn.Return<Proving.ProvingOutcome> {
  const { make } = yield* Effect.promise(() => import("@plumbline/ipfs-client/proven/ProvenIpfsClient"))
  const proven = yield* Effect.result(call(make(client), asked))
  if (Result.isSuccess(proven)) return outcomeOf(asked, proven.success)
  const { failure } = proven
  if (failure._tag === "RefutedError") {
    const { check, expected, got } = failure
    return { _tag: "REFUTED", check, expected, got }
  }
  if (failure._tag !== "UnprovenError") return { _tag: "FAILED", failure: failureOf(failure) }
  // no request has changed the node yet: the proving client refuses an unprovable command before it sends anything
  const said = yield* Effect.result(call(client, asked))
  return Result.isSuccess(said)
    ? { _tag: "CLAIMED", result: said.success, proven: [], claimed: [{ field: "value", reason: failure.message }] }
    : { _tag: "FAILED", failure: failureOf(said.failure) }
})

type Input = IpfsPath.IpfsPath & Cid.CidText

/** Runs a command of the client. An answer of bytes becomes readable text. */
const call = (
  client: IpfsStore.AccessClient,
  { args, files, name, options }: AskedCommand
): Effect.Effect<unknown, Failure> => {
  // the form and the client come from the same table of commands, so the names fit
  const given = Object.fromEntries(Object.entries(options).map(([key, value]) => [camel(key), value])) as never
  // the client checks that a text is a path before it sends anything
  const first = (args[0] ?? "") as Input
  const second = (args[1] ?? "") as Input
  const paths = args as ReadonlyArray<IpfsPath.IpfsPath>
  const upload = Effect.promise(async () => new Uint8Array(await (files[0] ?? new Blob()).arrayBuffer()))
  const bytes = (stream: Stream.Stream<Uint8Array, IpfsClient.IpfsFailure>) => Effect.map(collected(stream), readable)
  switch (name) {
    case "add":
      return client.add(
        files.map((file) => ({ path: file.name, content: file })),
        given
      )
    case "cat":
      return bytes(Stream.flatMap(Stream.fromIterable(paths), (path) => client.cat(path, given)))
    case "get":
      return bytes(client.get(first, given))
    case "ls":
      return Stream.runCollect(Stream.flatMap(Stream.fromIterable(paths), (path) => client.ls(path, given)))
    case "files/stat":
      return client.filesStat(first, given)
    case "block/get":
      return Effect.map(client.blockGet(first, given), readable)
    case "block/put":
      return Effect.flatMap(upload, (block) => client.blockPut(block, given))
    case "block/stat":
      return client.blockStat(first, given)
    case "dag/get":
      return Effect.map(client.dagGet(first, given), readable)
    case "dag/put":
      return Effect.flatMap(upload, (value) => client.dagPut(value, given))
    case "dag/resolve":
      return client.dagResolve(first, given)
    case "dag/export":
      return bytes(client.dagExport(first, given))
    case "dag/import":
      return Stream.runCollect(Stream.flatMap(Stream.fromIterable(files), (file) => client.dagImport(file, given)))
    case "object/get":
      return client.objectGet(first, given)
    case "object/data":
      return Effect.map(client.objectData(first), readable)
    case "object/stat":
      return client.objectStat(first)
    case "object/put":
      return Effect.flatMap(upload, (block) => client.objectPut(block, given))
    case "pin/add":
      return client.pinAdd(paths, given)
    case "pin/rm":
      return client.pinRm(paths, given)
    case "pin/ls":
      return Stream.runCollect(client.pinLs({ ...(given as object), ...(paths.length === 0 ? {} : { paths }) }))
    case "pin/update":
      return client.pinUpdate(first, second, given)
    case "id":
      return client.id(args[0], given)
    case "version":
      return client.version(given)
  }
}

/** Returns the name of an option in the form that programs use. */
export const camel = (name: string): string =>
  name.replaceAll(/-([a-z0-9])/gu, (_, letter: string) => letter.toUpperCase())

/** Joins the pieces of an answer. Fails if the answer is longer than the page reads. */
const collected = (stream: Stream.Stream<Uint8Array, IpfsClient.IpfsFailure>): Effect.Effect<Uint8Array, Failure> => {
  let length = 0
  const bounded = Stream.mapEffect(stream, (piece) => {
    length += piece.length
    return length > MAX_BYTES ? Effect.fail(new TooLongError()) : Effect.succeed(piece)
  })
  return Stream.mkUint8Array(bounded)
}

/**
 * Returns bytes in readable form: JSON as its value, other text unchanged, and other bytes as hex with their number.
 */
const readable = (bytes: Uint8Array): unknown => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    if (/[^\P{Cc}\t\n\r]/u.test(text)) return inHex(bytes)
    return /^\s*[[{]/u.test(text) ? (JSON.parse(text) as unknown) : text
  } catch (error) {
    return error instanceof SyntaxError ? new TextDecoder().decode(bytes) : inHex(bytes)
  }
}

/** Maximum number of bytes that are written in hex. */
const MAX_HEX = 512

const inHex = (bytes: Uint8Array): unknown => {
  const digits = Array.from(bytes.subarray(0, MAX_HEX), (byte) => byte.toString(16).padStart(2, "0")).join("")
  return { bytes: bytes.length, hex: `0x${digits}${bytes.length > MAX_HEX ? "…" : ""}` }
}

type Names = ReadonlySet<IpfsApi.CommandName>

/** The commands for which the CID at the beginning of the argument proves the whole answer, or most of it. */
const READS: Names = new Set([
  "block/get",
  "block/stat",
  "cat",
  "dag/export",
  "dag/get",
  "dag/resolve",
  "files/stat",
  "get",
  "ls",
  "object/data",
  "object/get",
  "object/stat"
])

/** The commands whose CIDs this page computes from the data that it sends. */
const SENDS: Names = new Set(["add", "block/put", "dag/import", "dag/put", "object/put"])

/** Returns the outcome of an answer that the proving client accepted. */
const outcomeOf = ({ args, name, options }: AskedCommand, result: unknown): Proving.ProvingOutcome => {
  if (READS.has(name)) {
    const roots = args.flatMap((arg) => {
      const path = IpfsPath.split(arg)
      return Result.isSuccess(path) && path.success.namespace === "ipfs" ? [path.success.root] : []
    })
    const [hash] = roots
    if (hash !== undefined) {
      const proven = roots.map(
        (root) => `Each block below ${root} was hashed in this page, and has the CID that names it.`
      )
      return { _tag: "VERIFIED", result, anchor: { _tag: "Cid", hash }, proven, claimed: localOf(name, options) }
    }
  }
  if (SENDS.has(name)) {
    const hash = cidIn(result)
    if (hash !== undefined) {
      const proven = ["This page computed each CID from the bytes that it sent, and the node answered the same."]
      return { _tag: "VERIFIED", result, anchor: { _tag: "Cid", hash }, proven, claimed: [KEPT] }
    }
  }
  return { _tag: "CLAIMED", result, proven: [], claimed: [{ field: "value", reason: SAID[name] ?? SAID.else }] }
}

const KEPT: Claim.ClaimSentence = { field: "pin", reason: "that the node keeps it is the node's word" }

const localOf = (name: IpfsApi.CommandName, options: CommandQuestion["options"]): ReadonlyArray<Claim.ClaimSentence> =>
  name === "files/stat" && options["with-local"] === true
    ? [{ field: "local", reason: "how much of it the node has is the node's word" }]
    : []

const PINS = "which content is pinned is the node's word; the CIDs of the answer are those of the question"
const ITSELF = "it is the node's word about itself"

/** The reasons why no CID proves an answer. */
const SAID: Readonly<Partial<Record<IpfsApi.CommandName, string>> & { readonly else: string }> = {
  "pin/add": PINS,
  "pin/rm": PINS,
  "pin/update": PINS,
  "pin/ls": "which content is pinned is the node's word",
  id: ITSELF,
  version: ITSELF,
  else: "no CID proves it"
}

/** Returns the last CID of an answer. This CID names the outermost directory, the block or the root. */
const cidIn = (result: unknown): string | undefined => {
  if (typeof result === "string") return result
  if (Array.isArray(result)) return result.map(cidIn).findLast((cid) => cid !== undefined)
  const { cid, root } = (result ?? {}) as { readonly cid?: string; readonly root?: { readonly cid?: string } }
  return cid ?? root?.cid
}

/** Returns the parts of an error that a page shows. The client's errors hold no key. */
export const failureOf = (error: Failure | IpfsStore.NeedsAccessError): Proving.ProvingFailure => {
  const { reason } = error as Partial<IpfsError>
  const { code, status } = (reason ?? {}) as { readonly code?: number; readonly status?: number }
  const wait = error._tag === "IpfsError" ? error.retryAfter : undefined
  return {
    kind: reason?._tag ?? error._tag,
    code,
    status: STATUS[reason?._tag ?? ""] ?? status,
    retryAfter: wait === undefined ? undefined : Math.ceil(Duration.toSeconds(wait)),
    message: (reason?.message ?? error.message).slice(0, 400)
  }
}

const STATUS: Readonly<Record<string, number>> = { UnauthorizedError: 401, ForbiddenError: 403 }
