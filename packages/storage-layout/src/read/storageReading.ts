/** Performs one reading: finds the block, requests proofs in rounds, and derives the verdict. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as BlockParameter from "@plumbline/eth-methods/model/BlockParameter"
import { NoBlockError } from "@plumbline/eth-methods/model/NoBlockError"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import type * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import * as Evidence from "@plumbline/verdict/Evidence"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type * as Reason from "@plumbline/verdict/Reason"
import { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as Plan from "../value/Plan.ts"
import type { DecodedValue } from "../value/Value.ts"
import * as StorageEvidence from "./StorageEvidence.ts"
import * as StorageReason from "./StorageReason.ts"

/** Maximum number of slots in one eth_getProof. */
export const MAX_SLOTS = 1024

/** Number of eth_getProof calls of a round that run at the same time. */
const CONCURRENCY = 4

/** A block by its hash, and the verdict that links it to the trusted block if the caller did not name the hash. */
export interface ReadBlock {
  readonly block: BlockParameter.BlockParameter
  readonly hash: Hash32.Hash32
  /** The number of the block; undefined if the node does not know the block that the caller named by hash. */
  readonly number: bigint | undefined
  readonly verdict: Verdict.Verdict<Block.WithHashes | null> | undefined
}

/**
 * Reads the block, even if its hash was given. The answer includes the block's number, and a proving client needs the
 * header once, before many proofs are requested at the same time.
 */
export const locate = Effect.fnUntraced(function* (
  eth: VerdictEthClient.Client,
  block: BlockParameter.BlockParameter
): Effect.fn.Return<ReadBlock, NoBlockError | JsonRpcError | RefutedError> {
  const named = Hash32.isHash32(block)
    ? block
    : typeof block === "object" && "blockHash" in block
      ? block.blockHash
      : undefined
  if (named !== undefined) {
    const { value } = yield* eth.getBlockByHash(named)
    // the client has checked this hash
    return { block, hash: named as Hash32.Hash32, number: value?.number ?? undefined, verdict: undefined }
  }
  const asked = typeof block === "object" && "blockNumber" in block ? block.blockNumber : block
  // some nodes return a hash of the pending block, but no block will have that hash
  if (asked === "pending") return yield* new NoBlockError({ reason: "Pending" })
  const verdict = yield* eth.getBlockByNumber(asked as BlockParameter.NumberOrTag)
  if (verdict.value === null) return yield* new NoBlockError({ reason: "Unknown" })
  const { hash, number } = verdict.value
  if (hash === null || number === null) return yield* new NoBlockError({ reason: "Pending" })
  return { block: { blockHash: hash }, hash, number, verdict }
})

/** Verdicts on an account and some of its words, one for each request. */
export type AccountProofs = ReadonlyArray<Verdict.Verdict<AccountProof.AccountProof>>

/** The values, and the proofs of their words. */
export interface ReadingOutcome {
  readonly values: ReadonlyArray<DecodedValue>
  readonly words: Plan.KnownWords
  readonly proofs: AccountProofs
}

/** Requests the words of a plan round by round. `before` holds earlier proofs of the same account. */
export const run = Effect.fnUntraced(function* (
  eth: VerdictEthClient.Client,
  address: Address.Address,
  start: Plan.Plan,
  at: ReadBlock,
  before: AccountProofs = []
): Effect.fn.Return<ReadingOutcome, JsonRpcError | RefutedError> {
  let plan = start
  const proofs = [...before]
  // the account is proven even if no word is needed, because a verdict needs evidence
  while (plan._tag === "Want" || proofs.length === 0) {
    const slots: ReadonlyArray<bigint> = plan._tag === "Want" ? plan.slots : []
    const answers = yield* Effect.forEach(
      chunks(slots),
      (slots) => eth.getProof(address, slots.map(StorageKey.fromSlot), at.block),
      { concurrency: CONCURRENCY }
    )
    proofs.push(...answers)
    if (plan._tag === "Done") break
    const words = yield* Effect.fromResult(bySlot(slots, answers))
    plan = Plan.give(plan, (slot) => words.get(slot)!)
  }
  return { values: plan.values, words: plan.words, proofs }
})

/**
 * The state of an account: a contract, an account without code, or no account at all. Variables belong to contracts;
 * an account without code has words in its storage only if it had code before, for example by EIP-7702.
 */
export type AccountState = "contract" | "without code" | "absent"

/** The hash of empty code. */
const EMPTY_CODE = /* @__PURE__ */ Keccak256.hashHex(/* @__PURE__ */ new Uint8Array())

/**
 * Returns the state of the account in some proofs of it. Without evidence, an account that is empty in the node's answer
 * is absent, because no account has been empty since EIP-161.
 */
export const stateOf = ([first]: AccountProofs): AccountState => {
  const { balance, codeHash, nonce } = first!.value
  if (!Hex.equals(codeHash, EMPTY_CODE) && codeHash !== Hash32.ZERO) return "contract"
  const evidence = first!.proven.find(EthEvidence.Account.is)
  const isAbsent = evidence === undefined ? balance === 0n && nonce === 0n : !evidence.exists
  return isAbsent ? "absent" : "without code"
}

const chunks = (slots: ReadonlyArray<bigint>): ReadonlyArray<ReadonlyArray<bigint>> =>
  Array.from({ length: Math.max(1, Math.ceil(slots.length / MAX_SLOTS)) }, (_, i) =>
    slots.slice(i * MAX_SLOTS, (i + 1) * MAX_SLOTS)
  )

