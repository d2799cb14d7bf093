/** The blocks of the node that a call reads, and the refusal of an option. */
import type * as BlockSource from "../block/BlockSource.ts"
import * as Cid from "../cid/Cid.ts"
import type { AnyClient, CheckFailure } from "../client/IpfsClient.ts"
import { EncodeError, IpfsError } from "../client/IpfsError.ts"

/** The options that a call passes on to each of its requests. */
export interface SourceOptions {
  readonly offline?: boolean | undefined
  readonly timeout?: string | undefined
}

/** Returns a source of the node's blocks. The requests of the source have the options of the call. */
export const make =
  (
    ipfs: Pick<AnyClient, "blockGet">,
    { offline, timeout }: SourceOptions = {}
  ): BlockSource.BlockSource<CheckFailure> =>
  (cid) =>
    ipfs.blockGet(cid, { offline, timeout })

/** Returns the CID that an argument of a command names. */
export const cidOf = (cid: Cid.Cid | Cid.CidText): Cid.Cid => (typeof cid === "string" ? Cid.fromTextUnsafe(cid) : cid)

export const refused = (command: string, name: string, detail: string): IpfsError =>
  new IpfsError({ command, reason: new EncodeError({ name, detail }) })
