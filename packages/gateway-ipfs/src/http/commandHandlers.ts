/** The handlers of all commands of `IpfsApi`. */
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Effect from "effect/Effect"

import * as BlockCommands from "./blockCommands.ts"
import * as CidCommands from "./cidCommands.ts"
import { type CommandHandler, unsupported, value } from "./commandHandler.ts"
import * as DagCommands from "./dagCommands.ts"
import * as DagPbCommands from "./dagPbCommands.ts"
import * as FileCommands from "./fileCommands.ts"
import * as PinCommands from "./pinCommands.ts"

const version: CommandHandler<"version"> = ({ node }) => Effect.map(node.version, value)

const id: CommandHandler<"id"> = Effect.fnUntraced(function* ({ args, node, options }) {
  const identity = yield* node.id
  yield* unsupported({
    peerid: args[0] !== undefined && args[0] !== identity.id,
    "peerid-base": options.peeridBase !== undefined && options.peeridBase !== "b58mh"
  })
  return value(identity)
})

export const handlers: { readonly [Name in IpfsApi.CommandName]: CommandHandler<Name> } = {
  add: FileCommands.add,
  "block/get": BlockCommands.blockGet,
  "block/put": BlockCommands.blockPut,
  "block/rm": BlockCommands.blockRm,
  "block/stat": BlockCommands.blockStat,
  cat: FileCommands.cat,
  "cid/base32": CidCommands.cidBase32,
  "cid/bases": CidCommands.cidBases,
  "cid/codecs": CidCommands.cidCodecs,
  "cid/format": CidCommands.cidFormat,
  "cid/hashes": CidCommands.cidHashes,
  "cid/inspect": CidCommands.cidInspect,
  "dag/export": BlockCommands.dagExport,
  "dag/get": BlockCommands.dagGet,
  "dag/import": BlockCommands.dagImport,
  "dag/put": BlockCommands.dagPut,
  "dag/resolve": BlockCommands.dagResolve,
  "dag/stat": DagCommands.dagStat,
  "files/stat": FileCommands.filesStat,
  get: FileCommands.get,
  id,
  ls: FileCommands.ls,
  "object/data": DagPbCommands.objectData,
  "object/get": DagPbCommands.objectGet,
  "object/put": DagPbCommands.objectPut,
  "object/stat": DagPbCommands.objectStat,
  "pin/add": PinCommands.pinAdd,
  "pin/ls": PinCommands.pinLs,
  "pin/rm": PinCommands.pinRm,
  "pin/update": PinCommands.pinUpdate,
  "pin/verify": DagCommands.pinVerify,
  refs: DagCommands.refs,
  "refs/local": DagCommands.refsLocal,
  "repo/stat": DagCommands.repoStat,
  resolve: DagCommands.resolve,
  version
}
