/** Checks the addresses that a program asks about, before anything is sent. */
import type * as Address from "@plumbline/codec/value/Address"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import type * as Input from "@plumbline/eth-methods/model/Input"
import * as JsonRpcClient from "@plumbline/jsonrpc-core/client/JsonRpcClient"
import { EncodeError, JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Result from "effect/Result"

const METHOD = EthMethods.eth_getProof

/** Returns the address of a contract, or the error with which its proofs would be refused. */
export const contract = (address: Input.Address): Result.Result<Address.Address, JsonRpcError> =>
  Result.map(JsonRpcClient.encodeParams(METHOD, [address, []]), () => address as Address.Address)

/** Checks a list of addresses, or of pairs of them, that an option has. */
export const all = (
  option: string,
  addresses: ReadonlyArray<Input.Address | ReadonlyArray<Input.Address>>
): Result.Result<void, JsonRpcError> => {
  for (const [index, item] of addresses.entries()) {
    const group = typeof item === "string" ? [item] : item
    for (const [place, address] of group.entries()) {
      const checked = contract(address)
      if (Result.isSuccess(checked)) continue
      const { reason } = checked.failure
      if (reason._tag !== "EncodeError") return Result.fail(checked.failure)
      const path = typeof item === "string" ? [option, index] : [option, index, place]
      return Result.fail(
        new JsonRpcError({ method: METHOD.name, reason: new EncodeError({ path, detail: reason.detail }) })
      )
    }
  }
  return Result.void
}
