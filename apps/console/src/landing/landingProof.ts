/** Gathers the evidence for the line of the landing: a value of the newest block that the reader's anchor reaches. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Block from "@plumbline/eth-methods/model/Block"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"

import * as GatherEvidence from "../chain/GatherEvidence.ts"
import { NetworkClients } from "../chain/NetworkClients.ts"
import { read } from "../chain/ReadAtoms.ts"
import type { ProofSubject } from "../proof/ProofSubject.ts"

/** The line's evidence. */
export interface LandingProof {
  readonly gathered: GatherEvidence.GatheredEvidence
  readonly subject: ProofSubject
}

/** Maximum number of blocks that are searched for a transaction. */
const MOST = 16n

/** The line. The key is the network's name, the anchor or an empty text, and the number of the value, with spaces between. */
export const proof = Atom.family((key: string) => {
  const [network = "", trust = "", at = "0"] = key.split(" ")
  return read(
    { network, trust: trust === "" ? undefined : trust },
    Effect.gen(function* () {
      const block = yield* newestReached
      const subjects = subjectsOf(yield* transactionNear(block), block)
      const subject = subjects[Number(at) % subjects.length]!
      return { subject, gathered: yield* GatherEvidence.gather(block.hash, subject) }
    })
  )
})

/** Returns the key of `proof`. */
export const keyOf = (network: string, trust: string | undefined, at: number): string =>
  `${network} ${trust ?? ""} ${at}`

/** Reads the newest block that hangs from the anchor; without an anchor, the newest block of the node. */
const newestReached = Effect.gen(function* () {
  const { trust } = yield* NetworkClients
  const trusted = yield* trust.resolve("latest")
  return yield* GatherEvidence.blockOf(trusted._tag === "Nothing" ? "latest" : trusted.hash)
})

type Transaction = Block.WithTransactions["transactions"][number]

/** Finds a transaction of the block, or of one before it. */
const transactionNear = Effect.fnUntraced(function* (block: Block.WithTransactions & { readonly number: bigint }) {
  const { eth } = yield* NetworkClients
  const [own] = block.transactions
  if (own !== undefined) return own
  const amount = block.number < MOST ? block.number : MOST
  const numbers = Array.from({ length: Number(amount) }, (_, i) => block.number - 1n - BigInt(i))
  const before = yield* Effect.forEach(numbers, (number) => eth.getBlockByNumber(number, { full: true }), {
    concurrency: "unbounded"
  })
  return before.flatMap((found): ReadonlyArray<Transaction> => found?.transactions ?? [])[0]
})

const FIRST_SLOT = `0x${"0".repeat(64)}`

const NOBODY = `0x${"0".repeat(40)}`

/** Lists values to prove: of the accounts of a transaction, and of the block itself. */
const subjectsOf = (
  transaction: Transaction | undefined,
  { miner, transactions }: Block.WithTransactions & { readonly hash: Hash32.Hash32 }
): ReadonlyArray<ProofSubject> => {
  const { from, to } = (transaction ?? {}) as { readonly from?: unknown; readonly to?: unknown }
  const sender = typeof from === "string" ? from.toLowerCase() : (miner ?? NOBODY).toLowerCase()
  return [
    { _tag: "Account", address: sender, field: "balance" },
    ...(typeof to === "string"
      ? ([
          { _tag: "Slot", address: to.toLowerCase(), slot: FIRST_SLOT },
          { _tag: "Account", address: to.toLowerCase(), field: "balance" }
        ] as const)
      : []),
    { _tag: "Account", address: sender, field: "nonce" },
    ...(transactions.length === 0 ? [] : ([{ _tag: "Item", list: "transactions", index: 0, field: "value" }] as const)),
    { _tag: "Header", field: "timestamp" }
  ]
}
