/** Calls on chains of the OP stack, by the rules of their forks: op-geth's own answers are the oracle. */
import { describe, expect, it } from "@effect/vitest"
import { TrustedBlock, VerdictEthClient } from "@plumbline/eth-methods"
import { HttpTransport } from "@plumbline/jsonrpc-core"
import { OpStackChain } from "@plumbline/op-stack"
import { VerifiedCalls } from "@plumbline/verified-calls"
import { Effect, Layer } from "effect"

import * as RecordedRollup from "../support/RecordedRollup.ts"

/** The forks up to one, all from the beginning. */
const upTo = (fork: string): OpStackChain.OpStackChain => {
  const names = OpStackChain.forkNames.slice(0, OpStackChain.forkNames.findIndex((name) => name === fork) + 1)
  const forks = Object.fromEntries(names.map((name) => [name, 0n]))
  return { chainId: 901n, name: "ours", l1ChainId: 900n, systemConfig: `0x${"11".repeat(20)}`, forks }
}

describe.each(RecordedRollup.withCalls)("after $fork", ({ blocks, calls, fork }) => {
  const head = blocks[1]!
  /** Runs a recorded call by the rules of a fork. */
  const run = async ({ code, data }: (typeof calls.answers)[number], rules: string) => {
    await using node = await RecordedRollup.serve(blocks, calls)
    const transport = HttpTransport.layer({ url: node.url })
    // the calls run at the same time, on machines that may be busy
    const engine = VerifiedCalls.layer({ chain: OpStackChain.evmForks(upTo(rules)), bounds: { time: "5 minutes" } })
    const trust = TrustedBlock.layerPinned(head.block["hash"] as never)
    const client = VerdictEthClient.layer({ chainId: 901n }).pipe(Layer.provide([transport, trust, engine]))
    const program = calls.program as never
    const asked = VerdictEthClient.VerdictEthClient.use((eth) =>
      eth.call({ to: program, data }, 2n, { [calls.program]: { code } })
    )
    return await Effect.runPromise(Effect.result(Effect.provide(asked, client)))
  }

  const isP256 = ({ name }: (typeof calls.answers)[number]) => name.endsWith("0x100")
  const isPower = ({ name }: (typeof calls.answers)[number]) => /0x0?5$/u.test(name)
  for (const call of calls.answers.filter((one) => !isP256(one) && !(fork === "karst" && isPower(one)))) {
    it(`${call.name} is what op-geth returns`, async () => {
      const ran = await run(call, fork)
      const verdict = ran._tag === "Success" ? ran.success : undefined
      expect(
        verdict?._tag,
        JSON.stringify(ran, (_, value) => (typeof value === "bigint" ? String(value) : value))
      ).toBe("VERIFIED")
      expect(verdict!.value).toMatchObject({ _tag: "Returned", data: call.result })
    })
  }

  it("0x100 is refused by name, because op-geth has it from another fork on, and at another price", async () => {
    const [price, call] = calls.answers.filter(isP256)
    const isThere = !["canyon", "ecotone"].includes(fork)
    expect(call!.result).toHaveLength(isThere ? 130 : 66)
    // Osaka's costs 6900
    expect(BigInt(price!.result) < 4000n).toBe(true)
    const ran = await run(call!, fork)
    const verified = ran._tag === "Success" && ran.success._tag === "VERIFIED"
    expect(verified).toBe(false)
    expect(ran._tag === "Failure" ? ran.failure.message : JSON.stringify(ran.success)).toContain("0x100")
  })

  it.runIf(fork === "karst")(
    "0x05 is refused by name, because op-geth has it at the price of before Osaka",
    async () => {
      const power = calls.answers.filter(isPower)
      expect(power).toHaveLength(2)
      for (const call of power) {
        const ran = await run(call, fork)
        expect(ran._tag === "Failure" ? ran.failure.message : JSON.stringify(ran.success)).toContain("0x05")
      }
    }
  )

  it("is not run by the rules of a fork whose headers have another form", async () => {
    const other = fork === "canyon" ? "ecotone" : "canyon"
    const ran = await run(calls.answers[0]!, other)
    expect(ran._tag === "Success" && ran.success._tag === "VERIFIED").toBe(false)
  })
})
