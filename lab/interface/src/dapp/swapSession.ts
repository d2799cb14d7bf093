/**
 * A session of a page for swaps, as its requests: what such a page and a wallet ask of a node, in this order.
 *
 * The methods and the reads are those of public interfaces: Uniswap's interface and its SDK (pools, quoters, positions),
 * Permit2, Multicall3, ERC-20, ERC-2612, ERC-5267, ERC-721, ERC-1155, ERC-1271, Chainlink's feeds, and of a wallet that
 * prepares a transaction (EIP-1193 programs such as viem and ethers).
 */
import * as viem from "viem"

import { type ContractName, DEADLINE, dataOf, type Exchange, friend, owner, pools } from "./tokenExchange.ts"

/** A request, and the part of the session that makes it. */
export interface SessionRequest {
  readonly part: string
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const ETHER = 10n ** 18n
const ONE_USD = 10n ** 6n

/** Returns the requests of a session on an exchange. */
export const session = ({ at, done, signed }: Exchange): ReadonlyArray<SessionRequest> => {
  const requests: Array<SessionRequest> = []
  let part = ""
  const ask = (method: string, ...params: ReadonlyArray<unknown>): void => {
    requests.push({ part, method, params })
  }
  const call = (fields: Readonly<Record<string, unknown>>): void => ask("eth_call", fields, "latest")
  const read = (name: string, contract: ContractName, functionName: string, args: ReadonlyArray<unknown> = []): void =>
    call({ to: at[name], data: dataOf(contract, functionName, args) })
  const many = (reads: ReadonlyArray<readonly [string, ContractName, string, ReadonlyArray<unknown>?]>): void =>
    read("multicall", "Multicall", "aggregate3", [
      reads.map(([name, contract, functionName, args]) => ({
        target: at[name],
        allowFailure: true,
        callData: dataOf(contract, functionName, args)
      }))
    ])
  const coins = ["weth", "usd", "dai", "uni"] as const
  const quote = (tokenIn: string, tokenOut: string, amountIn: bigint, fee: number) => ({
    tokenIn: at[tokenIn],
    tokenOut: at[tokenOut],
    amountIn,
    fee
  })

  part = "connect"
  ask("eth_chainId")
  ask("net_version")
  ask("eth_blockNumber")
  ask("eth_getBlockByNumber", "latest", false)
  ask("eth_getBalance", owner, "latest")
  ask("eth_getTransactionCount", owner, "latest")
  ask("eth_getCode", owner, "latest")
  for (const name of ["multicall", "router", "quoter", "permits", "usd"]) ask("eth_getCode", at[name], "latest")

  part = "tokens"
  for (const coin of coins) {
    for (const field of ["name", "symbol", "decimals", "totalSupply"]) read(coin, "Coin", field)
  }
  for (const field of ["name", "symbol", "decimals"]) read("old", "OldCoin", field)
  // the implementation of a token that is a proxy, and the proxy's slots of ERC-1967: implementation, admin, beacon
  for (const slot of [
    "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
    "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103",
    "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"
  ]) {
    ask("eth_getStorageAt", at["usd"], slot, "latest")
  }
  many(coins.flatMap((coin) => (["symbol", "decimals"] as const).map((field) => [coin, "Coin", field] as const)))

  part = "balances"
  for (const who of [owner, friend]) {
    many([
      ...coins.map((coin) => [coin, "Coin", "balanceOf", [who]] as const),
      ["old", "OldCoin", "balanceOf", [who]],
      ["multicall", "Multicall", "getEthBalance", [who]],
      // no contract has this function, so this read fails alone
      ["wallet", "Coin", "balanceOf", [who]]
    ])
    for (const coin of coins) read(coin, "Coin", "balanceOf", [who])
    ask("eth_getBalance", who, "latest")
  }
  for (const coin of coins) {
    for (const spender of ["permits", "router"]) read(coin, "Coin", "allowance", [owner, at[spender]])
  }
  read("multicall", "Multicall", "tryAggregate", [
    false,
    coins.map((coin) => ({ target: at[coin], callData: dataOf("Coin", "nonces", [owner]) }))
  ])

  part = "pools"
  for (const [, a, b] of pools) {
    for (const fee of [100, 500, 3000, 10_000]) read("factory", "Factory", "getPool", [at[a], at[b], fee])
  }
  for (const [name] of pools) {
    for (const field of ["slot0", "liquidity", "fee", "tickSpacing", "token0", "token1"]) read(name, "Pool", field)
    read(name, "Pool", "observe", [[600, 0]])
    read(name, "Pool", "ticks", [-203])
    for (const index of [-2, -1, 0]) read(name, "Pool", "tickBitmap", [index])
  }
  many(pools.flatMap(([name]) => (["slot0", "liquidity"] as const).map((field) => [name, "Pool", field] as const)))
  read("wethUsd500", "Pool", "observe", [[2_000_000]])
  for (const field of ["latestRoundData", "latestAnswer", "decimals", "description"]) read("feed", "Feed", field)

  part = "quotes"
  // a quote for each key that the trader types: 1, 12, 12.5 and so on
  for (const amount of [ETHER, 12n * ETHER, (125n * ETHER) / 10n, ETHER / 4n]) {
    for (const fee of [500, 3000])
      read("quoter", "Quoter", "quoteExactInputSingle", [quote("weth", "usd", amount, fee)])
    many([
      ["quoter", "Quoter", "quoteExactInputSingle", [quote("weth", "usd", amount, 500)]],
      ["quoter", "Quoter", "quoteExactInputSingle", [quote("weth", "uni", amount, 3000)]],
      ["wethUsd500", "Pool", "slot0"]
    ])
  }
  read("quoter", "Quoter", "quoteExactInput", [[at["uni"], at["weth"], at["usd"]], [3000, 500], ETHER])
  // quoters of the first kind end by a revert whose bytes are the amount, and a pool that is not there reverts too
  for (const amount of [ETHER, 2n * ETHER]) {
    read("quoter", "Quoter", "quoteByRevert", [quote("weth", "usd", amount, 500)])
  }
  read("quoter", "Quoter", "quoteExactInputSingle", [quote("dai", "uni", ETHER, 500)])
  read("quoter", "Quoter", "quoteExactInputSingle", [quote("usd", "dai", 250n * ONE_USD, 100)])

  part = "permits"
  for (const coin of coins) {
    for (const field of ["DOMAIN_SEPARATOR", "eip712Domain"]) read(coin, "Coin", field)
    read(coin, "Coin", "nonces", [owner])
    read("permits", "Permits", "allowance", [owner, at[coin], at["router"]])
  }
  read("permits", "Permits", "DOMAIN_SEPARATOR")
  read("wallet", "Wallet", "isValidSignature", [viem.keccak256("0x01"), `0x${"11".repeat(64)}1b`])
  // a signature is also checked by code that is run without being on the chain: a creation that returns a byte
  call({ data: "0x600160005360016000f3" })

  part = "simulation"
  const swapping = (minimum: bigint, amount = ETHER, deadline = DEADLINE) => ({
    from: owner,
    to: at["router"],
    data: dataOf("Router", "exactInputSingle", [quote("weth", "usd", amount, 500), owner, minimum, deadline])
  })
  call(swapping(1n)) // the router has no allowance yet
  call({ from: owner, to: at["weth"], data: dataOf("Coin", "approve", [at["router"], ETHER]) })
  call({ from: owner, to: at["usd"], data: dataOf("Coin", "transfer", [friend, ONE_USD]) })
  call({ from: friend, to: at["usd"], data: dataOf("Coin", "transfer", [owner, 10n ** 15n]) })
  call({ from: friend, to: owner, value: "0x1" })
  ask("eth_estimateGas", { from: owner, to: at["weth"], data: dataOf("Coin", "approve", [at["router"], ETHER]) })
  ask("eth_estimateGas", { from: owner, to: friend, value: "0xde0b6b3a7640000" })
  ask("eth_gasPrice")
  ask("eth_maxPriorityFeePerGas")
  ask("eth_feeHistory", "0x4", "latest", [10, 50, 90])
  ask("eth_getTransactionCount", owner, "pending")
  ask("eth_getBlockByNumber", "latest", false)

  part = "swap"
  ask("eth_sendRawTransaction", signed.approve)
  ask("eth_getTransactionReceipt", viem.keccak256(signed.approve))
  read("weth", "Coin", "allowance", [owner, at["router"]])
  call(swapping(1n))
  call(swapping(10n ** 12n)) // too little for the trader's minimum
  call(swapping(1n, ETHER, 1n)) // too late
  ask("eth_estimateGas", swapping(1n))
  ask("eth_sendRawTransaction", signed.swap)
  ask("eth_getTransactionReceipt", viem.keccak256(signed.swap))
  ask("eth_getTransactionByHash", viem.keccak256(signed.swap))

  part = "after the swap"
  ask("eth_blockNumber")
  ask("eth_getTransactionCount", owner, "latest")
  for (const coin of ["weth", "usd"]) read(coin, "Coin", "balanceOf", [owner])
  read("wethUsd500", "Pool", "slot0")
  for (const field of ["reserve0", "reserve1"]) read("wethUsd500", "Pool", field)
  const transfers = viem.keccak256(viem.stringToHex("Transfer(address,address,uint256)"))
  const paddedOwner = viem.pad(owner.toLowerCase() as viem.Hex)
  for (const topics of [
    [transfers, paddedOwner],
    [transfers, null, paddedOwner]
  ]) {
    ask("eth_getLogs", { address: [at["weth"], at["usd"]], fromBlock: "0x1", toBlock: "latest", topics })
  }

  part = "collectibles"
  for (const field of ["name", "symbol"]) read("positions", "Positions", field)
  for (const id of ["0x01ffc9a7", "0x80ac58cd", "0x780e9d63", "0xd9b67a26"]) {
    for (const [name, contract] of [
      ["positions", "Positions"],
      ["items", "Items"]
    ] as const) {
      read(name, contract, "supportsInterface", [id])
    }
  }
  for (const who of [owner, friend]) read("positions", "Positions", "balanceOf", [who])
  for (const at of [0n, 1n, 2n, 9n]) read("positions", "Positions", "tokenOfOwnerByIndex", [owner, at])
  for (const id of [1n, 2n, 3n, 77n]) {
    for (const field of ["positions", "ownerOf", "tokenURI", "getApproved"]) read("positions", "Positions", field, [id])
  }
  read("positions", "Positions", "isApprovedForAll", [owner, at["router"]])
  read("items", "Items", "balanceOfBatch", [Array(8).fill(owner), [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]])
  read("items", "Items", "balanceOfBatch", [[owner], [1n, 2n]])
  read("items", "Items", "balanceOf", [friend, 1n])
  read("items", "Items", "uri", [1n])

  part = "history"
  for (const hash of done.slice(-8)) {
    ask("eth_getTransactionByHash", hash)
    ask("eth_getTransactionReceipt", hash)
  }
  read("multicall", "Multicall", "getChainId")
  ask("eth_getProof", at["weth"], [viem.pad("0x3")], "latest")
  ask("eth_getBlockByNumber", "finalized", false)
  return requests
}
