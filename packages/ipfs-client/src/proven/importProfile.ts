/** Computes how a node cuts files with given options. Options that cannot be sent to the node are already excluded. */
import type { Reason } from "@plumbline/verdict/Reason"
import * as Result from "effect/Result"

import type * as DirectoryCid from "../build/DirectoryCid.ts"
import type * as FileCid from "../build/FileCid.ts"
import * as IpfsReason from "../cid/IpfsReason.ts"
import * as Multihash from "../cid/Multihash.ts"
import type * as Command from "../commands/Command.ts"
import type * as IpfsApi from "../commands/IpfsApi.ts"

type Options = Command.OptionsOf<(typeof IpfsApi.commands)["add"]>

/** Options that change the CID in ways that this package does not compute. */
const BEYOND = ["nocopy", "preserveMode", "preserveMtime", "mode", "mtime", "mtimeNsecs", "maxDirectoryLinks"] as const

/** Options that determine how files and directories become blocks. */
export type ImportProfile = FileCid.FileCidOptions & Pick<DirectoryCid.DirectoryCidOptions, "fanout">

/** Returns how files are cut, or the reason why this client does not compute it. */
export const of = (options: Options): Result.Result<ImportProfile, Reason> => {
  const beyond = BEYOND.find((name) => options[name] !== undefined && options[name] !== false)
  if (beyond !== undefined) {
    return notComputed(beyond)
  }
  const hash = options.hash ?? "sha2-256"
  if (!isHash(hash)) {
    return notComputed("hash")
  }
  const cidVersion = options.cidVersion === 1 || hash !== "sha2-256" ? 1 : 0
  const chunkSize = Number(/^size-([1-9][0-9]{0,6})$/.exec(options.chunker ?? "size-262144")?.[1])
  if (!(chunkSize <= 1_048_576)) {
    return notComputed("chunker")
  }
  const maxLinks = options.maxFileLinks ?? 174
  if (!(maxLinks >= 2 && maxLinks <= 8192)) {
    return notComputed("maxFileLinks")
  }
  const fanout = options.maxHamtFanout ?? 256
  if (!(fanout >= 8 && fanout <= 1024 && Number.isInteger(Math.log2(fanout)))) {
    return notComputed("maxHamtFanout")
  }
  const inlineLimit = options.inline === true ? (options.inlineLimit ?? 32) : undefined
  if (inlineLimit !== undefined && !(inlineLimit >= 0 && inlineLimit <= Multihash.MAX_IDENTITY_SIZE)) {
    return notComputed("inlineLimit")
  }
  const rawLeaves = options.rawLeaves ?? cidVersion === 1
  const trickle = options.trickle ?? false
  return Result.succeed({ cidVersion, rawLeaves, chunkSize, maxLinks, hash, trickle, inlineLimit, fanout })
}

const notComputed = (option: IpfsReason.AddOption): Result.Result<never, Reason> =>
  Result.fail(IpfsReason.AddNotComputed({ option }))

/** Returns the options with explicit values if a node may have other defaults for them. */
export const explicit = ({ chunkSize, cidVersion, hash, rawLeaves }: ImportProfile): Options => ({
  cidVersion,
  rawLeaves,
  chunker: `size-${chunkSize}`,
  hash
})

const isHash = (name: string): name is Multihash.MultihashName => Object.hasOwn(Multihash.codes, name)
