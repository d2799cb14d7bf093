/**
 * Examples for parameters. They are existing blocks, transactions and contracts of the network, chosen by the
 * parameter's name.
 */
import type { ExampleSubjects } from "../chain/ExampleSubjects.ts"
import type { DescribedMethod } from "./MethodForms.ts"

/** Returns example values for the parameters; undefined for a parameter without a known example. */
export const of = (
  { name, params }: DescribedMethod,
  { busy, contract, head, logged }: ExampleSubjects
): ReadonlyArray<unknown> => {
  const block = busy ?? head
  const number = `0x${block.number.toString(16)}`
  const isStorage = /Storage|Proof|Code|call|estimateGas|createAccessList|simulate/u.test(name)
  const address = (isStorage ? contract?.address : busy?.sender) ?? busy?.sender
  const call =
    contract === undefined || name === "eth_sendRawTransaction" ? undefined : { to: contract.address, data: "0x" }
  const known: Readonly<Record<string, unknown>> = {
    address,
    block: isStorage ? `0x${head.number.toString(16)}` : number,
    blockHash: block.hash,
    blockCount: "0x4",
    newestBlock: "latest",
    data: "0x68656c6c6f",
    rewardPercentiles: [25, 75],
    transactionDetails: false,
    transactionHash: busy?.transaction,
    index: "0x0",
    position: contract?.slot,
    storageKeys: contract === undefined ? [] : [contract.slot],
    slots: contract === undefined ? undefined : { [contract.address]: [contract.slot] },
    filter:
      logged === undefined
        ? undefined
        : { fromBlock: `0x${logged.from.toString(16)}`, toBlock: `0x${logged.block.number.toString(16)}` },
    transaction: call,
    call,
    payload: call === undefined ? undefined : { blockStateCalls: [{ calls: [call] }] }
  }
  return params.map((param) => known[param.name])
}
