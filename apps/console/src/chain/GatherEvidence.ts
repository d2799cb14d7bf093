/** Gathers the evidence for a value: requests the bytes from the anchor down, without checking them. */
import * as SyncCommittee from "@plumbline/beacon-light-client/container/SyncCommittee"
import { CommitteeSigned } from "@plumbline/beacon-light-client/trust/LightClientEvidence"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import * as Address from "@plumbline/codec/value/Address"
import * as Block from "@plumbline/eth-methods/model/Block"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as NodeStore from "@plumbline/merkle-trie/proof/NodeStore"
import * as TrieProof from "@plumbline/merkle-trie/proof/TrieProof"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"
import * as Anchor from "@plumbline/verdict/Anchor"
import type * as VerdictEvidence from "@plumbline/verdict/Evidence"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import type { SubjectList, ProofSubject } from "../proof/ProofSubject.ts"
import type * as ValueEvidence from "../proof/ValueEvidence.ts"
import { NetworkClients } from "./NetworkClients.ts"

/** The node says that the subject does not exist. Nothing proves that. */
export class NotThereError extends Schema.TaggedError<NotThereError>()("NotThereError", {
  what: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `${this.what} ${this.why}`
  }
}

/** Makes the error for a block that the node does not have: its hash, its number or a tag. */
export const noBlock = (asked: string): NotThereError =>
  new NotThereError({ what: `Block ${asked}`, why: "is not on this chain, as far as the node knows." })

/** The console cannot show the subject, whatever the node says about it. */
export class NotShownError extends Schema.TaggedError<NotShownError>()("NotShownError", {
  what: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `${this.what} ${this.why}`
  }
}

/** The anchor of a proof. */
export type ProofAnchor =
  | { readonly _tag: "None"; readonly why: string }
  | { readonly _tag: "Pinned"; readonly hash: Hash32.Hash32 }
  | {
      readonly _tag: "LightClient"
      readonly anchor: Anchor.LightClientAnchor
      /** For each seat of the committee, true if its member signed. Undefined if no member has signed yet. */
      readonly seats: ReadonlyArray<boolean> | undefined
    }
  /** A block of a rollup. `l1` is the anchor of its parent chain, whose contracts name the block. */
  | { readonly _tag: "Rollup"; readonly anchor: Anchor.RollupAnchor; readonly l1: ProofAnchor }

/** Converts an anchor to the anchor of a proof. `seats` are those of the light client's committee, if known. */
export const proofAnchorOf = (anchor: Anchor.RollupAnchor["l1"], seats?: ReadonlyArray<boolean>): ProofAnchor => {
  switch (anchor._tag) {
    case "Block":
      return { _tag: "Pinned", hash: anchor.hash as Hash32.Hash32 }
    case "LightClient":
      return { _tag: "LightClient", anchor, seats }
    case "Rollup":
      return { _tag: "Rollup", anchor, l1: proofAnchorOf(anchor.l1, seats) }
  }
}

/** The evidence, and the anchor that it starts from. */
export interface GatheredEvidence {
  readonly evidence: ValueEvidence.ValueEvidence
  readonly nail: ProofAnchor
  readonly block: { readonly hash: Hash32.Hash32; readonly number: bigint }
  /** The number of blocks between the anchor's block and this one, if they are too many to be in the evidence. */
  readonly between: number
}

/** Maximum number of headers that are drawn between the anchor and the block. */
const MAX_HEADERS = 24n

/** Gathers the evidence for a subject of a block: its hash, its number or a tag. */
export const gather = Effect.fnUntraced(function* (
  blockAsked: string,
  subject: ProofSubject
): Effect.fn.Return<GatheredEvidence, JsonRpcError | RefutedError | NotThereError | NotShownError, NetworkClients> {
  // under a light client, the newest block is the newest that it knows
  const top = blockAsked === "latest" ? yield* (yield* NetworkClients).trust.resolve("latest") : undefined
  const block = yield* blockOf(top?._tag === "Exactly" ? top.hash : blockAsked)
  const tail = yield* tailOf(block, subject)
  const { between, headers, nail } = yield* hungFrom(block)
  const own: ValueEvidence.HeaderPart = {
    _tag: "Header",
    bytes: yield* headerOf(block, block.hash),
    follow: followOf(subject)
  }
  const from = headers[0]?.hash ?? block.hash
  const above = headers.map(({ bytes }): ValueEvidence.HeaderPart => ({ _tag: "Header", bytes, follow: "parentHash" }))
  return {
    evidence: { from, parts: [...above, own, ...tail] },
    nail,
    between,
    block: { hash: block.hash, number: block.number }
  }
})

/** A block on a chain, which has a hash and a number. */
type Named = Block.WithTransactions & { readonly hash: Hash32.Hash32; readonly number: bigint }

