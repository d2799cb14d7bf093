/** Maps the name of each provable method to the read that proves the method's answer. */
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as BaseFee from "@plumbline/eth-methods/model/BaseFee"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type {
  Client,
  RunName,
  RunRead as RunReadOf,
  VerdictRead
} from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as WholeBlocks from "@plumbline/eth-methods/verified/WholeBlocks"
import { DecodeError, JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import { map, type Verdict, weaken } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import * as LatestBlock from "../chain/latestBlock.ts"
import * as ProviderReason from "./ProviderReason.ts"

/** A read with the arguments of its method as domain values. Its work may have a bound. */
export type ProvenRead = (...args: ReadonlyArray<any>) => RunReadOf<unknown>

/** A read that runs a call, with the arguments of its method as domain values. */
export type RunRead = (...args: ReadonlyArray<any>) => RunReadOf<unknown>

/**
 * The proven reads that have no verdict, because a client of verdicts does not send transactions, and needs no proof of
 * what it can compute.
 */
export type UnprovenReads = Exclude<EthMethods.ReadName<"proven">, keyof Client | "blockNumber">

/** The reads of the client that answer with the value of their method. A run of a call has an outcome instead. */
type ValueReads = Omit<Client, RunName>

/** Returns the reads. Blocks are read whole, so that their hashes of transactions and uncles are proven. */
export const make = (client: Client): ReadonlyMap<string, ProvenRead> => {
  const {
    call: _call,
    createAccessList: _createAccessList,
    estimateGas: _estimateGas,
    simulate: _simulate,
    ...whole
  } = WholeBlocks.make(client)
  const reads: Readonly<Record<keyof ValueReads | "baseFee" | "blockNumber", ProvenRead>> = {
    ...whole,
    getBlockByHash: (hash, full) => whole.getBlockByHash(hash, { full }),
    getBlockByNumber: (block, full) => whole.getBlockByNumber(block, { full }),
    baseFee: () =>
      Effect.flatMap(client.getBlockByNumber("latest"), (found): VerdictRead<Verdict<unknown>> =>
        LatestBlock.isMined(found.value)
          ? baseFeeAfter(client, found as Verdict<Block.WithHashes>)
          : Effect.fail(LatestBlock.missing("eth_baseFee"))
      ),
    // this read needs only the header
    blockNumber: () =>
      Effect.flatMap(client.getBlockByNumber("latest"), (found): VerdictRead<Verdict<unknown>> =>
        LatestBlock.isMined(found.value)
          ? Effect.succeed(numberOf(found))
          : Effect.fail(LatestBlock.missing("eth_blockNumber"))
      )
  }
  return new Map(
    EthMethods.all.flatMap(({ name, read }) => {
      const proven: ProvenRead | undefined = reads[read as keyof typeof reads]
      return proven === undefined ? [] : [[name, proven] as const]
    })
  )
}

/** The failure of a read about the next base fee: the node's latest block is from before London. */
const feeless = () =>
  new JsonRpcError({
    method: "eth_baseFee",
    reason: new DecodeError({ path: ["baseFeePerGas"], detail: "the latest block has no base fee" })
  })

/**
 * Computes the base fee after a block from its header. It is a claim unless Ethereum's rule also leads from the parent's
 * header to the fee of the block itself, because other chains have other rules.
 */
const baseFeeAfter = (client: Client, head: Verdict<Block.WithHashes>): VerdictRead<Verdict<bigint>> => {
  const next = BaseFee.next(head.value)
  if (next === undefined) return Effect.fail(feeless())
  return Effect.map(client.getBlockByHash(head.value.parentHash), ({ value: parent }) => {
    const fee = map(head, () => next, { claims: ofHead })
    const follows = parent !== null && BaseFee.next(parent) === head.value.baseFeePerGas
    // a fee that stands still follows from many rules
    const tells =
      parent !== null && (parent.baseFeePerGas !== head.value.baseFeePerGas || parent.gasUsed * 2n === parent.gasLimit)
    return follows && tells ? fee : weaken(fee, ProviderReason.FeeRule({}))
  })
}

/** A header proves its own fields, even if other fields of the answer are only claimed. */
const ofHead = (claim: Claim.Claim): ReadonlyArray<Claim.Claim> =>
  claim.about !== "Field"
    ? [claim]
    : ["baseFeePerGas", "gasUsed", "gasLimit"].includes(claim.field)
      ? [Claim.whole(claim.reason)]
      : []

/** The number of a block is proven by its header, even if other fields are only claimed. */
const numberOf = (verdict: Verdict<Block.WithHashes | null>): Verdict<bigint | null> =>
  map(verdict, (block) => block?.number ?? null, {
    claims: (claim) => (claim.about !== "Field" ? [claim] : claim.field === "number" ? [Claim.whole(claim.reason)] : [])
  })
