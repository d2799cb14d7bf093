/** Checks the addresses that a program passes, before anything is sent. */
import type * as Address from "@plumbline/codec/value/Address"
import * as Input from "@plumbline/eth-methods/model/Input"
import { EncodeError, JsonRpcError, type ValuePath } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Result from "effect/Result"

/** Returns the address of a contract, or the error that a request for its proof would fail with. */
export const contract = (address: Input.Address): Result.Result<Address.Address, JsonRpcError> =>
  check(["address"], address)

/** Checks the addresses, or the pairs of addresses, of an option. */
export const all = (
  option: string,
  addresses: ReadonlyArray<Input.Address | ReadonlyArray<Input.Address>>
): Result.Result<void, JsonRpcError> => {
  for (const [index, item] of addresses.entries()) {
    const group = typeof item === "string" ? [item] : item
    for (const [place, address] of group.entries()) {
      const checked = check(typeof item === "string" ? [option, index] : [option, index, place], address)
      if (Result.isFailure(checked)) return Result.fail(checked.failure)
    }
  }
  return Result.void
}

const check = (path: ValuePath, address: Input.Address): Result.Result<Address.Address, JsonRpcError> => {
  const detail = Input.faultOfAddress(address)
  return detail === undefined
    ? Result.succeed(address as Address.Address)
    : Result.fail(new JsonRpcError({ method: "eth_getProof", reason: new EncodeError({ path, detail }) }))
}