/** Reads a block by its hash, number or tag. */
export const blockOf = Effect.fnUntraced(function* (
  asked: string
): Effect.fn.Return<Named, JsonRpcError | NotThereError, NetworkClients> {
  const { eth } = yield* NetworkClients
  const options = { full: true } as const
  const found = Hash32.isHash32(asked)
    ? yield* eth.getBlockByHash(Hash32.fromHexUnsafe(asked), options)
    : yield* eth.getBlockByNumber(numberOrTag(asked), options)
  if (found === null || found.hash === null || found.number === null) {
    return yield* noBlock(asked)
  }
  // the evidence starts at the requested hash, even if the node's answer names a different one
  const hash = Hash32.isHash32(asked)
    ? Hash32.fromHexUnsafe(asked.toLowerCase())
    : Hash32.fromHexUnsafe(found.hash.toLowerCase())
  return { ...found, hash, number: found.number }
})

/** Reads the block number or tag in a link. */
export const numberOrTag = (text: string) =>
  text === "latest" || text === "safe" || text === "finalized" || text === "earliest" ? text : BigInt(text)

/**
 * Encodes a header that must have this hash. A header of a later fork has fields that are not known here, so that its
 * bytes cannot be made. They would look like a lie, and the node may be honest.
 */
const headerOf = (
  header: Block.Header,
  hash: Hash32.Hash32 | null
): Effect.Effect<Uint8Array, RefutedError | NotShownError> =>
  Effect.flatMap(
    Effect.fromResult(BlockRlp.encodeHeader(header)),
    (bytes): Effect.Effect<Uint8Array, NotShownError> => {
      const unknown = Object.keys(header).filter((field) => !Block.knownFields.has(field))
      return unknown.length === 0 || hash === null || Hex.equals(Keccak256.hashHex(bytes), hash)
        ? Effect.succeed(bytes)
        : Effect.fail(
            new NotShownError({
              what: `Block ${header.number}`,
              why: `has header fields that this page does not know (${listed(unknown)}), so its hash cannot be made here.`
            })
          )
    }
  )

/** Names a few fields. A node may send any number of them, with names of any length. */
const listed = (fields: ReadonlyArray<string>): string =>
  `${fields
    .slice(0, 3)
    .map((field) => field.slice(0, 40))
    .join(", ")}${fields.length > 3 ? ", ..." : ""}`

const followOf = (subject: ProofSubject): string => {
  switch (subject._tag) {
    case "Header":
      return subject.field
    case "Account":
    case "Slot":
      return "stateRoot"
    case "Item":
      return ROOTS[subject.list]
  }
}

const ROOTS = {
  transactions: "transactionsRoot",
  receipts: "receiptsRoot",
  withdrawals: "withdrawalsRoot",
  uncles: "sha3Uncles"
} as const satisfies Record<SubjectList, string>

/** Gathers the evidence below the header. */
const tailOf = Effect.fnUntraced(function* (
  block: Named,
  subject: ProofSubject
): Effect.fn.Return<
  ReadonlyArray<ValueEvidence.EvidencePart>,
  JsonRpcError | RefutedError | NotThereError | NotShownError,
  NetworkClients
> {
  const { eth } = yield* NetworkClients
  switch (subject._tag) {
    case "Header":
      return []
    case "Account":
    case "Slot": {
      const at = { blockHash: block.hash }
      const address = Address.fromHexUnsafe(subject.address)
      const keys = subject._tag === "Slot" ? [Hash32.fromHexUnsafe(subject.slot)] : []
      const proof = yield* eth.getProof(address, keys, at)
      const account: ValueEvidence.TriePart = {
        _tag: "Trie",
        trie: "state",
        key: Keccak256.hash(Address.toBytes(address)),
        keyOf: "keccak(address)",
        nodes: proof.accountProof.map(Hex.toBytesUnsafe)
      }
      if (subject._tag === "Account") {
        if (subject.field !== "code") return [account]
        const code = yield* eth.getCode(address, at)
        return [account, { _tag: "Whole", what: "code", bytes: Hex.toBytesUnsafe(code) }]
      }
      const [slot] = proof.storageProof
      return [
        account,
        {
          _tag: "Trie",
          trie: "storage",
          key: Keccak256.hash(Hash32.toBytes(Hash32.fromHexUnsafe(subject.slot))),
          keyOf: "keccak(slot)",
          nodes: (slot?.proof ?? []).map(Hex.toBytesUnsafe)
        }
      ]
    }
    case "Item":
      return [yield* listOf(block, subject.list, subject.index)]
  }
})

