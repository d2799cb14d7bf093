/**
 * The commands of the IPFS HTTP API, as Kubo and Infura implement it.
 *
 * The client's functions and the service's routes are made from this table. If nodes send different forms, the Schema
 * of the answer accepts both forms and encodes Kubo's.
 *
 * Source: `core/commands` of Kubo 0.43; Infura's documentation; js-ipfs 0.66, by running it.
 */
import * as Blocks from "./blocks.ts"
import * as Cids from "./cids.ts"
import type * as Command from "./Command.ts"
import { globals as shared } from "./common.ts"
import * as Dag from "./dag.ts"
import * as Files from "./files.ts"
import * as Node from "./node.ts"
import * as Objects from "./objects.ts"
import * as Pins from "./pins.ts"
import * as Walks from "./walks.ts"

export type { BlockStat, Removed } from "./blocks.ts"
export type { Imported, Resolved } from "./dag.ts"
export type { Added, AddProgress, Entry, FileStat } from "./files.ts"
export type { Pin, PinVerified } from "./pins.ts"
export type { DagStat } from "./walks.ts"

/** The path of all commands: `/api/v0/`. */
export const BASE_PATH = "/api/v0/"

/** The options that every command accepts. */
export const globals: Command.Options = shared

/**
 * The commands by name. The object has no prototype, so a name such as `constructor` finds nothing.
 *
 * ```ts import.meta.vitest
 * import { IpfsApi } from "@plumbline/ipfs-client"
 *
 * const { cat } = IpfsApi.commands
 * cat.args.map((argument) => argument.name) // => ["ipfs-path"]
 * cat.verification // => "proven"
 * IpfsApi.commands["pin/rm"].idempotent // => false
 * ```
 */
export const commands = /* @__PURE__ */ Object.freeze({
  __proto__: null as never,
  add: Files.add,
  "block/get": Blocks.blockGet,
  "block/put": Blocks.blockPut,
  "block/rm": Blocks.blockRm,
  "block/stat": Blocks.blockStat,
  cat: Files.cat,
  "cid/base32": Cids.cidBase32,
  "cid/bases": Cids.cidBases,
  "cid/codecs": Cids.cidCodecs,
  "cid/format": Cids.cidFormat,
  "cid/hashes": Cids.cidHashes,
  "cid/inspect": Cids.cidInspect,
  "dag/export": Dag.dagExport,
  "dag/get": Dag.dagGet,
  "dag/import": Dag.dagImport,
  "dag/put": Dag.dagPut,
  "dag/resolve": Dag.dagResolve,
  "dag/stat": Walks.dagStat,
  "files/stat": Files.filesStat,
  get: Files.get,
  id: Node.id,
  ls: Files.ls,
  "object/data": Objects.objectData,
  "object/get": Objects.objectGet,
  "object/put": Objects.objectPut,
  "object/stat": Objects.objectStat,
  "pin/add": Pins.pinAdd,
  "pin/ls": Pins.pinLs,
  "pin/rm": Pins.pinRm,
  "pin/update": Pins.pinUpdate,
  "pin/verify": Pins.pinVerify,
  refs: Walks.refs,
  "refs/local": Walks.refsLocal,
  "repo/stat": Node.repoStat,
  resolve: Walks.resolve,
  version: Node.version
})

/** The name of a command. */
export type Name = Exclude<keyof typeof commands, "__proto__">

/** Looks up a command by an untrusted name. Returns `undefined` if there is no such command. */
export const find = (name: string): Command.Any | undefined =>
  Object.hasOwn(commands, name) ? commands[name as Name] : undefined
