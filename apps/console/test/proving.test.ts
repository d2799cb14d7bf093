import * as Evidence from "@plumbline/verdict/Evidence"
import { expect, test } from "vitest"

import * as Proving from "../src/chain/Proving.ts"

const anchor = { _tag: "Block", hash: `0x${"12".repeat(32)}` } as const
const verdict = { anchor, proven: [Evidence.kind("Field", () => "a field")({})], claimed: [] }

test("an answer is verified by its verdict, and not by its anchor alone", () => {
  const outcome = (part: Pick<Proving.PassedResult["verdict"], "_tag"> & { readonly anchor?: null }) =>
    Proving.passed({ result: 1, verdict: { ...verdict, ...part } })._tag
  expect(outcome({ _tag: "VERIFIED" })).toBe("VERIFIED")
  expect(outcome({ _tag: "CLAIMED" })).toBe("CLAIMED")
  expect(outcome({ _tag: "VERIFIED", anchor: null })).toBe("CLAIMED")
})
