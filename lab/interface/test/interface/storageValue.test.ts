import { assert } from "@effect/vitest"
import { PreparedState } from "@plumbline/devnet"
import { createPublicClient, http, parseAbi } from "viem"

import * as Ask from "../../src/ask.ts"
import { rpcUrl } from "../../src/target.ts"
import * as Forms from "../support/forms.ts"
import { section } from "../support/section.ts"

section("Storage value (result of eth_getStorageAt)", {
  "A hex string holding the value at the requested storage position of the address; the sample results are 32 bytes long, left-padded with zeros.":
    async (target) => {
      const { address } = PreparedState.contracts.cabinet
      const viem = createPublicClient({ transport: http(rpcUrl(target, "live")) })
      // The value of the variable at slot 2, as the contract's own function returns it.
      const abi = parseAbi(["function counter() view returns (uint256)"])
      const counter = await viem.readContract({ address, abi, functionName: "counter" })
      const value = await Ask.result(target, "live", "eth_getStorageAt", [address, "0x2", "latest"])
      Forms.isBytes(32, value)
      assert.strictEqual(value, `0x${counter.toString(16).padStart(64, "0")}`)
      assert.notStrictEqual(counter, 0n)
      const empty = await Ask.result(target, "live", "eth_getStorageAt", [address, "0xffffff", "latest"])
      assert.strictEqual(empty, `0x${"00".repeat(32)}`)
    }
})
