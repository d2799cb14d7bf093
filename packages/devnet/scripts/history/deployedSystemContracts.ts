/**
 * The contracts that forks from Cancun on need at fixed addresses, and the transactions that deploy them.
 *
 * Each EIP contains the whole transaction, with an invented signature. A sender can be recovered from nearly every
 * signature. So the transaction has a sender, but the sender's key is unknown. The address of the contract follows from
 * the sender, so any wrong digit here would change the address.
 *
 * Sources: EIP-4788, EIP-2935, EIP-7002, EIP-7251, each under "Deployment".
 */
import type { Address, Hex } from "viem"

export interface Signature {
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
}

export interface SystemContract {
  readonly name: string
  readonly address: Address
  /** The sender that the signature recovers to. */
  readonly deployer: Address
  /** Creation code: it runs once and returns the contract's code. */
  readonly code: Hex
  readonly signature: Signature
}

export const GAS = 250_000n

export const GAS_PRICE = 1_000_000_000_000n

const hex = (digits: string): Hex => `0x${digits}`

const signature = (s: bigint): Signature => ({ v: 27n, r: 0x539n, s })

export const beaconRoots: SystemContract = {
  name: "BeaconRoots",
  address: "0x000f3df6d732807ef1319fb7b8bb8522d0beac02",
  deployer: "0x0b799c86a49deeb90402691f1041aa3af2d3c875",
  code: hex(
    "60618060095f395ff33373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001f" +
      "ff810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff015500"
  ),
  signature: signature(0x1b9b6eb1f0n)
}

export const blockHashes: SystemContract = {
  name: "BlockHashes",
  address: "0x0000f90827f1c53a10cb7a02335b175320002935",
  deployer: "0x3462413af4609098e1e27a490f554f260213d685",
  code: hex(
    "60538060095f395ff33373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff" +
      "81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500"
  ),
  signature: signature(0xaa12693182426612186309f02cfe8a80a0000n)
}

export const withdrawalRequests: SystemContract = {
  name: "WithdrawalRequests",
  address: "0x00000961ef480eb55e80d19ad83579a64c007002",
  deployer: "0x8646861a7cf453ddd086874d622b0696de5b9674",
  code: hex(
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5f556101f880602d5f395ff33373ffffffffffffffffff" +
      "fffffffffffffffffffffe1460cb5760115f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff146101f4" +
      "57600182026001905f5b5f82111560685781019083028483029004916001019190604d565b909390049250505036603814608857366101f457" +
      "346101f4575f5260205ff35b34106101f457600154600101600155600354806003026004013381556001015f35815560010160203590553360" +
      "601b5f5260385f601437604c5fa0600101600355005b6003546002548082038060101160df575060105b5f5b8181146101835782810160030260" +
      "040181604c02815460601b8152601401816001015481526020019060020154807fffffffffffffffffffffffffffffffff0000000000000000" +
      "0000000000000000168252906010019060401c908160381c81600701538160301c81600601538160281c81600501538160201c816004015381" +
      "60181c81600301538160101c81600201538160081c81600101535360010160e1565b910180921461019557906002556101a0565b90505f6002" +
      "555f6003555b5f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff14156101cd57505f5b60015460028282" +
      "01116101e25750505f6101e8565b01600290035b5f555f600155604c025ff35b5f5ffd"
  ),
  signature: signature(0x5feeb084551e4e03a3581e269bc2ea2f8d0008n)
}

export const consolidationRequests: SystemContract = {
  name: "ConsolidationRequests",
  address: "0x0000bbddc7ce488642fb579f8b00f3a590007251",
  deployer: "0x13d1913d623e6a9d8811736359e50fd31fe54fca",
  code: hex(
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5f5561019e80602d5f395ff33373ffffffffffffffffff" +
      "fffffffffffffffffffffe1460d35760115f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff1461019a" +
      "57600182026001905f5b5f82111560685781019083028483029004916001019190604d565b9093900492505050366060146088573661019a57" +
      "3461019a575f5260205ff35b341061019a57600154600101600155600354806004026004013381556001015f35815560010160203581556001" +
      "0160403590553360601b5f5260605f60143760745fa0600101600355005b6003546002548082038060021160e7575060025b5f5b8181146101" +
      "295782810160040260040181607402815460601b815260140181600101548152602001816002015481526020019060030154905260010160e9" +
      "565b910180921461013b5790600255610146565b90505f6002555f6003555b5f54807fffffffffffffffffffffffffffffffffffffffffffff" +
      "ffffffffffffffffffff141561017357505f5b6001546001828201116101885750505f61018e565b01600190035b5f555f6001556074025ff3" +
      "5b5f5ffd"
  ),
  signature: signature(0xc0730f92dc275b663d377a7cbb141b6600052n)
}

export const all: ReadonlyArray<SystemContract> = [beaconRoots, blockHashes, withdrawalRequests, consolidationRequests]
