/** The errors that a method can fail with. `models.ts` explains the form of this file. */
import type { BeaconApiError, BeaconNodes, LightClient } from "@plumbline/beacon-light-client"
import { EthClient, type NoBlockError, ProvenEthClient, type VerdictEthClient } from "@plumbline/eth-methods"
import type { IpfsClient, IpfsError } from "@plumbline/ipfs-client"
import type { JsonRpcError } from "@plumbline/jsonrpc-core"
import type { SecondChainClient } from "@plumbline/second-chain-methods"
import type { ContractStorage, NoValueError, PathError } from "@plumbline/storage-layout"
import type { RefutedError, UnprovenError } from "@plumbline/verdict"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined

type ErrorOf<A> = A extends (...args: Array<never>) => infer R
  ? ErrorOf<R>
  : A extends Effect.Effect<unknown, infer E, unknown> | Stream.Stream<unknown, infer E, unknown>
    ? E
    : never

type Errors<C> = { readonly [K in keyof C]: ErrorOf<C[K]> }
type Each<C, E> = Same<Errors<C>, { readonly [K in keyof C]: E }>

// an unchecked client fails only if the call fails
holds<Each<EthClient.EthClient["Service"], JsonRpcError.JsonRpcError>>()
holds<Each<SecondChainClient.SecondChainClient["Service"], JsonRpcError.JsonRpcError>>()
holds<Each<ProvenEthClient.ProvenEthClient["Service"], JsonRpcError.JsonRpcError | RefutedError | UnprovenError>>()
// an answer that is not proven is claimed. What is run here has no answer of the node that could be, nor have logs that
// the node refuses to send
type Verdicts = VerdictEthClient.VerdictEthClient["Service"]
type Run = "call" | "estimateGas" | "createAccessList" | "simulate" | "getLogs"
holds<Each<Omit<Verdicts, Run>, JsonRpcError.JsonRpcError | RefutedError>>()
holds<Each<Pick<Verdicts, Run>, JsonRpcError.JsonRpcError | RefutedError | UnprovenError>>()

// a command of IPFS has its own errors, and those of no other command
type Ipfs = Errors<IpfsClient.IpfsClient["Service"]>
type Check = IpfsError.IpfsError | RefutedError | UnprovenError
holds<Each<Omit<IpfsClient.Client, "add" | "addAll" | "dagImport">, IpfsError.IpfsError>>()
holds<
  Same<Ipfs["version"] | Ipfs["id"] | Ipfs["repoStat"] | Ipfs["refsLocal"] | Ipfs["blockRm"], IpfsError.IpfsError>
>()
holds<Same<Ipfs["blockGet"] | Ipfs["blockPut"] | Ipfs["dagPut"], Check>>()
holds<Same<Exclude<Ipfs["dagGet"], Check>["_tag"], "LimitExceeded" | "MalformedBlock" | "NoSuchEntry" | "WrongKind">>()
declare const ipfs: IpfsClient.IpfsClient["Service"]
holds<Same<ErrorOf<typeof ipfs.dagImport<never>>, Check>>()
holds<Same<Exclude<ErrorOf<typeof ipfs.addAll<never>>, Check>["_tag"], "LimitExceeded">>()
holds<
  Same<
    Exclude<Ipfs["dagExport"], Check>["_tag"],
    "CarError" | "LimitExceeded" | "MalformedBlock" | "MissingBlocks" | "UnexpectedBlock"
  >
>()

// hints of a beacon node are not checked, and only a lie ends a light client
type Beacon = Errors<BeaconNodes.BeaconNode>
holds<Same<Beacon["bootstrap"] | Beacon["updates"], BeaconApiError.BeaconApiError | RefutedError>>()
holds<Same<ErrorOf<NonNullable<BeaconNodes.BeaconNode["genesis"]>>, BeaconApiError.BeaconApiError>>()
holds<Same<Errors<LightClient.LightClient["Service"]>["heads"], RefutedError>>()

// only a path of the caller can be wrong
type Storage = Errors<ContractStorage.ContractStorage["Service"]>
type Read = NoValueError.NoValueError | NoBlockError.NoBlockError | JsonRpcError.JsonRpcError | RefutedError
holds<Same<Storage["readAll"], Read>>()
holds<Same<Storage["read"] | Storage["diff"], Read | PathError.PathError>>()

export const caught = [
  // error: Argument of type '"RefutedError"' is not assignable to parameter of type '"JsonRpcError" | …
  EthClient.EthClient.use((eth) => eth.chainId).pipe(Effect.catchTag("RefutedError", () => Effect.void)),
  ProvenEthClient.ProvenEthClient.use((eth) => eth.chainId).pipe(Effect.catchTag("RefutedError", () => Effect.void))
]
