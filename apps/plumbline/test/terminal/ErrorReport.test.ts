/** The report of a failed command. */
import { describe, expect, it } from "@effect/vitest"
import { Claim, Reason, UnprovenError } from "@plumbline/verdict"
import { Cause } from "effect"

import { LayoutFileError } from "../../src/storage/layout/LayoutFileError.ts"
import * as ErrorReport from "../../src/terminal/ErrorReport.ts"
import { UsageError } from "../../src/terminal/UsageError.ts"

const Because = Reason.kind("Because", ({ text }: { readonly text: string }) => text)

describe("a report for programs", () => {
  it("tells of an unproven answer of IPFS by its path and the claims", () => {
    const error = new UnprovenError({ subject: "/ipns/example.org", claims: [Claim.whole(Because({ text: "so" }))] })
    expect(ErrorReport.fromCause(Cause.fail(error))).toEqual({
      tag: "UnprovenError",
      message: "/ipns/example.org: so",
      subject: "/ipns/example.org",
      claims: [{ field: "value", reason: "so" }]
    })
  })

  it("tells of an unproven answer of Ethereum by the method and the claims", () => {
    const error = new UnprovenError({
      subject: "eth_getBlockReceipts",
      claims: [Claim.of("size", Because({ text: "so" }))]
    })
    expect(ErrorReport.fromCause(Cause.fail(error))).toEqual({
      tag: "UnprovenError",
      message: "eth_getBlockReceipts: size: so",
      subject: "eth_getBlockReceipts",
      claims: [{ field: "size", reason: "so" }]
    })
  })

  it("repeats nothing of what is not an error of ours", () => {
    expect(JSON.stringify(ErrorReport.fromCause(Cause.die(new Error("a secret"))))).not.toContain("a secret")
  })
})

describe("the lines of an error", () => {
  it("are its own, and none of an error without", () => {
    const lines = ["one", "two"]
    const error = new LayoutFileError({ path: "A.sol", problem: "CompilerErrors", detail: "no", lines })
    expect(ErrorReport.linesOf(error)).toEqual(lines)
    expect(ErrorReport.linesOf(new UsageError({ problem: "no" }))).toEqual([])
  })
})