/** Returns the word of each slot. A proof has all of them; an unproven answer may lack some. */
const bySlot = (slots: ReadonlyArray<bigint>, answers: AccountProofs): Result.Result<Plan.KnownWords, RefutedError> => {
  const words = new Map(
    answers.flatMap(({ value }) => value.storageProof.map((proof) => [AccountProof.keyOf(proof), proof.value]))
  )
  const missing = slots.find((slot) => !words.has(slot))
  return missing === undefined
    ? Result.succeed(words)
    : Result.fail(
        new RefutedError({ check: "storageProof", expected: StorageKey.fromSlot(missing), got: "other slots" })
      )
}

/**
 * Returns the verdict on a value that is computed only from proven words. Claims about the block, for example that it
 * is the latest, stay claims.
 *
 * `shown` is the evidence of all proofs together. It is placed after the evidence of the account, which comes from the
 * first proof.
 */
export const verdictOf = <A>(
  value: A,
  at: ReadBlock,
  proofs: ReadonlyArray<Verdict.Verdict<unknown>>,
  shown: Evidence.Evidence
): Verdict.Verdict<A> => {
  const [first] = proofs
  const isProven = proofs.every(({ _tag, anchor }) => _tag === "VERIFIED" || anchor !== null)
  const proven = isProven ? [...first!.proven.filter(EthEvidence.Account.is), shown] : []
  const verdicts = at.verdict === undefined ? proofs : [...proofs, at.verdict]
  const claimed = claimedOf(verdicts)
  const tie = at.verdict ?? first!
  if (claimed !== undefined || tie._tag === "CLAIMED") {
    return Verdict.claimAll(value, [Claim.whole(reasonOf(claimed ?? tie))], proven, Verdict.weakAnchorOf(verdicts))
  }
  return Proven.make({
    value,
    anchor: tie.anchor,
    // evidence about the block's transactions and uncles does not concern the state
    proven: [...proven, ...(at.verdict?.proven ?? []).filter((evidence) => !isOfBody(evidence))],
    claimed: tie.claimed.filter(({ about }) => about === "Question")
  })
}

/** True for evidence about the contents of a block. All other evidence is about its header and the trust in it. */
const isOfBody = (evidence: Evidence.Evidence): boolean => BODY.some((kind) => kind.is(evidence))

const BODY = [
  EthEvidence.ListRoot,
  EthEvidence.Senders,
  EthEvidence.Size,
  EthEvidence.Member,
  EthEvidence.Count,
  EthEvidence.Included,
  EthEvidence.ReceiptsOfTransactions
]

/** Returns the weakest CLAIMED verdict: one without an anchor, or else the first. */
const claimedOf = (verdicts: ReadonlyArray<Verdict.Verdict<unknown>>): Verdict.Verdict<unknown> | undefined =>
  verdicts.find(({ anchor }) => anchor === null) ?? verdicts.find(({ _tag }) => _tag === "CLAIMED")

/** Returns the reason why a whole value is claimed. */
const reasonOf = ({ claimed }: Verdict.Verdict<unknown>): Reason.Reason =>
  claimed.find(({ about }) => about === "Value")?.reason ?? StorageReason.NodesWord({})

/**
 * Returns the verdict on a value that is computed from the values of two verdicts; the second is for the later block.
 * The result is only as certain as the weaker verdict, and has the anchor of the second.
 *
 * `Verdict.zip` only joins values with the same anchor. Here the caller named both blocks, and the evidence names both
 * again.
 */
export const both = <A, B, C>(first: Verdict.Verdict<A>, second: Verdict.Verdict<B>, value: C): Verdict.Verdict<C> => {
  const proven = joined(first.proven, second.proven)
  const claimed = claimedOf([first, second])
  if (first._tag === "CLAIMED" || second._tag === "CLAIMED") {
    const anchor = claimed!.anchor === null ? null : (Verdict.weakAnchorOf([second]) ?? Verdict.weakAnchorOf([first]))
    return Verdict.claimAll(value, [Claim.whole(reasonOf(claimed!))], proven, anchor)
  }
  const more = second.claimed.filter((claim) => !first.claimed.some((other) => Claim.equals(other, claim)))
  return Proven.make({ value, anchor: second.anchor, proven, claimed: [...first.claimed, ...more] })
}

/** Joins evidence of two blocks without repetitions. An account at both blocks becomes one piece, with both proofs. */
const joined = (
  first: ReadonlyArray<Evidence.Evidence>,
  second: ReadonlyArray<Evidence.Evidence>
): ReadonlyArray<Evidence.Evidence> => {
  const rest = second.filter((one) => !first.some((other) => Evidence.equals(other, one)))
  const all = first.map((one) => {
    if (!EthEvidence.Account.is(one)) return one
    const { address, exists, proof } = one
    const at = rest.findIndex(
      (other) => EthEvidence.Account.is(other) && other.address === address && other.exists === exists
    )
    if (at < 0) return one
    const [other] = rest.splice(at, 1) as [typeof one]
    return StorageEvidence.AccountAtBoth({ address, exists, proofs: [proof, other.proof] })
  })
  return [...all, ...rest]
}

/**
 * Returns the words in some proofs of one account as evidence. `code` is true if the code is also proven.
 */
export const wordsOf = (
  address: Address.Address,
  at: ReadBlock,
  proofs: AccountProofs,
  code = false
): Evidence.Evidence => {
  const shown = proofs.flatMap(({ proven }) => proven.filter(EthEvidence.Slots.is))
  return StorageEvidence.StorageWords({
    address,
    block: at.hash,
    storageRoot: shown[0]?.storageRoot,
    slots: shown.flatMap(({ slots }) => slots),
    code
  })
}
