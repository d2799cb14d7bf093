import { readFileSync } from "node:fs"

import { assert } from "@effect/vitest"
import { PreparedState } from "@plumbline/devnet"
import { AbiCoder, keccak256 } from "ethers"
import { createPublicClient, http, parseAbi } from "viem"

import * as Ask from "../../src/ask.ts"
import { rpcUrl, type Target } from "../../src/target.ts"
import { section } from "../support/section.ts"

const { cabinet, token } = PreparedState.contracts
const abi = parseAbi([
  "function counter() view returns (uint256)",
  "function fingerprint() view returns (bytes32)",
  "function balanceOf(address) view returns (uint256)"
])

const slot = (target: Target, address: string, position: string): Promise<string> =>
  Ask.result(target, "live", "eth_getStorageAt", [address, position, "latest"])

const reader = (target: Target) => createPublicClient({ transport: http(rpcUrl(target, "live")) })

/** Returns the position by the documented rule: the hash of the key and the slot, each padded to 32 bytes by ethers. */
const positionOf = (key: string, mapping: number): string =>
  keccak256(AbiCoder.defaultAbiCoder().encode(["address", "uint256"], [key, mapping]))

/** The slot of the balances, from the layout that solc writes. */
const BALANCES = Number(
  JSON.parse(readFileSync(PreparedState.layoutFile(token), "utf8")).storage.find(
    ({ label }: { readonly label: string }) => label === "balanceOf"
  ).slot
)

const balance = async (target: Target, holder: `0x${string}`): Promise<bigint> =>
  reader(target).readContract({ address: token.address, abi, functionName: "balanceOf", args: [holder] })

section("Storage position rules for eth_getStorageAt", {
  "A plain fixed-size variable at slot n is read with the hex position of n (for example slot zero is the position 0x0).":
    async (target) => {
      const viem = reader(target)
      const counter = await viem.readContract({ address: cabinet.address, abi, functionName: "counter" })
      const fingerprint = await viem.readContract({ address: cabinet.address, abi, functionName: "fingerprint" })
      assert.strictEqual(BigInt(await slot(target, cabinet.address, "0x2")), counter)
      assert.strictEqual(await slot(target, cabinet.address, "0x3"), fingerprint)
      // The owner is in the lowest bytes of slot 0. It is account 0, which deployed the contract.
      const zero = await slot(target, cabinet.address, "0x0")
      assert.strictEqual(`0x${zero.slice(-40)}`, PreparedState.accounts[0]!.address.toLowerCase())
    },
  "The position of an element of a mapping is the Keccak hash of the concatenation of the key left-padded with zeros to 32 bytes and the mapping slot number left-padded with zeros to 32 bytes.":
    async (target) => {
      let held = 0
      for (const { address } of PreparedState.accounts) {
        const amount = await balance(target, address)
        assert.strictEqual(BigInt(await slot(target, token.address, positionOf(address, BALANCES))), amount)
        if (amount > 0n) held += 1
      }
      assert.isAtLeast(held, 2)
    },
  "The hash, as hex, is passed as the storage position.": async (target) => {
    const [{ address }] = PreparedState.accounts as [PreparedState.PreparedAccount]
    const position = positionOf(address, BALANCES)
    assert.match(position, /^0x[0-9a-f]{64}$/u)
    assert.strictEqual(BigInt(await slot(target, token.address, position)), await balance(target, address))
    const other = position.replace(/.$/u, (last) => (last === "0" ? "1" : "0"))
    assert.strictEqual(BigInt(await slot(target, token.address, other)), 0n)
  }
})
