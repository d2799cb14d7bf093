/** Runs contracts on ethereumjs, and returns the words in their storage. */
import { getMerkleStateProof, MerkleStateManager, type Proof } from "@ethereumjs/statemanager"
import { createAccount, createAddressFromString } from "@ethereumjs/util"
import { createVM } from "@ethereumjs/vm"
import { type Abi, bytesToHex, decodeFunctionResult, encodeFunctionData, type Hex, hexToBytes } from "viem"

export interface Deployed {
  readonly address: Hex
  /** Calls a function and keeps its changes; fails if it reverts. */
  readonly call: (name: string, args?: ReadonlyArray<unknown>) => Promise<any>
  readonly word: (slot: bigint) => Promise<bigint>
  readonly code: () => Promise<Hex>
  /** Returns the current state root. */
  readonly stateRoot: () => Promise<Uint8Array>
  /** Gives an account without code a balance. */
  readonly fund: (address: Hex) => Promise<void>
  /**
   * Returns an eth_getProof answer for a past state, as ethereumjs computes it. `address` is the contract unless it is
   * given.
   */
  readonly proof: (slots: ReadonlyArray<Hex>, stateRoot: Uint8Array, address?: Hex) => Promise<Proof>
}

const GAS = 1_000_000_000n

export const deploy = async (contract: { readonly abi: Abi; readonly creationCode: Hex }): Promise<Deployed> => {
  const stateManager = new MerkleStateManager()
  const vm = await createVM({
    stateManager,
    // tests use contracts of any size
    evmOpts: { allowUnlimitedContractSize: true, allowUnlimitedInitCodeSize: true }
  })
  const made = await vm.evm.runCall({ data: hexToBytes(contract.creationCode), gasLimit: GAS })
  const to = made.createdAddress
  if (to === undefined || made.execResult.exceptionError !== undefined) throw new Error("the contract was not created")
  const { abi } = contract
  return {
    address: bytesToHex(to.bytes),
    call: async (functionName, args = []) => {
      const data = hexToBytes(encodeFunctionData({ abi, functionName, args: [...args] }))
      const { execResult } = await vm.evm.runCall({ to, data, gasLimit: GAS })
      if (execResult.exceptionError !== undefined) {
        throw new Error(`${functionName}: ${execResult.exceptionError.error} ${bytesToHex(execResult.returnValue)}`)
      }
      return decodeFunctionResult({ abi, functionName, data: bytesToHex(execResult.returnValue) })
    },
    word: async (slot) => {
      const key = hexToBytes(`0x${slot.toString(16).padStart(64, "0")}`)
      return BigInt(`0x0${bytesToHex(await stateManager.getStorage(to, key)).slice(2)}`)
    },
    code: async () => bytesToHex(await stateManager.getCode(to)),
    stateRoot: () => stateManager.getStateRoot(),
    fund: (address) => stateManager.putAccount(createAddressFromString(address), createAccount({ balance: 1n })),
    proof: async (slots, stateRoot, address) => {
      const then = stateManager.shallowCopy()
      await then.setStateRoot(stateRoot)
      const proof = await getMerkleStateProof(
        then,
        address === undefined ? to : createAddressFromString(address),
        slots.map((slot) => hexToBytes(slot))
      )
      // trie nodes of fewer bytes are embedded in their parents, and are not listed separately
      const listed = (nodes: ReadonlyArray<Hex>) => nodes.filter((node, at) => at === 0 || node.length >= 2 + 64)
      // ethereumjs lists no slots of an account that does not exist; nodes list them as zero, without trie nodes
      const there =
        proof.storageProof.length > 0
          ? proof.storageProof
          : slots.map((key) => ({ key, value: "0x0" as Hex, proof: [] }))
      const storageProof = there.map((slot) => ({ ...slot, proof: listed(slot.proof) }))
      return { ...proof, accountProof: listed(proof.accountProof), storageProof }
    }
  }
}
