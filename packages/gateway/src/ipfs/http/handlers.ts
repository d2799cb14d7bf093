/** The handlers of all commands of `IpfsApi`. */
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as Effect from "effect/Effect"

import * as Blocks from "./blocks.ts"
import * as Cids from "./cids.ts"
import * as Files from "./files.ts"
import { type Handler, unsupported, value } from "./handler.ts"
import * as Objects from "./objects.ts"
import * as Pins from "./pins.ts"
import * as Walks from "./walks.ts"

const version: Handler<"version"> = ({ node }) => Effect.map(node.version, value)

const id: Handler<"id"> = Effect.fnUntraced(function* ({ args, node, options }) {
  const identity = yield* node.id
  yield* unsupported({
    peerid: args[0] !== undefined && args[0] !== identity.id,
    "peerid-base": options.peeridBase !== undefined && options.peeridBase !== "b58mh"
  })
  return value(identity)
})

export const handlers: { readonly [Name in IpfsApi.Name]: Handler<Name> } = {
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
  "dag/export": Blocks.dagExport,
  "dag/get": Blocks.dagGet,
  "dag/import": Blocks.dagImport,
  "dag/put": Blocks.dagPut,
  "dag/resolve": Blocks.dagResolve,
  "dag/stat": Walks.dagStat,
  "files/stat": Files.filesStat,
  get: Files.get,
  id,
  ls: Files.ls,
  "object/data": Objects.objectData,
  "object/get": Objects.objectGet,
  "object/put": Objects.objectPut,
  "object/stat": Objects.objectStat,
  "pin/add": Pins.pinAdd,
  "pin/ls": Pins.pinLs,
  "pin/rm": Pins.pinRm,
  "pin/update": Pins.pinUpdate,
  "pin/verify": Walks.pinVerify,
  refs: Walks.refs,
  "refs/local": Walks.refsLocal,
  "repo/stat": Walks.repoStat,
  resolve: Walks.resolve,
  version
}
