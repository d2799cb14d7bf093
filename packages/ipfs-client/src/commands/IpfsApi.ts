/**
 * The commands of the IPFS HTTP API, as Kubo and Infura implement it.
 *
 * The client's functions and the service's routes are made from this table. If nodes send different forms, the Schema
 * of the answer accepts both forms and encodes Kubo's.
 *
 * Source: `core/commands` of Kubo 0.43; Infura's documentation; js-ipfs 0.66, by running it.
 */
import type * as Command from "./Command.ts"
import { globals as shared } from "./commonOptions.ts"
import * as IpfsBlockCommands from "./ipfsBlockCommands.ts"
import * as IpfsCidCommands from "./ipfsCidCommands.ts"
import * as IpfsDagCommands from "./ipfsDagCommands.ts"
import * as IpfsFileCommands from "./ipfsFileCommands.ts"
import * as IpfsNodeCommands from "./ipfsNodeCommands.ts"
import * as IpfsObjectCommands from "./ipfsObjectCommands.ts"
import * as IpfsPinCommands from "./ipfsPinCommands.ts"
import * as IpfsWalkCommands from "./ipfsWalkCommands.ts"

export type { BlockStat, Removed } from "./ipfsBlockCommands.ts"
export type { Imported, ResolvedTarget } from "./ipfsDagCommands.ts"
export type { AddedEntry, AddProgress, ListedEntry, FileStat } from "./ipfsFileCommands.ts"
export type { Pin, PinVerified } from "./ipfsPinCommands.ts"
export type { DagStat } from "./ipfsWalkCommands.ts"

/** The path of all commands: `/api/v0/`. */
export const BASE_PATH = "/api/v0/"

/** The options that every command accepts. */
export const globals: Command.CommandOptions = shared

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
  add: IpfsFileCommands.add,
  "block/get": IpfsBlockCommands.blockGet,
  "block/put": IpfsBlockCommands.blockPut,
  "block/rm": IpfsBlockCommands.blockRm,
  "block/stat": IpfsBlockCommands.blockStat,
  cat: IpfsFileCommands.cat,
  "cid/base32": IpfsCidCommands.cidBase32,
  "cid/bases": IpfsCidCommands.cidBases,
  "cid/codecs": IpfsCidCommands.cidCodecs,
  "cid/format": IpfsCidCommands.cidFormat,
  "cid/hashes": IpfsCidCommands.cidHashes,
  "cid/inspect": IpfsCidCommands.cidInspect,
  "dag/export": IpfsDagCommands.dagExport,
  "dag/get": IpfsDagCommands.dagGet,
  "dag/import": IpfsDagCommands.dagImport,
  "dag/put": IpfsDagCommands.dagPut,
  "dag/resolve": IpfsDagCommands.dagResolve,
  "dag/stat": IpfsWalkCommands.dagStat,
  "files/stat": IpfsFileCommands.filesStat,
  get: IpfsFileCommands.get,
  id: IpfsNodeCommands.id,
  ls: IpfsFileCommands.ls,
  "object/data": IpfsObjectCommands.objectData,
  "object/get": IpfsObjectCommands.objectGet,
  "object/put": IpfsObjectCommands.objectPut,
  "object/stat": IpfsObjectCommands.objectStat,
  "pin/add": IpfsPinCommands.pinAdd,
  "pin/ls": IpfsPinCommands.pinLs,
  "pin/rm": IpfsPinCommands.pinRm,
  "pin/update": IpfsPinCommands.pinUpdate,
  "pin/verify": IpfsPinCommands.pinVerify,
  refs: IpfsWalkCommands.refs,
  "refs/local": IpfsWalkCommands.refsLocal,
  "repo/stat": IpfsNodeCommands.repoStat,
  resolve: IpfsWalkCommands.resolve,
  version: IpfsNodeCommands.version
})

/** The name of a command. */
export type CommandName = Exclude<keyof typeof commands, "__proto__">

/** Looks up a command by an untrusted name. Returns `undefined` if there is no such command. */
export const find = (name: string): Command.AnyCommand | undefined =>
  Object.hasOwn(commands, name) ? commands[name as CommandName] : undefined
