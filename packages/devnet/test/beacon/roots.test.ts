/** Compares the roots of blocks with those of Lodestar's types and @chainsafe/ssz, which share no code with ours. */
import { ByteVectorType, ContainerType, ListBasicType, UintBigintType, UintNumberType } from "@chainsafe/ssz"
import { assert, it } from "@effect/vitest"
import { ssz } from "@lodestar/types"
import { Hash32, Hex } from "@plumbline/codec"
import { BlockRlp, EthClient } from "@plumbline/eth-methods"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

import { BeaconChain } from "../../src/index.ts"
import * as Beacon from "../support/beacon.ts"
import "../support/shared.ts"

const u64 = new UintBigintType(8)
const root = new ByteVectorType(32)
const { Transactions } = ssz.bellatrix
const { Withdrawals } = ssz.capella
const { Validators } = ssz.phase0
const { SyncCommittee } = ssz.altair
const { ExecutionPayloadHeader } = ssz.deneb
const { BeaconBlockHeader } = ssz.phase0
const version = new ByteVectorType(4)

/** The fields of a state in order. Fields that are zero here have the type `root`, whatever their real type is. */
const State = new ContainerType({
  genesisTime: u64,
  genesisValidatorsRoot: root,
  slot: u64,
  fork: new ContainerType({ previousVersion: version, currentVersion: version, epoch: u64 }),
  latestBlockHeader: root,
  blockRoots: root,
  stateRoots: root,
  historicalRoots: root,
  eth1Data: root,
  eth1DataVotes: root,
  eth1DepositIndex: root,
  validators: Validators,
  balances: new ListBasicType(new UintNumberType(8), 2 ** 40),
  randaoMixes: root,
  slashings: root,
  previousEpochParticipation: root,
  currentEpochParticipation: root,
  justificationBits: root,
  previousJustifiedCheckpoint: root,
  currentJustifiedCheckpoint: root,
  finalizedCheckpoint: new ContainerType({ epoch: u64, root }),
  inactivityScores: root,
  currentSyncCommittee: SyncCommittee,
  nextSyncCommittee: SyncCommittee,
  latestExecutionPayloadHeader: ExecutionPayloadHeader,
  nextWithdrawalIndex: root,
  nextWithdrawalValidatorIndex: root,
  historicalSummaries: root,
  depositRequestsStartIndex: root,
  depositBalanceToConsume: root,
  exitBalanceToConsume: root,
  earliestExitEpoch: root,
  consolidationBalanceToConsume: root,
  earliestConsolidationEpoch: root,
  pendingDeposits: root,
  pendingPartialWithdrawals: root,
  pendingConsolidations: root
})
const Body = new ContainerType({
  randaoReveal: root,
  eth1Data: root,
  graffiti: root,
  proposerSlashings: root,
  attesterSlashings: root,
  attestations: root,
  deposits: root,
  voluntaryExits: root,
  syncAggregate: root,
  executionPayload: ExecutionPayloadHeader,
  blsToExecutionChanges: root,
  blobKzgCommitments: root,
  executionRequests: root
})

/** Returns a value in the JSON form of the beacon API: names in snake case, numbers as decimal text, bytes as hex. */
const jsonOf = (value: unknown): unknown => {
  if (typeof value === "bigint") return value.toString()
  if (value instanceof Uint8Array) return Hex.fromBytes(value)
  if (Array.isArray(value)) return value.map(jsonOf)
  if (typeof value !== "object" || value === null) return value
  const snake = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [snake(name), jsonOf(item)]))
}

/** Returns a value in the form of a Lodestar type. */
const as = <A>(type: { readonly fromJson: (json: unknown) => A }, value: unknown): A => type.fromJson(jsonOf(value))

const rootOf = <A>(type: { readonly hashTreeRoot: (value: A) => Uint8Array }, value: A): string =>
  Hex.fromBytes(type.hashTreeRoot(value))

