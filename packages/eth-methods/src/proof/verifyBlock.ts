/**
 * Proves a block from its hash: the header by its RLP, the lists of its body by the roots in the header.
 *
 * `docs/reference/eth-methods-proofs.md` lists the rules, and the fields that cannot be proven. Each check has a name,
 * which `RefutedError` carries.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import type { Evidence } from "@plumbline/verdict/Evidence"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { claim, claimAll, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import * as Block from "../model/Block.ts"
import * as LaterForks from "../model/LaterForks.ts"
import { EMPTY_UNCLES, isEmptyRoot } from "../rlp/emptyRoots.ts"
import * as HeaderEncoding from "../rlp/headerEncoding.ts"
import { withHead } from "../rlp/rlpSize.ts"
import type { RecoveryEngine } from "../sender/recoveryEngine.ts"
import { checkTransactions, type Transactions } from "./checkTransactions.ts"
import * as ConsensusEngine from "./consensusEngine.ts"
import * as EthereumChains from "./ethereumChains.ts"
import * as EthEvidence from "./EthEvidence.ts"
import * as EthReason from "./EthReason.ts"
import { isOfOpStack } from "./receiptFields.ts"
import { unknownFields } from "./unknownFields.ts"
import { checkUncles } from "./verifyUncles.ts"

/** Options of `verifyBlock`. */
export interface VerifyBlockOptions extends EthereumChains.OfChain {
  /**
   * True to recover the senders of whole transactions, which takes about 0.2 ms for each with the default engine. If false, `from` stays a claim. Default: true.
   */
  readonly senders?: boolean | undefined
  /** The engine that recovers the senders. Default: `SenderRecovery.standard`. */
  readonly recovery?: RecoveryEngine | undefined
  /**
   * Headers of all the block's uncles, if the caller has them. They prove `uncles` and `size` of a block with uncles.
   */
  readonly uncles?: ReadonlyArray<Block.Uncle> | undefined
}

/**
 * Proves a block from the requested hash: see `Verify.block`. Without the option `recovery`, senders stay claims, so that
 * reads of headers do not load an engine.
 */
export const verifyBlock = <B extends Block.Block>(
  block: B,
  hash: Hash32.Hash32,
  options: VerifyBlockOptions = {}
): Result.Result<Verdict<B>, RefutedError> => {
  if (block.hash === null || !Hex.equals(block.hash, hash)) return Result.fail(refute("block.hash", hash, block.hash))
  return RlpWriter.borrow((writer) => verifyWith(writer, block, hash, options))
}