/** Reads one of a block's lists, such as its transactions, and returns its items in the encoding of the chain. */
const listOf = Effect.fnUntraced(function* (
  block: Named,
  list: SubjectList,
  index: number
): Effect.fn.Return<
  ValueEvidence.EvidencePart,
  JsonRpcError | RefutedError | NotThereError | NotShownError,
  NetworkClients
> {
  const { eth } = yield* NetworkClients
  switch (list) {
    case "uncles": {
      const amount = (block.uncles ?? []).length
      const uncles: Array<Uint8Array> = []
      for (let i = 0; i < amount; i++) {
        const uncle = yield* eth.getUncleByBlockHashAndIndex(block.hash, BigInt(i))
        if (uncle === null) {
          return yield* new NotThereError({ what: `Uncle ${i}`, why: "is listed by the node, which does not have it." })
        }
        uncles.push(yield* headerOf(uncle, uncle.hash))
      }
      return { _tag: "Whole", what: "uncles", bytes: Rlp.encode(uncles.map((bytes) => Rlp.decodeUnsafe(bytes))) }
    }
    case "transactions": {
      const encoded = block.transactions.map(BlockRlp.encodeTransaction)
      const unknown = encoded.indexOf(undefined)
      if (unknown >= 0) {
        return yield* new NotShownError({
          what: `Transaction ${unknown}`,
          why: "is of a type without a known encoding."
        })
      }
      return trieOf(list, encoded as ReadonlyArray<Uint8Array>, index)
    }
    case "receipts": {
      const receipts = yield* eth.getBlockReceipts({ blockHash: block.hash })
      if (receipts === null) return yield* new NotThereError({ what: "The receipts", why: "are not at this node." })
      return trieOf(list, receipts.map(BlockRlp.encodeReceipt), index)
    }
    case "withdrawals":
      return trieOf(
        list,
        (block.withdrawals ?? []).map(({ address, amount, index, validatorIndex }) =>
          Rlp.encode([big(index), big(validatorIndex), Hex.toBytesUnsafe(address), big(amount)])
        ),
        index
      )
  }
})

const big = (number: bigint): Uint8Array => {
  const digits = number === 0n ? "" : number.toString(16)
  return Hex.toBytesUnsafe(`0x${digits.length % 2 === 0 ? digits : `0${digits}`}`)
}

/** Returns the path to an item of a list, in the trie of that list. */
const trieOf = (
  trie: Exclude<SubjectList, "uncles">,
  items: ReadonlyArray<Uint8Array>,
  index: number
): ValueEvidence.TriePart => {
  const { nodes, root } = Trie.nodesOfList(items)
  const key = Rlp.encode(big(BigInt(index)))
  const made = TrieProof.make(NodeStore.make(nodes), root, key)
  return { _tag: "Trie", trie, key, keyOf: `rlp(${index})`, nodes: Result.isSuccess(made) ? made.success.nodes : nodes }
}

/** Reads the seats of the committee from the light client's evidence: true for each seat whose member signed. */
const positionsOf = (proven: ReadonlyArray<VerdictEvidence.Evidence> = []): ReadonlyArray<boolean> | undefined => {
  const bits = proven.find(CommitteeSigned.is)?.bits
  return bits === undefined ? undefined : SyncCommittee.positions(bits)
}

/** Reads the anchor's block, and the headers from the anchor down to this block's child. */
const hungFrom = Effect.fnUntraced(function* (block: Named): Effect.fn.Return<
  {
    readonly nail: ProofAnchor
    readonly headers: ReadonlyArray<{ readonly hash: Hash32.Hash32; readonly bytes: Uint8Array }>
    readonly between: number
  },
  JsonRpcError | RefutedError | NotThereError | NotShownError,
  NetworkClients
> {
  const { eth, trust, verdicts } = yield* NetworkClients
  const trusted = yield* trust.resolve(block.number)
  if (trusted._tag === "Nothing")
    return { nail: { _tag: "None", why: trusted.reason.sentence }, headers: [], between: 0 }
  const hash = Hash32.fromHexUnsafe(trusted.hash.toLowerCase())
  const nail = proofAnchorOf(trusted.anchor ?? Anchor.block(hash), positionsOf(trusted.proven))
  if (hash === block.hash) return { nail, headers: [], between: 0 }
  const top = yield* eth.getBlockByHash(hash)
  const none = (why: string) => ({ nail: { _tag: "None", why }, headers: [], between: 0 }) as const
  if (top === null || top.number === null) return none("the node does not know the block that you trust")
  if (top.number <= block.number) {
    return none(`you trust block ${top.number}, and block ${block.number} is not before it`)
  }
  if (top.number - block.number > MAX_HEADERS) {
    const verdict = yield* (yield* verdicts).getBlockByNumber(block.number)
    return verdict._tag === "VERIFIED" && verdict.value?.hash?.toLowerCase() === block.hash
      ? { nail, headers: [], between: Number(top.number - block.number) }
      : none(verdict.claimed[0]?.reason.sentence ?? "no chain of hashes leads to the block")
  }
  const headers: Array<{ readonly hash: Hash32.Hash32; readonly bytes: Uint8Array }> = []
  let at: Block.Header | null = top
  let named = hash
  while (at !== null && named !== block.hash && headers.length < MAX_HEADERS) {
    headers.push({ hash: named, bytes: yield* headerOf(at, named) })
    named = at.parentHash
    if (named !== block.hash) at = yield* eth.getBlockByHash(named)
  }
  return named === block.hash
    ? { nail, headers, between: 0 }
    : none("the block is on another branch than the one that you trust")
})
