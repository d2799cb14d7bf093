/**
 * Proves a block access list by the blockAccessListHash in its block's header, which is the Keccak-256 of the list's RLP
 * (EIP-7928). The hash covers every entry and their order, so nothing can be left out, added or moved.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import * as Claim from "@plumbline/verdict/Claim"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import type * as Block from "../model/Block.ts"
import type * as BlockAccessList from "../model/BlockAccessList.ts"
import * as AccessListEncoding from "../rlp/accessListEncoding.ts"
import { brokenRule, looseFields } from "./accessListRules.ts"
import * as EthEvidence from "./EthEvidence.ts"
import * as EthReason from "./EthReason.ts"

/**
 * Proves the access list of a proven block.
 *
 * **Details**
 *
 * Proven: the whole list, and with it that the block touched no other account or slot. Claimed: a list whose header has
 * no blockAccessListHash, because the block is older than Amsterdam; the answer null; a list with more entries than the
 * gas of a block can pay, which is not hashed; a list that has the header's hash and breaks a rule of EIP-7928, because no
 * valid block has one; unknown fields of entries, and the whole list if its hash does not fit and it has such fields.
 *
 * Fails with `RefutedError`: `blockAccessListHash`.
 */
export const verifyBlockAccessList = (
  list: BlockAccessList.BlockAccessList | null,
  block: Verified<Block.Block>
): Result.Result<Verdict<BlockAccessList.BlockAccessList | null>, RefutedError> => {
  const { blockAccessListHash, gasLimit } = block.value
  if (list === null) return Result.succeed(claim(null, EthReason.AccessListUnknown({})))
  if (blockAccessListHash === undefined) return Result.succeed(claim(list, EthReason.BeforeAmsterdam({})))
  const most = maxEntries(gasLimit)
  if (exceeds(list, most)) return Result.succeed(claim(list, EthReason.AccessListTooLong({ most })))

  const got = RlpWriter.borrow((writer) => {
    AccessListEncoding.write(writer, list)
    return Hash32.fromBytesUnsafe(writer.hash(0))
  })
  const loose = looseFields(list)
  if (!Hex.equals(got, blockAccessListHash)) {
    return loose.size === 0
      ? Result.fail(refute("blockAccessListHash", blockAccessListHash, got))
      : Result.succeed(claim(list, EthReason.UnknownAccessListFields({ fields: Array.from(loose) })))
  }
  const broken = brokenRule(list)
  if (broken !== undefined) return Result.succeed(claim(list, EthReason.AccessListRuleBroken(broken)))
  return Result.succeed(
    Proven.make({
      value: list,
      anchor: block.anchor,
      proven: [...block.proven, EthEvidence.BlockAccessList({ accounts: list.length })],
      claimed: Array.from(loose, (field) => Claim.of(field, EthReason.BesideAccessList({})))
    })
  )
}

/**
 * Returns the maximum number of entries: accounts, slots, changes and units of 100 bytes of code. Each entry of a valid
 * block costs about 2000 gas or more (EIP-7928). The lower end is for blocks with a low gas limit, because the protocol's
 * own entries cost nothing; the upper end bounds the work for chains whose limit of gas is only nominal.
 */
const maxEntries = (gasLimit: bigint): number =>
  gasLimit > 1000n * BigInt(MOST) ? MOST : Math.max(FEWEST, Number(gasLimit / 1000n))

const FEWEST = 16_384
const MOST = 262_144

/** Bytes of code that count as one entry. */
const CODE_OF_ENTRY = 100

/** True if the list has more entries than `most`. Stops counting there. */
const exceeds = (list: BlockAccessList.BlockAccessList, most: number): boolean => {
  let entries = 0
  for (const account of list) {
    entries += 1 + account.storageReads.length + account.balanceChanges.length + account.nonceChanges.length
    for (const { changes } of account.storageChanges) entries += 1 + changes.length
    for (const { code } of account.codeChanges) entries += 1 + code.length / (2 * CODE_OF_ENTRY)
    if (entries > most) return true
  }
  return false
}