const verifyWith = <B extends Block.Block>(
  writer: RlpWriter.RlpWriter,
  said: B,
  hash: Hash32.Hash32,
  options: VerifyBlockOptions
): Result.Result<Verdict<B>, RefutedError> => {
  const sealed = HeaderEncoding.sealed(said)
  const forks = options.forks === undefined ? undefined : LaterForks.begun(options.forks, said.timestamp)
  const known = knownFields(forks)
  const wrong = checkHeader(writer, sealed, hash, forks)
  if (wrong !== undefined) {
    const reason =
      earlyFork(writer, sealed, hash, options.forks) ??
      otherForm(said, knownFields(options.forks), options) ??
      (sealed !== said && wrong.check === "header hash" ? EthReason.SealNotSent({}) : undefined)
    return reason === undefined ? Result.fail(wrong) : Result.succeed(claim(said, reason))
  }
  const mismatch = forks === undefined ? undefined : LaterForks.mismatchOf(forks, said)
  if (mismatch !== undefined) return Result.succeed(claim(said, EthReason.ForkMismatch(mismatch)))
  const headerSize = writer.position
  const block = withEmpty(sealed)

  const transactions = checkTransactions(block, recoveryOf(options), writer, options)
  if (Result.isFailure(transactions)) return Result.fail(transactions.failure)
  const proven: Array<Evidence> = [EthEvidence.HeaderHash({ hash }), ...transactions.success.proven]
  // the node decides how many fields are claimed, and the arguments of a call to `push` would not fit on the stack
  const claimed: Array<Claim.Claim> = [...transactions.success.claimed]

  const ofOpStack = transactions.success.size !== undefined && isOfOpStack(block)
  const chainId =
    options.chainId ??
    (transactions.success.size === undefined ? undefined : EthereumChains.namedBy(block.transactions))
  const withdrawals = checkWithdrawals(block, writer, EthereumChains.isEthereum(chainId), ofOpStack)
  if (Result.isFailure(withdrawals)) return Result.fail(withdrawals.failure)
  const noWithdrawals = ofOpStack && block.withdrawalsRoot !== undefined && !isEmptyRoot(block.withdrawalsRoot)
  if (noWithdrawals) proven.push(EthEvidence.NoWithdrawals({}))
  else if (block.withdrawals !== undefined && withdrawals.success === undefined) {
    claimed.push(Claim.of("withdrawals", EthReason.WithdrawalsRootOfOther({ chainId })))
  } else if (block.withdrawals !== undefined) {
    proven.push(EthEvidence.ListRoot({ list: "withdrawals", count: block.withdrawals.length, items: "whole" }))
    const loose = new Set<string>()
    unknownFields(block.withdrawals, withdrawalFields, "withdrawals", loose)
    for (const field of loose) claimed.push(Claim.of(field, EthReason.NotCovered({ by: "withdrawals" })))
  } else if (block.withdrawalsRoot !== undefined) {
    claimed.push(Claim.of("withdrawals", EthReason.WithdrawalsNotSent({})))
  }

  const uncles = checkUnclesOf(block, options, writer)
  if (Result.isFailure(uncles)) return Result.fail(uncles.failure)
  const hashes = block.uncles ?? options.uncles?.map((uncle) => uncle.hash!)
  if (uncles.success === undefined || hashes === undefined) {
    claimed.push(Claim.of("uncles", EthReason.UncleHashesOnly({})))
  } else proven.push(EthEvidence.ListRoot({ list: "uncles", count: hashes.length, items: "hashes" }))

  const sizes = sizeOf(headerSize, transactions.success, uncles.success, withdrawals.success)
  const { size = sizes === undefined ? undefined : BigInt(sizes.whole) } = block
  if (sizes === undefined) claimed.push(Claim.of("size", EthReason.SizeOfParts({})))
  else if (size === BigInt(sizes.whole)) proven.push(EthEvidence.Size({}))
  else if (size === BigInt(sizes.withoutWithdrawals)) {
    claimed.push(Claim.of("size", EthReason.SizeWithoutWithdrawals({})))
  } else return Result.fail(refute("size", BigInt(sizes.whole), size))

  if (block.totalDifficulty != null) {
    claimed.push(Claim.of("totalDifficulty", EthReason.TotalDifficulty({})))
  }
  for (const field of Object.keys(block)) {
    if (!known.has(field)) claimed.push(Claim.of(field, EthReason.NotCovered({ by: "header" })))
  }
  const { list } = transactions.success
  const addsNoWithdrawals = noWithdrawals && block.withdrawals === undefined
  const isWhole = list === block.transactions && hashes === block.uncles && size === block.size && !addsNoWithdrawals
  const value: B = isWhole
    ? block
    : {
        ...block,
        transactions: list,
        ...(hashes === undefined ? {} : { uncles: hashes }),
        ...(addsNoWithdrawals ? { withdrawals: [] } : {}),
        ...(size === undefined ? {} : { size })
      }
  if (transactions.success.unknown) {
    return Result.succeed(claimAll(value, claimed, proven))
  }
  return Result.succeed(Proven.make({ value, anchor: Anchor.block(hash), proven, claimed }))
}

