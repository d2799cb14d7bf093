/** Finds the content at a path. Each block on the path is read and checked against its CID. */
import * as BlockSource from "@plumbline/ipfs-client/block/BlockSource"
import * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as IpfsPath from "@plumbline/ipfs-client/cid/IpfsPath"
import * as IpfsReason from "@plumbline/ipfs-client/cid/IpfsReason"
import type { IpfsFailure } from "@plumbline/ipfs-client/client/IpfsClient"
import * as UnixFs from "@plumbline/ipfs-client/unixfs/UnixFs"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import type * as Evidence from "@plumbline/verdict/Evidence"
import { UnprovenError } from "@plumbline/verdict/UnprovenError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { UsageError } from "../terminal/UsageError.ts"
import * as IpfsReasons from "./IpfsReasons.ts"

/** A path as a person types it, split into its parts. */
export interface ContentPath {
  readonly root: Cid.Cid
  /** The CID as the user typed it. */
  readonly text: Cid.CidText
  readonly names: ReadonlyArray<string>
}

/**
 * Parses a path that a person has typed: a CID, optionally followed by names. An IPNS name is refused, because no hash
 * proves its target.
 */
export const parse = (text: string): Result.Result<ContentPath, UsageError | UnprovenError> => {
  const parts = IpfsPath.split(text)
  if (Result.isFailure(parts)) {
    return Result.fail(
      new UsageError({
        problem: `path must be a CID, optionally followed by names: ${mistakeIn(parts.failure.reason)}`
      })
    )
  }
  const { names, namespace, root } = parts.success
  if (namespace === "ipns") {
    const claims = [Claim.whole(IpfsReason.IpnsName({}))]
    return Result.fail(new UnprovenError({ subject: `/ipns/${root}`, claims }))
  }
  const place = { root: Cid.fromTextUnsafe(root), text: root as Cid.CidText }
  if (!/^ip[fn]s:/iu.test(text)) return Result.succeed({ ...place, names })
  // browsers show addresses with encoded names
  const decoded = names.map(decode)
  const read = Result.getOrUndefined(IpfsPath.split(["/ipfs", root, ...decoded].join("/")))
  return read?.names.length === names.length
    ? Result.succeed({ ...place, names: decoded })
    : Result.fail(new UsageError({ problem: "path has an invalid name after its percent signs are decoded" }))
}

/** Decodes the percent signs of a name. A name that is not encoded stays as it is. */
const decode = (name: string): string => {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

const mistakeIn = (reason: "TooLong" | "NoCid" | "BadName"): string =>
  ({
    TooLong: "this has more than 4,096 characters",
    NoCid: "this does not begin with one",
    BadName: "this has a name that is empty, a dot, or two dots"
  })[reason]

/** Returns the path in the form that IPFS commands accept. */
export const pathOf = ({ names, text }: ContentPath): IpfsPath.IpfsPath => IpfsPath.make(text, ...names)

/** Returns the CID that proves an answer about a path. */
export const anchorOf = ({ text }: ContentPath): Anchor.Anchor => Anchor.cid(text)

/** Returns the CID at a path. */
export const resolve = (
  blocks: BlockSource.BlockSource<IpfsFailure>,
  { names, root }: ContentPath
): Effect.Effect<Cid.Cid, IpfsFailure> => UnixFs.resolve(blocks, root, names)

/** Content to be read: its kind, and the source of its blocks. */
export interface IpfsContent {
  readonly cid: Cid.Cid
  readonly stat: UnixFs.UnixFsStat
  readonly blocks: BlockSource.BlockSource<IpfsFailure>
}

/** Opens the content of a CID. The first block of the content is requested only once. */
export const open = Effect.fnUntraced(function* (blocks: BlockSource.BlockSource<IpfsFailure>, cid: Cid.Cid) {
  const { bytes } = yield* BlockSource.get(blocks, cid)
  const near: BlockSource.BlockSource<IpfsFailure> = (other) =>
    Cid.equals(other, cid) ? Effect.succeed(bytes) : blocks(other)
  const stat = yield* UnixFs.stat(near, cid)
  const content: IpfsContent = { cid, stat, blocks: near }
  return content
})

/** Returns the evidence about the path itself. */
export const provenPath = ({ names, text }: ContentPath): ReadonlyArray<Evidence.Evidence> =>
  names.length === 0 ? [] : [IpfsReasons.Path({ root: text })]
