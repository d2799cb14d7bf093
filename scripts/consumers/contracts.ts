/** The types of arguments, values, reverts and events that follow from an ABI. `models.ts` explains the form of this file. */
import { Contract, ContractCall, type ContractError, Erc20, VerdictContract } from "@plumbline/contracts"
import type { EthClient, ProvenEthClient, VerdictEthClient } from "@plumbline/eth-methods"
import type { JsonRpcError } from "@plumbline/jsonrpc-core"
import type { RefutedError, UnprovenError, Verdict } from "@plumbline/verdict"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined
type Hex = `0x${string}`

const abi = [
  {
    type: "function",
    name: "position",
    stateMutability: "view",
    inputs: [
      { name: "owner", type: "address" },
      { name: "index", type: "uint8" }
    ],
    outputs: [
      {
        name: "",
        type: "tuple",
        components: [
          { name: "size", type: "uint256" },
          { name: "tags", type: "bytes4[]" }
        ]
      }
    ]
  },
  {
    type: "function",
    name: "reserves",
    stateMutability: "view",
    inputs: [],
    outputs: [
      { name: "a", type: "uint112" },
      { name: "at", type: "uint32" }
    ]
  },
  { type: "function", name: "touch", stateMutability: "nonpayable", inputs: [], outputs: [] },
  {
    type: "function",
    name: "find",
    stateMutability: "view",
    inputs: [{ name: "", type: "uint256" }],
    outputs: [{ name: "", type: "bool" }]
  },
  {
    type: "function",
    name: "find",
    stateMutability: "view",
    inputs: [{ name: "", type: "string" }],
    outputs: [{ name: "", type: "uint8" }]
  },
  { type: "error", name: "Closed", inputs: [{ name: "since", type: "uint64" }] },
  { type: "error", name: "Denied", inputs: [] },
  {
    type: "event",
    name: "Opened",
    inputs: [
      { name: "by", type: "address", indexed: true },
      { name: "name", type: "string", indexed: true },
      { name: "size", type: "uint256", indexed: false }
    ]
  }
] as const

declare const plain: EthClient.Client
declare const proven: ProvenEthClient.Client
declare const verdicts: VerdictEthClient.Client
const at = { address: "0x00000000219ab540356cBB839Cbe05303d7705Fa", abi } as const
const owner = at.address

const vault = Contract.make(plain, at)
const position = vault.read("position", [owner, 1], { block: 5n })
holds<Same<Effect.Success<typeof position>, { size: bigint; tags: ReadonlyArray<Hex> }>>()
const reserves = vault.read("reserves")
holds<Same<Effect.Success<typeof reserves>, readonly [a: bigint, at: number]>>()
const touch = vault.read("touch", [], { from: owner })
holds<Same<Effect.Success<typeof touch>, void>>()
const [byNumber, byName] = [vault.read("find", [1n]), vault.read("find", ["a"])]
holds<Same<Effect.Success<typeof byNumber>, boolean>>()
holds<Same<Effect.Success<typeof byName>, number>>()

// error: No overload matches this call.
export const misspelt = vault.read("positon", [owner, 1])
// error: Argument of type '"position"' is not assignable to parameter of type 'BareFunctionName<…>'.
export const without = vault.read("position")
// error: No overload matches this call.
export const mistyped = vault.read("position", [owner, "1"])
// error: No overload matches this call.
export const unblocked = vault.read("reserves", [], { block: 5 })

// the errors are those of the client, and the reverts those of the ABI
type Reverts<E> = E extends ContractError.RevertedError<infer Revert> ? Revert : never
type Decoded = Reverts<Effect.Error<typeof position>>
holds<Same<Decoded["name"], "Closed" | "Denied" | "Error" | "Panic">>()
holds<Same<Extract<Decoded, { name: "Closed" }>["args"], readonly [since: bigint]>>()
type Ours = "RevertedError" | "ReturnedDataError" | "AbiArgumentError" | "AbiNameError"
holds<Same<Effect.Error<typeof position>["_tag"], Ours | "JsonRpcError">>()
const provenRead = Contract.make(proven, at).read("reserves")
holds<Same<Effect.Error<typeof provenRead>["_tag"], Ours | "JsonRpcError" | "RefutedError" | "UnprovenError">>()
holds<
  Same<
    Exclude<Effect.Error<typeof provenRead>, { readonly _tag: Ours }>,
    JsonRpcError.JsonRpcError | RefutedError | UnprovenError
  >
>()
const verdict = VerdictContract.make(verdicts, at).read("reserves")
holds<Same<Effect.Success<typeof verdict>, Verdict.Verdict<readonly [a: bigint, at: number]>>>()
holds<
  Same<Effect.Error<typeof verdict>["_tag"], Ours | "HaltedError" | "JsonRpcError" | "RefutedError" | "UnprovenError">
>()

// many calls at once
const all = Contract.all(plain, [
  ContractCall.make(at, "find", ["a"]),
  Erc20.symbol(owner),
  ContractCall.make(Erc20.at(owner), "balanceOf", [owner])
])
type All = Effect.Success<typeof all>
holds<Same<Result.Result.Success<All[0]>, number>>()
holds<Same<Result.Result.Success<All[1]>, string>>()
holds<Same<Result.Result.Success<All[2]>, bigint>>()
holds<Same<All["length"], 3>>()
holds<Same<Result.Result.Failure<All[0]>["_tag"], "RevertedError" | "ReturnedDataError">>()
// error: No overload matches this call.
export const wrongCall = ContractCall.make(at, "find", [true])

// events
const logs = vault.logs("Opened", { by: [owner], name: "a" }, { fromBlock: 1n, toBlock: "latest" })
type Log = Effect.Success<typeof logs>[number]
type Opened = NonNullable<Log["event"]>
holds<Same<Opened["name"], "Opened">>()
holds<Same<Opened["args"], { by: Hex; name: Hex; size: bigint }>>()
// error: Argument of type '"Opend"' is not assignable to parameter of type '"Opened"'.
export const misspeltEvent = vault.logs("Opend")
// error: Object literal may only specify known properties, and 'size' does not exist in type …
export const notIndexed = vault.logs("Opened", { size: 5n })

// an ABI that is not known before the program runs
declare const unknown: ContractCall.DeployedContract
const dynamic = Contract.make(plain, unknown).read("anything", [1, "two"])
holds<Same<Effect.Success<typeof dynamic>, unknown>>()