/** Returns the reason if the header has its hash with the fields of a fork that has not begun at the header's time. */
const earlyFork = (
  writer: RlpWriter.RlpWriter,
  header: Block.Block,
  hash: Hash32.Hash32,
  forks: LaterForks.LaterForks | undefined
): Reason | undefined => {
  const mismatch = forks === undefined ? undefined : LaterForks.mismatchOf(forks, header)
  if (mismatch === undefined) return undefined
  writer.reset()
  return checkHeader(writer, header, hash, forks) === undefined ? EthReason.ForkMismatch(mismatch) : undefined
}

/**
 * Returns the reason why an honest node may show a header that does not give its hash: the chain hashes by another rule,
 * or the header has fields that are not known here. Undefined if the form of the header is known.
 *
 * Forks append fields, so a header of Ethereum without the last known field is older than any unknown fork.
 */
const otherForm = (
  header: Block.Block,
  known: ReadonlySet<string>,
  { chainId, engine }: VerifyBlockOptions
): Reason | undefined => {
  const isEthereum = EthereumChains.isEthereum(chainId)
  const other = isEthereum ? undefined : (engine ?? ConsensusEngine.engineOf(header))
  if (other !== undefined) return EthReason.AnotherHash({ engine: other })
  if (header.blockAccessListHash !== undefined && header.slotNumber === undefined) return EthReason.SlotNotSent({})
  if (isEthereum && header.slotNumber === undefined) return undefined
  const fields = Object.keys(header).filter((field) => !known.has(field))
  return fields.length === 0 ? undefined : EthReason.UnknownHeaderFields({ fields })
}

/**
 * Returns a block whose header is proven, with the values that its node left out: lists that the header says to be
 * empty, and the difficulty, which is zero since the Merge.
 */
const withEmpty = <B extends Block.Block>(block: B): B => {
  const difficulty = block.difficulty ?? 0n
  const uncles = block.uncles ?? (Hex.equals(block.sha3Uncles, EMPTY_UNCLES) ? [] : undefined)
  const { withdrawalsRoot } = block
  const withdrawals =
    block.withdrawals ?? (withdrawalsRoot !== undefined && isEmptyRoot(withdrawalsRoot) ? [] : undefined)
  return difficulty === block.difficulty && uncles === block.uncles && withdrawals === block.withdrawals
    ? block
    : {
        ...block,
        difficulty,
        ...(uncles === undefined ? {} : { uncles }),
        ...(withdrawals === undefined ? {} : { withdrawals })
      }
}

/**
 * Returns the header with the hashes of the block's transactions, if the verdict proves the header; undefined if it
 * proves nothing. The hashes are claimed, for the reason why the transactions are not proven.
 */
export const provenHeader = (verdict: Verdict<Block.Block>): Verified<Block.Block> | undefined => {
  if (verdict._tag === "VERIFIED") return verdict
  const { claimed, proven, value } = verdict
  const header = proven.find(EthEvidence.HeaderHash.is)
  return header === undefined
    ? undefined
    : Proven.make({ value: Block.onlyHashes(value), anchor: Anchor.block(header.hash), proven, claimed })
}

/** Returns the names of the fields of a block that are known, also by the forks that the caller names. */
const knownFields = (forks: LaterForks.LaterForks | undefined): ReadonlySet<string> =>
  forks === undefined
    ? Block.knownFields
    : new Set([...Block.knownFields, ...LaterForks.headerFields(forks).map(({ name }) => name)])

/** Writes the header, and compares its hash. The writer then holds the header. */
const checkHeader = (
  writer: RlpWriter.RlpWriter,
  block: Block.Block,
  hash: Hash32.Hash32,
  forks: LaterForks.LaterForks | undefined
): RefutedError | undefined => {
  const header = HeaderEncoding.write(writer, block, forks)
  if (Result.isFailure(header)) return header.failure
  const got = Hash32.fromBytesUnsafe(writer.hash(0))
  return Hex.equals(got, hash) ? undefined : refute("header hash", hash, got)
}

