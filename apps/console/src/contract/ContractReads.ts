/** Reads of a contract at one block: the account, calls of its functions, and the standards that it answers by. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { Hex } from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"
import * as Atom from "effect/reactivity/Atom"
import * as Result from "effect/Result"

import * as CallReads from "../chain/CallReads.ts"
import { NetworkClients } from "../chain/NetworkClients.ts"
import { numberedBlock, type NumberedBlock, reaches } from "../chain/Reach.ts"
import { read } from "../chain/ReadAtoms.ts"
import { placeReads } from "../parts/placeReads.ts"
import * as AccountState from "../proof/AccountState.ts"
import type * as ConsoleRoute from "../route/ConsoleRoute.ts"
import * as FunctionResult from "./FunctionResult.ts"
import * as StandardAbis from "./StandardAbis.ts"

/** A block, and whether the hash that the reader trusts leads to it. */
export interface ReadBlock extends NumberedBlock {
  readonly isReached: boolean
}

/** A place that names a contract. */
export type ContractPlace = ConsoleRoute.ContractRoute & { readonly address: string }

/** The account of a contract at the place's block. */
export const account = placeReads((place: ContractPlace) =>
  Effect.gen(function* () {
    const verdicts = yield* (yield* NetworkClients).verdicts
    const numbered = yield* numberedBlock(place.block)
    const { hash } = numbered
    const address = Address.fromHexUnsafe(place.address)
    const { proven, value: proof } = yield* verdicts.getProof(address, [], { blockHash: hash })
    const { value: code } = yield* verdicts.getCode(address, { blockHash: hash })
    const block: ReadBlock = { hash, number: numbered.number, isReached: yield* reaches(place.trust, numbered) }
    return {
      block,
      state: AccountState.of({ balance: proof.balance, nonce: proof.nonce, codeBytes: (code.length - 2) / 2, proven })
    }
  })
)

/** A call of a contract at a block. */
export interface AskedCall {
  readonly network: string
  readonly trust: string | undefined
  readonly address: string
  readonly block: ReadBlock
  readonly data: Hex
  /** The caller; the zero address if it is undefined. */
  readonly from?: string | undefined
}

/** A call that was read, and whether its result is VERIFIED under the reader's trust. */
export interface ReadCall extends CallReads.CallRead {
  readonly isVerified: boolean
}

const readCall = Effect.fnUntraced(function* ({
  address,
  block,
  data,
  from
}: Omit<AskedCall, "network" | "trust">): Effect.fn.Return<ReadCall, JsonRpcError | RefutedError, NetworkClients> {
  const request: CallRequest.CallRequest = {
    to: Address.fromHexUnsafe(address),
    data,
    ...(from === undefined ? {} : { from: Address.fromHexUnsafe(from) })
  }
  const call = yield* CallReads.read(request, { blockHash: block.hash })
  return { ...call, isVerified: call.anchor !== undefined && block.isReached }
})

const calls = Atom.family((id: string) => {
  const { block, network, trust, ...asked } = JSON.parse(id) as Omit<AskedCall, "block"> & {
    readonly block: { readonly hash: Hash32.Hash32; readonly number: string; readonly isReached: boolean }
  }
  return read({ network, trust }, readCall({ ...asked, block: { ...block, number: BigInt(block.number) } }))
})

/** The outcome of a call, as an atom. Calls at one block share what they prove. */
export const call = ({ block, ...asked }: AskedCall): ReturnType<typeof calls> =>
  calls(JSON.stringify({ ...asked, block: { ...block, number: String(block.number) } }))

/** A standard by which a contract answers, and whether the answers are VERIFIED. */
export interface FoundStandard {
  readonly name: StandardAbis.StandardName
  readonly isVerified: boolean
}

const PROBE = "0x000000000000000000000000000000000000dEaD"

/**
 * The calls by whose answers a standard is recognised. A contract that answers them need not follow the standard in
 * anything else.
 */
const PROBES: Readonly<Record<StandardAbis.StandardName, ReadonlyArray<readonly [string, ...ReadonlyArray<unknown>]>>> =
  {
    "ERC-20": [["decimals"], ["totalSupply"], ["balanceOf", PROBE]],
    "ERC-721": [
      ["supportsInterface", "0x80ac58cd"],
      ["supportsInterface", "0xffffffff"]
    ],
    "ERC-1155": [
      ["supportsInterface", "0xd9b67a26"],
      ["supportsInterface", "0xffffffff"]
    ]
  }

const found = Atom.family((id: string) => {
  const { address, block, network, trust } = JSON.parse(id) as Pick<AskedCall, "address" | "network" | "trust"> & {
    readonly block: { readonly hash: Hash32.Hash32; readonly number: string; readonly isReached: boolean }
  }
  const at = { address, block: { ...block, number: BigInt(block.number) } }
  return read(
    { network, trust },
    Effect.gen(function* () {
      const standards = yield* Effect.forEach(
        StandardAbis.all,
        Effect.fnUntraced(function* ({ name }) {
          const { functions } = StandardAbis.of(name)
          const answers = yield* Effect.forEach(
            PROBES[name],
            Effect.fnUntraced(function* ([called, ...args]) {
              const item = functions.find((one) => one.name === called)!
              const answer = yield* readCall({ ...at, data: FunctionResult.dataOf(item, args) })
              return { isVerified: answer.isVerified, value: FunctionResult.valuesOf(item, answer.end) }
            }),
            { concurrency: "unbounded" }
          )
          const values = answers.map(({ value }) => (Result.isSuccess(value) ? value.success[0] : undefined))
          const isFound = name === "ERC-20" ? !values.includes(undefined) : values[0] === true && values[1] === false
          return isFound ? [{ name, isVerified: answers.every(({ isVerified }) => isVerified) }] : []
        }),
        { concurrency: "unbounded" }
      )
      return standards.flat() as ReadonlyArray<FoundStandard>
    })
  )
})

/** The standards by which a contract answers at a block, found by calls. */
export const standards = ({
  address,
  block,
  network,
  trust
}: Omit<AskedCall, "data" | "from">): ReturnType<typeof found> =>
  found(JSON.stringify({ network, trust, address, block: { ...block, number: String(block.number) } }))
