/**
 * One of two nodes of a proving gateway tells the lies of the catalogue. The callers, which are unchanged popular
 * libraries, must read the same values as without a liar, and the operator must see the lie.
 */
import type { Transport } from "@plumbline/jsonrpc-core"
import { Catalogue, Tamper } from "@plumbline/tamper"
import { assert, describe, it } from "vitest"

import { ethers } from "../../src/clients/ethers.ts"
import * as Facts from "../../src/clients/facts.ts"
import { outcomes, type Outcome, type Way } from "../../src/clients/library.ts"
import { viem } from "../../src/clients/viem.ts"
import * as ProvingGateway from "../../src/integrity/provingGateway.ts"

const lies = Catalogue.lies.filter(({ how }) => how._tag === "Answer")

const truth: Transport.Middleware = (node) => node

const readsOf = async (make: typeof viem.make, way: Way): Promise<ReadonlyMap<string, Outcome>> => {
  const client = make(way, Facts.history)
  const read = new Map([...(await outcomes(client.facts)), ...(await outcomes(client.others))])
  await client.close()
  return read
}

const http = ({ url }: ProvingGateway.ProvingGateway): Way => ({ _tag: "Http", url })

/** Reads of advice, which cannot be proven. The gateway passes such answers marked as claims of the node. */
const ADVICE: ReadonlySet<string> = new Set(["gas getGasPrice", "gas eth_gasPrice"])

for (const { make, name } of [viem, ethers]) {
  describe(`${name} before a gateway that proves`, () => {
    const expected = (async () => {
      await using honest = await ProvingGateway.open([truth, truth])
      return await readsOf(make, http(honest))
    })()

    for (const lie of lies) {
      it(`reads the truth where one of two nodes lies, and the operator sees the lie: ${lie.name}`, async () => {
        let told = 0
        const liar = Tamper.make(lie, { onTold: () => told++ })
        await using gateway = await ProvingGateway.open([liar, truth])
        const read = await readsOf(make, http(gateway))
        for (const [what, outcome] of await expected) {
          if (!ADVICE.has(`${lie.name} ${what}`)) assert.deepEqual(read.get(what), outcome, what)
        }
        if ((lie.expected !== "REFUTED" && lie.expected !== "REPAIRED") || told === 0) return
        const found = gateway.lies()
        const { networks } = await gateway.status()
        const [first, second] = networks[0].upstreams
        if (lie.name === "chain-id") {
          assert.strictEqual(first.state, "wrong")
          return
        }
        assert.isAbove(found.length, 0, "a count of lies")
        assert.isTrue(found.every(({ node }) => node === "node-0"))
        assert.isAbove(first.lies.count, 0)
        assert.isUndefined(second.lies)
        assert.isTrue(gateway.log.some((line) => line.includes(first.lies.last.check) && line.includes("node-0")))
      })
    }
  })
}