/** Returns the engine that recovers senders, or undefined if senders stay claims. */
const recoveryOf = ({ recovery, senders }: VerifyBlockOptions): RecoveryEngine | undefined =>
  (senders ?? true) ? recovery : undefined

const withdrawalFields = new Set(["index", "validatorIndex", "address", "amount"])

/**
 * Checks the withdrawals against withdrawalsRoot (EIP-4895). Returns the size of their RLP list in bytes: 0 before
 * Shanghai, `undefined` if the list is not proven. It is not if the node did not send it, or if it is empty under a root
 * that may be the storage root of a chain of the OP stack (since Isthmus).
 *
 * A block of the OP stack has no withdrawals, whatever its root: `ofOpStack` says that the proven first transaction is a
 * deposit. No block of Ethereum can have such a transaction, so a node that leaves out the withdrawals of one cannot use
 * this rule. Neither the header nor the hashes of the transactions tell the two apart.
 */
const checkWithdrawals = (
  block: Block.Block,
  writer: RlpWriter.RlpWriter,
  isEthereum: boolean,
  ofOpStack: boolean
): Result.Result<number | undefined, RefutedError> => {
  const { withdrawals, withdrawalsRoot } = block
  if (ofOpStack && withdrawalsRoot !== undefined && (withdrawals === undefined || withdrawals.length === 0))
    return Result.succeed(withHead(0))
  if (withdrawals === undefined) return Result.succeed(withdrawalsRoot === undefined ? 0 : undefined)
  if (withdrawalsRoot === undefined) {
    return Result.fail(refute("withdrawals", "nothing: the header has no withdrawalsRoot", `${withdrawals.length}`))
  }
  if (withdrawals.length === 0 && !isEthereum && !Hex.equals(withdrawalsRoot, Trie.EMPTY_ROOT))
    return Result.succeed(undefined)
  let payload = 0
  const starts: Array<number> = []
  const ends: Array<number> = []
  for (const withdrawal of withdrawals) {
    starts.push(writer.position)
    const list = writer.beginList()
    writer.quantity(withdrawal.index)
    writer.quantity(withdrawal.validatorIndex)
    writer.data(withdrawal.address)
    writer.quantity(withdrawal.amount)
    writer.endList(list)
    ends.push(writer.position)
    payload += ends.at(-1)! - starts.at(-1)!
  }
  const root = Trie.rootOfWritten(writer, starts, ends)
  return Hex.equals(root, withdrawalsRoot)
    ? Result.succeed(withHead(payload))
    : Result.fail(refute("withdrawalsRoot", withdrawalsRoot, root))
}

/**
 * Returns the bytes of the RLP list of the uncles' headers; `undefined` if the block has uncles whose headers are
 * missing.
 */
const checkUnclesOf = (
  block: Block.Block,
  { forks, uncles }: VerifyBlockOptions,
  writer: RlpWriter.RlpWriter
): Result.Result<number | undefined, RefutedError> => {
  const none = Hex.equals(block.sha3Uncles, EMPTY_UNCLES)
  if (block.uncles !== undefined && none !== (block.uncles.length === 0)) {
    return Result.fail(
      refute("uncles", none ? "none, by sha3Uncles" : "some, by sha3Uncles", `${block.uncles.length} uncles`)
    )
  }
  if (uncles !== undefined) return Result.map(checkUncles(uncles, block, writer, forks), ({ size }) => size)
  return Result.succeed(none ? 1 : undefined)
}

/**
 * Returns the length of the RLP of `[header, transactions, uncles, withdrawals?]`; undefined unless all parts are
 * known.
 */
const sizeOf = (
  header: number,
  transactions: Transactions,
  uncles: number | undefined,
  withdrawals: number | undefined
): { readonly whole: number; readonly withoutWithdrawals: number } | undefined => {
  if (transactions.size === undefined || uncles === undefined || withdrawals === undefined) return undefined
  const short = header + withHead(transactions.size) + uncles
  return { whole: withHead(short + withdrawals), withoutWithdrawals: withHead(short) }
}