it.effect("payloads have the roots of their transactions and withdrawals", () =>
  Effect.gen(function* () {
    const node = yield* Beacon.execution
    let transactions = 0
    let withdrawals = 0
    for (const head of [48, 56, 60, 64, 69]) {
      node.head = head
      const read = Effect.gen(function* () {
        const eth = yield* EthClient.make
        const chain = yield* BeaconChain.make({ seed: new Uint8Array([1]) })
        return { chain, block: (yield* eth.getBlockByNumber(BigInt(head), { full: true }))! }
      })
      const { block, chain } = yield* Effect.provide(read, node.layer)
      const { attestedHeader } = Beacon.optimisticUpdate(chain)
      assert(attestedHeader._tag === "WithPayload")
      const { execution } = attestedHeader
      const encoded = block.transactions.map((transaction) => BlockRlp.encodeTransaction(transaction)!)
      const paid = as(Withdrawals, block.withdrawals ?? [])
      assert.strictEqual(execution.transactionsRoot, rootOf(Transactions, encoded))
      assert.strictEqual(execution.withdrawalsRoot, rootOf(Withdrawals, paid))
      assert.strictEqual(execution.blockHash, block.hash)
      transactions += encoded.length
      withdrawals += paid.length
    }
    assert.isAbove(transactions, 3)
    assert.isAbove(withdrawals, 0)
  })
)

it.effect("a block's root is that of its header, whose state and body have the fields at their places", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(1_700_000_000_000)
    const { layer } = yield* Beacon.execution
    const chain = yield* Effect.provide(BeaconChain.make({ seed: new Uint8Array([1]) }), layer)
    const { network } = chain
    const update = Beacon.updates(chain, 0n, 1)[0]!
    const first = Beacon.bootstrap(chain, yield* chain.checkpoint)
    const { attestedHeader, finalizedHeader } = update
    assert(attestedHeader._tag === "WithPayload")
    const { beacon } = attestedHeader
    const execution = as(ExecutionPayloadHeader, attestedHeader.execution)
    const committeeOf = ({ aggregatePubkey, pubkeys }: typeof first.currentSyncCommittee) => ({
      aggregatePubkey,
      pubkeys: Array.from({ length: 512 }, (_, at) => pubkeys.slice(48 * at, 48 * (at + 1)))
    })
    const committee = committeeOf(first.currentSyncCommittee)
    const validators = as(
      Validators,
      committee.pubkeys.map((pubkey) => ({
        pubkey,
        withdrawalCredentials: new Uint8Array(32),
        effectiveBalance: 32_000_000_000n,
        slashed: false,
        activationEligibilityEpoch: 0n,
        activationEpoch: 0n,
        exitEpoch: 2n ** 64n - 1n,
        withdrawableEpoch: 2n ** 64n - 1n
      }))
    )
    assert.strictEqual(network.genesisValidatorsRoot, rootOf(Validators, validators))
    const forkVersion = Hex.toBytesUnsafe(network.forks.at(-1)!.version)
    const state = State.defaultValue()
    const epoch = finalizedHeader.beacon.slot / BigInt(network.slotsPerEpoch)
    Object.assign(state, {
      genesisTime: network.genesisTime,
      genesisValidatorsRoot: Hash32.toBytes(network.genesisValidatorsRoot),
      slot: beacon.slot,
      fork: { previousVersion: forkVersion, currentVersion: forkVersion, epoch: 0n },
      validators,
      balances: validators.map(() => 32_000_000_000),
      finalizedCheckpoint: {
        epoch,
        root: BeaconBlockHeader.hashTreeRoot(as(BeaconBlockHeader, finalizedHeader.beacon))
      },
      currentSyncCommittee: committee,
      nextSyncCommittee: committeeOf(update.nextSyncCommittee),
      latestExecutionPayloadHeader: execution
    })
    assert.strictEqual(beacon.stateRoot, rootOf(State, state))
    assert.strictEqual(beacon.bodyRoot, rootOf(Body, { ...Body.defaultValue(), executionPayload: execution }))
    const told = Beacon.json(chain, `/eth/v1/beacon/headers/${beacon.slot}`)
    assert.strictEqual(told.data.root, rootOf(BeaconBlockHeader, as(BeaconBlockHeader, beacon)))
  })
)
