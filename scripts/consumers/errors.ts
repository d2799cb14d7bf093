/** The errors that a method can fail with. `models.ts` explains the form of this file. */
import { EthClient, ProvenEthClient, type VerdictEthClient } from "@plumbline/eth-methods"
import type { JsonRpcError } from "@plumbline/jsonrpc-core"
import type { SecondChainClient } from "@plumbline/second-chain-methods"
import type { Refuted, Unproven } from "@plumbline/verdict"
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
holds<
  Each<ProvenEthClient.ProvenEthClient["Service"], JsonRpcError.JsonRpcError | Refuted.Refuted | Unproven.Unproven>
>()
holds<Each<VerdictEthClient.VerdictEthClient["Service"], JsonRpcError.JsonRpcError | Refuted.Refuted>>()

export const caught = [
  // error: Argument of type '"Refuted"' is not assignable to parameter of type …
  EthClient.EthClient.use((eth) => eth.chainId).pipe(Effect.catchTag("Refuted", () => Effect.void)),
  ProvenEthClient.ProvenEthClient.use((eth) => eth.chainId).pipe(Effect.catchTag("Refuted", () => Effect.void))
]
