/**
 * Finds out at the start if a network's blocks hash by Ethereum's rule. If they do not, hashes prove nothing about the
 * network's answers, and a node whose hash does not fit may be honest.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as Block from "@plumbline/eth-methods/model/Block"
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import * as Verify from "@plumbline/eth-methods/proof/Verify"
import * as Integrity from "@plumbline/gateway/integrity/Integrity"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** Time that the start waits for the latest block of each node. */
const PATIENCE = "3 seconds"

/** The engine of a block that does not hash by Ethereum's rule and has no form that is known. */
const UNKNOWN = "not known here"

/** A sentence for the operator: what the engine means for the network. */
export const warningOf = (engine: string): string =>
  `has blocks that do not hash by Ethereum's rule (consensus: ${engine}): nothing of it is proven, and no node is blamed for a hash`

/**
 * Reads the latest block of each node. Returns the name of the network's consensus engine if no node's block hashes by
 * Ethereum's rule, also with the fields of `forks`; undefined if one does, or if no node answers. A chain of Ethereum is
 * not asked.
 */
export const engineOf = (
  nodes: ReadonlyArray<Integrity.IntegrityNode>,
  chainId: bigint,
  forks?: LaterForks.LaterForks
): Effect.Effect<string | undefined> => {
  if (Verify.isEthereum(chainId)) return Effect.undefined
  const found = Effect.forEach(nodes, ({ upstream }) => latestOf(upstream), { concurrency: "unbounded" })
  return Effect.map(found, (blocks) => {
    const engines = blocks.flatMap((block) => (block?.hash == null ? [] : [engine(block, block.hash, forks)]))
    return engines.includes(undefined) ? undefined : (engines.find((name) => name !== UNKNOWN) ?? engines[0])
  })
}

const latestOf = (upstream: Integrity.IntegrityNode["upstream"]): Effect.Effect<Block.WithHashes | null | undefined> =>
  EthClient.make.pipe(
    Effect.provideService(Transport, Integrity.transportOf(upstream)),
    Effect.flatMap((eth) => eth.getBlockByNumber("latest")),
    Effect.timeout(PATIENCE),
    Effect.orElseSucceed(() => undefined)
  )

/** Returns the engine of a block; undefined if its header hashes by Ethereum's rule. */
const engine = (
  block: Block.WithHashes,
  hash: Hash32.Hash32,
  forks: LaterForks.LaterForks | undefined
): string | undefined => {
  const verdict = Verify.blockWithHashes(block, hash, { forks })
  // the body may be a lie, but then the header has passed
  if (Result.isFailure(verdict)) return verdict.failure.check.startsWith("header") ? UNKNOWN : undefined
  const reason = verdict.success.claimed[0]?.reason
  if (reason === undefined) return undefined
  if (EthReason.AnotherHash.is(reason)) return reason.engine
  return EthReason.UnknownHeaderFields.is(reason) ? UNKNOWN : undefined
}
